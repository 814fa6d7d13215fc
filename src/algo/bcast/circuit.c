/* Broadcast on a reconfigurable network: while a rank reconfigures, the ranks that it has reached
 * send on the circuits that they set up in advance (see circuit.h).  Without a delay it is the
 * k-nomial tree, with a long delay the k-ary one.
 *
 *   p = 12, ports = 2, delay = 1   0->1 0->2   1->3 1->4 2->5 2->6   0->7 0->8 3->9 3->10 4->11 */
#include "algo/circuit.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_algo_relative(q);
    atn_circuit_tree t;

    atn_algo_circuit_tree_begin(&t, q->p, prm);
    for (int step = 1, first; step <= t.steps; step++) {
        const int children = atn_algo_circuit_children(&t, v, step, &first);
        atn_algo_rounds(b, step > 1);
        if (step == atn_algo_circuit_step(&t, v))
            atn_recv(b, atn_algo_absolute(q, atn_algo_circuit_parent(&t, v)), atn_dst(0, 1));
        for (int i = 0; i < children; i++)
            atn_send(b, atn_algo_absolute(q, first + i), atn_dst(0, 1));
    }
}

const atn_algo atn_algo_bcast_circuit = {
    .name = "circuit",
    .summary = "ranks already reached send while others reconfigure their circuits",
    .reference = "Afsahi: Design and evaluation of communication latency hiding/reduction "
                 "techniques for message-passing environments, 2000",
    .cost = "depth * (a + b * n)",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_circuit_params,
    .depth = atn_algo_circuit_depth,
    .build = build,
};
