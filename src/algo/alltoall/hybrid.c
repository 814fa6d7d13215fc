/* Hybrid alltoall (combined total exchange): with m = p / radix^steps, rounded up, a block for the
 * rank d = u m + v further on is forwarded by u m, one digit of u to the base `radix` at a time,
 * and then sent directly over the remaining v ranks, together with all other blocks that have v
 * left.  More steps mean fewer messages and more bytes, from nearly direct exchange to Bruck's.
 *
 *   p = 8, radix = 2, steps = 1   by 4: blocks 4-7   by 1: 1, 5   by 2: 2, 6   by 3: 3, 7 */
#include "algo/algo.h"
#include "algo/relay.h"
#include "algo/shape.h"

enum { STEPS, RADIX };

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int64_t radix = prm->v[RADIX];
    int64_t w = q->p;
    const atn_digits ring = atn_algo_digits_ring(q->p);
    atn_relay x;

    for (int i = 0; i < prm->v[STEPS]; i++)
        w = (w + radix - 1) / radix;
    const int64_t m = w;
    bool ok = atn_algo_relay_begin(&x, b, q, &ring);
    for (; ok && w < q->p; w *= radix, atn_algo_relay_turn(&x))
        for (int64_t by = w; by < q->p && by < radix * w; by += w) {
            atn_algo_relay_jump(&x, (int)by, (atn_comb){by, w, radix * w});
            atn_round(b);
        }
    for (int64_t v = 1; ok && v < m; v++) {
        atn_algo_relay_jump(&x, (int)v, (atn_comb){v, 1, m});
        atn_round(b);
    }
    if (ok)
        atn_algo_relay_turn(&x);
    atn_algo_relay_end(&x);
}

static const atn_param params[] = {
    {"steps", ATN_INT, 1, 1, 31, ATN_LINEAR, "forwarding steps before the direct exchange", NULL},
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2, "base of the forwarding distances", NULL},
    {0},
};

const atn_algo atn_algo_alltoall_hybrid = {
    .name = "hybrid",
    .summary = "some steps of Bruck's algorithm, then direct exchange of combined blocks",
    .reference = "Afsahi: Design and evaluation of communication latency hiding/reduction "
                 "techniques for message-passing environments, 2000",
    .cost = "let(m, ceil(p / radix^steps), sum(i, 0, steps - 1, let(w, m * radix^i,"
            " sum(j, 1, radix - 1, let(c, floor(p / w / radix) * w"
            " + max(0, min(w, p - floor(p / w / radix) * w * radix - j * w)),"
            " min(c, 1) * a + b * n * c)))) + sum(v, 1, m - 1, a + b * n * ceil((p - v) / m)))",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = params,
    .build = build,
};
