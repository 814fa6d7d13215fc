/* Broadcast for an arrival pattern: ranks that arrive early are served first and serve others, late
 * ranks are leaves, and a single early rank waits for them (see early.h).  Without an arrival
 * pattern the tree is binomial.
 *
 *   p = 6, rank 1 arrives 9 messages late   0->2   0->4 2->3   3->5   ...   5->1 */
#include "algo/early.h"
#include "algo/shape.h"

#include <stdlib.h>

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    int slots, at = 0;
    atn_early_message *list = atn_algo_early_make(q, (atn_early_shape)prm->v[0], false, &slots);

    if (!list) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    for (const atn_early_message *m = list; m < list + q->p - 1; m++) {
        if (m->from != q->r && m->to != q->r)
            continue;
        atn_algo_rounds(b, m->slot - at);
        at = m->slot;
        if (m->from == q->r)
            atn_send(b, m->to, atn_dst(0, 1));
        else
            atn_recv(b, m->from, atn_dst(0, 1));
    }
    atn_algo_rounds(b, slots - 1 - at);
    free(list);
}

const atn_algo atn_algo_bcast_early = {
    .name = "early",
    .summary = "arrival-aware: early ranks first, late ranks are leaves",
    .reference = "after Faraj, Patarasuk, Yuan: A study of process arrival patterns for MPI "
                 "collective operations, 2008",
    .cost = "is(shape, 0) * ceil(log2(p)) * (k * a + b * n)"
            " + is(shape, 1) * min(p - 1, 1) * (p + k - 2) * (a + b * n / k)",
    .needs = ATN_NEEDS_LATENESS,
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .params = atn_algo_early_params,
    .build = build,
};
