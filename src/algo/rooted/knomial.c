/* k-nomial gather and scatter: along a tree that is flatter than a binomial one, so blocks are
 * forwarded fewer times (see atn_algo_tree_knomial).
 *
 *   p = 9, radix = 3, gather   1->0 2->0  4->3 5->3  7->6 8->6   3-5: 3->0   6-8: 6->0 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_knomial(q->p, q->r, q->root, (int)prm->v[0]);
    atn_algo_tree_blocks(b, q, &t);
}

const atn_algo atn_algo_rooted_knomial = {
    .name = "knomial",
    .summary = "along a k-nomial tree; inner ranks store the blocks of their subtree",
    .reference = "generalised binomial tree, as in MPICH and UCC",
    .cost = "(p - 1) * b * n + a * knomial(p, radix)",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_knomial_params,
    .build = build,
};
