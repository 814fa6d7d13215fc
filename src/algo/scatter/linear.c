/* Linear scatter: the root sends every rank its block, one per round. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int me = atn_algo_relative(q);

    (void)prm;
    for (int v = 1; v < q->p; v++) {
        atn_algo_rounds(b, v > 1);
        if (me == 0)
            atn_send(b, atn_algo_absolute(q, v), atn_src(atn_algo_absolute(q, v), 1));
        else if (me == v)
            atn_recv(b, q->root, atn_dst(0, 1));
    }
    if (me == 0)
        atn_copy(b, atn_src(q->r, 1), atn_dst(0, 1));
}

const atn_algo atn_algo_scatter_linear = {
    .name = "linear",
    .summary = "the root sends every rank its block",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n)",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
