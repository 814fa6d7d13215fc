/* Double tree allreduce: halves of the message are combined up two binary trees and come down the
 * same trees; who is inner in one is a leaf in the other, so that in pieces all ranks send and
 * receive all the time (see reduce/double_tree and bcast/double_tree). */
#include "algo/mirror.h"
#include "algo/two_trees.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_mirror_allreduce(b, q, &atn_algo_bcast_double_tree, prm);
}

const atn_algo atn_algo_allreduce_double_tree = {
    .name = "double_tree",
    .summary = "halves up and down two binary trees; who is inner in one is a leaf in the other",
    .reference = "Sanders, Speck, Traff: Two-tree algorithms for full bandwidth broadcast, "
                 "reduction and scan, 2009",
    .cost = "min(p - 1, 1) * (depth + 2 * (k - 1)) * (2 * a + (2 * b + g) * n / (2 * k))"
            " + is(p, 3) * (a + b * n / (2 * k))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .pieces_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .depth = atn_two_trees_depth,
    .build = build,
};
