/* Exclusive-or exchange: in round i every rank exchanges blocks with the rank whose number differs
 * in the bits of i; the pairs of a round lie in the same aligned groups of ranks.
 *
 *   p = 4   0-1 2-3   0-2 1-3   0-3 1-2 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_direct_own(b, q);
    for (int i = 1; i < q->p; i++) {
        atn_algo_rounds(b, i > 1);
        atn_algo_direct(b, q, q->r ^ i, q->r ^ i);
    }
}

const atn_algo atn_algo_exchange_xor = {
    .name = "xor",
    .summary = "pairwise exchange with the rank whose number is the own one xor the round",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "(p - 1) * (k * a + b * n)",
    .needs = ATN_NEEDS_POW2,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_DIRECT,
    .group = "contention",
    .build = build,
};
