/* Pairwise exchange: in every round the ranks form pairs that exchange their blocks; each pair
 * is matched once, as in a round-robin tournament (see atn_algo_match).  With an odd number one
 * rank is idle in each round.
 *
 *   p = 4   1-2 0-3   0-1 2-3   0-2 1-3 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_direct_own(b, q);
    for (int i = 0; i < atn_algo_match_rounds(q->p); i++) {
        const int partner = atn_algo_match(q->p, q->r, i);
        atn_algo_rounds(b, i > 0);
        if (partner >= 0)
            atn_algo_direct(b, q, partner, partner);
    }
}

const atn_algo atn_algo_exchange_pairwise = {
    .name = "pairwise",
    .summary = "pairwise exchange in rounds of a round-robin tournament",
    .reference = "one-factor of the complete graph, folklore",
    .cost = "min(p - 1, 1) * (2 * ceil(p / 2) - 1) * (k * a + b * n)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_DIRECT,
    .group = "contention",
    .build = build,
};
