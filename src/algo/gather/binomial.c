/* Binomial gather: up a binomial tree whose subtrees are runs of consecutive ranks, so that what an
 * inner rank has collected is one range (see atn_tree_binomial).  Inner ranks collect in
 * scratch. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);

    (void)prm;
    atn_tree_gather(b, q, &t);
}

const atn_algo atn_algo_gather_binomial = {
    .name = "binomial",
    .summary = "up a binomial tree; inner ranks collect the blocks of their subtree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
