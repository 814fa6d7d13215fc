/* halving.h - recursive halving: partners exchange and combine halves, then quarters, and so on.
 *
 * In each round a rank and its partner are responsible for the same blocks; each keeps half of them
 * and sends the other half.  Any pairing that connects all ranks works:
 *
 *   far     distance p / 2 first: number i ends with share i
 *   near    neighbours first: a rank's partial result is always that of a run of consecutive ranks,
 *           which suits every operator; number i ends with the share of the bit-reversed index
 *   swing   distances 1, 1, 3, 5, 11, ... in alternating directions: on a ring or torus the paths
 *           are shorter than with powers of two */
#ifndef ATN_ALGO_HALVING_H
#define ATN_ALGO_HALVING_H

#include "algo/algo.h"
#include "algo/core.h"

typedef enum { ATN_FAR, ATN_NEAR, ATN_SWING } atn_meeting;

typedef struct {
    atn_core core;
    atn_meeting meeting;
    const int *start; /* first block of each share, and the end; NULL: share i is block i */
    int turn;         /* rotates the core by this many ranks on the ring of all ranks */
} atn_halving;

/* All rounds; the fold covers all blocks before and the rank's own share after. */
void atn_algo_halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f);

/* Reduce-scatter, far or near, for any number of ranks: proxies handle the blocks of extra
 * ranks. */
void atn_algo_halving_scatter(atn_builder *b, const atn_problem *q, atn_meeting meeting);
/* Allreduce: the same, then all rounds in reverse with the combined blocks. */
void atn_algo_halving_allreduce(atn_builder *b, const atn_problem *q, atn_meeting meeting);
/* Reduce, far or near: the same among a power of two of ranks, to which the others send their
 * operands first; then a k-nomial tree gathers the shares at the root. */
void atn_algo_halving_reduce(atn_builder *b, const atn_problem *q, atn_meeting meeting, int radix);
extern const atn_param atn_algo_halving_reduce_params[];
/* A radix above 2 must divide a power of two of ranks level by level: its form holds only then. */
const char *atn_algo_halving_reduce_refuses(const atn_problem *q, const atn_params *prm);

#endif
