/* Ring allgather: every rank forwards to its right neighbour what it received from its left one;
 * after p - 1 rounds every rank has every block.
 *
 *   p = 3, rank 1   send 1, receive 0   send 0, receive 2 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = 0; i < q->p - 1; i++) {
        atn_algo_rounds(b, i > 0);
        atn_send(b, atn_algo_ring(q, 1), atn_dst(atn_algo_ring(q, -i), 1));
        atn_recv(b, atn_algo_ring(q, -1), atn_dst(atn_algo_ring(q, -i - 1), 1));
    }
}

const atn_algo atn_algo_allgather_ring = {
    .name = "ring",
    .summary = "blocks are forwarded around a ring",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
