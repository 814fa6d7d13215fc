/* Binomial scan: on the way up, runs of 2, 4, 8, ... ranks are combined at their last rank; on the
 * way down, a rank that has the result of all ranks up to itself sends it to the last rank of the
 * following run of half the length.  Twice the rounds of doubling, but a fraction of its messages.
 *
 *   p = 6   up: 0->1 2->3 4->5   1->3   down: 3->5   1->2 3->4 */
#include "algo/algo.h"
#include "algo/shape.h"

static void take(atn_builder *b, const atn_problem *q, int d, atn_ref below)
{
    atn_recv(b, q->r - d, below);
    atn_reduce(b, below, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int place = q->r + 1, half = atn_algo_pow2_below(q->p) / 2;
    const atn_ref below = q->r > 0 ? atn_tmp_at(atn_tmp(b, 0, 1), 0, 1) : (atn_ref){0};

    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    for (int d = 1; d < q->p; d *= 2, atn_round(b)) {
        if (place % (2 * d) == 0)
            take(b, q, d, below);
        else if (place % (2 * d) == d && q->r + d < q->p)
            atn_send(b, q->r + d, atn_dst(0, 1));
    }
    for (int d = half; d > 0; d /= 2, atn_round(b)) {
        if (place % (2 * d) == 0 && q->r + d < q->p)
            atn_send(b, q->r + d, atn_dst(0, 1));
        else if (place % (2 * d) == d && place > d)
            take(b, q, d, below);
    }
}

const atn_algo atn_algo_scan_binomial = {
    .name = "binomial",
    .summary = "runs of ranks are combined up a tree, prefixes are sent down",
    .reference = "Brent, Kung: A regular layout for parallel adders, 1982",
    /* Either the last rank of the largest run waits for all of it and those after it for that
     * rank, or the ranks of its second half wait for the first one. */
    .cost = "let(m, a + b * n, let(c, g * n, let(l, floor(log2(p)), let(rest, p - 2^l,"
            " let(few, floor(log2(max(1, rest))), max(l * (m + c)"
            " + min(rest, 1) * (few * (m + c) + m + pow2(rest + 1) * c),"
            " min(l, 1) * (m + 2 * (l - 1) * (m + c))))))))",
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .build = build,
};
