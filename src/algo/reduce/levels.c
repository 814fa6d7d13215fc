/* Hierarchical reduce: every cluster combines its operands at its leader, innermost clusters first;
 * the root leads all clusters that contain it (see levels.h). */
#include "algo/levels.h"

/* The buffer in which a leader combines: the result at the root. */
static atn_ref target(atn_level_run *x)
{
    if (x->moved)
        return x->held;
    return x->q->r == x->q->root ? atn_dst(0, 1) : atn_tmp_at(atn_tmp(x->b, 0, 1), 0, 1);
}

static void combine(atn_level_run *x, const atn_cluster *c)
{
    const bool leads = atn_algo_level_leads(x, c);
    const atn_ref to = leads ? target(x) : x->held;

    atn_algo_level_embed(x, c,
                         &(atn_level_sides){
                             .src = {.at = x->held, .each = 1},
                             .dst = {.at = to, .each = 1},
                             .vec = {.each = 1},
                             .in_place = leads && (x->moved || x->q->in_place),
                         });
    x->held = to;
    x->moved = x->moved || leads;
}

static void emit(atn_level_run *x)
{
    atn_algo_level_phases(x, combine, combine, NULL);
    if (x->q->p == 1)
        atn_copy(x->b, atn_src(0, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_reduce_levels = {
    .name = "levels",
    .summary = "hierarchical: inside clusters, then between them, an algorithm for each level",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "reduce(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
