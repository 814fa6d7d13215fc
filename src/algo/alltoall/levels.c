/* Hierarchical alltoall: the leader of a cluster collects the blocks that its ranks send to ranks
 * outside, the leaders of the members of every cluster exchange the blocks between members, and
 * distribute the received ones.  Slow links carry one message per pair of clusters instead of one
 * per pair of ranks; in exchange blocks are stored on the way (see levels.h, levels_matrix.h). */
#include <stdlib.h>

#include "algo/levels_matrix.h"

typedef struct {
    atn_matrix m;
    atn_ref leaves, arrives;
} state;

typedef struct {
    atn_ref at;
    atn_groups g;
} side;

static atn_view view(const side *s)
{
    return (atn_view){.at = s->at, .each = 1, .index = s->g.index.v, .first = s->g.first.v};
}

/* A single rank uses its own buffers. */
static side begin(const state *s, const atn_level_member *m, atn_ref alone, atn_ref stored)
{
    const bool stores = !m || m->cluster >= 0;
    return (side){stores ? stored : alone, atn_algo_groups_begin(stores ? &s->m : NULL)};
}

/* All blocks have the same size, so only the number of blocks per rank of a member matters. */
static side shape(const atn_level_run *x, const atn_cluster *c, int each)
{
    const atn_level_member *m = &x->plan->tree.members[c->member];
    side s = {.g = atn_algo_groups_begin(NULL)};

    for (int i = 0; i < c->members; i++) {
        for (int k = 0; k < m[i].count * each; k++)
            s.g.ok = s.g.ok && atn_push(&s.g.index, 0);
        s.g.ok = s.g.ok && atn_push(&s.g.first, s.g.index.n);
    }
    return s;
}

static void embed(atn_level_run *x, const atn_cluster *c, side *s, bool in_place)
{
    if (s[0].g.ok && s[1].g.ok && s[2].g.ok)
        atn_algo_level_embed(
            x, c,
            &(atn_level_sides){
                .src = view(&s[0]), .dst = view(&s[1]), .vec = view(&s[2]), .in_place = in_place});
    else
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
    for (int i = 0; i < 3; i++)
        atn_algo_groups_end(&s[i].g);
}

/* The blocks between the ranks of a member and those outside the cluster. */
static void add_outside(atn_level_run *x, side *s, const atn_level_member *m, const atn_cluster *c)
{
    atn_algo_groups_add(
        &s->g, x->q->p,
        &(atn_matrix_group){
            .a = m->first, .na = m->count, .b = c->first, .nb = c->count, .outside = true});
}

/* Up: outgoing blocks, member by member, to the leader; down: incoming blocks from it. */
static void carry(atn_level_run *x, const atn_cluster *c)
{
    const state *s = x->more;
    const bool up = x->part == ATN_LEVEL_UP;
    const atn_level_member *m = &x->plan->tree.members[c->member], *own = atn_algo_level_own(x, c);
    const atn_ref stored = up ? s->leaves : s->arrives;
    side one = begin(s, own, up ? atn_src(0, 1) : atn_dst(0, 1), stored);
    side all = begin(s, NULL, stored, stored);

    add_outside(x, &one, own, c);
    for (int i = 0; i < c->members && atn_algo_level_leads(x, c); i++)
        add_outside(x, &all, &m[i], c);
    side sides[3] = {up ? one : all, up ? all : one, shape(x, c, x->q->p - c->count)};
    embed(x, c, sides, atn_algo_level_leads(x, c) && own->cluster >= 0);
}

/* Between the members of a cluster; blocks within a member are exchanged inside. */
static void exchange(atn_level_run *x, const atn_cluster *c)
{
    const state *s = x->more;
    const atn_level_member *m = &x->plan->tree.members[c->member], *own = atn_algo_level_own(x, c);
    side sides[3] = {begin(s, own, atn_src(0, 1), s->leaves),
                     begin(s, own, atn_dst(0, 1), s->arrives), shape(x, c, own->count)};

    for (int i = 0; i < c->members; i++) {
        const bool other = &m[i] != own;
        atn_matrix_group g = {own->first, own->count, m[i].first, other ? m[i].count : 0,
                              false,      false};
        atn_algo_groups_add(&sides[0].g, x->q->p, &g);
        g.by_b = true; /* sender and receiver use the order of the sender */
        atn_algo_groups_add(&sides[1].g, x->q->p, &g);
    }
    embed(x, c, sides, false);
}

static void emit(atn_level_run *x)
{
    state s;

    x->more = &s;
    if (!atn_algo_matrix_begin(x, &s.m)) {
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
        return;
    }
    if (s.m.blocks > 0) {
        s.leaves = atn_tmp_at(atn_tmp_like(x->b, 0, s.m.blocks), 0, 1);
        s.arrives = atn_tmp_at(atn_tmp_like(x->b, 0, s.m.blocks), 0, 1);
    }
    atn_algo_level_phases(x, carry, NULL, NULL);
    for (int d = 0; d < x->plan->tree.depth; d++) {
        atn_algo_level_phase(x, ATN_LEVEL_ACROSS, d, false, exchange);
        atn_algo_level_phase(x, ATN_LEVEL_DOWN, d, false, carry);
    }
    atn_copy(x->b, atn_src(x->q->r, 1), atn_dst(x->q->r, 1));
    atn_algo_matrix_end(&s.m);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_alltoall_levels = {
    .name = "levels",
    .summary =
        "hierarchical: leaders collect outgoing blocks, exchange them and distribute incoming ones",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "alltoall(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_STORE_FORWARD,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
