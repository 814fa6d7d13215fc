/* Mirrored reduce-scatter: any allgather with all messages reversed, in reverse order (see
 * mirror.h).  It has the properties of that allgather: few rounds, near partners, etc.
 *
 *   neighbor, p = 4, rank 0   send 1, 2 to 3, receive 0, 3   send 1 to 1, receive 0 */
#include "algo/mirror.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_algo_use forward = atn_algo_part(ATN_ALLGATHER, atn_algo_mirror_params, prm->v[0]);

    atn_algo_mirror(b, q, forward.row->algo, &forward.prm);
}

const atn_algo atn_algo_reduce_scatter_mirror = {
    .name = "mirror",
    .summary = "a reversed allgather",
    .reference = "Chan, Heimlich, Purkayastha, van de Geijn: Collective communication: theory, "
                 "practice, and experience, 2007",
    .cost = "let(b, b + g, allgather(gather, p, n))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .params = atn_algo_mirror_params,
    .parts = {ATN_ALLGATHER},
    .refuses = atn_algo_mirror_refuses,
    .build = build,
};
