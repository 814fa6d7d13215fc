/* Butterfly allreduce: neighbours exchange and combine halves of the message, then ranks two apart
 * quarters, and so on; the same rounds in reverse distribute the results.  As many bytes and rounds
 * as Rabenseifner's, but a rank always combines adjacent runs of ranks, so every operator is
 * supported, and the largest messages are sent over the shortest distances.  Segments keep messages
 * below the eager limit of the MPI library, and the order of operands is the same.
 *
 *   p = 4, rank 1   with 0: send the lower half, receive the upper one   with 3: its quarters
 *                   with 3: receive the other quarter   with 0: the lower half */
#include "algo/algo.h"
#include "algo/halving.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_halving_allreduce(b, q, ATN_NEAR);
}

const atn_algo atn_algo_allreduce_butterfly = {
    .name = "butterfly",
    .summary = "recursive halving and doubling in rank order: neighbours first",
    .reference = "Traff: An improved algorithm for (non-commutative) reduce-scatter with an "
                 "application, 2005",
    .cost = "2 * floor(log2(p)) * a + (2 * b + g) * n * (1 - 1 / 2^floor(log2(p)))"
            " + (1 - pow2(p)) * (2 * a + (2 * b + g) * n)",
    .passes = ATN_PASS_ORDER | ATN_PASS_SEGMENT,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
