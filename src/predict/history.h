/* history.h - the next collectives of a communicator, from its calls so far.
 *
 * Only what all ranks of the communicator share is looked at: operation, root, bytes and whether
 * operands keep their order.  So all ranks that made the same calls foresee the same ones.  A rank
 * that runs out of memory foresees nothing any more, on its own: what is foreseen may prepare
 * something, never decide which messages are sent.
 *
 *   if (atn_history_foresee(h, 1, &next)) prepare the plan of `next`
 *   ... the call comes ...
 *   atn_history_add(h, &q); */
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
/* How many of the next `within` calls are foreseen to be like `q`: what is learned about it pays
 * that often. */
int atn_history_coming(atn_history *h, const atn_problem *q, int within);
atn_foresight atn_history_foresight(const atn_history *h);

/* What is expected after a call. */
typedef struct {
    atn_problem q;
    int permille; /* of what was told so far, that came true */
    int coming;   /* how many of the next sixteen calls will be like it */
} atn_expected;
/* Adds the call, and tells what comes next; the same on all ranks.  False: nothing is foreseen. */
bool atn_history_expect(atn_history *h, const atn_problem *called, atn_expected *next_p);

#endif
