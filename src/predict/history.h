/* history.h - the next collectives of a communicator, from its calls so far.
 *
 * Only what all ranks of the communicator share is looked at: operation, root, bytes and whether
 * operands keep their order.  So all ranks that made the same calls foresee the same ones.  A rank
 * that runs out of memory foresees nothing any more, on its own: what is foreseen may prepare
 * something, or be told to the others, never decide alone which messages are sent.
 *
 *   atn_history_add(h, &q);
 *   if (atn_history_foresee(h, 1, &next)) prepare for `next` */
#ifndef ATN_PREDICT_HISTORY_H
#define ATN_PREDICT_HISTORY_H

#include "predict/online.h"
#include "sched/operation.h"

typedef struct atn_history atn_history;

atn_history *atn_history_make(void); /* NULL: out of memory */
void atn_history_free(atn_history *h);

/* A call of the communicator. */
void atn_history_add(atn_history *h, const atn_problem *q);
/* The call that is `ahead` calls from now (1 is the next): its shared parts; all else is as in the
 * last call.  False: it cannot be told, or what was told lately was wrong. */
bool atn_history_foresee(atn_history *h, int ahead, atn_problem *q_p);
atn_foresight atn_history_foresight(const atn_history *h);

/* Whether learning about some calls will pay. */
typedef enum {
    ATN_OUTLOOK_OPEN,  /* nothing is foreseen */
    ATN_OUTLOOK_COMES, /* they come again */
    ATN_OUTLOOK_ABSENT /* they are not part of what is foreseen */
} atn_outlook;
/* Of calls that are `like` one that has come and was not added yet. */
atn_outlook atn_history_outlook(atn_history *h,
                                bool (*like)(const void *context, const atn_problem *q),
                                const void *context);

#endif
