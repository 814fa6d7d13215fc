/* Dissemination barrier: in round i every rank signals the rank 2^i further on and waits for the
 * one 2^i before; after ceil(log2 p) rounds each has heard, through others, from all.
 *
 *   p = 5   round 0: r -> r+1   round 1: r -> r+2   round 2: r -> r+4 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    for (int d = 1; d < q->p; d *= 2) {
        atn_rounds(b, d > 1);
        atn_sync_send(b, atn_ring(q, d));
        atn_sync_recv(b, atn_ring(q, -d));
    }
}

const atn_algo atn_algo_barrier_dissemination = {
    .name = "dissemination",
    .summary = "signals to ranks at doubling distances around the ring",
    .reference = "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988",
    .cost = "ceil(log2(p)) * a",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
