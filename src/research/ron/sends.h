/* sends.h - the sends of a recorded job, for what circuits could hide (hide.h). */
#ifndef ATN_TRACE_SENDS_H
#define ATN_TRACE_SENDS_H

#include "research/ron/hide.h"
#include "trace/trace.h"

/* Appends the sends of all ranks to ranks of the job, without those inside of collectives.
 * Computation is the time between calls, less what recording took. */
atn_status atn_trace_sends(const atn_trace *t, atn_ron_sends *to, atn_error *err);

#endif
