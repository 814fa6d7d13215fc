/* Contention-free tree reduce: the tree of bcast/topo_tree with all messages reversed.  Children
 * with lower subtrees finish earlier and are first.  Two receive buffers let a message arrive while
 * the previous one is combined. */
#include "algo/algo.h"
#include "algo/free_tree.h"
#include "algo/shape.h"

static atn_ref scratch(atn_builder *b) { return atn_tmp_at(atn_tmp(b, 0, 1), 0, 1); }

/* The first operand is combined where it is received: at the root in DST, unless in place. */
static atn_ref take_children(atn_builder *b, const atn_problem *q, const atn_free_tree *t,
                             int place, int *round)
{
    const bool here = place == 0 && q->in_place;
    const atn_ref sum = place == 0 ? atn_dst(0, 1) : scratch(b);
    atn_ref room[2];

    for (int k = t->first[place + 1] - 1, n = here; k >= t->first[place]; k--, n++) {
        const int when = t->slots - t->slot[t->child[k]];
        if (n == 1 || n == 2)
            room[n % 2] = scratch(b);
        atn_algo_rounds(b, when - *round);
        *round = when;
        atn_recv(b, t->rank[t->child[k]], n == 0 ? sum : room[n % 2]);
        atn_reduce(b, n == 0 ? atn_src(0, 1) : room[n % 2], sum);
    }
    return sum;
}

static void combine(atn_builder *b, const atn_problem *q, const atn_free_tree *t)
{
    const int place = t->place[q->r];
    const bool leaf = t->first[place] == t->first[place + 1];
    int round = 0;
    const atn_ref sum = leaf ? atn_src(0, 1) : take_children(b, q, t, place, &round);

    if (place > 0) {
        atn_algo_rounds(b, t->slots - t->slot[place] - round);
        atn_send(b, t->rank[t->parent[place]], sum);
        atn_algo_rounds(b, t->slot[place] - 1);
    } else if (leaf) {
        atn_copy(b, sum, atn_dst(0, 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_free_tree_run(b, q, prm, combine);
}

const atn_algo atn_algo_reduce_topo_tree = {
    .name = "topo_tree",
    .summary = "pipelined up a contention-free tree of minimum height on the topology",
    .reference = "Patarasuk, Faraj, Yuan: Pipelined broadcast on Ethernet switched clusters, 2006",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, min(p - 1, 1) * (height * (m + c)"
            " + (slots - height + (k - 1) * min(arity, p - 1)) * max(m, c))))",
    .needs = ATN_NEEDS_TOPOLOGY | ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .params = atn_algo_free_tree_params,
    .refuses = atn_algo_free_tree_refuses,
    .build = build,
};
