/* Hierarchical reduce-scatter: clusters reduce the whole vector to their leaders, the leaders of
 * the outermost level run a reduce-scatter, and scatter the result inside (see levels.h). */
#include "algo/levels.h"

static atn_view whole(const atn_level_run *x, atn_ref at, int room[2])
{
    return atn_algo_level_range(at, 0, x->q->p, room);
}

static void combine(atn_level_run *x, const atn_cluster *c)
{
    const bool leads = atn_algo_level_leads(x, c), fresh = leads && !x->moved;
    const atn_ref to = fresh ? atn_tmp_at(atn_tmp(x->b, 0, x->q->p), 0, 1) : x->held;

    atn_algo_level_embed(x, c,
                         &(atn_level_sides){
                             .src = whole(x, x->held, x->range[0]),
                             .dst = whole(x, to, x->range[1]),
                             .vec = whole(x, to, x->range[2]),
                             .in_place = leads && x->moved,
                         });
    x->held = to;
    x->moved = x->moved || leads;
}

/* Across: from the combined vector; down: from the leader's share. */
static void distribute(atn_level_run *x, const atn_cluster *c)
{
    const bool across = x->part == ATN_LEVEL_ACROSS;
    const atn_level_member *m = atn_algo_level_own(x, c);

    atn_algo_level_embed(x, c,
                         &(atn_level_sides){
                             .src = atn_algo_level_members(x, c, across ? x->held : x->store,
                                                           across ? 0 : x->base, x->bounds),
                             .dst = atn_algo_level_share(x, m),
                             .vec = atn_algo_level_members(x, c, x->held, 0, x->shape),
                             .in_place = !across && atn_algo_level_leads(x, c) && m->cluster >= 0,
                         });
}

/* Scratch for the share of the largest cluster that the rank leads; without an exchange at the top
 * the leader of all ranks already has the whole vector. */
static void make_room(atn_level_run *x)
{
    const atn_cluster *all = x->plan->tree.clusters, *largest = atn_algo_level_largest(x, true);

    if (atn_algo_level_leads(x, all) &&
        atn_algo_level_use_of(x->plan, all, ATN_LEVEL_DOWN)->part.row) {
        x->store = x->held;
    } else if (largest) {
        x->base = largest->first;
        x->store = atn_tmp_at(atn_tmp(x->b, x->base, largest->count), 0, 1);
    }
}

static void emit(atn_level_run *x)
{
    if (x->q->p == 1) {
        atn_copy(x->b, atn_src(0, 1), atn_dst(0, 1));
        return;
    }
    atn_algo_level_phases(x, combine, NULL, NULL);
    make_room(x);
    atn_algo_level_phases(x, NULL, distribute, distribute);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_reduce_scatter_levels = {
    .name = "levels",
    .summary = "hierarchical: reduce inside clusters, reduce-scatter among leaders, scatter inside",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "reduce_scatter(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
