/* Reduce to rank 0 up a binomial tree, then broadcast down the same tree. */
#include "algo/algo.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_problem reduce = *q, bcast = *q;

    (void)prm;
    reduce.op = ATN_REDUCE;
    bcast.op = ATN_BCAST;
    const atn_view result = {.at = atn_dst(0, 1), .each = 1};
    atn_embed_algo(b,
                   &(atn_embed){.q = &reduce,
                                .src = {.at = atn_src(0, 1), .each = 1},
                                .dst = result,
                                .vec = {.each = 1}},
                   &atn_algo_reduce_binomial, NULL);
    atn_round(b);
    atn_embed_algo(b, &(atn_embed){.q = &bcast, .dst = result, .vec = {.each = 1}},
                   &atn_algo_bcast_binomial, NULL);
}

const atn_algo atn_algo_allreduce_reduce_bcast = {
    .name = "reduce_bcast",
    .summary = "binomial reduce to rank 0, then binomial broadcast",
    .reference = "folklore",
    .cost = "ceil(log2(p)) * (2 * a + 2 * b * n + g * n)"
            " - (1 - pow2(p)) * min(a + b * n, g * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .build = build,
};
