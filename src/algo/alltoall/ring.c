/* Ring alltoall: blocks are forwarded around a ring; each rank removes its own blocks and forwards
 * the others.  Only neighbours communicate, so with a topology-aware order no link is shared, but a
 * block crosses half the ring on average.
 *
 *   p = 4, rank 0   to 1: blocks 1-3   then blocks 2-3 of rank 3   then block 3 of rank 2 */
#include "algo/algo.h"
#include "algo/relay.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits ring = atn_algo_digits_ring(q->p);
    atn_relay x;

    (void)prm;
    if (atn_algo_relay_begin(&x, b, q, &ring))
        for (int i = 1; i < q->p; i++, atn_algo_relay_turn(&x)) {
            atn_algo_rounds(b, i > 1);
            atn_algo_relay_jump(&x, 1, (atn_comb){i, q->p - i, q->p});
        }
    atn_algo_relay_end(&x);
}

const atn_algo atn_algo_alltoall_ring = {
    .name = "ring",
    .summary = "blocks are forwarded around a ring until they arrive",
    .reference = "folklore",
    .cost = "(p - 1) * a + p * (p - 1) / 2 * b * n",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
