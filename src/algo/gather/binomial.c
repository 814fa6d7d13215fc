/* Binomial gather: up a binomial tree whose subtrees are runs of consecutive ranks, so that what an
 * inner rank has collected is one range (see atn_tree_binomial).  Inner ranks collect in
 * scratch. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);
    const atn_ref store = atn_tree_store(b, &t, atn_dst(0, q->p), atn_src(0, 1));

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_tree_part(&t, store, q->r, 1));
    for (int level = t.levels - 1; level >= 0; level--) {
        const atn_edge *e = &t.edge[level];
        if (level == t.up)
            atn_send(b, e->peer, store);
        else if (e->peer >= 0)
            atn_recv(b, e->peer, atn_tree_part(&t, store, e->first, e->count));
        atn_rounds(b, level > 0);
    }
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
