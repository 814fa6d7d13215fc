/* behaviour.h - the class of an algorithm as its schedules show it.
 *
 * Parameters change it: without synchronisation the rounds of a pairwise exchange are independent
 * of each other and start at once; with it a rank waits for its partners in every round. */
#ifndef ATN_ALGO_BEHAVIOUR_H
#define ATN_ALGO_BEHAVIOUR_H

#include "algo/algo.h"

/* "coordinated", "store-and-forward", "direct". */
extern const char *const atn_algo_class_names[];

/* Direct: no rank waits for a message before it sends one.  If ranks wait, but send only their own
 * data, they are coordinated.  If data pass through other ranks, the descriptor distinguishes
 * whether ranks are coordinated.  From the schedules of all ranks of q, whose r and segments are
 * ignored. */
atn_status atn_algo_class_of(const atn_row *row, const atn_problem *q, const atn_params *prm,
                             atn_class *class_p, atn_error *err);

#endif
