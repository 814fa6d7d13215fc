/* Scatter-allgather broadcast: p shares of the message are scattered down a binomial tree, then
 * distributed by any allgather.  Every rank sends and receives about twice the message, independent
 * of the number of ranks.
 *
 *   p = 4   shares 2-3: 0->2   1: 0->1   3: 2->3   then ring 0->1->2->3->0 three times */
#include "algo/shape.h"
#include "algo/shares.h"

/* Shares are received at their final positions, without copies. */
static void scatter(atn_builder *b, const atn_problem *q)
{
    const atn_tree t = atn_algo_tree_binomial(q->p, q->r, q->root);

    for (int level = 0; level < t.levels; level++) {
        const atn_edge *e = &t.edge[level];
        if (level == t.up)
            atn_recv(b, e->peer, atn_dst(e->first, e->count));
        else if (e->peer >= 0)
            atn_send(b, e->peer, atn_dst(e->first, e->count));
        atn_round(b);
    }
}

static const char *const words[] = {
    "ring", "recursive_doubling", "bruck", "neighbor", "circulant", "sparbit", NULL};

static const atn_param params[] = {
    {"allgather", ATN_WORD, 0, 0, 5, ATN_LINEAR, "allgather algorithm for the shares", words},
    {0},
};

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_group all = atn_algo_group_all(b, q);
    const atn_algo_use gather = atn_algo_part(ATN_ALLGATHER, &params[0], prm->v[0]);

    scatter(b, q);
    atn_algo_shares_gather(b, &all, &gather);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_part_refuses(ATN_ALLGATHER, &params[0], prm->v[0], q);
}

const atn_algo atn_algo_bcast_scatter_allgather = {
    .name = "scatter_allgather",
    .summary = "binomial scatter of p shares, then allgather",
    .reference = "Barnett et al.: Interprocessor collective communication library (InterCom), 1994",
    .cost = "ceil(log2(p)) * k * a + b * n * (p - 1) / p"
            " + let(c, 2^floor(log2(p)), is(allgather, 1) * ("
            "(1 - pow2(p)) * (k * a + b * n * (p - 1) / p)"
            " + max(0, min(p - c - 1, 1)) * (k * a + b * n / p)"
            " + sum(i, 0, log2(c) - 1, k * a + b * n / p * (2^i + min(2^i, p - c)))))"
            " + (1 - is(allgather, 1)) * k * allgather(allgather, p, n / p / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .params = params,
    .parts = {ATN_ALLGATHER},
    .refuses = refuses,
    .build = build,
};
