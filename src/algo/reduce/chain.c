/* Chain reduce: a partial result is forwarded from rank to rank, each combining its operand; with
 * segments it is a pipeline whose time hardly depends on p.  `chains` chains of consecutive ranks
 * end at the root; more chains are shorter but divide the root's bandwidth.
 *
 *   p = 8, chains = 2   4 -> 3 -> 2 -> 1 -> 0   7 -> 6 -> 5 -> 0 */
#include "algo/algo.h"
#include "algo/fold.h"

/* The last chains are shorter, so they finish first. */
static void take_all(atn_builder *b, const atn_problem *q, int chains)
{
    atn_fold f = atn_algo_fold_own(q, -1, 0, 1);

    for (int v = q->p - 1; v > 0; v--)
        if (atn_algo_chain_spot(v, q->p, chains).place == 0)
            atn_algo_fold_recv(b, q, &f, atn_algo_absolute(q, v));
    atn_algo_fold_end(b, &f, -1);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_algo_relative(q), chains = (int)prm->v[0];
    const int longest = (q->p - 2 + chains) / chains;

    if (v == 0) {
        atn_algo_rounds(b, longest - 1);
        take_all(b, q, chains);
        return;
    }
    const int place = atn_algo_chain_spot(v, q->p, chains).place;
    const int parent = place == 0 ? q->root : atn_algo_ring(q, -1);
    const bool last = v + 1 == q->p || atn_algo_chain_spot(v + 1, q->p, chains).place == 0;
    atn_fold f = atn_algo_fold_own(q, parent, 0, 1);
    atn_algo_rounds(b, longest - 1 - place - !last);
    if (!last) {
        atn_algo_fold_recv(b, q, &f, atn_algo_ring(q, 1));
        atn_round(b);
    }
    atn_algo_fold_end(b, &f, parent);
}

static const atn_param params[] = {
    {"chains", ATN_INT, 1, 1, 1024, ATN_LOG2, "chains that end at the root", NULL},
    {0},
};

const atn_algo atn_algo_reduce_chain = {
    .name = "chain",
    .summary = "pipelined along one or more chains of ranks",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "let(m, a + b * n / k, let(c, g * n / k, let(all, max(1, min(chains, p - 1)),"
            " let(longest, ceil((p - 1) / all), let(long, p - 1 - all * (longest - 1),"
            " min(p - 1, 1) * (m + c + (k - 1) * all * max(m, c)"
            " + max((longest - 1) * (m + c) + (long - 1) * max(m, c),"
            " min(all - long, 1) * ((longest - 2) * (m + c) + (all - 1) * max(m, c)))))))))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .build = build,
};
