/* refusal.h - with --verbose, why a rule or a forced algorithm does not serve the nonblocking and
 * persistent calls of an operation. */
#ifndef ATN_PMPI_NONBLOCKING_REFUSAL_H
#define ATN_PMPI_NONBLOCKING_REFUSAL_H

#include "pmpi/comm/state.h"

/* A call was left to the native routine; `call` NULL: because of its communicator.  Prints the
 * reason on rank 0 of the communicator, in a process once for each operation. */
void atn_nonblocking_refused(atn_comm *c, atn_operation op, const atn_call *call);

#endif
