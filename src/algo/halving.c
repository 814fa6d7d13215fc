/* halving.c - see halving.h. */
#include "algo/halving.h"

#include <stdlib.h>

static int rounds_of(const atn_halving *h) { return atn_floor_log2(h->core.size); }

/* ---- partners ---- */

/* The partner in round i. */
static int partner_of(const atn_halving *h, int number, int i)
{
    switch (h->meeting) {
    case ATN_FAR:
        return number ^ h->core.size >> (i + 1);
    case ATN_NEAR:
        return number ^ 1 << i;
    default:
        return atn_algo_bine(h->core.size, number, i);
    }
}

/* The lowest number that shares the responsibility of `number` after round i. */
static int lowest(const atn_halving *h, int number, int i)
{
    if (h->meeting != ATN_SWING)
        return number;
    return i + 1 == rounds_of(h)
               ? number
               : atn_min(lowest(h, number, i + 1), lowest(h, partner_of(h, number, i + 1), i + 1));
}

/* The shares that a number is responsible for after `rounds` rounds. */
static atn_range range_of(const atn_halving *h, int number, int rounds)
{
    atn_range u = {0, h->core.size};

    for (int i = 0; i < rounds; i++) {
        u.count /= 2;
        if (lowest(h, number, i) > lowest(h, partner_of(h, number, i), i))
            u.first += u.count;
    }
    return u;
}

static int share_of(const atn_halving *h, int number)
{
    return range_of(h, number, rounds_of(h)).first;
}

/* ---- rounds ---- */

/* The blocks of shares. */
static atn_range blocks(const atn_halving *h, atn_range shares)
{
    if (!h->start)
        return shares;
    const int first = h->start[shares.first];
    return (atn_range){first, h->start[shares.first + shares.count] - first};
}

/* A round of a rank: its partner, and the blocks for which each is responsible afterwards. */
typedef struct {
    int rank;
    atn_range mine, theirs;
} encounter;

enum { MOST_ROUNDS = 31 };

/* All rounds of a rank: before each of them its partner is responsible for the same shares. */
static void meet_all(const atn_halving *h, const atn_problem *q, encounter e[MOST_ROUNDS])
{
    const int number = atn_algo_core_number(&h->core, atn_mod(q->r - h->turn, q->p));
    atn_range u = {0, h->core.size};

    for (int i = 0; i < rounds_of(h); i++) {
        const int other = partner_of(h, number, i), half = u.count / 2;
        const bool upper = lowest(h, number, i) > lowest(h, other, i);
        const atn_range part[2] = {{u.first, half}, {u.first + half, half}};
        u = part[upper];
        e[i] = (encounter){(atn_algo_core_rank(&h->core, other) + h->turn) % q->p, blocks(h, u),
                           blocks(h, part[!upper])};
    }
}

static void halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f,
                  const encounter *all)
{
    for (int i = 0; i < rounds_of(h); i++) {
        const encounter *const e = &all[i];
        atn_algo_rounds(b, i > 0);
        atn_send(b, e->rank, atn_algo_fold_part(f, e->theirs.first, e->theirs.count));
        atn_algo_fold_narrow(f, e->mine.first, e->mine.count);
        atn_algo_fold_recv(b, q, f, e->rank);
    }
}

void atn_algo_halve(atn_builder *b, const atn_problem *q, const atn_halving *h, atn_fold *f)
{
    encounter all[MOST_ROUNDS];

    meet_all(h, q, all);
    halve(b, q, h, f, all);
}

/* ---- allreduce ---- */

static void halve_and_double(atn_builder *b, const atn_problem *q, const atn_core *core,
                             atn_fold *f, const void *context)
{
    const atn_halving *h = context;

    encounter all[MOST_ROUNDS];

    (void)core;
    meet_all(h, q, all);
    halve(b, q, h, f, all);
    atn_algo_fold_end(b, f, -1);
    for (int i = rounds_of(h) - 1; i >= 0; i--) {
        const encounter *const e = &all[i];
        atn_round(b);
        atn_send(b, e->rank, atn_dst(e->mine.first, e->mine.count));
        atn_recv(b, e->rank, atn_dst(e->theirs.first, e->theirs.count));
    }
}

void atn_algo_halving_allreduce(atn_builder *b, const atn_problem *q, atn_meeting meeting)
{
    const atn_halving h = {.core = atn_algo_core_pow2(q->p), .meeting = meeting};
    const atn_core_work w = {&h.core, 2 * rounds_of(&h), halve_and_double, &h};

    atn_split(b, h.core.size);
    atn_algo_core_allreduce(b, q, &w, h.core.size);
}

