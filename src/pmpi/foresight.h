/* foresight.h - ATTUNE_FORESEE: which collectives come again on a communicator that learns.
 *
 * Only rank 0 looks, which alone is asked what is to be tried: a kind of calls that is part of a
 * cycle is worth a plan at once, one that is not must come more often first.  The others hear what
 * follows with rank 0's advice, so all decide alike. */
#ifndef ATN_FORESIGHT_H
#define ATN_FORESIGHT_H

#include "pmpi/comm.h"
#include "predict/history.h"

/* Begins to look; without memory nothing is foreseen. */
void atn_foresight_start(atn_comm *c);
/* A call was settled; those that repeat it will be `known`, unless that is NULL. */
void atn_foresight_saw(atn_comm *c, const atn_call *call, const atn_known *known);
/* Whether calls of the kind come again after the one at hand. */
atn_outlook atn_foresight_of(atn_comm *c, const atn_kind *x);
/* It changed what becomes of a kind: a plan at once, or not yet. */
void atn_foresight_note(atn_outlook because);
/* The communicator goes. */
void atn_foresight_free(struct atn_foreseeing *f);
/* Tells what came of it, if decisions are to be told. */
void atn_foresight_stop(void);

#endif
