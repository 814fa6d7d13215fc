/* Flat allreduce in shared memory: every rank reads the operands of all ranks and combines them in
 * rank order, so that all compute the same expression.  For small messages. */
#include "algo/shared.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_exposures(b, 1);
    const int operand = atn_expose(b, atn_src(0, 1), q->p - 1);
    const atn_ref sum = atn_algo_shared_room(b, atn_src(0, 1), atn_dst(0, 1), 0, 1);
    atn_algo_shared_fold(b, q, 0, ATN_WHOLE, atn_src(0, 1), sum);
    atn_round(b);
    atn_close(b, operand);
    atn_copy(b, sum, atn_dst(0, 1));
}

const atn_algo atn_algo_allreduce_shared_flat = {
    .name = "shared_flat",
    .summary = "shared memory: every rank reads and combines all operands in rank order",
    .reference =
        "Graham, Shipman: MPI support for multi-core architectures: optimized shared memory "
        "collectives, 2008",
    .cost = "(p - 1) * (a + b * n + g * n)",
    .needs = ATN_NEEDS_SHARED,
    .klass = ATN_DIRECT,
    .group = "latency",
    .build = build,
};
