/* online.h - ATTUNE_SELECT=online: connects the calls of a communicator to the driver of its
 * tuners. */
#ifndef ATN_PMPI_SELECT_ONLINE_H
#define ATN_PMPI_SELECT_ONLINE_H

#include "pmpi/comm/fastpath.h"

/* Makes the driver of a communicator, if it is to be tuned; false: no memory (part of the
 * agreement). */
bool atn_select_online_start(atn_comm *c);
/* Completes what is in progress and frees the driver: collective, with the communicator. */
void atn_select_online_stop(atn_comm *c);
/* Whether a communicator should be set up for the first call of an operation: an inexact reduction
 * with wisdom must not change its algorithm later. */
bool atn_select_online_is_urgent(const atn_comm *c, atn_operation op);
/* Later calls belong to another context. */
void atn_select_online_set_context(atn_comm *c, uint64_t context);
/* Completes the agreements that are due. */
void atn_select_online_wake(atn_comm *c, atn_operation op);

/* The plan for a call (NULL: native, or an error in *code_p), and its turn; everything that may
 * take long has been done, and the clock of the turn runs. */
atn_plan *atn_select_online_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* The call has been executed; returns `code`, or an error of the agreement. */
int atn_select_online_done(atn_comm *c, const atn_turn *turn, int code);
/* Enters the outcome into the call cache, so that equal calls need no turn for a while. */
void atn_select_online_remember(atn_comm *c, const atn_call *call, atn_call_key k,
                                const atn_turn *turn, bool whole);

#endif
