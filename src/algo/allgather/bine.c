/* Bine allgather: as in recursive halving, partners exchange all blocks they hold, but distances
 * alternate in direction and are a third shorter, so that fewer messages leave a group of
 * neighbouring ranks (see atn_algo_bine).  The longest distance is first and carries one block.
 *
 *   p = 4, rank 0   with 3: send 0, receive 3   with 1: send 0 and 3, receive 1 and 2 */
#include "algo/algo.h"
#include "algo/shape.h"

#include <stdlib.h>

/* The blocks that rank r holds before step i; steps run from the highest down. */
static atn_ref held(int p, int r, int i, atn_range *list)
{
    int n = 1;

    list[0] = (atn_range){r, 1};
    for (int k = atn_ceil_log2(p) - 1; k > i; k--, n *= 2)
        for (int j = 0; j < n; j++)
            list[n + j] = (atn_range){atn_algo_bine(p, list[j].first, k), 1};
    return atn_ranges(atn_dst(0, 0), list, n);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_range *list = malloc(sizeof *list * (size_t)q->p);

    (void)prm;
    if (!list)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = atn_ceil_log2(q->p) - 1; list && i >= 0; i--, atn_round(b)) {
        const int partner = atn_algo_bine(q->p, q->r, i);
        atn_send(b, partner, held(q->p, q->r, i, list));
        atn_recv(b, partner, held(q->p, partner, i, list));
    }
    free(list);
}

const atn_algo atn_algo_allgather_bine = {
    .name = "bine",
    .summary = "recursive halving with shorter, alternating distances",
    .reference = "De Sensi et al.: Bine trees: enhancing collective operations by optimizing "
                 "communication locality, 2025",
    .cost = "log2(p) * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_POW2,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
