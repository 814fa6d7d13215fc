/* Circulant reduce: the reversed circulant broadcast (see bcast/circulant and mirror.h): in every
 * round a rank sends the sum of one segment to the rank one skip before and receives one from the
 * rank one skip further on.  k segments need k - 1 + ceil(log2 p) rounds, for any number of ranks.
 *
 *   p = 5, 2 segments   3->0: 1, 4->1: 1, 2->4: 0   2->0: 1, 1->4: 0   1->0: 1, 4->3: 0   3->0:
 * 0 */
#include "algo/mirror.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_mirror(b, q, &atn_algo_bcast_circulant, prm);
}

const atn_algo atn_algo_reduce_circulant = {
    .name = "circulant",
    .summary = "round-optimal pipelined reduce on a circulant graph",
    .reference = "Traff: Optimal broadcast schedules in logarithmic time with applications to "
                 "broadcast, all-broadcast, reduction and all-reduction, 2024",
    .cost = "min(p - 1, 1) * (k - 1 + ceil(log2(p))) * (a + (b + g) * n / k)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
