/* Rabenseifner's reduce: recursive halving leaves each rank with one reduced share, a k-nomial tree
 * gathers the shares at the root.  Halving needs a power of two: ranks beyond it, counted from the
 * root, first send their operand to a rank below it.
 *
 *   p = 5, root 0   4->0   halves 0-2 1-3   quarters 0-1 2-3   1->0 3->2   2->0 */
#include "algo/algo.h"
#include "algo/halving.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_halving_reduce(b, q, ATN_FAR, (int)prm->v[0]);
}

const atn_algo atn_algo_reduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving, then k-nomial gather",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "let(core, 2^floor(log2(p)), (log2(core) + knomial(core, radix)) * a"
            " + (2 * b + g) * n * (1 - 1 / core) + (1 - pow2(p)) * (a + (b + g) * n))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = atn_algo_halving_reduce_params,
    .refuses = atn_algo_halving_reduce_refuses,
    .build = build,
};
