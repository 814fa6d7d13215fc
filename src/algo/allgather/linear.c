/* Linear allgather: every rank sends its block to all others itself, in round i to the rank i
 * further on, so that in no round two ranks send to the same one. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int i = 1; i < q->p; i++) {
        atn_rounds(b, i > 1);
        atn_send(b, atn_ring(q, i), atn_src(0, 1));
        atn_recv(b, atn_ring(q, -i), atn_dst(atn_ring(q, -i), 1));
    }
}

const atn_algo atn_algo_allgather_linear = {
    .name = "linear",
    .summary = "every rank sends its block to all others",
    .reference = "folklore",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
