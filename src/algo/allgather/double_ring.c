/* Double ring allgather: every rank forwards to its right neighbour what it received from its left
 * one and, at the same time, in the other direction; half as many rounds as a ring suffice.
 *
 *   p = 4, rank 0   right: 0, left: 0   receive 3 and 1   right: 3   receive 2 */
#include "algo/algo.h"
#include "algo/shape.h"

/* Forwards the block of the rank i before in direction `way`. */
static void pass_on(atn_builder *b, const atn_problem *q, int way, int i)
{
    atn_send(b, atn_algo_ring(q, way), atn_dst(atn_algo_ring(q, -way * i), 1));
    atn_recv(b, atn_algo_ring(q, -way), atn_dst(atn_algo_ring(q, -way * (i + 1)), 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = 0; i < q->p / 2; i++) {
        atn_algo_rounds(b, i > 0);
        pass_on(b, q, 1, i);
        if (2 * i + 2 < q->p)
            pass_on(b, q, -1, i);
    }
}

const atn_algo atn_algo_allgather_double_ring = {
    .name = "double_ring",
    .summary = "blocks are forwarded around a ring in both directions",
    .reference = "folklore",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
