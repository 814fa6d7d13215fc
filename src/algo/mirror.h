/* mirror.h - reversed allgather and broadcast algorithms: reduce-scatter and reduce.
 *
 * The messages that distribute a block form a tree.  With all messages reversed, in reverse order,
 * operands are combined up the same tree.  For commutative operators. */
#ifndef ATN_ALGO_MIRROR_H
#define ATN_ALGO_MIRROR_H

#include "algo/algo.h"

/* For algorithms whose only parameter is the allgather: those with rounds of equal length, so that
 * the reverse takes as long. */
extern const atn_param atn_algo_mirror_params[];
const char *atn_algo_mirror_refuses(const atn_problem *q, const atn_params *prm);

/* Why the part cannot be reversed; NULL: it can. */
const char *atn_algo_mirror_part(atn_operation op, const atn_param *param, int64_t value,
                                 const atn_problem *q);

/* Reduce-scatter: a reversed allgather.  Reduce: a reversed broadcast from the root. */
void atn_algo_mirror(atn_builder *b, const atn_problem *q, const atn_algo *forward,
                     const atn_params *prm);
/* Allreduce: a reversed broadcast from rank 0, then the broadcast itself. */
void atn_algo_mirror_allreduce(atn_builder *b, const atn_problem *q, const atn_algo *bcast,
                               const atn_params *prm);

#endif
