/* Binomial reduce: up a binomial tree whose subtrees are runs of consecutive ranks, so that what a
 * rank combines is always two neighbouring runs: right for every operator and every root (see
 * atn_tree_binomial). */
#include "algo/algo.h"
#include "algo/fold.h"
#include "algo/shape.h"

/* With a commutative operator the root combines in place. */
static atn_ref start(atn_builder *b, const atn_problem *q)
{
    if (q->r != q->root || q->ordered)
        return atn_src(0, 1);
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    return atn_dst(0, 1);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);
    atn_fold f = atn_fold_begin(q, start(b, q));

    (void)prm;
    for (int level = t.levels - 1; level >= 0; level--) {
        const atn_edge *e = &t.edge[level];
        if (level == t.up) {
            atn_send(b, e->peer, f.value);
        } else if (e->peer >= 0) {
            atn_recv(b, e->peer, atn_fold_room(b, &f));
            atn_fold_take(b, &f, e->peer < q->r);
        }
        atn_rounds(b, level > 0);
    }
    if (q->r == q->root)
        atn_copy(b, f.value, atn_dst(0, 1));
}

const atn_algo atn_algo_reduce_binomial = {
    .name = "binomial",
    .summary = "up a binomial tree",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, let(steps, ceil(log2(p)),"
            " steps * k * (m + c) - min(steps, 1) * (k - 1) * min(m, c))))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
