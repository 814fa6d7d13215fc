/* Chain scatter: blocks are forwarded from rank to rank away from the root, the one for the
 * farthest rank first, so that all links of the chain are busy at once: only neighbours
 * communicate, and it takes no longer than sending directly from the root.
 *
 *   p = 4   0->1->2->3: 3 to 1, then 2, then 1, while 1 forwards 3 and 2 to 2 */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_root(atn_builder *b, const atn_problem *q)
{
    for (int v = q->p - 1; v > 0; v--, atn_round(b))
        atn_send(b, atn_algo_ring(q, 1), atn_src(atn_algo_absolute(q, v), 1));
    atn_copy(b, atn_src(q->r, 1), atn_dst(0, 1));
}

static void run_other(atn_builder *b, const atn_problem *q, int me)
{
    atn_algo_rounds(b, me - 1);
    for (int v = q->p - 1; v > me; v--) {
        const atn_ref room = atn_tmp_at(atn_tmp(b, atn_algo_absolute(q, v), 1), 0, 1);
        atn_recv(b, atn_algo_ring(q, -1), room);
        atn_round(b);
        atn_send(b, atn_algo_ring(q, 1), room);
    }
    atn_recv(b, atn_algo_ring(q, -1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    if (q->r == q->root)
        run_root(b, q);
    else
        run_other(b, q, atn_algo_relative(q));
}

const atn_algo atn_algo_scatter_chain = {
    .name = "chain",
    .summary = "blocks are forwarded from rank to rank away from the root",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n)",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
