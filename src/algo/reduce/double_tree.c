/* Double tree reduce: the reversed double tree broadcast (see bcast/double_tree and mirror.h): one
 * half of the message is combined up one binary tree, the other up a second one in which the inner
 * ranks of the first are leaves.
 *
 *   p = 5   one half 1->2 3->2 2->4 4->0, the other, mirrored, 4->3 2->3 3->1 1->0 */
#include "algo/mirror.h"
#include "algo/two_trees.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_mirror(b, q, &atn_algo_bcast_double_tree, prm);
}

const atn_algo atn_algo_reduce_double_tree = {
    .name = "double_tree",
    .summary = "pipelined halves up two binary trees with disjoint inner ranks",
    .reference = "Sanders, Speck, Traff: Two-tree algorithms for full bandwidth broadcast, "
                 "reduction and scan, 2009",
    /* With three ranks no half is one slot earlier, unlike in the broadcast. */
    .cost = "min(p - 1, 1) * (depth + 2 * (k - 1)) * (a + (b + g) * n / (2 * k))"
            " + is(p, 3) * (a + b * n / (2 * k))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .depth = atn_algo_two_trees_depth,
    .build = build,
};
