/* early.h - trees for an expected arrival pattern (atn_problem.lateness).
 *
 * Time is counted in messages; without an arrival pattern all ranks arrive at the same time.
 *
 *   down   a rank that holds the message and is idle serves the next rank to arrive; an early rank
 *          waits for a late one only if no other will be available, so a single rank waits for all
 *          late ranks
 *   up     available values are combined in pairs at once, so that the last arrival has the
 *          shortest path
 *   chain  from the earliest rank to the latest; upwards the root is always last
 *
 * Ranks that arrive at the same time are ordered by topology, or by number from the root on. */
#ifndef ATN_ALGO_EARLY_H
#define ATN_ALGO_EARLY_H

#include "algo/algo.h"

typedef struct {
    int from, to;
    int slot; /* a rank has at most one message per slot */
} atn_early_message;

typedef enum { ATN_EARLY_TREE, ATN_EARLY_CHAIN } atn_early_shape;
extern const atn_param atn_algo_early_params[]; /* shape */

/* The p - 1 messages of all ranks by time, and the number of slots; from q->root or, with `up`, to
 * it.  The caller frees them.  NULL: no memory. */
atn_early_message *atn_algo_early_make(const atn_problem *q, atn_early_shape shape, bool up,
                                       int *slots_p);
/* The rank that arrives last, the lowest of several; 0 without an arrival pattern. */
int atn_algo_early_last(const atn_problem *q);

#endif
