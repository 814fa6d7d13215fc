/* halving.h - partners exchange and combine halves of what they have, then quarters, and so on.
 *
 * In each round a rank and its partner, whose numbers differ in one bit, are responsible for the
 * same blocks; each keeps half of them and sends the other half.  Partners that are far apart may
 * meet first, and in the end number i has the i-th share; or partners that are near do: then what
 * a rank has combined is always a run of consecutive ranks, which serves every operator, and in
 * the end number i has the share whose number is i with its bits in reverse order. */
#ifndef ATN_HALVING_H
#define ATN_HALVING_H

#include "algo/core.h"

typedef struct {
    atn_core core;
    bool near;
    const int *start; /* first block of each share, and the end; NULL: share i is block i */
} atn_halving;

/* The shares that a number is responsible for after so many rounds. */
atn_range atn_halving_range(const atn_halving *h, int number, int rounds);
/* The rank that it meets in round i. */
int atn_halving_partner(const atn_halving *h, int number, int i);
/* All rounds; the value of the fold, then narrowed to the own share, covered all blocks. */
void atn_halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f);

/* Reduce-scatter so, for any number of ranks: a host combines its guest's operand beforehand,
 * has a share of two blocks, and sends the guest its block in the end. */
void atn_halving_scatter(atn_builder *b, const atn_problem *q, bool near);

#endif
