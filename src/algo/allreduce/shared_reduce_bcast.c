/* Tree allreduce in shared memory: a rank combines its operand with the sums of its children,
 * nearest first; the last rank has the result, and every rank copies it from its parent.  The
 * k-nomial tree consists of runs of consecutive ranks that end with their leader (shape.h,
 * mirrored): sums of lower ranks are combined from the left, in rank order.
 *
 *   p = 4, radix = 2   up: 2 -> 3, 0 -> 1, 1 -> 3   down: 3 -> 2,1   1 -> 0 */
#include "algo/shape.h"
#include "algo/shared.h"

static int children_of(const atn_tree *t)
{
    int n = 0;

    for (int level = 0; level < t->levels; level++)
        n += t->edge[level].peer >= 0 && level != t->up;
    return n;
}

/* Levels begin with the most distant child. */
static void combine(atn_builder *b, const atn_problem *q, const atn_tree *t)
{
    atn_ref sum = atn_src(0, 1);

    for (int level = t->levels - 1; level >= 0; level--) {
        const int peer = t->edge[level].peer;
        if (peer < 0 || level == t->up)
            continue;
        atn_read_reduce(b, q->p - 1 - peer, 0, ATN_WHOLE, sum, atn_dst(0, 1));
        sum = atn_dst(0, 1);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int last = q->p - 1;
    const atn_tree t = atn_algo_tree_knomial(q->p, last - q->r, 0, (int)prm->v[0]);
    const int children = children_of(&t);

    atn_exposures(b, 2);
    combine(b, q, &t);
    atn_round(b);
    const int sum = atn_expose(b, children ? atn_dst(0, 1) : atn_src(0, 1), t.up >= 0);
    atn_close(b, sum);
    atn_round(b);
    if (t.up >= 0)
        atn_read(b, last - t.edge[t.up].peer, 1, ATN_WHOLE, atn_dst(0, 1));
    else if (!children)
        atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    atn_round(b);
    atn_close(b, atn_expose(b, atn_dst(0, 1), children));
}

const atn_algo atn_algo_allreduce_shared_reduce_bcast = {
    .name = "shared_reduce_bcast",
    .summary = "shared memory: sums up a k-nomial tree of ranks, the result down again",
    .reference =
        "Katevenis et al.: A framework for hierarchical single-copy MPI collectives on multicore "
        "nodes (XHC of Open MPI), 2022",
    .cost = "knomial(p, radix) * (a + b * n + g * n)"
            " + (levels((p - 1) * (radix - 1) + 2, radix) - 1) * (a + b * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = atn_algo_knomial_params,
    .build = build,
};
