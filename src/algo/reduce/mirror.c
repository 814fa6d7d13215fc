/* Mirrored reduce: any broadcast with all messages reversed, in reverse order (see mirror.h).
 *
 *   kary, p = 6   5->2 4->1   3->1   2->0   1->0 */
#include "algo/mirror.h"

static const char *const words[] = {"split_binary", "kary", "postal", "bine", NULL};

static const atn_param params[] = {
    {"bcast", ATN_WORD, 0, 0, 3, ATN_LINEAR, "broadcast algorithm to reverse", words},
    {0},
};

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_algo_use forward = atn_algo_part(ATN_BCAST, &params[0], prm->v[0]);

    atn_algo_mirror(b, q, forward.row->algo, &forward.prm);
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_depth(ATN_BCAST, &params[0], prm->v[0], q);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_mirror_part(ATN_BCAST, &params[0], prm->v[0], q);
}

const atn_algo atn_algo_reduce_mirror = {
    .name = "mirror",
    .summary = "a reversed broadcast",
    .reference = "Chan, Heimlich, Purkayastha, van de Geijn: Collective communication: theory, "
                 "practice, and experience, 2007",
    .cost = "let(b, b + g, bcast(bcast, p, n))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .parts = {ATN_BCAST},
    .depth = depth,
    .refuses = refuses,
    .build = build,
};
