/* Double ring alltoall: blocks are forwarded around a ring in the shorter direction; each rank
 * removes its own blocks and forwards the others.
 *
 *   p = 5, rank 0   to 1: blocks 1-2, to 4: blocks 3-4   then block 2 of rank 4, block 3 of rank
 * 1 */
#include "algo/algo.h"
#include "algo/relay.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int half = q->p / 2;
    const atn_digits ring = atn_algo_digits_ring(q->p);
    atn_relay x;

    (void)prm;
    if (atn_algo_relay_begin(&x, b, q, &ring))
        for (int i = 1; i <= half; i++, atn_algo_relay_turn(&x)) {
            atn_algo_rounds(b, i > 1);
            atn_algo_relay_jump(&x, 1, (atn_comb){i, half - i + 1, q->p});
            atn_algo_relay_jump(&x, -1, (atn_comb){half + 1, q->p - half - i, q->p});
        }
    atn_algo_relay_end(&x);
}

const atn_algo atn_algo_alltoall_double_ring = {
    .name = "double_ring",
    .summary = "blocks are forwarded around a ring, each in the shorter direction",
    .reference = "folklore",
    .cost = "let(h, floor(p / 2), let(m, p - 1 - h,"
            " (p - 1) * a + (h * (h + 1) + m * (m + 1)) / 2 * b * n))",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
