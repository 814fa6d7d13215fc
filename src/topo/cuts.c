/* cuts.c - the tree of levels above routes: what all links that leave a branch carry, and the least
 * delay that they have.
 *
 * Delays must not add up to more than those of any route: a link between two branches counts half
 * for each of them, one between a branch and a router above it counts for the branch alone, and a
 * node whose branch can be left from nodes below it gets what those do not have yet. */
#include <stdlib.h>

#include "topo/draft.h"
#include "topo/routes.h"

/* Links that leave the branch of a node. */
typedef struct {
    bool any, unknown; /* the rate of one of them is not known */
    bool inner;        /* one of them begins at a router of a node below */
    int64_t rate;      /* of all */
    int64_t delay_ns;  /* the least */
} leaving;

static int depth_of(const atn_draft *d, int v)
{
    int depth = 0;
    for (; d->nodes.v[v].parent >= 0; v = d->nodes.v[v].parent)
        depth++;
    return depth;
}

static int meeting(const atn_draft *d, int a, int b)
{
    int depth_a = depth_of(d, a), depth_b = depth_of(d, b);
    while (a != b) {
        if (depth_a >= depth_b) {
            a = d->nodes.v[a].parent;
            depth_a--;
        } else {
            b = d->nodes.v[b].parent;
            depth_b--;
        }
    }
    return a;
}

static void add_link(leaving *x, int64_t rate, int64_t delay_ns)
{
    x->delay_ns = x->any && x->delay_ns < delay_ns ? x->delay_ns : delay_ns;
    x->any = true;
    x->unknown = x->unknown || rate == 0;
    if (__builtin_add_overflow(x->rate, rate, &x->rate))
        x->rate = INT64_MAX;
}

/* All branches that one end of the link leaves behind. */
static void climb(const atn_draft *d, leaving *list, int v, int top, const atn_route_link *l,
                  bool alone)
{
    for (const int home = v; v != top; v = d->nodes.v[v].parent) {
        add_link(&list[v], l->rate, alone ? l->delay_ns : l->delay_ns / 2);
        list[v].inner = list[v].inner || v != home;
    }
}

/* The delay from below a node up over its link; `below` is that of its children. */
static int64_t settle(atn_draft_node *v, const leaving *x, int64_t below)
{
    v->rate = x->unknown ? 0 : x->rate;
    v->delay_ns = x->inner ? 0 : x->delay_ns;
    if (x->inner && x->delay_ns > below)
        v->delay_ns = x->delay_ns - below;
    return below + v->delay_ns;
}

/* Nodes of the largest depth first. */
static void settle_all(atn_draft *d, const leaving *list, int64_t *below)
{
    int deepest = 0;
    for (int v = 0; v < d->nodes.n; v++)
        deepest = atn_max(deepest, depth_of(d, v));
    for (int depth = deepest; depth > 0; depth--)
        for (int v = 0; v < d->nodes.n; v++)
            if (d->nodes.v[v].kind == ATN_TOPO_SWITCH && depth_of(d, v) == depth) {
                const int64_t all = settle(&d->nodes.v[v], &list[v], below[v]);
                const int up = d->nodes.v[v].parent;
                below[up] = below[up] > all ? below[up] : all;
            }
}

void atn_topo_draft_cuts(atn_draft *d, const int *home)
{
    const atn_routes *x = d->routes;
    const size_t n = (size_t)d->nodes.n;
    leaving *const list = calloc(n, sizeof *list);
    int64_t *const below = calloc(n, sizeof *below);
    for (int i = 0; list && below && i < x->nlinks; i++) {
        const int a = home[x->links[i].a], b = home[x->links[i].b], top = meeting(d, a, b);
        climb(d, list, a, top, &x->links[i], b == top);
        climb(d, list, b, top, &x->links[i], a == top);
    }
    if (list && below)
        settle_all(d, list, below);
    else
        d->found->no_memory = true;
    free(list);
    free(below);
}
