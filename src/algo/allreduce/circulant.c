/* Circulant allreduce: each rank's share is combined and then collected with skips that halve the
 * ring (see reduce_scatter/circulant): 2 log2 p rounds and, per rank, at most twice the message,
 * for any number of ranks. */
#include "algo/shares.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_algo_use scatter = atn_algo_part_named(ATN_REDUCE_SCATTER_BLOCK, "circulant");
    const atn_algo_use gather = atn_algo_part_named(ATN_ALLGATHER, "circulant");

    (void)prm;
    atn_algo_shares_allreduce(b, &all, atn_src(0, 1), &scatter, &gather);
}

const atn_algo atn_algo_allreduce_circulant = {
    .name = "circulant",
    .summary = "circulant reduce-scatter and allgather, for any number of ranks",
    .reference = "Traff: Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024",
    .cost = "2 * ceil(log2(p)) * a + (2 * b + g) * n * (p - 1) / p"
            " - (is(p, 3) + is(p, 5)) * min(a + b * n / p, floor(p / 2) * g * n / p)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
