/* Linear alltoall: in round i every rank sends to the rank i further on and receives from the rank
 * i before, so that in no round two ranks send to the same one.  All rounds start at once;
 * window=1 makes each wait for the one before, which is the classic ring (shift) exchange. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(q->r, 1), atn_dst(q->r, 1));
    for (int i = 1; i < q->p; i++) {
        const int to = atn_ring(q, i), from = atn_ring(q, -i);
        atn_rounds(b, i > 1);
        atn_send(b, to, atn_src(to, 1));
        atn_recv(b, from, atn_dst(from, 1));
    }
}

const atn_algo atn_algo_alltoall_linear = {
    .name = "linear",
    .summary = "every rank sends to all others, beginning with its right neighbour",
    .reference = "folklore",
    .cost = "(p - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_DIRECT,
    .group = "bandwidth",
    .build = build,
};
