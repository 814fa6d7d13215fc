/* Contention-free tree broadcast: ranks that send at the same time never share a link of the
 * topology (see free_tree.h), so with segments it is a pipeline at full bandwidth.  With arity 1 it
 * is a chain, whose time hardly depends on p for long messages; a larger arity reduces the height
 * and divides the bandwidth. */
#include "algo/algo.h"
#include "algo/free_tree.h"
#include "algo/shape.h"

/* Rounds equal slots on every rank. */
static void pass_on(atn_builder *b, const atn_problem *q, const atn_free_tree *t)
{
    const int place = t->place[q->r];
    int slot = 1;

    if (place > 0) {
        slot = t->slot[place];
        atn_algo_rounds(b, slot - 1);
        atn_recv(b, t->rank[t->parent[place]], atn_dst(0, 1));
    }
    for (int k = t->first[place]; k < t->first[place + 1]; k++) {
        atn_algo_rounds(b, t->slot[t->child[k]] - slot);
        slot = t->slot[t->child[k]];
        atn_send(b, t->rank[t->child[k]], atn_dst(0, 1));
    }
    atn_algo_rounds(b, t->slots - slot);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_free_tree_run(b, q, prm, pass_on);
}

const atn_algo atn_algo_bcast_topo_tree = {
    .name = "topo_tree",
    .summary = "pipelined down a contention-free tree of minimum height on the topology",
    .reference = "Patarasuk, Faraj, Yuan: Pipelined broadcast on Ethernet switched clusters, 2006",
    .cost = "min(p - 1, 1) * (slots + (k - 1) * min(arity, p - 1)) * (a + b * n / k)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .params = atn_algo_free_tree_params,
    .refuses = atn_algo_free_tree_refuses,
    .build = build,
};
