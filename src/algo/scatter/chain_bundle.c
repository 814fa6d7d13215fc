/* Chain scatter in bundles: every rank receives the blocks of all ranks behind it at once and
 * forwards them without its own.  Only p - 1 messages, one after the other; scatter/chain forwards
 * single blocks and overlaps them.
 *
 *   p = 4   0->1: 1 2 3   1->2: 2 3   2->3: 3 */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_root(atn_builder *b, const atn_problem *q)
{
    atn_range list[2];
    const int n = atn_algo_wrap(atn_algo_ring(q, 1), q->p - 1, q->p, list);

    if (q->p > 1)
        atn_send(b, atn_algo_ring(q, 1), atn_ranges(atn_src(0, 1), list, n));
    atn_copy(b, atn_src(q->r, 1), atn_dst(0, 1));
}

static void run_other(atn_builder *b, const atn_problem *q, int me)
{
    const int behind = q->p - 1 - me;

    atn_algo_rounds(b, me - 1);
    if (behind == 0) {
        atn_recv(b, atn_algo_ring(q, -1), atn_dst(0, 1));
        return;
    }
    const int room = atn_tmp_like(b, q->r, behind + 1);
    atn_recv(b, atn_algo_ring(q, -1), atn_tmp_at(room, 0, behind + 1));
    atn_round(b);
    atn_send(b, atn_algo_ring(q, 1), atn_tmp_at(room, 1, behind));
    atn_copy(b, atn_tmp_at(room, 0, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    if (q->r == q->root)
        run_root(b, q);
    else
        run_other(b, q, atn_algo_relative(q));
}

const atn_algo atn_algo_scatter_chain_bundle = {
    .name = "chain_bundle",
    .summary = "every rank forwards the blocks of all ranks behind it at once",
    .reference = "Barchet-Estefanel, Mounie: Fast tuning of intra-cluster collective "
                 "communications, 2004",
    .cost = "(p - 1) * (a + p / 2 * b * n)",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .build = build,
};
