/* early.h - trees for ranks that come at different times, by when they are expected
 * (atn_problem.lateness).  Time is counted in messages; without arrivals all come at once.
 *
 *   down   whoever has the message and is free serves the next who comes; an early rank stays for
 *          a late one only if nobody else will be there, so one stays for all who are late
 *   up     values that are there are combined two and two at once, so that what comes last has the
 *          shortest way
 *   chain  from the earliest to the latest; upwards the root comes last all the same
 *
 * Among ranks that come at once the wires decide, or their numbers from the root on. */
#ifndef ATN_EARLY_H
#define ATN_EARLY_H

#include "algo/algo.h"

typedef struct {
    int from, to;
    int slot; /* one of a rank's messages at most is in a slot */
} atn_early_message;

typedef enum { ATN_EARLY_TREE, ATN_EARLY_CHAIN } atn_early_shape;
extern const atn_param atn_early_params[]; /* shape */

/* The messages of all ranks by time, p - 1 of them, and the number of slots; from q->root, or with
 * `up` to it.  The caller frees them.  NULL: no memory. */
atn_early_message *atn_early_make(const atn_problem *q, atn_early_shape shape, bool up,
                                  int *slots_p);
/* The rank that comes last, of several the first; 0 where arrivals are not known. */
int atn_early_last(const atn_problem *q);

#endif
