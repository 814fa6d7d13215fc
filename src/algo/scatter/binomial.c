/* Binomial scatter: down a binomial tree whose subtrees are runs of consecutive ranks; an inner
 * rank receives the blocks of its whole subtree into scratch and hands parts on (see
 * atn_tree_binomial). */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);

    (void)prm;
    atn_tree_scatter(b, q, &t);
}

const atn_algo atn_algo_scatter_binomial = {
    .name = "binomial",
    .summary = "down a binomial tree; inner ranks hand on the blocks of their subtree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
