/* read.h - circuits from a file (docs/ron.md). */
#ifndef ATN_RESEARCH_RON_READ_H
#define ATN_RESEARCH_RON_READ_H

#include "model/ron.h"

/* The columns, NULL-terminated; `since` and `ready` are empty where the circuit existed. */
extern const char *const atn_ron_circuit_columns[];
/* Times have the unit of the file; `time` is not set.  The k-th message from one rank to another is
 * the k-th of the schedules; `send` is -1 for messages that they do not have. */
atn_status atn_ron_circuits_read(const char *path, const atn_op_graph *g, atn_circuits *c_p,
                                 atn_error *err);

#endif
