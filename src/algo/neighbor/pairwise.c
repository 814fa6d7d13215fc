/* Pairwise neighbourhood exchange: the edges are divided into rounds in which every rank sends at
 * most one message and receives at most one; a round waits for the round `window` before.  A grid
 * has one round for each direction; the edges of a graph are coloured greedily.  It wins where many
 * large messages to or from a rank would share its link or exhaust buffers: the number of open
 * messages is limited, and all of a rank's bandwidth serves one peer.
 *
 *   cart:3p   0->2 1->0 2->1, then 0->1 1->2 2->0 */
#include "algo/edges.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm; /* the window is a pass */
    atn_algo_edges_own(b, q);
    atn_algo_edges_exchange(b, q, NULL, false, true);
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return atn_algo_edges_depth(q, false, true);
}

static const atn_param params[] = {
    {"window", ATN_INT, 1, 1, 1 << 20, ATN_LOG2, "rounds of messages in flight", NULL},
    {0},
};

const atn_algo atn_algo_neighbor_pairwise = {
    .name = "pairwise",
    .summary = "in rounds in which every rank sends and receives at most once",
    .reference = "edge colouring of the communication graph, folklore",
    .cost = "depth * (a + b * n)",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .params = params,
    .depth = depth,
    .build = build,
};
