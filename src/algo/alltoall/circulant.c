/* Circulant alltoall: a block for the rank d further on is forwarded by the largest skips that fit,
 * each used once; skips are p halved repeatedly, rounded up.  As few rounds as Bruck's; if the
 * number of ranks is not a power of two, the last rounds are not smaller than the others.
 *
 *   p = 6, rank 0   by 3: blocks 3-5   by 2: 2 and 5   by 1: 1 and 4 */
#include "algo/algo.h"
#include "algo/relay.h"
#include "algo/shape.h"

/* Whether a block with distance d to go uses skip i, after the longer skips. */
static bool takes(int p, int d, int i)
{
    for (int k = 1; k < i; k++)
        d -= d >= atn_algo_skip(p, k) ? atn_algo_skip(p, k) : 0;
    return d >= atn_algo_skip(p, i);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits ring = atn_algo_digits_ring(q->p);
    atn_relay x;

    (void)prm;
    if (atn_algo_relay_begin(&x, b, q, &ring))
        for (int i = 1; i <= atn_ceil_log2(q->p); i++, atn_algo_relay_turn(&x)) {
            for (int d = 0; d < q->p; d++)
                x.goes[d] = takes(q->p, d, i);
            atn_algo_rounds(b, i > 1);
            atn_algo_relay_jump_those(&x, atn_algo_skip(q->p, i));
        }
    atn_algo_relay_end(&x);
}

/* The number of blocks that a rank sends in total. */
static int depth(const atn_problem *q, const atn_params *prm)
{
    int blocks = 0;

    (void)prm;
    for (int i = 1; i <= atn_ceil_log2(q->p); i++)
        for (int d = 0; d < q->p; d++)
            blocks += takes(q->p, d, i);
    return blocks;
}

const atn_algo atn_algo_alltoall_circulant = {
    .name = "circulant",
    .summary = "blocks are forwarded by skips that halve the ring: few messages, more bytes",
    .reference = "Bruck et al.: Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997, with the skips of circulant graphs",
    .cost = "ceil(log2(p)) * a + depth * b * n",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .depth = depth,
    .build = build,
};
