/* Linear exchange: every rank exchanges blocks with rank 0, then with rank 1, and so on.  All ranks
 * address the same rank at once; executed strictly in order, ranks i and j exchange in round i + j
 * - 1.
 *
 *   p = 4   0-1   0-2   0-3 1-2   1-3   2-3 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_direct_own(b, q);
    for (int sum = 1; sum < 2 * q->p - 2; sum++) {
        const int partner = sum - q->r;
        atn_algo_rounds(b, sum > 1);
        if (partner >= 0 && partner < q->p && partner != q->r)
            atn_algo_direct(b, q, partner, partner);
    }
}

const atn_algo atn_algo_exchange_linear = {
    .name = "linear",
    .summary = "every rank exchanges with rank 0, rank 1, ...; with a window, a few at a time",
    .reference = "folklore",
    .cost = "max(0, 2 * p - 3 + (k - 1) * min(p, 2 * p - 3)) * (a + b * n / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC,
    .klass = ATN_DIRECT,
    .group = "messages",
    .build = build,
};
