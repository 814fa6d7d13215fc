/* Binomial reduce: up a binomial tree whose subtrees are runs of consecutive ranks, so that a rank
 * always combines two adjacent runs: correct for every operator and every root (see
 * atn_algo_tree_binomial). */
#include "algo/algo.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_binomial(q->p, q->r, q->root);

    (void)prm;
    atn_algo_fold_tree(b, q, &t);
}

const atn_algo atn_algo_reduce_binomial = {
    .name = "binomial",
    .summary = "up a binomial tree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, let(steps, ceil(log2(p)),"
            " steps * (m + c + (k - 1) * max(m, c)) - (1 - pow2(p)) * min(m, c))))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
