/* canonical.h - the one way to combine operands that a problem has when results must be
 * reproducible: a binary tree over runs of consecutive ranks.  It depends on the operation, the
 * number of ranks and the root alone: not on sizes, pieces, places of ranks or algorithms.
 *
 *   allreduce, reduce_scatter   ranks beyond a power of two join the lowest ones in pairs; then
 *                               halves, halves of halves ...    p = 6: ((01)(23))(45)
 *   reduce                      as a binomial tree to the root  p = 6, root 0: ((01)(23))(45)
 *   scan, exscan                the longest power of two of ranks ends with the last one; rank 5 of
 *                               a scan: (01)((23)(45)) */
#ifndef ATN_CANONICAL_H
#define ATN_CANONICAL_H

#include "sched/operation.h"
#include "sched/value.h"

/* Whether operands of the problem must be combined so. */
static inline bool atn_wants_canonical(const atn_problem *q)
{
    return q->canonical && (atn_operation_get(q->op)->flags & ATN_TYPED);
}
/* Where the run lo .. hi - 1 of at least two ranks is cut. */
int atn_canonical_cut(const atn_problem *q, int lo, int hi);
/* Whether a value, which holds the contributions of a run, is combined so. */
bool atn_has_canonical(atn_value_table *v, const atn_problem *q, int value);

#endif
