/* mirror.h - allgather and broadcast algorithms backwards: reduce-scatter and reduce.
 *
 * What spreads a block to all ranks is a tree; with every message the other way round, and in the
 * reverse order, operands are combined up the same tree.  For operators that commute. */
#ifndef ATN_MIRROR_H
#define ATN_MIRROR_H

#include "algo/algo.h"

/* For algorithms whose only parameter is the allgather: those in rounds of even length, so that the
 * way back takes as long. */
extern const atn_param atn_mirror_params[];
const char *atn_mirror_refuses(const atn_problem *q, const atn_params *prm);

/* Reduce-scatter: an allgather backwards.  Reduce: a broadcast from the root backwards. */
void atn_mirror(atn_builder *b, const atn_problem *q, const atn_algo *forward,
                const atn_params *prm);
/* Allreduce: a broadcast from rank 0 backwards, then forwards. */
void atn_mirror_allreduce(atn_builder *b, const atn_problem *q, const atn_algo *bcast,
                          const atn_params *prm);

#endif
