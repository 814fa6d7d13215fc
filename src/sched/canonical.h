/* canonical.h - the canonical order of a reproducible reduction: a binary tree over runs of
 * consecutive ranks.  It depends only on the operation, the number of ranks and the root: not on
 * message size, segment size, rank mapping or algorithm.
 *
 *   allreduce, reduce_scatter   ranks beyond a power of two are paired with the lowest ones; then
 *                               recursive halving               p = 6: ((01)(23))(45)
 *   reduce                      a binomial tree to the root     p = 6, root 0: ((01)(23))(45)
 *   scan, exscan                the largest power of two of ranks ends with the last one; rank 5 of
 *                               a scan: (01)((23)(45)) */
#ifndef ATN_SCHED_CANONICAL_H
#define ATN_SCHED_CANONICAL_H

#include "sched/operation.h"
#include "sched/value.h"

/* Whether operands of the problem must be combined in this order. */
static inline bool atn_sched_wants_canonical(const atn_problem *q)
{
    return q->canonical && (atn_sched_operation_get(q->op)->flags & ATN_TYPED);
}
/* The same problem with this order required; it does not depend on rank mapping. */
static inline atn_problem atn_sched_in_canonical_order(const atn_problem *q)
{
    atn_problem canonical = *q;
    canonical.ordered = canonical.canonical = true;
    canonical.topo = NULL;
    canonical.lateness = NULL;
    return canonical;
}
/* Whether a value, which holds the contributions of a run, was combined in this order. */
bool atn_sched_has_canonical(atn_value_table *v, const atn_problem *q, int value);

#endif