/* ---- reduce-scatter ---- */

static void work(atn_builder *b, const atn_problem *q, const atn_core *core, atn_fold *f,
                 const void *context)
{
    (void)core;
    atn_algo_halve(b, q, context, f);
}

static void scatter(atn_builder *b, const atn_problem *q, const void *context)
{
    const atn_halving *h = context;
    const int share = share_of(h, atn_algo_core_number(&h->core, q->r));

    atn_algo_core_scatter(b, q, &(atn_core_work){&h->core, rounds_of(h), work, h}, h->start[share]);
}

/* Shares in order: the first block of each, and the rank of each block.  With far and near, the
 * mapping between numbers and shares is its own inverse. */
static void lay_out(const atn_halving *h, int *start, int *index)
{
    const atn_core *c = &h->core;
    int n = 0;

    for (int share = 0; share < c->size; share++) {
        const int number = share_of(h, share);
        start[share] = n;
        for (int i = 0; i <= atn_algo_core_extras(c, number); i++)
            index[n++] = atn_algo_core_rank(c, number) + i;
    }
    start[c->size] = n;
}

void atn_algo_halving_scatter(atn_builder *b, const atn_problem *q, atn_meeting meeting)
{
    atn_halving h = {.core = atn_algo_core_pow2(q->p), .meeting = meeting};
    int *start = malloc(sizeof *start * (2 * (size_t)q->p + 1));
    int *index = start ? start + q->p + 1 : NULL;

    if (!start) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    lay_out(&h, start, index);
    h.start = start;
    atn_embed_run(b, &(atn_embed){.q = q,
                                  .src = {.at = atn_src(0, 1), .each = 1, .index = index},
                                  .dst = {.at = atn_dst(0, 1), .each = 1},
                                  .vec = {.each = 1, .index = index},
                                  .build = scatter,
                                  .context = &h});
    free(start);
}

/* ---- reduce ---- */

/* The k-nomial tree of the shares, converted to ranks. */
static atn_tree tree_of(const atn_halving *h, const atn_problem *q, int share, int radix)
{
    atn_tree t = atn_algo_tree_knomial(h->core.size, share, 0, radix);

    for (int i = 0; i < t.levels; i++)
        if (t.edge[i].peer >= 0)
            t.edge[i].peer = atn_algo_absolute(q, share_of(h, t.edge[i].peer));
    return t;
}

static void gather(atn_builder *b, const atn_halving *h, const atn_problem *q, const atn_fold *f,
                   int radix)
{
    const int size = h->core.size, share = share_of(h, atn_algo_relative(q));
    const atn_tree t = tree_of(h, q, share, radix);
    const bool leaf = t.up >= 0 && t.edge[t.up].count == 1; /* sends its own share */
    const atn_ref store = atn_algo_tree_store(b, &t, atn_dst(0, size), f->value);

    if (!leaf)
        atn_copy(b, f->value, atn_algo_tree_part(&t, store, share, 1));
    atn_algo_tree_collect(b, &t, store);
}

const atn_param atn_algo_halving_reduce_params[] = {
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2, "radix of the tree that gathers shares",
     NULL},
    {0},
};

const char *atn_algo_halving_reduce_refuses(const atn_problem *q, const atn_params *prm)
{
    const int64_t radix = prm->v[0];
    int64_t power = radix;

    while (radix > 2 && power < q->p)
        power *= radix;
    return radix > 2 && (power != q->p || atn_algo_pow2_below(q->p) != q->p)
               ? "with a radix above 2, the number of ranks must be a power of it and of two"
               : NULL;
}

void atn_algo_halving_reduce(atn_builder *b, const atn_problem *q, atn_meeting meeting, int radix)
{
    const int size = atn_algo_pow2_below(q->p), v = atn_algo_relative(q), extra = v + size;
    const atn_halving h = {.core = {size, size}, .meeting = meeting, .turn = q->root};

    atn_split(b, size);
    if (v >= size) {
        atn_send(b, atn_algo_absolute(q, v - size), atn_src(0, size));
        return;
    }
    atn_fold f = atn_algo_fold_own(q, v == 0 ? -1 : q->root, 0, size);
    if (extra < q->p)
        atn_algo_fold_recv(b, q, &f, atn_algo_absolute(q, extra));
    atn_round(b);
    f.one_room = true;
    atn_algo_halve(b, q, &h, &f);
    atn_round(b);
    gather(b, &h, q, &f, radix);
}
