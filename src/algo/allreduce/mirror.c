/* Mirrored allreduce: any allgather, reversed, combines each rank's share; executed forwards, it
 * distributes them (see mirror.h).
 *
 *   neighbor, p = 4, rank 0   with 3: two shares each way   with 1: one each way   and back */
#include "algo/mirror.h"
#include "algo/shares.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, atn_algo_mirror_params, prm->v[0]);
    atn_algo_use scatter = atn_algo_part_named(ATN_REDUCE_SCATTER_BLOCK, "mirror");

    scatter.prm.v[0] = prm->v[0];
    atn_algo_shares_scatter(b, &all, atn_src(0, 1), atn_algo_own_share(&all), &scatter);
    atn_round(b);
    atn_algo_shares_gather(b, &all, &gather);
}

const atn_algo atn_algo_allreduce_mirror = {
    .name = "mirror",
    .summary = "a reversed allgather, then the allgather itself",
    .reference = "Chan, Heimlich, Purkayastha, van de Geijn: Collective communication: theory, "
                 "practice, and experience, 2007",
    .cost = "let(b, b + g, allgather(gather, p, n / p)) + allgather(gather, p, n / p)",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .params = atn_algo_mirror_params,
    .parts = {ATN_ALLGATHER},
    .refuses = atn_algo_mirror_refuses,
    .build = build,
};
