/* Circulant pipeline: segments are combined towards rank 0 with skips that halve the ring, and
 * broadcast along the same edges (see reduce/circulant and bcast/circulant): the minimum number of
 * rounds for k segments in both directions, for any number of ranks. */
#include "algo/mirror.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_mirror_allreduce(b, q, &atn_algo_bcast_circulant, prm);
}

const atn_algo atn_algo_allreduce_circulant_pipeline = {
    .name = "circulant_pipeline",
    .summary = "round-optimal pipelined reduce to rank 0 and broadcast on a circulant graph",
    .reference = "Traff: Optimal broadcast schedules in logarithmic time with applications to "
                 "broadcast, all-broadcast, reduction and all-reduction, 2024",
    .cost = "min(p - 1, 1) * (k - 1 + ceil(log2(p))) * (2 * a + (2 * b + g) * n / k)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
