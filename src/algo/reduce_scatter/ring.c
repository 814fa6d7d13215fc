/* Ring reduce-scatter: the partial result of block i starts at rank i + 1, is forwarded around the
 * ring while every rank combines its operand, and ends complete at rank i.
 *
 *   p = 3, rank 1   send 0, receive 2, add   send 2, receive 1, add */
#include "algo/algo.h"
#include "algo/shape.h"

/* Receives block i and combines it where the next round, or the result, is read. */
static void add_own(atn_builder *b, const atn_problem *q, int i, int sums)
{
    if (i != q->r) {
        atn_reduce(b, atn_src(i, 1), atn_tmp_at(sums, i, 1));
        return;
    }
    atn_copy(b, atn_src(i, 1), atn_dst(0, 1));
    atn_reduce(b, atn_tmp_at(sums, i, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    if (q->p == 1) {
        atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
        return;
    }
    const int sums = atn_tmp(b, 0, q->p);
    for (int i = 0; i < q->p - 1; i++) {
        const int out = atn_algo_ring(q, -1 - i), in = atn_algo_ring(q, -2 - i);
        atn_algo_rounds(b, i > 0);
        atn_send(b, atn_algo_ring(q, 1), i == 0 ? atn_src(out, 1) : atn_tmp_at(sums, out, 1));
        atn_recv(b, atn_algo_ring(q, -1), atn_tmp_at(sums, in, 1));
        add_own(b, q, in, sums);
    }
}

const atn_algo atn_algo_reduce_scatter_ring = {
    .name = "ring",
    .summary = "partial results are forwarded around a ring",
    .reference = "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of "
                 "workstations, 2009",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, let(steps, p - 1,"
            " steps * k * (m + c) - min(steps, 1) * (k - 1) * min(m, c))))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
