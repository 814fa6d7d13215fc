/* Neighbour exchange: every rank exchanges with its two neighbours alternately; after the first
 * round it always forwards the two blocks received last: half the rounds of a ring.
 *
 *   p = 6, rank 2   with 3: 2 <> 3   with 1: 2-3 <> 0-1   with 3: 0-1 <> 4-5 */
#include "algo/algo.h"
#include "algo/shape.h"

/* The first of the two blocks received in round i: they originate ever farther away, on both
 * sides alternately. */
static int received_in(const atn_problem *q, int i)
{
    const int away = i % 2 == 0 ? i : -(i + 1);
    return atn_mod((q->r & ~1) + (q->r % 2 == 0 ? away : -away), q->p);
}

static int neighbor(const atn_problem *q, int i)
{
    return atn_algo_ring(q, q->r % 2 == i % 2 ? 1 : -1);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    atn_send(b, neighbor(q, 0), atn_dst(q->r, 1));
    atn_recv(b, neighbor(q, 0), atn_dst(neighbor(q, 0), 1));
    for (int i = 1; i < q->p / 2; i++) {
        atn_round(b);
        atn_send(b, neighbor(q, i), atn_dst(received_in(q, i - 1), 2));
        atn_recv(b, neighbor(q, i), atn_dst(received_in(q, i), 2));
    }
}

const atn_algo atn_algo_allgather_neighbor = {
    .name = "neighbor",
    .summary = "exchange with the two neighbours alternately, two blocks at a time",
    .reference = "Chen, Zhang, Zhang, Yuan: Performance evaluation of allgather algorithms on "
                 "terascale Linux cluster with Fast Ethernet, 2005",
    .cost = "p / 2 * a + (p - 1) * b * n",
    .needs = ATN_NEEDS_EVEN,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
