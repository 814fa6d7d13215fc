/* Circulant allgather: rank r collects the blocks r, r + 1, ... (cyclically) with skips that halve
 * p, rounded up: 1, ..., p/4, p/2.  For any number of ranks the number of rounds is minimal, their
 * sizes are balanced, and no rank receives a block twice.
 *
 *   p = 6, rank 0   from 1: 1   from 2: 2   from 3: 3-5 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int rounds = atn_ceil_log2(q->p);

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = 0; i < rounds; i++) {
        const int jump = atn_algo_skip(q->p, rounds - i),
                  count = atn_algo_skip(q->p, rounds - i - 1) - jump;
        atn_algo_rounds(b, i > 0);
        atn_algo_wrap_exchange(b, q, jump, count);
    }
}

const atn_algo atn_algo_allgather_circulant = {
    .name = "circulant",
    .summary = "skips halve the ring: minimum number of balanced rounds for any number of ranks",
    .reference = "Traff: Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
