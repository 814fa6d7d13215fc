/* check.h - ATTUNE_CHECK: whether all ranks make the same call. */
#ifndef ATN_PMPI_OBSERVE_CHECK_H
#define ATN_PMPI_OBSERVE_CHECK_H

#include "pmpi/comm/state.h"

/* Compares the call across the ranks of its communicator (collective).  False: they differ, which
 * has been reported, and *code_p is the error to return. */
bool atn_observe_check(atn_comm *c, const atn_call *call, int *code_p);

#endif
