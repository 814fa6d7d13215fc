/* Dissemination barrier: in a stage of distance d every rank signals the ranks d, 2 d, ... further
 * on and waits for those d, 2 d, ... before, `radix` - 1 at a time; after log p stages each rank
 * has a signal, direct or indirect, from all.
 *
 *   p = 5, radix = 2   r -> r+1   r -> r+2   r -> r+4 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int64_t radix = prm->v[0];

    for (int64_t d = 1; d < q->p; d *= radix) {
        atn_algo_rounds(b, d > 1);
        for (int64_t by = d; by < q->p && by < radix * d; by += d) {
            atn_sync_send(b, atn_algo_ring(q, (int)by));
            atn_sync_recv(b, atn_algo_ring(q, (int)-by));
        }
    }
}

static const atn_param params[] = {
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2, "signals per stage, plus one", NULL},
    {0},
};

const atn_algo atn_algo_barrier_dissemination = {
    .name = "dissemination",
    .summary = "dissemination: signals to ranks at growing distances on a ring",
    .reference = "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988",
    .cost = "a * knomial(p, radix)",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .build = build,
};
