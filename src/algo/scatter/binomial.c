/* Binomial scatter: down a binomial tree whose subtrees are runs of consecutive ranks; an inner
 * rank receives the blocks of its whole subtree into scratch and hands parts on (see
 * atn_tree_binomial). */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);
    const atn_ref store = atn_tree_store(b, &t, atn_src(0, q->p), atn_dst(0, 1));

    (void)prm;
    for (int level = 0; level < t.levels; level++) {
        const atn_edge *e = &t.edge[level];
        atn_rounds(b, level > 0);
        if (level == t.up)
            atn_recv(b, e->peer, store);
        else if (e->peer >= 0)
            atn_send(b, e->peer, atn_tree_part(&t, store, e->first, e->count));
    }
    atn_copy(b, atn_tree_part(&t, store, q->r, 1), atn_dst(0, 1));
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
