/* Circulant pipeline: pieces are combined in jumps that halve the ring, towards rank 0, and come
 * back the same way (see reduce/circulant and bcast/circulant): the fewest rounds that k pieces can
 * take there and back, for any number of ranks. */
#include "algo/mirror.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_mirror_allreduce(b, q, &atn_algo_bcast_circulant, prm);
}

const atn_algo atn_algo_allreduce_circulant_pipeline = {
    .name = "circulant_pipeline",
    .summary = "pieces jump by halves of the ring to rank 0 and back",
    .reference = "Traff: Optimal broadcast schedules in logarithmic time with applications to "
                 "broadcast, all-broadcast, reduction and all-reduction, 2024",
    .cost = "min(p - 1, 1) * (k - 1 + ceil(log2(p))) * (2 * a + (2 * b + g) * n / k)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .pieces_inside = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
