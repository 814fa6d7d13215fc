/* Scatter-allgather broadcast: the message is cut into p shares that go down a binomial tree, each
 * to its rank, and then round a ring to all.  Every rank sends and receives about twice the
 * message, however many ranks there are. */
#include "algo/algo.h"
#include "algo/shape.h"

/* Shares are received where they belong, so nothing is copied. */
static void scatter(atn_builder *b, const atn_problem *q)
{
    const atn_tree t = atn_tree_binomial(q->p, q->r, q->root);

    for (int level = 0; level < t.levels; level++) {
        const atn_edge *e = &t.edge[level];
        if (level == t.up)
            atn_recv(b, e->peer, atn_dst(e->first, e->count));
        else if (e->peer >= 0)
            atn_send(b, e->peer, atn_dst(e->first, e->count));
        atn_round(b);
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_problem ring = {.op = ATN_ALLGATHER, .p = q->p, .r = q->r, .pieces = 1};

    (void)prm;
    atn_split(b, q->p);
    scatter(b, q);
    atn_embed_algo(b,
                   &(atn_embed){.q = &ring,
                                .src = {.at = atn_dst(q->r, 1), .each = 1},
                                .dst = {.at = atn_dst(0, 1), .each = 1},
                                .vec = {.each = 1}},
                   &atn_algo_allgather_ring, NULL);
}

const atn_algo atn_algo_bcast_scatter_allgather = {
    .name = "scatter_allgather",
    .summary = "binomial scatter of p shares, then a ring allgather",
    .reference = "Barnett et al.: Interprocessor collective communication library (InterCom), 1994",
    .cost = "(ceil(log2(p)) + p - 1) * k * a + 2 * b * n * (p - 1) / p",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .build = build,
};
