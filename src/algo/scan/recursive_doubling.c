/* Doubling scan: in round i a rank sends its partial result, of the run of up to 2^i ranks that
 * ends with it, to the rank 2^i further on, which prepends it to its own run. */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_ref below = q->r > 0 ? atn_tmp_at(atn_tmp(b, 0, 1), 0, 1) : (atn_ref){0};

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    for (int d = 1; d < q->p; d *= 2) {
        atn_algo_rounds(b, d > 1);
        if (q->r + d < q->p)
            atn_send(b, q->r + d, atn_dst(0, 1));
        if (q->r - d < 0)
            continue;
        atn_recv(b, q->r - d, below);
        atn_reduce(b, below, atn_dst(0, 1));
    }
}

const atn_algo atn_algo_scan_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "runs of ranks double in length",
    .reference = "Hillis, Steele: Data parallel algorithms, 1986",
    .cost = "ceil(log2(p)) * (a + b * n + g * n)",
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
