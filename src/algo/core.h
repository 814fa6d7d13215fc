/* core.h - algorithms on a subset of the ranks, the core; extra ranks take part through a proxy.
 *
 * Core ranks are numbered in rank order.  Each but the last may be the proxy of extra ranks, which
 * directly follow it: they send their operands to the proxy at the start and receive their results
 * at the end.  The default core is the largest power of two.
 *
 *   p = 6, size 4   numbers 0 1 2 3 are the ranks 0 2 4 5; rank 0 is the proxy of 1, 2 of 3 */
#ifndef ATN_ALGO_CORE_H
#define ATN_ALGO_CORE_H

#include "algo/fold.h"

typedef struct {
    int p, size;
} atn_core;

static inline atn_core atn_algo_core_pow2(int p) { return (atn_core){p, atn_algo_pow2_below(p)}; }
/* The largest power of a radix, and its exponent. */
atn_core atn_algo_core_power(int p, int radix, int *stages_p);

/* The rank with a number; its extra ranks lie between it and the next one (number = size: p). */
static inline int atn_algo_core_rank(const atn_core *c, int number)
{
    return number * (c->p / c->size) + atn_min(number, c->p % c->size);
}
/* The ranks of the core, or the first ranks instead; the caller frees them.  NULL: no memory. */
int *atn_algo_core_ranks(const atn_core *c, bool first);
/* The number of a rank, or of its proxy. */
int atn_algo_core_number(const atn_core *c, int r);
static inline int atn_algo_core_extras(const atn_core *c, int number)
{
    return atn_algo_core_rank(c, number + 1) - atn_algo_core_rank(c, number) - 1;
}

/* The work of core ranks in `rounds` rounds, on a fold that holds all blocks of their operands
 * combined with those of their extra ranks. */
typedef struct {
    const atn_core *core;
    int rounds;
    void (*run)(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                const void *context);
    const void *context;
} atn_core_work;

/* Reduce-scatter: the work leaves block `own` (of p), followed by those of its extra ranks, in the
 * fold. */
void atn_algo_core_scatter(atn_builder *b, const atn_problem *q, const atn_core_work *w, int own);
/* Allreduce of a message in `parts`: the work leaves the whole message in DST. */
void atn_algo_core_allreduce(atn_builder *b, const atn_problem *q, const atn_core_work *w,
                             int parts);

#endif
