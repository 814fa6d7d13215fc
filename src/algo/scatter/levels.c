/* Hierarchical scatter: the blocks of all ranks of a cluster are sent together to its leader, which
 * scatters them inside (see levels.h). */
#include "algo/levels.h"

static void distribute(atn_level_run *x, const atn_cluster *c)
{
    const atn_level_member *m = atn_algo_level_own(x, c);

    atn_algo_level_embed(
        x, c,
        &(atn_level_sides){
            .src = atn_algo_level_members(x, c, x->store, x->base, x->bounds),
            .dst = atn_algo_level_share(x, m),
            .vec = atn_algo_level_members(x, c, x->store, 0, x->shape),
            .in_place = atn_algo_level_leads(x, c) && (m->cluster >= 0 || x->q->in_place),
        });
}

static void emit(atn_level_run *x)
{
    const atn_cluster *largest = atn_algo_level_largest(x, false);

    x->store = atn_src(0, 1);
    if (largest && x->q->r != x->q->root) {
        x->base = largest->first;
        x->store = atn_tmp_at(atn_tmp(x->b, x->base, largest->count), 0, 1);
    }
    atn_algo_level_phases(x, NULL, distribute, distribute);
    if (x->q->p == 1)
        atn_copy(x->b, x->store, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_scatter_levels = {
    .name = "levels",
    .summary = "hierarchical: blocks are sent to leaders together and scattered inside",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "scatter(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY | ATN_NEEDS_SIZES,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
