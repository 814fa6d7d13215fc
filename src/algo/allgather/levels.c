/* Hierarchical allgather: every cluster gathers its blocks at its leader, the leaders of the
 * outermost clusters exchange them, and the whole result is broadcast inside (see levels.h). */
#include "algo/levels.h"

/* All blocks are received at their final positions. */
static void collect(atn_level_run *x, const atn_cluster *c)
{
    const atn_level_member *m = atn_algo_level_own(x, c);
    const bool has = x->part == ATN_LEVEL_ACROSS || atn_algo_level_leads(x, c),
               alone = m->cluster < 0;
    const atn_ref from = alone ? atn_src(0, 1) : atn_dst(0, 1);

    atn_algo_level_embed(
        x, c,
        &(atn_level_sides){
            .src = atn_algo_level_range(from, alone ? 0 : m->first, m->count, x->range[0]),
            .dst = atn_algo_level_members(x, c, atn_dst(0, 1), 0, x->bounds),
            .vec = atn_algo_level_members(x, c, atn_dst(0, 1), 0, x->shape),
            .in_place = has && (!alone || x->q->in_place),
        });
}

static void spread(atn_level_run *x, const atn_cluster *c)
{
    const atn_view all = atn_algo_level_range(atn_dst(0, 1), 0, x->q->p, x->range[1]);

    atn_algo_level_embed(x, c, &(atn_level_sides){.dst = all, .vec = all});
}

static void emit(atn_level_run *x)
{
    atn_algo_level_phases(x, collect, collect, spread);
    if (x->q->p == 1)
        atn_copy(x->b, atn_src(0, 1), atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_allgather_levels = {
    .name = "levels",
    .summary = "hierarchical: gather inside clusters, allgather among leaders, broadcast inside",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "allgather(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
