/* Bruck allgather: rank r collects the blocks r, r + 1, ... (round the ring); in round i it sends
 * the first 2^i of them 2^i ranks back and receives as many from 2^i ranks ahead.  Blocks are
 * received where they belong, so the usual rotation at the end is not needed.
 *
 *   p = 5, rank 0   from 1: 1   from 2: 2-3   from 4: 4 */
#include "algo/algo.h"
#include "algo/shape.h"

static atn_ref blocks(int first, int count, int p, atn_range list[2])
{
    const int n = atn_wrap(first, count, p, list);
    return atn_ranges(atn_dst(0, 0), list, n);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_range list[2];

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int d = 1; d < q->p; d *= 2) {
        const int count = atn_min(d, q->p - d);
        atn_rounds(b, d > 1);
        atn_send(b, atn_ring(q, -d), blocks(q->r, count, q->p, list));
        atn_recv(b, atn_ring(q, d), blocks(atn_ring(q, d), count, q->p, list));
    }
}

const atn_algo atn_algo_allgather_bruck = {
    .name = "bruck",
    .summary = "ranks at doubling distances exchange all they have",
    .reference = "Bruck et al.: Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
