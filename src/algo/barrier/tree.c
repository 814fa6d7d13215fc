/* Tree barrier: signals go up a k-nomial tree to rank 0 and, when all ranks have entered, down
 * again: few messages, and no rank has many partners.
 *
 *   p = 4, radix = 2   1->0 3->2   2->0   0->2   0->1 2->3 */
#include "algo/algo.h"
#include "algo/shape.h"

static void pass(atn_builder *b, const atn_tree *t, int level, bool up)
{
    const int peer = t->edge[level].peer;

    if (peer >= 0 && up == (level == t->up))
        atn_sync_send(b, peer);
    else if (peer >= 0)
        atn_sync_recv(b, peer);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree t = atn_algo_tree_knomial(q->p, q->r, 0, (int)prm->v[0]);

    for (int level = t.levels - 1; level >= 0; level--, atn_round(b))
        pass(b, &t, level, true);
    for (int level = 0; level < t.levels; level++, atn_round(b))
        pass(b, &t, level, false);
}

static const atn_param params[] = {
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2, "radix of the tree (2: binomial)", NULL},
    {0},
};

const atn_algo atn_algo_barrier_tree = {
    .name = "tree",
    .summary = "signals up a k-nomial tree, then down",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "2 * a * knomial(p, radix)",
    .klass = ATN_COORDINATED,
    .group = "messages",
    .params = params,
    .build = build,
};
