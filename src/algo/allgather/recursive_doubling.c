/* Recursive doubling allgather: partners that differ in one bit exchange all they have, lowest bit
 * first, so that what they have is always an aligned run of blocks.
 *
 *   p = 4, rank 2   with 3: send 2, receive 3   with 0: send 2-3, receive 0-1 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int bit = 1; bit < q->p; bit *= 2) {
        const int partner = q->r ^ bit;
        atn_rounds(b, bit > 1);
        atn_send(b, partner, atn_dst(q->r & -bit, bit));
        atn_recv(b, partner, atn_dst(partner & -bit, bit));
    }
}

const atn_algo atn_algo_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "partners that differ in one bit exchange all they have",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "log2(p) * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_POW2,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
