/* Hierarchical exscan: the prefix of a rank is computed level by level (see levels_prefix.h). */
#include "algo/levels_prefix.h"

static void emit(atn_level_run *x)
{
    atn_ref before;
    const bool has = atn_algo_level_prefix(x, &before);

    if (has)
        atn_copy(x->b, before, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_exscan_levels = {
    .name = "levels",
    .summary = "hierarchical: cluster totals up, prefixes down",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "exscan(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
