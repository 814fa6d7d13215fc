/* Linear gather: every rank sends its block to the root, one per round. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int me = atn_algo_relative(q);

    (void)prm;
    if (me == 0)
        atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int v = 1; v < q->p; v++) {
        atn_algo_rounds(b, v > 1);
        if (me == 0)
            atn_recv(b, atn_algo_absolute(q, v), atn_dst(atn_algo_absolute(q, v), 1));
        else if (me == v)
            atn_send(b, q->root, atn_src(0, 1));
    }
}

const atn_algo atn_algo_gather_linear = {
    .name = "linear",
    .summary = "every rank sends to the root; window and sync limit the load of the root",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n)",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
