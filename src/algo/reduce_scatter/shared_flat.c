/* Flat reduce-scatter in shared memory: every rank reads its block from the buffers of all ranks
 * and combines them in rank order. */
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    const int operand = atn_expose(b, atn_src(0, q->p), q->p - 1);
    const atn_ref sum = atn_algo_shared_room(b, atn_src(0, q->p), atn_dst(0, 1), q->r, 1);
    atn_algo_shared_fold(b, q, 0, (atn_range){0, q->r}, atn_src(q->r, 1), sum);
    atn_round(b);
    atn_close(b, operand);
    atn_copy(b, sum, atn_dst(0, 1));
}

const atn_algo atn_algo_reduce_scatter_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: every rank reads and combines its block from all buffers",
    .reference =
        "Graham, Shipman: MPI support for multi-core architectures: optimized shared memory "
        "collectives, 2008",
    .cost = "(p - 1) * (a + b * n + g * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
