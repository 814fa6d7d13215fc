/* Double tree allreduce: halves of the message are combined up two binary trees and broadcast down
 * the same trees; inner ranks of one tree are leaves of the other, so that with segments all ranks
 * send and receive all the time (see reduce/double_tree and bcast/double_tree). */
#include "algo/mirror.h"
#include "algo/two_trees.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_mirror_allreduce(b, q, &atn_algo_bcast_double_tree, prm);
}

const atn_algo atn_algo_allreduce_double_tree = {
    .name = "double_tree",
    .summary = "pipelined halves up and down two binary trees with disjoint inner ranks",
    .reference = "Sanders, Speck, Traff: Two-tree algorithms for full bandwidth broadcast, "
                 "reduction and scan, 2009",
    .cost = "min(p - 1, 1) * (depth + 2 * (k - 1)) * (2 * a + (2 * b + g) * n / (2 * k))"
            " + is(p, 3) * (a + b * n / (2 * k))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .depth = atn_algo_two_trees_depth,
    .build = build,
};
