/* k-nomial broadcast: a rank that has the message serves the ranks of its run in `radix` parts
 * of equal length, one after the other (see atn_algo_tree_knomial).  The tree is flatter than a
 * binomial one, so a message is delayed less often by ranks that are late or far.
 *
 *   p = 9, radix = 3   0->3 0->6   0->1 0->2  3->4 3->5  6->7 6->8 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_knomial(q->p, q->r, q->root, (int)prm->v[0]);
    atn_algo_tree_bcast(b, &t);
}

const atn_algo atn_algo_bcast_knomial = {
    .name = "knomial",
    .summary = "down a k-nomial tree: flatter than binomial, for high latency",
    .reference = "generalised binomial tree, as in MPICH and UCC",
    .cost = "(k * a + b * n) * knomial(p, radix)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_knomial_params,
    .build = build,
};
