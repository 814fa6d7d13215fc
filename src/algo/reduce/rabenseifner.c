/* Rabenseifner's reduce: recursive halving leaves each rank with one reduced share, a binomial tree
 * gathers the shares at the root.  Halving needs a power of two: ranks beyond it, counted from the
 * root, first send their operand to a rank below it.
 *
 *   p = 5, root 0   4->0   halves 0-2 1-3   quarters 0-1 2-3   1->0 3->2   2->0 */
#include "algo/algo.h"
#include "algo/halving.h"

/* The tree of the core, converted to ranks. */
static atn_tree tree_of(const atn_problem *q, int size)
{
    atn_tree t = atn_algo_tree_binomial(size, atn_algo_relative(q), 0);

    for (int i = 0; i < t.levels; i++)
        if (t.edge[i].peer >= 0)
            t.edge[i].peer = atn_algo_absolute(q, t.edge[i].peer);
    return t;
}

static void gather(atn_builder *b, const atn_problem *q, int size, const atn_fold *f)
{
    const int v = atn_algo_relative(q);
    const atn_tree t = tree_of(q, size);
    const atn_ref store = atn_algo_tree_store(b, &t, atn_dst(0, size), f->value);

    if (v % 2 == 0) /* odd ranks are leaves: they send their own share */
        atn_copy(b, f->value, atn_algo_tree_part(&t, store, v, 1));
    atn_algo_tree_collect(b, &t, store);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int size = atn_algo_pow2_below(q->p), v = atn_algo_relative(q), extra = v + size;
    const atn_halving h = {.core = {size, size}, .meeting = ATN_FAR, .turn = q->root};

    (void)prm;
    atn_split(b, size);
    if (v >= size) {
        atn_send(b, atn_algo_absolute(q, v - size), atn_src(0, size));
        return;
    }
    atn_fold f = atn_algo_fold_own(q, v == 0 ? -1 : q->root, 0, size);
    if (extra < q->p)
        atn_algo_fold_recv(b, q, &f, atn_algo_absolute(q, extra));
    atn_round(b);
    f.one_room = true;
    atn_algo_halve(b, q, &h, &f);
    atn_round(b);
    gather(b, q, size, &f);
}

const atn_algo atn_algo_reduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving, then binomial gather",
    .reference = "Rabenseifner: Optimization of collective reduction operations, 2004",
    .cost = "let(core, 2^floor(log2(p)), 2 * log2(core) * a + (2 * b + g) * n * (1 - 1 / core)"
            " + (1 - pow2(p)) * (a + (b + g) * n))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
