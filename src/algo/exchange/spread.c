/* Spread exchange: in round i every rank sends to the rank i further on and receives from the rank
 * i before, so that no two ranks send to the same one in a round.  All rounds start at once;
 * window=1 makes each wait for the previous one, which is the classic ring (shift) exchange.
 *
 *   p = 4   0->1 1->2 2->3 3->0   0->2 1->3 2->0 3->1   0->3 1->0 2->1 3->2 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_direct_own(b, q);
    for (int i = 1; i < q->p; i++) {
        atn_algo_rounds(b, i > 1);
        atn_algo_direct(b, q, atn_algo_ring(q, i), atn_algo_ring(q, -i));
    }
}

const atn_algo atn_algo_exchange_spread = {
    .name = "spread",
    .summary =
        "every rank sends to all others, right neighbour first; window=1: ring exchange in phases",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
