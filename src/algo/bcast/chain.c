/* Chain broadcast: the message is forwarded from rank to rank; with segments it is a pipeline whose
 * time hardly depends on p.  `chains` chains of consecutive ranks, longer ones first, start at the
 * root; more chains are shorter but divide the root's bandwidth.
 *
 *   p = 8, chains = 2   0 -> 1 -> 2 -> 3 -> 4   0 -> 5 -> 6 -> 7 */
#include "algo/algo.h"
#include "algo/shape.h"

static void feed(atn_builder *b, const atn_problem *q, int chains)
{
    for (int v = 1; v < q->p; v++) {
        const atn_spot s = atn_algo_chain_spot(v, q->p, chains);
        if (s.place > 0)
            continue;
        atn_algo_rounds(b, s.chain > 0);
        atn_send(b, atn_algo_absolute(q, v), atn_dst(0, 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_algo_relative(q), chains = (int)prm->v[0];

    if (v == 0) {
        feed(b, q, chains);
        return;
    }
    const atn_spot s = atn_algo_chain_spot(v, q->p, chains);
    atn_algo_rounds(b, s.chain + s.place);
    atn_recv(b, s.place == 0 ? q->root : atn_algo_ring(q, -1), atn_dst(0, 1));
    if (v + 1 == q->p || atn_algo_chain_spot(v + 1, q->p, chains).place == 0)
        return;
    atn_round(b);
    atn_send(b, atn_algo_ring(q, 1), atn_dst(0, 1));
}

static const atn_param params[] = {
    {"chains", ATN_INT, 1, 1, 1024, ATN_LOG2, "chains that start at the root", NULL},
    {0},
};

const atn_algo atn_algo_bcast_chain = {
    .name = "chain",
    .summary = "pipelined along one or more chains of ranks",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "let(c, max(1, min(chains, p - 1)), let(longest, ceil((p - 1) / c),"
            " min(p - 1, 1) * (a + b * n / k) * ((k - 1) * c + longest - 1"
            " + max(p - 1 - c * (longest - 1), c - 1))))",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .build = build,
};
