/* mirror.h - allgather and broadcast algorithms backwards: reduce-scatter and reduce.
 *
 * What spreads a block to all ranks is a tree; with every message the other way round, and in the
 * reverse order, operands are combined up the same tree.  For operators that commute. */
#ifndef ATN_MIRROR_H
#define ATN_MIRROR_H

#include "algo/algo.h"

/* Allgathers in rounds of even length, so that the way back takes as long: words of a parameter. */
extern const char *const atn_mirror_words[];
enum { ATN_MIRROR_LAST = 7 };

/* Reduce-scatter: an allgather backwards.  Reduce: a broadcast from the root backwards. */
void atn_mirror(atn_builder *b, const atn_problem *q, const atn_algo *forward,
                const atn_params *prm);
/* Allreduce: a broadcast from rank 0 backwards, then forwards. */
void atn_mirror_allreduce(atn_builder *b, const atn_problem *q, const atn_algo *bcast,
                          const atn_params *prm);

#endif
