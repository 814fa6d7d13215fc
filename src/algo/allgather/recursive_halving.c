/* Recursive halving allgather: partners that differ in one bit exchange all blocks they hold,
 * highest bit first: only one block is sent over the longest distance, and half of all blocks to a
 * neighbour.  Ranks beyond the largest power of two send their block to a proxy first and receive
 * all others at the end.
 *
 *   p = 4, rank 2   with 0: send 2, receive 0   with 3: send 0 and 2, receive 1 and 3 */
#include "algo/algo.h"
#include "algo/digits.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits bits = atn_algo_digits_equal(q->p, 2);

    (void)prm;
    atn_algo_digits_allgather(b, q, &bits, false);
}

const atn_algo atn_algo_allgather_recursive_halving = {
    .name = "recursive_halving",
    .summary = "partners at halving distances exchange all blocks they hold",
    .reference = "recursive exchange with distance halving, as in MPICH",
    .cost = "let(c, 2^floor(log2(p)), (1 - pow2(p)) * (2 * a + b * n * p)"
            " + sum(i, 1, log2(c), a + b * n * (c / 2^i + ceil((p - c) / 2^i))))",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
