/* Bruck alltoall: a block for the rank d further on is forwarded in hops given by the digits of d
 * to the base `radix`, so about log p messages per rank suffice; in exchange a block is sent up to
 * that many times.
 *
 *   p = 4, rank 0, radix = 2   by 1: blocks 1 and 3 to rank 1   by 2: blocks 2 and 3 to rank 2 */
#include "algo/algo.h"
#include "algo/relay.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int64_t radix = prm->v[0];
    const atn_digits ring = atn_algo_digits_ring(q->p);
    atn_relay x;

    if (atn_algo_relay_begin(&x, b, q, &ring))
        for (int64_t w = 1; w < q->p; w *= radix, atn_algo_relay_turn(&x))
            for (int64_t by = w; by < q->p && by < radix * w; by += w) {
                atn_algo_rounds(b, by > 1);
                atn_algo_relay_jump(&x, (int)by, (atn_comb){by, w, radix * w});
            }
    atn_algo_relay_end(&x);
}

static const atn_param params[] = {
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2, "base of the distances", NULL},
    {0},
};

const atn_algo atn_algo_alltoall_bruck = {
    .name = "bruck",
    .summary = "blocks are forwarded by powers of the radix: few messages, more bytes",
    .reference = "Bruck et al.: Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .cost = "sum(i, 0, levels(p, radix) - 1, let(w, radix^i, sum(j, 1, radix - 1,"
            " let(c, floor(p / w / radix) * w"
            " + max(0, min(w, p - floor(p / w / radix) * w * radix - j * w)),"
            " min(c, 1) * a + b * n * c))))",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .build = build,
};
