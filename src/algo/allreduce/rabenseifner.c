/* Rabenseifner's allreduce: recursive halving leaves each rank with one combined share, recursive
 * doubling spreads the shares.  Both need a power of two: ranks beyond it first give their operand
 * to, and in the end get the result from, a rank below it. */
#include "algo/algo.h"
#include "algo/shape.h"

/* Inside the power of two; the operand is in DST. */
static void halve_and_double(atn_builder *b, int core, int r)
{
    const atn_problem scatter = {.op = ATN_REDUCE_SCATTER_BLOCK, .p = core, .r = r, .pieces = 1};
    const atn_problem gather = {.op = ATN_ALLGATHER, .p = core, .r = r, .pieces = 1};
    const atn_view all = {.at = atn_dst(0, 1), .each = 1}, own = {.at = atn_dst(r, 1), .each = 1};

    atn_embed_algo(b, &(atn_embed){.q = &scatter, .src = all, .dst = own, .vec = {.each = 1}},
                   &atn_algo_reduce_scatter_recursive_halving, NULL);
    atn_round(b);
    atn_embed_algo(b, &(atn_embed){.q = &gather, .src = own, .dst = all, .vec = {.each = 1}},
                   &atn_algo_allgather_recursive_doubling, NULL);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int core = atn_pow2_below(q->p), guest = q->r + core;
    const atn_ref whole = atn_dst(0, core);

    (void)prm;
    atn_split(b, core);
    if (q->r >= core) {
        atn_send(b, q->r - core, atn_src(0, core));
        atn_rounds(b, 2 * atn_floor_log2(core) + 1);
        atn_recv(b, q->r - core, whole);
        return;
    }
    atn_copy(b, atn_src(0, core), whole);
    if (guest < q->p) {
        const atn_ref room = atn_tmp_at(atn_tmp(b, 0, core), 0, core);
        atn_recv(b, guest, room);
        atn_reduce(b, room, whole);
    }
    atn_round(b);
    halve_and_double(b, core, q->r);
    atn_round(b);
    if (guest < q->p)
        atn_send(b, guest, whole);
}

const atn_algo atn_algo_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving, then recursive doubling",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "2 * floor(log2(p)) * a + (2 * b + g) * n * (1 - 1 / 2^floor(log2(p)))"
            " + (1 - pow2(p)) * (2 * a + (2 * b + g) * n)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
