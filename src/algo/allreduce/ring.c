/* Ring allreduce: a ring reduce-scatter of p shares, then a ring allgather.  Every rank sends about
 * twice the message, independent of the number of ranks, and only to its neighbour. */
#include "algo/shares.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_algo_use scatter = atn_algo_part_named(ATN_REDUCE_SCATTER_BLOCK, "ring");
    const atn_algo_use gather = atn_algo_part_named(ATN_ALLGATHER, "ring");

    (void)prm;
    atn_algo_shares_allreduce(b, &all, atn_src(0, 1), &scatter, &gather);
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
