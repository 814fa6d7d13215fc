/* Recursive halving: partners half the ranks apart exchange and combine the halves of the vector
 * for which the other is responsible; then likewise within each half, down to one block (see
 * halving.h).
 *
 *   p = 4, rank 1   with 3: send 2-3, receive 0-1   with 0: send 0, receive 1 */
#include "algo/algo.h"
#include "algo/halving.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_halving_scatter(b, q, ATN_FAR);
}

const atn_algo atn_algo_reduce_scatter_recursive_halving = {
    .name = "recursive_halving",
    .summary =
        "recursive halving: partners exchange and combine halves of the vector, then quarters, ...",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "let(l, floor(log2(p)), let(pairs, p - 2^l, sum(i, 0, l - 1,"
            " a + (b + g) * n * (2^i + min(2^i, pairs)))"
            " + min(pairs, 1) * (2 * a + (b + g) * n * p + b * n)))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
