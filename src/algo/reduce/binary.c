/* Binary reduce: up a complete binary tree.  A rank combines the operands of at most two subtrees,
 * so that with segments, unlike in a binomial tree, it has finished one when the next arrives.
 *
 *   p = 6, root 0   3->1 4->1 5->2   2->0 1->0 */
#include "algo/algo.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_binary t = atn_algo_binary_complete(q->p, q->r, q->root);

    (void)prm;
    atn_algo_fold_up(b, q, &t, 0, 1);
}

const atn_algo atn_algo_reduce_binary = {
    .name = "binary",
    .summary = "pipelined up a complete binary tree",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "let(m, a + b * n, let(c, g * n, let(pair, m + max(m, c) + c, let(l, floor(log2(p)),"
            " let(u, floor(log2(p - 2^l + 1)), max((floor(log2(p + 1)) - 1) * pair,"
            " (l - u) * (m + c) + u * pair))))))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
