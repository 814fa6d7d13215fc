/* Linear scan: rank r receives the result of rank r - 1 and combines its own operand; with
 * segments, a pipeline. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    atn_algo_rounds(b, q->r - 1);
    if (q->r > 0) {
        const atn_ref below = atn_tmp_at(atn_tmp(b, 0, 1), 0, 1);
        atn_recv(b, q->r - 1, below);
        atn_reduce(b, below, atn_dst(0, 1));
        atn_algo_rounds(b, q->r < q->p - 1);
    }
    if (q->r < q->p - 1)
        atn_send(b, q->r + 1, atn_dst(0, 1));
    atn_algo_rounds(b, q->p - 2 - q->r);
}

const atn_algo atn_algo_scan_linear = {
    .name = "linear",
    .summary = "pipelined from rank to rank",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n / k + g * n / k)"
            " + min(p - 1, 1) * (k - 1) * max(a + b * n / k, g * n / k)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
