/* Split binary tree broadcast: one half of the message goes down a binary tree of the odd ranks,
 * the other down one of the even ranks, counted from the root; corresponding ranks of the two trees
 * then exchange halves.  Every rank forwards only half of the message.  A rank without partner
 * receives the other half from the root.
 *
 *   p = 6   halves 0->1 1->3 1->5 and 0->2 2->4   then 1-2, 3-4 exchange, 0->5 */
#include "algo/algo.h"
#include "algo/shape.h"

static void run_root(atn_builder *b, const atn_problem *q)
{
    for (int side = 0; side < 2 && side + 1 < q->p; side++, atn_round(b))
        atn_send(b, atn_algo_absolute(q, side + 1), atn_dst(side, 1));
    if (q->p % 2 == 0)
        atn_send(b, atn_algo_absolute(q, q->p - 1), atn_dst(1, 1));
}

/* Member i of a side has the number 2 i + 1 + side. */
static void pass_on(atn_builder *b, const atn_problem *q, int side, int i)
{
    const int parent = i == 0 ? 0 : (i - 1) / 2 * 2 + 1 + side;

    atn_algo_rounds(b, side + atn_algo_heap_way(i, 2));
    atn_recv(b, atn_algo_absolute(q, parent), atn_dst(side, 1));
    for (int c = 2 * i + 1; c <= 2 * i + 2 && 2 * c + 1 + side < q->p; c++) {
        atn_round(b);
        atn_send(b, atn_algo_absolute(q, 2 * c + 1 + side), atn_dst(side, 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int v = atn_algo_relative(q), side = (v - 1) % 2, partner = side == 0 ? v + 1 : v - 1;

    (void)prm;
    atn_split(b, 2);
    if (v == 0) {
        run_root(b, q);
        return;
    }
    pass_on(b, q, side, (v - 1) / 2);
    atn_round(b);
    if (partner < q->p)
        atn_send(b, atn_algo_absolute(q, partner), atn_dst(side, 1));
    atn_recv(b, partner < q->p ? atn_algo_absolute(q, partner) : q->root, atn_dst(1 - side, 1));
}

/* Until the last rank of the even tree has its half, plus the exchange. */
static int depth(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return q->p <= 2 ? 2 * (q->p - 1) : 3 + atn_algo_heap_depth((q->p - 1) / 2, 2);
}

const atn_algo atn_algo_bcast_split_binary = {
    .name = "split_binary",
    .summary = "halves down two binary trees, then pairs of ranks exchange halves",
    .reference = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, 2007",
    .cost = "depth * (a + b * n / 2)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .klass = ATN_STORE_FORWARD,
    .group = "bandwidth",
    .depth = depth,
    .build = build,
};
