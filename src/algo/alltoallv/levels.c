/* Hierarchical alltoallv.  Only sender and receiver have the size of a message, so messages cannot
 * be combined on the way: every pair exchanges directly, first the pairs of different outermost
 * clusters, because their messages take longest, then those inside each cluster, with an algorithm
 * for each level (see levels.h). */
#include <stdlib.h>

#include "algo/levels.h"

/* One group for every rank of the cluster: its block, or nothing for the ranks of the rank's own
 * member, which exchange inside. */
static void list_blocks(atn_level_run *x, const atn_cluster *c, int *index, int *first)
{
    const atn_level_member *m = atn_algo_level_own(x, c);
    int n = 0;

    for (int i = 0; i < c->count; i++) {
        const int place = c->first + i;
        first[i] = n;
        if (place < m->first || place >= m->first + m->count)
            index[n++] = place;
    }
    first[c->count] = n;
}

static void exchange(atn_level_run *x, const atn_cluster *c)
{
    int *index = malloc(sizeof *index * 2 * ((size_t)c->count + 1));

    if (!index) {
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
        return;
    }
    int *first = index + c->count;
    list_blocks(x, c, index, first);
    const atn_view from = {.at = atn_src(0, 1), .each = 1, .index = index, .first = first};
    const atn_view to = {.at = atn_dst(0, 1), .each = 1, .index = index, .first = first};
    atn_algo_level_embed(x, c, &(atn_level_sides){.src = from, .dst = to, .vec = to, .all = true});
    free(index);
}

static void emit(atn_level_run *x)
{
    for (int d = 0; d < x->plan->tree.depth; d++)
        atn_algo_level_phase(x, ATN_LEVEL_ACROSS, d, true, exchange);
    atn_copy(x->b, atn_src(x->q->r, 1), atn_dst(x->q->r, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_levels_build(b, q, prm, emit);
}

const atn_algo atn_algo_alltoallv_levels = {
    .name = "levels",
    .summary = "direct exchange by level, pairs of different clusters first",
    .reference = "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize "
                 "collective operation performance, 2000",
    .cost = "alltoallv(levels, p, n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .klass = ATN_DIRECT,
    .group = "levels",
    .params = atn_algo_levels_params,
    .refuses = atn_algo_levels_refuses,
    .build = build,
};
