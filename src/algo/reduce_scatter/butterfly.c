/* Butterfly: as recursive halving, but neighbours first, then ranks two apart, and so on: a rank
 * always combines adjacent runs of ranks, so every operator is supported.  A rank keeps the blocks
 * whose numbers end in the same bits as its own; no permutation is needed at the end.
 *
 *   p = 4, rank 1   with 0: send 0, 2, receive 1, 3   with 3: send 3, receive 1 */
#include "algo/algo.h"
#include "algo/halving.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_halving_scatter(b, q, ATN_NEAR);
}

const atn_algo atn_algo_reduce_scatter_butterfly = {
    .name = "butterfly",
    .summary = "recursive halving in rank order: neighbours first",
    .reference = "Traff: An improved algorithm for (non-commutative) reduce-scatter with an "
                 "application, 2005",
    .cost = "let(l, floor(log2(p)), let(pairs, p - 2^l, sum(i, 1, l,"
            " a + (b + g) * n * (2^(l - i) + ceil(pairs / 2^i)))"
            " + min(pairs, 1) * (2 * a + (b + g) * n * p + b * n)))",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
