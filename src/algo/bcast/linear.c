/* Linear broadcast: the root sends the message to every other rank in turn. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int me = atn_algo_relative(q);

    (void)prm;
    for (int v = 1; v < q->p; v++) {
        if (v > 1)
            atn_round(b);
        if (me == 0)
            atn_send(b, atn_algo_absolute(q, v), atn_dst(0, 1));
        else if (me == v)
            atn_recv(b, q->root, atn_dst(0, 1));
    }
}

const atn_algo atn_algo_bcast_linear = {
    .name = "linear",
    .summary = "the root sends to every rank in turn",
    .reference = "folklore",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "messages",
    .build = build,
};
