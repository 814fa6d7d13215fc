/* levels_prefix.c - see levels_prefix.h. */
#include "algo/levels_prefix.h"

#include <stdlib.h>

typedef struct {
    atn_ref *earlier; /* by depth: prefix of the members before this rank's member */
    atn_ref before;   /* prefix of all ranks before its member */
    bool has;
} state;

static atn_ref scratch(atn_level_run *x) { return atn_tmp_at(atn_tmp(x->b, 0, 1), 0, 1); }

/* The last rank combines the prefix with the total of its member: the total of the cluster. */
static void add_earlier(atn_level_run *x, atn_ref earlier)
{
    if (!x->moved) {
        const atn_ref own = scratch(x);
        atn_copy(x->b, x->held, own);
        x->held = own;
        x->moved = true;
    }
    atn_reduce(x->b, earlier, x->held);
}

static void inwards(atn_level_run *x, const atn_cluster *c)
{
    const state *s = x->more;
    const atn_ref to = s->earlier[c->depth] = scratch(x);

    atn_algo_level_embed(x, c,
                         &(atn_level_sides){.src = {.at = x->held, .each = 1},
                                            .dst = {.at = to, .each = 1},
                                            .vec = {.each = 1}});
    if (c->depth > 0 && atn_algo_level_leads(x, c))
        add_earlier(x, to);
}

/* Only the first cluster of each depth has no prefix. */
static void outwards(atn_level_run *x, const atn_cluster *c)
{
    state *s = x->more;
    const bool first = atn_algo_level_own(x, c)->first == c->first;

    if (c->first > 0) {
        if (!s->has)
            s->before = scratch(x);
        s->has = true;
        const atn_view block = {.at = s->before, .each = 1};
        atn_algo_level_embed(x, c, &(atn_level_sides){.dst = block, .vec = block});
    }
    if (first)
        return;
    if (s->has)
        atn_reduce(x->b, s->before, s->earlier[c->depth]);
    s->before = s->earlier[c->depth];
    s->has = true;
}

bool atn_algo_level_prefix(atn_level_run *x, atn_ref *before_p)
{
    state s = {.earlier = calloc((size_t)x->plan->tree.depth + 1, sizeof *s.earlier)};

    if (!s.earlier) {
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
        return false;
    }
    x->more = &s;
    atn_algo_level_phases(x, inwards, NULL, outwards);
    free(s.earlier);
    *before_p = s.before;
    return s.has;
}
