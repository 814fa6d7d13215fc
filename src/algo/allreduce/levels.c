/* Hierarchical allreduce: clusters reduce to their leaders, the leaders of the outermost clusters
 * run an allreduce, and the result is broadcast inside (see levels.h). */
#include "algo/levels.h"

static const atn_view result = {.at = {.space = ATN_DST, .n = 1, .one = {0, 1}}, .each = 1};

/* The sum ends at the leader, or on all ranks. */
static void combine(atn_level_run *x, const atn_cluster *c)
{
    const bool has = x->part == ATN_LEVEL_ACROSS || atn_algo_level_leads(x, c);

    atn_algo_level_embed(x, c,
                         &(atn_level_sides){
                             .src = {.at = x->moved ? atn_dst(0, 1) : atn_src(0, 1), .each = 1},
                             .dst = result,
                             .vec = result,
                             .in_place = has && (x->moved || x->q->in_place),
                         });
    x->moved = x->moved || has;
}

static void spread(atn_level_run *x, const atn_cluster *c)
{
    atn_algo_level_embed(x, c, &(atn_level_sides){.dst = result, .vec = result});
}

static void emit(atn_level_run *x)
{
    atn_algo_level_phases(x, combine, combine, spread);
    if (x->q->p == 1)
        atn_copy(x->b, atn_src(0, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_allreduce_levels = {
    .name = "levels",
    .summary = "hierarchical: reduce inside clusters, allreduce among leaders, broadcast inside",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "allreduce(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
