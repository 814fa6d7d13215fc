/* Rabenseifner's allreduce: a reduce-scatter, by default recursive halving, leaves each rank with
 * one reduced share; an allgather, by default recursive doubling, distributes the shares.  Halving
 * needs a power of two: otherwise extra ranks send their operand to a proxy and receive the result
 * from it.  `guests` selects the extra ranks: the last ones (their proxies are the first ranks), or
 * every second of the first ranks; or the latter, with rank and proxy combining half each.
 *
 *   p = 6, last: 4->0 5->1   odd: 1->0 3->2   halves: 0-1 2-3, then 1->0 3->2 */
#include <stdlib.h>

#include "algo/core.h"
#include "algo/shares.h"

static const char *const guests_words[] = {"last", "odd", "halves", NULL};
static const char *const gather_words[] = {
    "recursive_doubling", "ring",    "bruck",  "neighbor", "bine", "circulant", "double_ring",
    "recursive_halving",  "sparbit", "spread", "xor",      "mesh", NULL};
static const char *const scatter_words[] = {"recursive_halving", "butterfly", "circulant",
                                            "pairwise",          "ring",      NULL};
enum { LAST, ODD, HALVES };
enum { GUESTS, GATHER, SCATTER };

static const atn_param params[] = {
    {"guests", ATN_WORD, LAST, LAST, HALVES, ATN_LINEAR,
     "extra ranks beyond a power of two: the last ones, every second of the first "
     "ones, or the latter after combining half of the message",
     guests_words},
    {"gather", ATN_WORD, 0, 0, 11, ATN_LINEAR, "allgather algorithm for the reduced shares",
     gather_words},
    {"scatter", ATN_WORD, 0, 0, 4, ATN_LINEAR, "reduce-scatter algorithm", scatter_words},
    {0},
};

/* A core rank: its number and its extra rank; or an extra rank and its proxy. */
typedef struct {
    int number, other; /* -1: none */
} place;

static place place_of(const atn_core *c, int r, bool last)
{
    const int extra = c->p - c->size, number = last ? r : atn_algo_core_number(c, r);
    const bool is_extra = last ? r >= c->size : r != atn_algo_core_rank(c, number);

    if (is_extra)
        return (place){-1, last ? r - c->size : r - 1};
    return (place){number, number >= extra ? -1 : last ? r + c->size : r + 1};
}

/* The extra rank combines the upper half, the proxy the lower one; h parts each. */
static void run_half(atn_builder *b, int proxy, int h)
{
    const atn_ref upper = atn_tmp_at(atn_tmp(b, h, h), 0, h);

    atn_send(b, proxy, atn_src(0, h));
    atn_recv(b, proxy, upper);
    atn_reduce(b, atn_src(h, h), upper);
    atn_round(b);
    atn_send(b, proxy, upper);
}

static void run_proxy(atn_builder *b, const atn_problem *q, int extra, int parts, bool halves)
{
    const int h = halves ? parts / 2 : parts;
    atn_fold f = atn_algo_fold_into(q, atn_src(0, h), atn_dst(0, h));

    if (halves)
        atn_send(b, extra, atn_src(h, h));
    atn_algo_fold_recv(b, q, &f, extra);
    if (!halves)
        return;
    atn_round(b);
    atn_recv(b, extra, atn_dst(h, h));
}

static void work(atn_builder *b, const atn_core *c, int number, bool last, atn_ref from,
                 const atn_params *prm)
{
    const atn_algo_use scatter =
        atn_algo_part(ATN_REDUCE_SCATTER_BLOCK, &params[SCATTER], prm->v[SCATTER]);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, &params[GATHER], prm->v[GATHER]);
    int *ranks = atn_algo_core_ranks(c, last);
    const atn_group core = {.p = c->size, .r = number, .ranks = ranks, .each = 1};

    if (!ranks)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else if (c->size == 1)
        atn_copy(b, from, atn_dst(0, 1));
    else
        atn_algo_shares_allreduce(b, &core, from, &scatter, &gather);
    free(ranks);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_core c = atn_algo_core_pow2(q->p);
    const bool last = prm->v[0] == LAST, halves = prm->v[0] == HALVES;
    const place at = place_of(&c, q->r, last);
    const atn_ref all = atn_dst(0, c.size);

    atn_split(b, c.size);
    if (at.number < 0) {
        if (halves)
            run_half(b, at.other, c.size / 2);
        else
            atn_send(b, at.other, atn_src(0, c.size));
        atn_recv(b, at.other, all);
        return;
    }
    if (at.other >= 0)
        run_proxy(b, q, at.other, c.size, halves);
    work(b, &c, at.number, last, at.other >= 0 ? all : atn_src(0, c.size), prm);
    if (at.other >= 0)
        atn_send(b, at.other, all);
}

/* Of a part among the ranks of the core. */
static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    static const atn_operation ops[] = {
        [GATHER] = ATN_ALLGATHER, [SCATTER] = ATN_REDUCE_SCATTER_BLOCK};
    const atn_core c = atn_algo_core_pow2(q->p);
    const bool nested = prm->v[GATHER] >= ATN_NESTED || prm->v[SCATTER] >= ATN_NESTED;
    int *ranks = nested ? atn_algo_core_ranks(&c, prm->v[GUESTS] == LAST) : NULL;
    const char *why = nested && !ranks ? atn_algo_no_memory : NULL;

    for (int i = GATHER; i <= SCATTER && !why && c.size > 1; i++)
        why = atn_algo_part_refuses_on(ops[i], &params[i], prm->v[i], q, ranks, c.size);
    free(ranks);
    return why;
}

const atn_algo atn_algo_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving, then an allgather",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "let(core, 2^floor(log2(p)), min(core - 1, 1)"
            " * (reduce_scatter_block(scatter, core, n / core)"
            " + allgather(gather, core, n / core)) + (1 - pow2(p)) * (2 * a"
            " + (2 * b + g) * n + is(guests, 2) * (a - g * n / 2)))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = params,
    .parts = {[GATHER] = ATN_ALLGATHER, [SCATTER] = ATN_REDUCE_SCATTER_BLOCK},
    .refuses = refuses,
    .build = build,
};
