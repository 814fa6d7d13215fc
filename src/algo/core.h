/* core.h - some of the ranks do the work, the others are their guests.
 *
 * Core ranks are numbered in rank order; each but the last may have guests, the ranks just above
 * it.  These hand in their operands at the beginning and are given their results in the end.  The
 * usual core is the largest power of two.
 *
 *   p = 6, size 4   numbers 0 1 2 3 are the ranks 0 2 4 5; rank 1 is the guest of 0, 3 of 2 */
#ifndef ATN_CORE_H
#define ATN_CORE_H

#include "algo/fold.h"

typedef struct {
    int p, size;
} atn_core;

static inline atn_core atn_core_pow2(int p) { return (atn_core){p, atn_pow2_below(p)}; }
/* The largest power of a radix, and which one it is. */
atn_core atn_core_power(int p, int radix, int *stages_p);

/* The rank with a number; all guests are between it and the next one (number = size: p). */
static inline int atn_core_rank(const atn_core *c, int number)
{
    return number * (c->p / c->size) + atn_min(number, c->p % c->size);
}
/* The number of a rank, or of its host. */
int atn_core_number(const atn_core *c, int r);
static inline int atn_core_guests(const atn_core *c, int number)
{
    return atn_core_rank(c, number + 1) - atn_core_rank(c, number) - 1;
}

/* What core ranks do, in so many rounds, with a fold that has all blocks of their operands and of
 * their guests'. */
typedef struct {
    const atn_core *core;
    int rounds;
    void (*run)(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                const void *context);
    const void *context;
} atn_core_work;

/* Reduce-scatter: the work leaves the block `own` (of p), and those of guests behind it, in the
 * fold. */
void atn_core_scatter(atn_builder *b, const atn_problem *q, const atn_core_work *w, int own);
/* Allreduce of a message in `parts`: the work leaves the whole in DST. */
void atn_core_allreduce(atn_builder *b, const atn_problem *q, const atn_core_work *w, int parts);

#endif
