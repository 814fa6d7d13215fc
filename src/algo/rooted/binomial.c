/* Binomial gather and scatter: along a binomial tree whose subtrees are runs of consecutive
 * ranks, so that the blocks of a subtree are one range (see atn_algo_tree_binomial).  Inner
 * ranks store them in scratch.
 *
 *   p = 4, gather   1->0 3->2   2-3: 2->0 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_binomial(q->p, q->r, q->root);

    (void)prm;
    atn_algo_tree_blocks(b, q, &t);
}

const atn_algo atn_algo_rooted_binomial = {
    .name = "binomial",
    .summary = "along a binomial tree; inner ranks store the blocks of their subtree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
