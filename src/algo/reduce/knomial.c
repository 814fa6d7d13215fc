/* k-nomial reduce: up the tree of bcast/knomial.  A rank combines the parts of its run from the
 * nearest to the farthest, so every operator and every root is supported.
 *
 *   p = 9, radix = 3   1->0 2->0  4->3 5->3  7->6 8->6   3->0 6->0 */
#include "algo/algo.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_knomial(q->p, q->r, q->root, (int)prm->v[0]);

    atn_algo_fold_tree(b, q, &t);
}

const atn_algo atn_algo_reduce_knomial = {
    .name = "knomial",
    .summary = "up a k-nomial tree: flatter than binomial",
    .reference =
        "Ruefenacht, Bull, Booth: Generalisation of recursive doubling for AllReduce, 2017",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, " ATN_FOLD_TREE_COST "))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_knomial_params,
    .build = build,
};
