/* prediction.h - ATTUNE_FORESEE: predicts which collectives recur on a communicator that is tuned.
 *
 * Only rank 0 predicts, because only rank 0 gives advice: a call class that is part of a cycle is
 * planned at once, another one only after more calls.  The other ranks receive rank 0's advice, so
 * all decide alike. */
#ifndef ATN_PMPI_SELECT_PREDICTION_H
#define ATN_PMPI_SELECT_PREDICTION_H

#include "pmpi/comm/fastpath.h"
#include "predict/history.h"

/* Starts recording; without memory nothing is predicted. */
void atn_select_prediction_start(atn_comm *c);
/* A call was selected; calls that repeat it will hit `entry` of the call cache, unless it is NULL.
 */
void atn_select_prediction_add(atn_comm *c, const atn_call *call, const atn_cached_call *entry);
/* Whether calls of the class recur after the present one. */
atn_outlook atn_select_prediction_of(atn_comm *c, const atn_call_class *x);
/* The prediction changed when a class is planned: at once, or not yet. */
void atn_select_prediction_note(atn_outlook because);
void atn_select_prediction_free(struct atn_call_prediction *f);
/* Prints a summary, if decisions are to be printed. */
void atn_select_prediction_stop(void);

#endif
