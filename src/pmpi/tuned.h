/* tuned.h - learning in a job: between the calls of a communicator and the driver of its tuners. */
#ifndef ATN_TUNED_H
#define ATN_TUNED_H

#include "pmpi/comm.h"

/* Which procedure, and what it may do (collective data: settings are shared). */
void atn_tuned_settle(atn_job *job);
/* Makes the driver of a communicator, if learning is wanted; false: no memory (to be voted on). */
bool atn_tuned_start(atn_comm *c);
/* Awaits what is under way and frees the driver: collective, with the communicator. */
void atn_tuned_stop(atn_comm *c);
/* Whether a communicator should be set up for the first call of an operation: an inexact reduction
 * that wisdom knows may not change its algorithm later. */
bool atn_tuned_is_urgent(const atn_comm *c, atn_operation op);

/* Calls from now on are of another context. */
void atn_tuned_set_context(atn_comm *c, uint64_t context);

/* The plan for a call (NULL: native, or an error in *code_p), and its turn; what may take long has
 * been done, and the clock of the turn runs. */
atn_plan *atn_pick(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* The call has been carried out; returns `code`, or an error of the agreement. */
int atn_turn_done(atn_comm *c, const atn_turn *turn, int code);
/* Notes what became of it, so that equal calls need no turn for a while. */
void atn_turn_know(atn_comm *c, const atn_call *call, atn_key k, const atn_turn *turn, bool whole);

#endif
