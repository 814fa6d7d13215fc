/* Linear exscan: rank r receives its result, the operands of all lower ranks, from rank r - 1,
 * combines it with its own operand and sends it to rank r + 1; with segments, a pipeline. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const bool first = q->r == 0, last = q->r == q->p - 1;
    atn_ref next = atn_src(0, 1);

    (void)prm;
    if (!first && !last) { /* before DST is written: in place it is SRC */
        next = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);
        atn_copy(b, atn_src(0, 1), next);
    }
    atn_algo_rounds(b, q->r - 1);
    if (!first)
        atn_recv(b, q->r - 1, atn_dst(0, 1));
    if (!first && !last) {
        atn_reduce(b, atn_dst(0, 1), next);
        atn_round(b);
    }
    if (!last)
        atn_send(b, q->r + 1, next);
    atn_algo_rounds(b, q->p - 2 - q->r);
}

const atn_algo atn_algo_exscan_linear = {
    .name = "linear",
    .summary = "pipelined from rank to rank",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n / k) + max(p - 2, 0) * g * n / k"
            " + min(p - 1, 1) * (k - 1) * max(a + b * n / k, min(1, max(p - 2, 0)) * g * n / k)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
