/* probe.h - a candidate for a reduction whose result must not change is tried beside the call. */
#ifndef ATN_PROBE_H
#define ATN_PROBE_H

#include "pmpi/comm.h"

/* Carries out turn->shadow with the data of the call, where the result does no harm, and notes its
 * time.  Every rank of the communicator does so before the same call.  Returns an MPI error
 * code. */
int atn_probe(atn_comm *c, const atn_call *call, const atn_problem *q, const atn_turn *turn);

#endif
