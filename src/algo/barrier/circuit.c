/* Barrier on a reconfigurable network: signals go up a k-nomial tree, where every rank sends once,
 * so that its circuit is set up in advance; then down the tree of bcast/circuit.
 *
 *   p = 4, ports = 1, delay = 1   1->0 3->2   2->0   0->1   1->2   0->3 */
#include "algo/circuit.h"

/* The signals of all children may arrive at the same time. */
static void gather(atn_builder *b, const atn_tree *t)
{
    for (int level = t->levels - 1; level >= 0; level--, atn_round(b)) {
        const int peer = t->edge[level].peer;
        if (peer >= 0 && level != t->up)
            atn_token_recv(b, peer);
        if (peer >= 0 && level == t->up) {
            atn_fence(b);
            atn_token_send(b, peer);
        }
    }
    atn_fence(b);
}

static void spread(atn_builder *b, const atn_circuit_tree *t, int r)
{
    for (int step = 1, first; step <= t->steps; step++, atn_round(b)) {
        const int children = atn_algo_circuit_children(t, r, step, &first);
        if (step == atn_algo_circuit_step(t, r)) {
            atn_token_recv(b, atn_algo_circuit_parent(t, r));
            atn_fence(b);
        }
        for (int i = 0; i < children; i++)
            atn_token_send(b, first + i);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_tree up = atn_algo_tree_knomial(q->p, q->r, 0, (int)atn_algo_circuit_radix(prm).v[0]);
    atn_circuit_tree down;

    atn_algo_circuit_tree_begin(&down, q->p, prm);
    gather(b, &up);
    spread(b, &down, q->r);
}

const atn_algo atn_algo_barrier_circuit = {
    .name = "circuit",
    .summary = "signals up a k-nomial tree, then down a tree that hides reconfiguration delays",
    .reference = "Afsahi: Design and evaluation of communication latency hiding/reduction "
                 "techniques for message-passing environments, 2000",
    .cost = "a * (knomial(p, ports + 1) + depth)",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = atn_algo_circuit_params,
    .depth = atn_algo_circuit_depth,
    .build = build,
};
