/* shared.h - algorithms for ranks that share memory: the condition, and folds of exposed operands.
 *
 * Rows with ATN_NEEDS_SHARED read other ranks' buffers directly (expose, read and close of
 * sched/builder.h).  A buffer that is exposed must not be written before the exposure is closed;
 * where source and result overlap (MPI_IN_PLACE), results are therefore kept in scratch until
 * then. */
#ifndef ATN_ALGO_SHARED_H
#define ATN_ALGO_SHARED_H

#include "algo/algo.h"

/* Whether the ranks of a problem cannot read each other's memory. */
bool atn_algo_shared_lacks(const atn_problem *q);
/* Whether n ranks of a topology are on one host. */
bool atn_algo_shared_one_host(const struct atn_topo *t, const int *ranks, int n);

/* From the beginning of an exposure. */
#define ATN_WHOLE ((atn_range){0, 0})

/* to = the operands of all ranks, combined in rank order: `own`, and from each other rank blocks of
 * its exposure (atn_read).  `to` must not overlap `own`. */
void atn_algo_shared_fold(atn_builder *b, const atn_problem *q, int exposure, atn_range before,
                          atn_ref own, atn_ref to);
/* Where a result can be stored while `exposed` is: `result`, or scratch with the shape of `count`
 * blocks from `first` on. */
atn_ref atn_algo_shared_room(atn_builder *b, atn_ref exposed, atn_ref result, int first, int count);

/* Ranks counted from the root as a heap: children of v, from atn_algo_shared_child on; the number
 * of levels below the root. */
int atn_algo_shared_children(int v, int p, int degree);
static inline int atn_algo_shared_child(int v, int degree, int i) { return degree * v + 1 + i; }
int atn_algo_shared_height(int p, int degree);

#endif
