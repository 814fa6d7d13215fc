/* Double ring barrier: a signal goes around the ring of ranks twice.  When it is back at rank 0,
 * all ranks have entered; the second round releases them.  Only neighbours communicate, one at a
 * time.
 *
 *   p = 3   0->1 1->2 2->0   0->1 1->2 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    for (int turn = 0; turn < 2 && q->p > 1; turn++) {
        atn_algo_rounds(b, q->r);
        if (q->r > 0 || turn > 0)
            atn_sync_recv(b, atn_algo_ring(q, -1));
        atn_round(b);
        if (turn == 0 || q->r < q->p - 1)
            atn_sync_send(b, atn_algo_ring(q, 1));
        atn_algo_rounds(b, q->p - 1 - q->r);
    }
}

const atn_algo atn_algo_barrier_double_ring = {
    .name = "double_ring",
    .summary = "a signal goes around a ring twice",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "min(p - 1, 1) * (2 * p - 1) * a",
    .klass = ATN_COORDINATED,
    .group = "messages",
    .build = build,
};
