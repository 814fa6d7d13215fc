/* halving.c - see halving.h. */
#include "algo/halving.h"

#include <stdlib.h>

static int rounds_of(const atn_halving *h) { return atn_floor_log2(h->core.size); }

static int bit_of(const atn_halving *h, int i)
{
    return h->near ? 1 << i : h->core.size >> (i + 1);
}

atn_range atn_halving_range(const atn_halving *h, int number, int rounds)
{
    atn_range u = {0, h->core.size};

    for (int i = 0; i < rounds; i++) {
        u.count /= 2;
        if (number & bit_of(h, i))
            u.first += u.count;
    }
    return u;
}

int atn_halving_partner(const atn_halving *h, int number, int i)
{
    return atn_core_rank(&h->core, number ^ bit_of(h, i));
}

/* Shares as blocks. */
static atn_range blocks(const atn_halving *h, atn_range shares)
{
    if (!h->start)
        return shares;
    const int first = h->start[shares.first];
    return (atn_range){first, h->start[shares.first + shares.count] - first};
}

void atn_halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f)
{
    const int number = atn_core_number(&h->core, q->r);

    for (int i = 0; i < rounds_of(h); i++) {
        const int partner = atn_halving_partner(h, number, i);
        const atn_range mine = blocks(h, atn_halving_range(h, number, i + 1));
        const atn_range theirs = blocks(h, atn_halving_range(h, number ^ bit_of(h, i), i + 1));
        atn_rounds(b, i > 0);
        atn_send(b, partner, atn_fold_part(f, theirs.first, theirs.count));
        atn_fold_narrow(f, mine.first, mine.count);
        atn_fold_recv(b, q, f, partner);
    }
}

/* ---- reduce-scatter ---- */

/* The share of a number, and back. */
static int share_of(const atn_halving *h, int number)
{
    return atn_halving_range(h, number, rounds_of(h)).first;
}

static void work(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    (void)core;
    atn_halve(b, q, context, f);
}

static void scatter(atn_builder *b, const atn_problem *q, const void *context)
{
    const atn_halving *h = context;
    const int share = share_of(h, atn_core_number(&h->core, q->r));

    atn_core_scatter(b, q, &(atn_core_work){&h->core, rounds_of(h), work, h}, h->start[share]);
}

/* Shares in their order: where each begins, and which rank's block each of its blocks is. */
static void lay_out(const atn_halving *h, int p, int *start, int *index)
{
    int n = 0;

    for (int share = 0; share < h->core.size; share++) {
        const int number = share_of(h, share);
        start[share] = n;
        for (int i = 0; i <= atn_core_guests(&h->core, number); i++)
            index[n++] = atn_core_rank(&h->core, number) + i;
    }
    start[h->core.size] = p;
}

void atn_halving_scatter(atn_builder *b, const atn_problem *q, bool near)
{
    atn_halving h = {.core = atn_core_pow2(q->p), .near = near};
    int *start = malloc(sizeof *start * (2 * (size_t)q->p + 1)), *index = start + q->p + 1;

    if (!start) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    lay_out(&h, q->p, start, index);
    h.start = start;
    atn_embed_run(b, &(atn_embed){.q = q,
                                  .src = {.at = atn_src(0, 1), .each = 1, .index = index},
                                  .dst = {.at = atn_dst(0, 1), .each = 1},
                                  .vec = {.each = 1, .index = index},
                                  .build = scatter,
                                  .context = &h});
    free(start);
}
