/* Linear barrier: all ranks signal rank 0, which then releases all. */
#include "algo/algo.h"

static void lead(atn_builder *b, int p)
{
    for (int i = 1; i < p; i++)
        atn_sync_recv(b, i);
    atn_round(b);
    for (int i = 1; i < p; i++)
        atn_sync_send(b, i);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    if (q->r == 0) {
        lead(b, q->p);
        return;
    }
    atn_sync_send(b, 0);
    atn_round(b);
    atn_sync_recv(b, 0);
}

const atn_algo atn_algo_barrier_linear = {
    .name = "linear",
    .summary = "all ranks signal rank 0, which releases all",
    .reference = "folklore",
    .cost = "2 * (p - 1) * a",
    .most_ranks = 1024,
    .klass = ATN_COORDINATED,
    .group = "messages",
    .build = build,
};
