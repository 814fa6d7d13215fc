/* Circulant reduce-scatter: a rank has partial results for the blocks of the ranks 0, 1, ..., s - 1
 * further on, initially of all p.  It sends the upper half of them to the rank half as far on, for
 * which these are the nearest, and combines the received blocks with the lower half, until only its
 * own block is left.  For any number of ranks the number of rounds and the number of blocks sent
 * and combined are minimal.
 *
 *   p = 5, rank 0   send 3-4 to 3, receive 0-1   send 2 to 2, receive 0   send 1 to 1, receive 0 */
#include "algo/algo.h"
#include "algo/shape.h"

#include <stdlib.h>

/* Block i is that of the rank i further on. */
static void combine(atn_builder *b, const atn_problem *q, const void *context)
{
    int kept = (q->p + 1) / 2, sent = q->p / 2;
    const int sums = atn_tmp(b, 0, kept), room = atn_tmp(b, 0, kept / 2);

    (void)context;
    atn_send(b, atn_algo_ring(q, kept), atn_src(kept, sent));
    atn_recv(b, atn_algo_ring(q, -kept), atn_tmp_at(sums, 0, sent));
    atn_copy(b, atn_src(sent, kept - sent), atn_tmp_at(sums, sent, kept - sent));
    atn_reduce(b, atn_src(0, sent), atn_tmp_at(sums, 0, sent));
    while (kept > 1) {
        sent = kept / 2;
        kept -= sent;
        atn_round(b);
        atn_send(b, atn_algo_ring(q, kept), atn_tmp_at(sums, kept, sent));
        atn_recv(b, atn_algo_ring(q, -kept), atn_tmp_at(room, 0, sent));
        atn_reduce(b, atn_tmp_at(room, 0, sent), atn_tmp_at(sums, 0, sent));
    }
    atn_copy(b, atn_tmp_at(sums, 0, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    int *turned = malloc(sizeof *turned * (size_t)q->p);

    (void)prm;
    for (int i = 0; turned && i < q->p; i++)
        turned[i] = atn_algo_ring(q, i);
    if (!turned)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else if (q->p == 1)
        atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    else
        atn_embed_run(b, &(atn_embed){.q = q,
                                      .src = {.at = atn_src(0, 1), .each = 1, .index = turned},
                                      .dst = {.at = atn_dst(0, 1), .each = 1},
                                      .vec = {.each = 1, .index = turned},
                                      .build = combine});
    free(turned);
}

const atn_algo atn_algo_reduce_scatter_circulant = {
    .name = "circulant",
    .summary = "skips halve the ring: minimum rounds and blocks for any number of ranks",
    .reference = "Traff: Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024",
    /* With 3 or 5 ranks the second message does not depend on the first reduction. */
    .cost = "ceil(log2(p)) * a + (p - 1) * (b + g) * n"
            " - (is(p, 3) + is(p, 5)) * min(a + b * n, floor(p / 2) * g * n)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
