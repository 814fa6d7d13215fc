/* Pairwise reduce-scatter: in round i every rank sends to the rank i further on that rank's block
 * and receives its own block from the rank i before.  Operands arrive from r - 1 down to 0 and then
 * from p - 1 down to r + 1; a non-commutative operator combines the latter separately, in `upper`.
 * Two receive buffers let a message arrive while the previous one is combined. */
#include "algo/algo.h"
#include "algo/shape.h"

static atn_ref scratch(atn_builder *b, const atn_problem *q)
{
    return atn_tmp_at(atn_tmp(b, q->r, 1), 0, 1);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const bool apart = q->ordered && q->r < q->p - 1;
    const atn_ref result = atn_dst(0, 1), upper = apart ? scratch(b, q) : result;
    atn_ref room[2];

    (void)prm;
    for (int i = 0; i < atn_min(2, q->p - 1); i++)
        room[i] = scratch(b, q);
    atn_copy(b, atn_src(q->r, 1), result);
    for (int i = 1; i < q->p; i++) {
        const int to = atn_algo_ring(q, i), from = atn_algo_ring(q, -i);
        const bool begins_upper = apart && from == q->p - 1;
        atn_algo_rounds(b, i > 1);
        atn_send(b, to, atn_src(to, 1));
        atn_recv(b, from, begins_upper ? upper : room[(i - 1) % 2]);
        if (!begins_upper)
            atn_reduce(b, room[(i - 1) % 2], from < q->r ? result : upper);
    }
    if (apart) {
        atn_reduce(b, result, upper);
        atn_copy(b, upper, result);
    }
}

const atn_algo atn_algo_reduce_scatter_pairwise = {
    .name = "pairwise",
    .summary = "every rank sends each other rank its block and combines the received ones",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "min(p - 1, 1) * (a + b * n + g * n) + max(p - 2, 0) * max(a + b * n, g * n)",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
