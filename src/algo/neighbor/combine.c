/* Combining neighbourhood exchange: all blocks from one rank to another are a single message; in an
 * allgather, which would send the same block several times, it is sent once and copied.  It wins
 * where pairs of ranks have several edges: periodic dimensions of two ranks, and graphs whose
 * vertices several neighbours represent.  Without such pairs it would be `direct`, so it is
 * refused.  The cost is exact if all messages have the same number of blocks, else an upper
 * bound.
 *
 *   cart:2p   0<->1 with two blocks each way */
#include "algo/edges.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_edges_own(b, q);
    atn_algo_edges_exchange(b, q, NULL, true, false);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return q->neighbourhood->repeats ? NULL : "no two ranks have several edges";
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return atn_algo_edges_depth(q, true, false);
}

static int width(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return atn_algo_edges_width(q);
}

const atn_algo atn_algo_neighbor_combine = {
    .name = "combine",
    .summary = "all blocks for the same rank in one message",
    .reference = "Traeff, Carpen-Amarie, Hunold, Rougier: Message-combining algorithms for "
                 "isomorphic, sparse collective communication, 2016",
    .cost = "depth * (a + width * b * n)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_DIRECT,
    .group = "messages",
    .depth = depth,
    .width = width,
    .refuses = refuses,
    .build = build,
};
