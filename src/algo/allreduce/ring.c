/* Ring allreduce: a ring reduce-scatter of p shares, then a ring allgather.  Every rank sends about
 * twice the message, however many ranks there are, and only to its neighbour. */
#include "algo/algo.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_problem scatter = {.op = ATN_REDUCE_SCATTER_BLOCK, .p = q->p, .r = q->r, .pieces = 1};
    const atn_problem gather = {.op = ATN_ALLGATHER, .p = q->p, .r = q->r, .pieces = 1};

    (void)prm;
    atn_split(b, q->p);
    atn_embed_algo(b,
                   &(atn_embed){.q = &scatter,
                                .src = {.at = atn_src(0, 1), .each = 1},
                                .dst = {.at = atn_dst(q->r, 1), .each = 1},
                                .vec = {.each = 1}},
                   &atn_algo_reduce_scatter_ring, NULL);
    atn_round(b);
    atn_embed_algo(b,
                   &(atn_embed){.q = &gather,
                                .src = {.at = atn_dst(q->r, 1), .each = 1},
                                .dst = {.at = atn_dst(0, 1), .each = 1},
                                .vec = {.each = 1}},
                   &atn_algo_allgather_ring, NULL);
}

const atn_algo atn_algo_allreduce_ring = {
    .name = "ring",
    .summary = "ring reduce-scatter of p shares, then a ring allgather",
    .reference = "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of "
                 "workstations, 2009",
    .cost = "(p - 1) * (2 * a + (2 * b + g) * n / p)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
