/* Allreduce on a reconfigurable network: up a k-nomial tree, where every rank sends once, so that
 * its circuit is set up in advance; then down the tree of bcast/circuit.
 *
 *   p = 4, ports = 1, delay = 1   1->0 3->2   2->0   0->1   1->2   0->3 */
#include "algo/circuit.h"
#include "algo/fold.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_view result = {.at = atn_dst(0, 1), .each = 1};
    const atn_params radix = atn_algo_circuit_radix(prm);
    atn_problem up = *q, down = *q;
    atn_embed e = {
        .q = &up, .src = {.at = atn_src(0, 1), .each = 1}, .dst = result, .vec = {.each = 1}};

    up.op = ATN_REDUCE;
    down.op = ATN_BCAST;
    atn_algo_embed_algo(b, &e, &atn_algo_reduce_knomial, &radix);
    atn_round(b);
    e = (atn_embed){.q = &down, .dst = result, .vec = {.each = 1}};
    atn_algo_embed_algo(b, &e, &atn_algo_bcast_circuit, prm);
}

const atn_algo atn_algo_allreduce_circuit = {
    .name = "circuit",
    .summary = "up a k-nomial tree, then down a tree that hides reconfiguration delays",
    .reference = "Afsahi: Design and evaluation of communication latency hiding/reduction "
                 "techniques for message-passing environments, 2000",
    .cost =
        "let(radix, ports + 1, let(k, 1, let(m, a + b * n, let(c, g * n, " ATN_FOLD_TREE_COST "))))"
        " + depth * (a + b * n)",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_circuit_params,
    .depth = atn_algo_circuit_depth,
    .build = build,
};
