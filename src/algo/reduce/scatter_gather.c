/* Reduce-scatter, then gather: a ring combines each of p shares at its rank, and a binomial tree
 * gathers the shares at the root. */
#include "algo/shares.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_problem gather = {
        .op = ATN_GATHER, .p = q->p, .r = q->r, .root = q->root, .segments = 1};
    const atn_ref share =
        q->r == q->root ? atn_dst(q->r, 1) : atn_tmp_at(atn_tmp(b, q->r, 1), 0, 1);
    const atn_algo_use scatter = atn_algo_part_named(ATN_REDUCE_SCATTER_BLOCK, "ring");

    (void)prm;
    atn_algo_shares_scatter(b, &all, atn_src(0, 1), share, &scatter);
    atn_round(b);
    atn_algo_embed_algo(b,
                        &(atn_embed){.q = &gather,
                                     .src = {.at = share, .each = 1},
                                     .dst = {.at = atn_dst(0, 1), .each = 1},
                                     .vec = {.each = 1}},
                        &atn_algo_rooted_binomial, NULL);
}

const atn_algo atn_algo_reduce_scatter_gather = {
    .name = "scatter_gather",
    .summary = "ring reduce-scatter of p shares, then binomial gather",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "(p - 1 + ceil(log2(p))) * a + (p - 1) * (2 * b + g) * n / p",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
