/* Direct neighbourhood exchange: one message for every edge, all of them at once.  Messages are
 * posted by round (see neighbourhood.h), so that no rank is addressed by several others first.  It
 * wins where few neighbours share no link, and for small messages, because nothing waits.
 *
 *   cart:3p   0->2 1->0 2->1 and 0->1 1->2 2->0 */
#include "algo/edges.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_edges_own(b, q);
    atn_algo_edges_exchange(b, q, NULL, false, false);
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return atn_algo_edges_depth(q, false, false);
}

const atn_algo atn_algo_neighbor_direct = {
    .name = "direct",
    .summary = "one message for every edge, all at once",
    .reference = "Hoefler, Traeff: Sparse collective operations for MPI, 2009",
    .cost = "depth * (a + b * n)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_DIRECT,
    .group = "latency",
    .depth = depth,
    .build = build,
};
