/* Sparbit allgather: Bruck's rounds in reverse.  The longest distance is first and carries one
 * block, so most data are sent to near ranks.  Before a round of distance d a rank holds the blocks
 * r, r - 2 d, r - 4 d, ...; the last of them is omitted where the ring would deliver it twice.
 *
 *   p = 6, rank 0   from 2 (4 back): 2   from 4: 4   from 5: 1, 3, 5 */
#include "algo/algo.h"
#include "algo/shape.h"

#include <stdlib.h>

/* Blocks r, r - 2 d, r - 4 d, ... */
static atn_ref comb(int r, int d, int count, int p, atn_range *list)
{
    for (int i = 0; i < count; i++)
        list[i] = (atn_range){atn_mod(r - 2 * i * d, p), 1};
    return atn_ranges(atn_dst(0, 0), list, count);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_range *list = malloc(sizeof *list * (size_t)q->p);
    int have = 1;

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    if (!list)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    for (int d = 1 << atn_ceil_log2(q->p) >> 1; list && d > 0; d /= 2) {
        const int from = atn_algo_ring(q, -d), last = atn_mod(q->p, 2 * d);
        const int send = last > 0 && last <= d ? have - 1 : have;
        atn_send(b, atn_algo_ring(q, d), comb(q->r, d, send, q->p, list));
        atn_recv(b, from, comb(from, d, send, q->p, list));
        have += send;
        atn_algo_rounds(b, d > 1);
    }
    free(list);
}

const atn_algo atn_algo_allgather_sparbit = {
    .name = "sparbit",
    .summary = "Bruck's rounds in reverse: long distances carry few blocks",
    .reference = "Loch, Koslovski: Sparbit: a new logarithmic-cost and data locality-aware MPI "
                 "Allgather algorithm, 2021",
    .cost = "ceil(log2(p)) * a + (p - 1) * b * n",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
