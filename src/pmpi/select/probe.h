/* probe.h - candidates for a reduction whose result must not change are timed beside the call. */
#ifndef ATN_PMPI_SELECT_PROBE_H
#define ATN_PMPI_SELECT_PROBE_H

#include "pmpi/comm/state.h"

/* Executes turn->shadow on the data of the call, with a result that is discarded, and records its
 * time.  Every rank of the communicator does so before the same call.  Returns an MPI error
 * code. */
int atn_select_probe(atn_comm *c, const atn_call *call, const atn_problem *q, const atn_turn *turn);

#endif
