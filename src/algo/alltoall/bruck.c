/* Bruck alltoall: a block for the rank d further on travels there in jumps of the powers of two
 * that make up d, so ceil(log2 p) messages per rank suffice; in exchange a block is sent up to that
 * many times.  Block d lies in `here`; what a round brings arrives in `there`.
 *
 *   p = 4, rank 0   jump 1: blocks 1 and 3 to rank 1   jump 2: blocks 2 and 3 to rank 2 */
#include "algo/algo.h"
#include "algo/shape.h"

#include <stdlib.h>

/* The blocks d < p that jump by `bit`: every second run of `bit` blocks. */
static int jumping(int bit, int p, atn_range *list)
{
    int n = 0;

    for (int d = bit; d < p; d += 2 * bit)
        list[n++] = (atn_range){d, atn_min(bit, p - d)};
    return n;
}

/* The blocks of the first run have made their last jump: d came from the rank d before. */
static void deliver(atn_builder *b, const atn_problem *q, atn_range run, int there, atn_range *list)
{
    for (int i = 0; i < run.count; i++)
        list[i] = (atn_range){atn_ring(q, -run.first - i), 1};
    atn_copy(b, atn_tmp_at(there, run.first, run.count),
             atn_ranges(atn_dst(0, 0), list, run.count));
}

static void jump(atn_builder *b, const atn_problem *q, int bit, int here, int there,
                 atn_range *list)
{
    const int n = jumping(bit, q->p, list);
    const atn_ref from = atn_tmp_at(here, 0, 0), to = atn_tmp_at(there, 0, 0);

    atn_send(b, atn_ring(q, bit), atn_ranges(from, list, n));
    atn_recv(b, atn_ring(q, -bit), atn_ranges(to, list, n));
    if (n > 1)
        atn_copy(b, atn_ranges(to, list + 1, n - 1), atn_ranges(from, list + 1, n - 1));
    deliver(b, q, list[0], there, list);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int here = atn_tmp(b, 0, q->p), there = atn_tmp(b, 0, q->p);
    atn_range *list = malloc(sizeof *list * ((size_t)q->p + 2));

    (void)prm;
    if (!list) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    const int n = atn_wrap(atn_ring(q, 1), q->p - 1, q->p, list);
    atn_copy(b, atn_ranges(atn_src(0, 0), list, n), atn_tmp_at(here, 1, q->p - 1));
    atn_copy(b, atn_src(q->r, 1), atn_dst(q->r, 1));
    for (int bit = 1; bit < q->p; bit *= 2) {
        atn_rounds(b, bit > 1);
        jump(b, q, bit, here, there, list);
    }
    free(list);
}

const atn_algo atn_algo_alltoall_bruck = {
    .name = "bruck",
    .summary = "blocks jump by powers of two: few messages, more bytes",
    .reference = "Bruck et al.: Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .cost = "sum(i, 0, ceil(log2(p)) - 1, a + b * n * (floor(p / 2^(i + 1)) * 2^i"
            " + max(0, p - floor(p / 2^(i + 1)) * 2^(i + 1) - 2^i)))",
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
