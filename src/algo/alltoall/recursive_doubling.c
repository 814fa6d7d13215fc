/* Recursive doubling alltoall (standard exchange): partners that differ in one bit exchange all
 * blocks, their own and forwarded ones, whose destination has the partner's bit.  See Bruck for
 * other numbers of ranks.
 *
 *   p = 4, rank 0   with 1: own blocks 1 and 3   with 2: block 2, own and of rank 1 */
#include "algo/algo.h"
#include "algo/digits.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits bits = atn_algo_digits_equal(q->p, 2);

    (void)prm;
    atn_algo_digits_alltoall(b, q, &bits);
}

const atn_algo atn_algo_alltoall_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "hypercube exchange: partners that differ in one bit exchange all blocks for the "
               "other half",
    .reference = "Johnsson, Ho: Optimum broadcasting and personalized communication in hypercubes, "
                 "1989",
    .cost = "log2(p) * (a + b * n * p / 2)",
    .needs = ATN_NEEDS_POW2 | ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
