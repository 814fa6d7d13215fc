/* Aggregating neighbourhood exchange: all blocks from the ranks of one host to those of another are
 * a single message between hosts.  A rank of the sending host gathers them, a rank of the receiving
 * host distributes them: for each pair of hosts the ranks with most of these blocks.  In an
 * allgather, a block that several ranks of a host need is sent to it once.  Edges inside hosts are
 * direct.  It wins where messages between hosts are expensive compared with those inside: graphs
 * with many edges between hosts and small blocks, and allgather on dense graphs.  Where every host
 * has one rank, the ranks of a switch take the place of a host (bundles.h). */
#include "algo/bundles.h"
#include "algo/edges.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_edges_own(b, q);
    atn_algo_bundles_exchange(b, q);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return atn_algo_bundles_refuses(q);
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

const atn_algo atn_algo_neighbor_aggregate = {
    .name = "aggregate",
    .summary = "one message between every two hosts, gathered and distributed inside",
    .reference = "Collom, Li, Bienz: Optimizing irregular communication with neighborhood "
                 "collectives and locality-aware parallelism, 2023",
    .cost = "depth * (a + width * b * n)",
    .needs = ATN_NEEDS_TOPOLOGY | ATN_NEEDS_SIZES,
    .klass = ATN_STORE_FORWARD,
    .group = "messages",
    .depth = depth,
    .width = width,
    .refuses = refuses,
    .build = build,
};
