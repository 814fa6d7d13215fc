/* history.h - predicts the next collectives of a communicator from its calls so far.
 *
 * A prediction uses only what all ranks of the communicator share: operation, root, bytes and
 * whether operands keep their order.  Ranks that made the same calls therefore predict the same
 * calls.  A rank that runs out of memory stops predicting on its own, so a prediction may prepare
 * something or be part of an agreement, but must not decide alone which messages are sent.
 *
 *   atn_predict_history_add(h, &q);
 *   if (atn_predict_history_predict(h, 1, &next)) prepare for `next` */
#ifndef ATN_PREDICT_HISTORY_H
#define ATN_PREDICT_HISTORY_H

#include "predict/online.h"
#include "sched/operation.h"

typedef struct atn_history atn_history;

atn_history *atn_predict_history_make(void); /* NULL: out of memory */
void atn_predict_history_free(atn_history *h);

/* A call of the communicator. */
void atn_predict_history_add(atn_history *h, const atn_problem *q);
/* The call `ahead` calls from now (1 is the next): its shared parts; all else is as in the last
 * call.  False: no prediction, or recent predictions were wrong. */
bool atn_predict_history_predict(atn_history *h, int ahead, atn_problem *q_p);
atn_prediction_stats atn_predict_history_stats(const atn_history *h);

/* Whether tuning a call class can pay off. */
typedef enum {
    ATN_OUTLOOK_OPEN,  /* no prediction */
    ATN_OUTLOOK_COMES, /* such calls are predicted */
    ATN_OUTLOOK_ABSENT /* none is predicted */
} atn_outlook;
/* For calls that are `like` one that has been entered but not added yet. */
atn_outlook atn_predict_history_outlook(atn_history *h,
                                        bool (*like)(const void *context, const atn_problem *q),
                                        const void *context);

#endif
