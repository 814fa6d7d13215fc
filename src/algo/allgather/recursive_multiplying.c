/* Recursive multiplying allgather: groups of `radix` ranks, then groups of groups, exchange all
 * blocks they hold: fewer stages than recursive doubling, and the messages of a stage may be in
 * flight at the same time.  Ranks beyond the largest power of the radix send their block to a proxy
 * first and receive all others at the end.
 *
 *   p = 9, radix = 3   0-1-2 3-4-5 6-7-8: a block each   0-3-6 1-4-7 2-5-8: three blocks each */
#include "algo/algo.h"
#include "algo/digits.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits digits = atn_algo_digits_equal(q->p, (int)prm->v[0]);
    atn_algo_digits_allgather(b, q, &digits, true);
}

static const atn_param params[] = {
    {"radix", ATN_INT, 4, 2, ATN_MAX_RADIX, ATN_LOG2, "ranks that exchange in a stage", NULL},
    {0},
};

const atn_algo atn_algo_allgather_recursive_multiplying = {
    .name = "recursive_multiplying",
    .summary = "recursive doubling generalised to groups of `radix` ranks",
    .reference =
        "Ruefenacht, Bull, Booth: Generalisation of recursive doubling for AllReduce, 2017",
    .cost = "let(r, max(2, min(radix, p)), let(l, levels(p + 1, r) - 1, let(c, r^l,"
            " let(g, ceil(p / c) - 1, g * (2 * a + b * n * p) + (r - 1) * sum(i, 0, l - 1,"
            " a + b * n * sum(j, 0, g, min(r^i, p - j * c)))))))",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .build = build,
};
