/* foresight.h - ATTUNE_FORESEE: which collective comes next on a communicator, and its plan before
 * it comes.
 *
 * What is foreseen follows from the calls so far, which all ranks share, so it is the same on all
 * of them; it prepares plans and never decides which messages are sent. */
#ifndef ATN_FORESIGHT_H
#define ATN_FORESIGHT_H

#include "plan/choice.h"
#include "pmpi/comm.h"

/* After a call on a communicator that is served: what it was, and what carried it out. */
void atn_foresight_saw(atn_comm *c, const atn_call *call, const atn_choice *choice);
/* The communicator goes. */
void atn_foresight_free(struct atn_foreseeing *f);
/* Tells what came of it, if decisions are to be told. */
void atn_foresight_stop(void);

#endif
