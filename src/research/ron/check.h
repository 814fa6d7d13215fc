/* check.h - verification of circuits, independent of the code that computes them. */
#ifndef ATN_RESEARCH_RON_CHECK_H
#define ATN_RESEARCH_RON_CHECK_H

#include "model/ron.h"

/* Verifies circuits from any source: every message is sent once, after its dependencies, on a free
 * port that is connected to its receiver and had time for the reconfiguration; no rank receives
 * more messages at once than it has ports; the completion time is right (below 0: it is filled
 * in).  ATN_FINDING names rank and port.  *c may be in any order and is sorted. */
atn_status atn_ron_check(const atn_op_graph *g, const atn_ron *net, atn_circuits *c,
                         atn_error *err);

#endif
