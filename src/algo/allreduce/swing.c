/* Swing allreduce: recursive halving and doubling in which partners are 1, 1, 3, 5, 11, ... ranks
 * apart, in alternating directions, instead of 1, 2, 4, 8, 16: on rings and tori paths are shorter,
 * and fewer messages share a link (see halving.h).
 *
 *   p = 8   0-1 2-3 4-5 6-7   0-7 1-2 3-4 5-6   0-3 1-6 2-5 4-7   and back */
#include "algo/algo.h"
#include "algo/halving.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_halving_allreduce(b, q, ATN_SWING);
}

const atn_algo atn_algo_allreduce_swing = {
    .name = "swing",
    .summary =
        "recursive halving and doubling with alternating directions, short paths on rings and tori",
    .reference = "De Sensi et al.: Swing: short-cutting rings for higher bandwidth allreduce, 2024",
    .cost = "2 * floor(log2(p)) * a + (2 * b + g) * n * (1 - 1 / 2^floor(log2(p)))"
            " + (1 - pow2(p)) * (2 * a + (2 * b + g) * n)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "contention",
    .build = build,
};
