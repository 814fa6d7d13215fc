/* Bruck allgather: rank r collects the blocks r, r + 1, ... (cyclically); in a stage of distance d
 * it receives the first d blocks of the ranks d, 2 d, ... ahead, until it holds `radix` times as
 * many as before.  Blocks are received at their final positions, so no rotation is needed at the
 * end.
 *
 *   p = 5, rank 0, radix = 2   from 1: 1   from 2: 2-3   from 4: 4 */
#include "algo/algo.h"
#include "algo/shape.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int radix = (int)prm->v[0];

    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int64_t d = 1; d < q->p; d *= radix)
        for (int64_t jump = d; jump < q->p && jump < radix * d; jump += d) {
            atn_algo_rounds(b, jump > 1);
            atn_algo_wrap_exchange(b, q, (int)jump, atn_min((int)d, q->p - (int)jump));
        }
}

static const atn_param params[] = {
    {"radix", ATN_INT, 2, 2, ATN_MAX_RADIX, ATN_LOG2,
     "growth factor of the number of blocks per stage", NULL},
    {0},
};

const atn_algo atn_algo_allgather_bruck = {
    .name = "bruck",
    .summary = "ranks at increasing distances send all blocks they hold",
    .reference = "Bruck et al.: Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .cost = "(p - 1) * b * n + a * knomial(p, radix)",
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = params,
    .build = build,
};
