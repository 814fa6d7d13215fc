/* In-order binary reduce: up a binary tree in which a rank lies between its two subtrees (see
 * atn_algo_binary_inorder), so it combines adjacent runs of ranks: correct for every operator
 * and every root.
 *
 *   p = 8, root 3   4->5   0->1 2->1 5->6 7->6   1->3 6->3 */
#include "algo/algo.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_binary t = atn_algo_binary_inorder(q->p, q->r, q->root);

    (void)prm;
    atn_algo_fold_up(b, q, &t, 0, 1);
}

const atn_algo atn_algo_reduce_inorder_binary = {
    .name = "inorder_binary",
    .summary = "pipelined up an in-order binary tree, for every operator",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "let(m, a + b * n, let(c, g * n, let(pair, m + max(m, c) + c,"
            " let(l, floor(log2(max(1, p - 1))), let(u, floor(log2(max(1, p - 2^l))),"
            " min(p - 1, 1) * (m + c + max((floor(log2(p)) - 1) * pair,"
            " (l - u) * (m + c) + u * pair)))))))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
