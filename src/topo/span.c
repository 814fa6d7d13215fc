/* span.c - spanning trees: one walk over the links, three ways to take the next one.
 *
 * First in first out gives the breadth-first tree (the flattest), last in first out the depth-first
 * tree, any one a random tree. */
#include <stdlib.h>

#include "topo/graph.h"
#include "topo/hostlist.h"

typedef struct {
    int from, to, link;
} step;

typedef struct {
    const atn_net_graph *g;
    int *first; /* where the steps out of each node begin, nodes + 1 of them */
    step *steps;
    int *open[2]; /* steps to be taken; those out of hosts come second */
    int head[2], tail[2];
    uint64_t random;
} walk;

/* ---- neighbours ---- */

/* Out of a node the fastest link first, then by name, so that the order of lines does not
 * matter. */
static int by_preference(const void *a, const void *b, void *graph)
{
    const atn_net_graph *g = graph;
    const step *x = a, *y = b;
    const int64_t rx = g->links.v[x->link].rate, ry = g->links.v[y->link].rate;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (rx != ry)
        return rx > ry ? -1 : 1;
    return atn_topo_name_compare(g->nodes.v[x->to].name, g->nodes.v[y->to].name);
}

static void list_steps(walk *w)
{
    const atn_net_graph *g = w->g;
    const int n = g->nodes.n, m = 2 * g->links.n;
    for (int i = 0; i < g->links.n; i++) {
        const atn_net_link *l = &g->links.v[i];
        w->steps[2 * i] = (step){l->a, l->b, i};
        w->steps[2 * i + 1] = (step){l->b, l->a, i};
    }
    qsort_r(w->steps, (size_t)m, sizeof *w->steps, by_preference, (void *)g);
    for (int v = 0, at = 0; v <= n; v++) {
        while (at < m && w->steps[at].from < v)
            at++;
        w->first[v] = at;
    }
}

/* ---- the walk ---- */

/* xorshift: the same numbers on every machine. */
static uint64_t next_random(walk *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random;
}

static void open_steps(walk *w, int v, bool backwards)
{
    const int queue = w->g->nodes.v[v].host, from = w->first[v], n = w->first[v + 1] - from;
    for (int i = 0; i < n; i++)
        w->open[queue][w->tail[queue]++] = from + (backwards ? n - 1 - i : i);
}

static int take(walk *w, atn_span_order span)
{
    const int queue = w->head[0] == w->tail[0];
    int *open = w->open[queue], *head = &w->head[queue], *tail = &w->tail[queue];
    if (span == ATN_SPAN_BFS)
        return open[(*head)++];
    if (span == ATN_SPAN_RANDOM) {
        const int pick = *head + (int)(next_random(w) % (uint64_t)(*tail - *head));
        const int taken = open[pick];
        open[pick] = open[*tail - 1];
        open[*tail - 1] = taken;
    }
    return open[--*tail];
}

/* Returns the length of the longest way from the root when `depth` is given. */
static int grow(walk *w, int root, atn_span_order span, int *link_up, int *depth)
{
    int deepest = 0;
    for (int v = 0; v < w->g->nodes.n; v++)
        link_up[v] = -2;
    for (int queue = 0; queue < 2; queue++)
        w->head[queue] = w->tail[queue] = 0;
    w->random = w->g->seed * UINT64_C(0x9e3779b97f4a7c15) + 88172645463325252;
    link_up[root] = -1;
    depth[root] = 0;
    open_steps(w, root, span == ATN_SPAN_DFS);
    while (w->head[0] < w->tail[0] || w->head[1] < w->tail[1]) {
        const step *s = &w->steps[take(w, span)];
        if (link_up[s->to] != -2)
            continue;
        link_up[s->to] = s->link;
        depth[s->to] = depth[s->from] + 1;
        deepest = atn_max(deepest, depth[s->to]);
        open_steps(w, s->to, span == ATN_SPAN_DFS);
    }
    return deepest;
}

static bool any_switch(const atn_net_graph *g)
{
    for (int v = 0; v < g->nodes.n; v++)
        if (!g->nodes.v[v].host)
            return true;
    return false;
}

/* The switch from which the breadth-first tree is flattest; the first by name among equals.  Hosts
 * are used only where there are no switches. */
static int find_centre(walk *w, int *link_up, int *depth)
{
    const atn_net_graph *g = w->g;
    const bool switches = any_switch(g);
    int best = -1, least = 0;
    for (int v = 0; v < g->nodes.n; v++) {
        if (switches && g->nodes.v[v].host)
            continue;
        const int d = grow(w, v, ATN_SPAN_BFS, link_up, depth);
        if (best < 0 || d < least ||
            (d == least && atn_topo_name_compare(g->nodes.v[v].name, g->nodes.v[best].name) < 0)) {
            best = v;
            least = d;
        }
    }
    return best;
}

int atn_topo_graph_span(const atn_net_graph *g, int *link_up)
{
    const size_t n = (size_t)g->nodes.n, m = 2 * (size_t)g->links.n + 1;
    int *ints = malloc(sizeof *ints * (2 * n + 1 + 2 * m)), root = -1;
    step *steps = malloc(sizeof *steps * m);
    if (ints && steps) {
        int *depth = ints + n + 1;
        walk w = {.g = g, .first = ints, .steps = steps, .open = {depth + n, depth + n + m}};
        list_steps(&w);
        root = g->root >= 0 ? g->root : find_centre(&w, link_up, depth);
        grow(&w, root, g->span, link_up, depth);
    }
    free(ints);
    free(steps);
    return root;
}
