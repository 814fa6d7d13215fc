/* sends.h - the sends of a recorded job for hide.h. */
#ifndef ATN_RESEARCH_RON_SENDS_H
#define ATN_RESEARCH_RON_SENDS_H

#include "research/ron/hide.h"
#include "trace/trace.h"

/* Appends the sends between ranks of the job, without those inside collectives.  Computation is the
 * time between calls without the overhead of the tracer. */
atn_status atn_ron_sends_trace(const atn_trace *t, atn_ron_sends *to, atn_error *err);

#endif
