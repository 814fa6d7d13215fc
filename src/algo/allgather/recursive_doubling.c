/* Recursive doubling allgather: partners that differ in one bit exchange all blocks they hold,
 * lowest bit first, so that these are always an aligned run.  Ranks beyond the largest power of two
 * send their block to a proxy first and receive all others at the end.
 *
 *   p = 4, rank 2   with 3: send 2, receive 3   with 0: send 2-3, receive 0-1 */
#include "algo/algo.h"
#include "algo/digits.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits bits = atn_algo_digits_equal(q->p, 2);

    (void)prm;
    atn_algo_digits_allgather(b, q, &bits, true);
}

const atn_algo atn_algo_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "recursive doubling: partners at doubling distances exchange all blocks they hold",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "let(c, 2^floor(log2(p)), (1 - pow2(p)) * (2 * a + b * n * p)"
            " + sum(i, 0, log2(c) - 1, a + b * n * (2^i + min(2^i, p - c))))",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
