/* Chain gather: blocks are forwarded from rank to rank towards the root, each rank's own block
 * first, so that all links of the chain are busy at once: only neighbours communicate, and it takes
 * no longer than sending directly to the root.
 *
 *   p = 4   3->2->1->0: 1 to 0, then 2, then 3, while 2 sends 2 and 3 to 1 */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_root(atn_builder *b, const atn_problem *q)
{
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    for (int v = 1; v < q->p; v++) {
        atn_algo_rounds(b, v > 1);
        atn_recv(b, atn_algo_ring(q, 1), atn_dst(atn_algo_absolute(q, v), 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int me = atn_algo_relative(q);

    (void)prm;
    if (me == 0) {
        run_root(b, q);
        return;
    }
    atn_send(b, atn_algo_ring(q, -1), atn_src(0, 1));
    for (int v = me + 1; v < q->p; v++) {
        const atn_ref room = atn_tmp_at(atn_tmp(b, atn_algo_absolute(q, v), 1), 0, 1);
        atn_recv(b, atn_algo_ring(q, 1), room);
        atn_round(b);
        atn_send(b, atn_algo_ring(q, -1), room);
    }
}

const atn_algo atn_algo_gather_chain = {
    .name = "chain",
    .summary = "blocks are forwarded from rank to rank towards the root",
    .reference = "folklore",
    .cost = "(p - 1) * (a + b * n)",
    .needs = ATN_NEEDS_SIZES,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
