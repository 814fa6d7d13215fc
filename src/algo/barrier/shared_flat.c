/* Flat barrier in shared memory: every rank raises a flag; rank 0 waits for all flags and raises
 * one that all other ranks wait for. */
#include "algo/shared.h"

static void lead(atn_builder *b, int p)
{
    for (int i = 1; i < p; i++)
        atn_await(b, i, 0);
    atn_round(b);
    const int release = atn_expose(b, (atn_ref){.n = 0}, p - 1);
    atn_close(b, release);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    if (q->r == 0) {
        lead(b, q->p);
        return;
    }
    const int flag = atn_expose(b, (atn_ref){.n = 0}, 1);
    atn_round(b);
    atn_await(b, 0, 0);
    atn_close(b, flag);
}

const atn_algo atn_algo_barrier_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: rank 0 gathers a flag of every rank and raises one for all",
    .reference =
        "Graham, Shipman: MPI support for multi-core architectures: optimized shared memory "
        "collectives, 2008",
    .cost = "(p - 1) * a + min(p - 1, 1) * a",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
