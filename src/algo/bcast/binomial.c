/* Binomial broadcast: at each of ceil(log2 p) levels every rank that has the message sends it to
 * one that does not, the farthest first (see atn_algo_tree_binomial). */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_binomial(q->p, q->r, q->root);

    (void)prm;
    atn_algo_tree_bcast(b, &t);
}

const atn_algo atn_algo_bcast_binomial = {
    .name = "binomial",
    .summary = "down a binomial tree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "ceil(log2(p)) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
