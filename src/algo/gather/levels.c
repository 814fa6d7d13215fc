/* Hierarchical gather: the leader of every cluster collects the blocks of its ranks and forwards
 * them together, so that the slowest links carry few large messages (see levels.h). */
#include "algo/levels.h"

/* The blocks to forward: the rank's own, or all collected ones. */
static atn_view collected(atn_level_run *x, const atn_level_member *m)
{
    if (m->cluster < 0)
        return atn_algo_level_range(atn_src(0, 1), 0, 1, x->range[0]);
    return atn_algo_level_range(x->store, m->first - x->base, m->count, x->range[0]);
}

static void collect(atn_level_run *x, const atn_cluster *c)
{
    const atn_level_member *m = atn_algo_level_own(x, c);

    atn_algo_level_embed(
        x, c,
        &(atn_level_sides){
            .src = collected(x, m),
            .dst = atn_algo_level_members(x, c, x->store, x->base, x->bounds),
            .vec = atn_algo_level_members(x, c, x->store, 0, x->shape),
            .in_place = atn_algo_level_leads(x, c) && (m->cluster >= 0 || x->q->in_place),
        });
}

static void emit(atn_level_run *x)
{
    const atn_cluster *largest = atn_algo_level_largest(x, false);
    const bool root = x->q->r == x->q->root;

    x->store = atn_dst(0, 1);
    if (largest && !root) {
        x->base = largest->first;
        x->store = atn_tmp_at(atn_tmp(x->b, x->base, largest->count), 0, 1);
    }
    atn_algo_level_phases(x, collect, collect, NULL);
    if (x->q->p == 1)
        atn_copy(x->b, atn_src(0, 1), x->store);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_gather_levels = {
    .name = "levels",
    .summary = "hierarchical: leaders collect blocks and forward them together",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "gather(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY | ATN_NEEDS_SIZES,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
