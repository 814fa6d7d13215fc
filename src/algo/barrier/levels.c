/* Hierarchical barrier: signals go up to the leader of every outermost cluster, the leaders
 * synchronise, and signals go back: the slowest links are crossed the minimum number of times (see
 * levels.h). */
#include "algo/levels.h"

static void signal(atn_level_run *x, const atn_cluster *c)
{
    atn_algo_level_embed(x, c, &(atn_level_sides){.in_place = false});
}

static void emit(atn_level_run *x) { atn_algo_level_phases(x, signal, signal, signal); }

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_barrier_levels = {
    .name = "levels",
    .summary = "hierarchical: signals to leaders, barrier among leaders, release inside",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "barrier(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .klass = ATN_COORDINATED,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
