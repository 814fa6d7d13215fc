/* halving.h - partners exchange and combine halves of what they have, then quarters, and so on.
 *
 * In each round a rank and its partner are responsible for the same blocks; each keeps half of
 * them and sends the other half.  Who meets whom is free as long as all meet in the end:
 *
 *   far     ranks that are half of all apart first: number i ends with share i
 *   near    neighbours first: what a rank has combined is always a run of consecutive ranks, which
 *           serves every operator; number i ends with the share whose bits are in reverse order
 *   swing   1, 1, 3, 5, 11, ... apart, to the one side and the other in turn: on a ring or torus
 *           the ways are shorter than powers of two */
#ifndef ATN_HALVING_H
#define ATN_HALVING_H

#include "algo/core.h"

typedef enum { ATN_FAR, ATN_NEAR, ATN_SWING } atn_meeting;

typedef struct {
    atn_core core;
    atn_meeting meeting;
    const int *start; /* first block of each share, and the end; NULL: share i is block i */
    int turn;         /* ranks of the core are so much further on, round the ring of all */
} atn_halving;

/* All rounds; the value of the fold, then narrowed to the own share, covered all blocks. */
void atn_halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f);

/* Reduce-scatter so, far or near, for any number of ranks: a host has its guests' blocks too. */
void atn_halving_scatter(atn_builder *b, const atn_problem *q, atn_meeting meeting);
/* Allreduce: the same, and all rounds back again with what was combined. */
void atn_halving_allreduce(atn_builder *b, const atn_problem *q, atn_meeting meeting);

#endif
