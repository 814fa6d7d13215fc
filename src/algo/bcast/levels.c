/* Hierarchical broadcast: from the root to the leader of every outermost cluster, then likewise
 * inside each of them, so that the slowest links carry the message once (see levels.h).
 *
 *   two sites of two hosts with two ranks, root 5   5->0   5->6 0->2   5->4 6->7 0->1 2->3 */
#include "algo/levels.h"

static void pass_on(atn_level_run *x, const atn_cluster *c)
{
    const atn_view whole = {.at = atn_dst(0, 1), .each = 1};

    atn_algo_level_embed(x, c, &(atn_level_sides){.dst = whole, .vec = whole});
}

static void emit(atn_level_run *x) { atn_algo_level_phases(x, NULL, pass_on, pass_on); }

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_bcast_levels = {
    .name = "levels",
    .summary = "hierarchical: between clusters, then inside, an algorithm for each level",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "bcast(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
