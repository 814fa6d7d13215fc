/* core.h - a power of two of the ranks does the work, the others are guests.
 *
 * Core ranks are numbered in rank order.  Where p is no power of two, the first ranks form pairs of
 * neighbours, of which the upper one is the guest of the lower one: it hands in its operand at the
 * beginning and is given its result in the end.
 *
 *   p = 6   numbers 0 1 2 3 are the ranks 0 2 4 5; rank 1 is the guest of 0, 3 of 2 */
#ifndef ATN_CORE_H
#define ATN_CORE_H

#include "algo/fold.h"

typedef struct {
    int size, pairs;
} atn_core;

static inline atn_core atn_core_of(int p)
{
    const int size = atn_pow2_below(p);
    return (atn_core){size, p - size};
}
static inline int atn_core_rank(const atn_core *c, int number)
{
    return number < c->pairs ? 2 * number : number + c->pairs;
}
static inline int atn_core_number(const atn_core *c, int r)
{
    return r < 2 * c->pairs ? r / 2 : r - c->pairs;
}
static inline bool atn_is_host(const atn_core *c, int r) { return r < 2 * c->pairs && r % 2 == 0; }
static inline bool atn_is_guest(const atn_core *c, int r) { return r < 2 * c->pairs && r % 2 == 1; }

/* What core ranks do, in log2(size) rounds, with a fold that has all blocks of their operand and
 * of their guest's. */
typedef struct {
    const atn_core *core;
    void (*run)(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                const void *context);
    const void *context;
} atn_core_work;

/* Reduce-scatter: the work leaves the block `own` (of p), and at a host the next one, the guest's,
 * in the fold. */
void atn_core_scatter(atn_builder *b, const atn_problem *q, const atn_core_work *w, int own);
/* Allreduce of a message in `parts`: the work, of `rounds` rounds, leaves it in DST. */
void atn_core_allreduce(atn_builder *b, const atn_problem *q, const atn_core_work *w, int parts,
                        int rounds);

#endif
