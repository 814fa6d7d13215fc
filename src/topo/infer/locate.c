/* locate.c - to which branch of a switch does a host belong, and so where in the tree is it? */
#include <math.h>
#include <stdlib.h>

#include "topo/infer/private.h"

/* A host at a switch. */
typedef struct {
    atn_infer_state *s;
    int z;
    int d, can; /* units, and how many of them z may belong to: those come first */
    atn_branch units[];
} visit;

/* ---- one measurement for many branches ---- */

/* The unit that is reached fastest and is neither a nor b; not far away if possible. */
static int best_target(const visit *w, int a, int b)
{
    int found = ATN_NONE;
    for (int i = 0; i < w->d; i++)
        if (i != a && i != b && (i < w->can || found < 0) &&
            (found < 0 || w->units[i].in > 1.1 * w->units[found].in))
            found = i;
    return found;
}

/* The units of `batch` send to each other, each out of its branch and into another, so they do not
 * disturb each other; z sends to unit x, which is not among them. */
static void circle(const visit *w, const int *batch, int m, int x, atn_infer_flow *flows)
{
    int to[m];
    if (m > 1)
        atn_topo_infer_circle(w->units, batch, m, to);
    else
        to[0] = best_target(w, batch[0], x);
    for (int i = 0; i < m; i++)
        flows[i] = (atn_infer_flow){w->units[batch[i]].send, w->units[to[i]].recv};
    flows[m] = (atn_infer_flow){w->z, w->units[x].recv};
}

typedef struct {
    int unit;
    double rank; /* below 1: seems to share a link with z; the smaller the more so */
    double rate; /* alone, to the unit that it sent to */
} candidate;

static int by_rank(const void *a, const void *b)
{
    const double x = ((const candidate *)a)->rank, y = ((const candidate *)b)->rank;
    return (x > y) - (x < y);
}

/* The members of the batch with how much they seem to share a link with z, the likeliest first. */
static void suspect(visit *w, const int *batch, int m, int x, candidate *list)
{
    atn_infer_flow flows[m + 1];
    double rates[m + 1], alone[m + 1], part[m];
    circle(w, batch, m, x, flows);
    for (int i = 0; i <= m; i++)
        alone[i] = atn_topo_infer_base(w->s, flows[i].from, flows[i].to);
    atn_topo_infer_sample(w->s, flows, m + 1, rates);
    for (int i = 0; i < m; i++)
        part[i] = rates[i] / alone[i];
    const double level = m > 1 ? atn_topo_infer_level(part, m) : 1;
    for (int i = 0; i < m; i++) {
        const double both = (rates[m] + rates[i]) / (alone[m] + alone[i]) / level;
        list[i] = (candidate){
            .unit = batch[i],
            .rank = both / atn_topo_infer_threshold(alone[m], alone[i]),
            .rate = alone[i],
        };
    }
    qsort(list, (size_t)m, sizeof *list, by_rank);
}

/* A second opinion from two transfers that run alone. */
static bool confirm(visit *w, int a, int x)
{
    const int y = best_target(w, a, x);
    return atn_topo_infer_share(w->s, w->z, w->units[a].send, w->units[x].recv, w->units[y].recv,
                                1);
}

/* The unit of the batch that shares a link with z, or ATN_NONE. */
static int search_batch(visit *w, const int *batch, int m, int x)
{
    enum { SUSPECTS = 3 }; /* a mishap may make another look guilty */
    candidate list[m];
    suspect(w, batch, m, x, list);
    for (int i = 0; i < atn_min(m, SUSPECTS) && list[i].rank < 1; i++)
        if (confirm(w, list[i].unit, x))
            return list[i].unit;
    /* One that had to send to a slow unit may not have filled its link. */
    for (int i = 0; i < m && m > 1; i++) {
        const atn_branch *u = &w->units[list[i].unit];
        const int y = best_target(w, list[i].unit, x);
        if (list[i].rate < 0.8 * fmin(u->out, w->units[y].in) &&
            search_batch(w, &list[i].unit, 1, x) >= 0)
            return list[i].unit;
    }
    return ATN_NONE;
}

/* All units that z may belong to but x, in batches. */
static int search_without(visit *w, int x)
{
    const int m = x < w->can ? w->can - 1 : w->can;
    const int most = atn_max(w->s->max_flows, m / atn_ceil_log2(m + 2)) - 1;
    const int batches = (m + most - 1) / most;
    int order[w->d];
    for (int i = 0; i < m; i++)
        order[i] = i < x ? i : i + 1;
    for (int b = 0; b < batches; b++) {
        const int first = b * m / batches, size = (b + 1) * m / batches - first;
        const int found = search_batch(w, order + first, size, x);
        if (found >= 0)
            return found;
    }
    return ATN_NONE;
}

/* Two searches leave out different units, so that every unit is in one of them and nearly all are
 * in both.  x: the unit that z then sent to. */
static int search(visit *w, int *x)
{
    *x = best_target(w, ATN_NONE, ATN_NONE);
    const int found = search_without(w, *x);
    if (found >= 0)
        return found;
    *x = best_target(w, *x, ATN_NONE);
    return search_without(w, *x);
}

/* Units that delays exclude go to the end; returns the unit that they leave, or ATN_NONE. */
static int take_hints(visit *w, int v)
{
    bool skip[w->d];
    atn_branch rest[w->d];
    int n = 0;
    const int sure = atn_topo_infer_hint(w->s, w->z, v, w->units, w->d, skip);
    if (sure >= 0)
        return sure;
    for (int i = 0; i < w->d; i++) {
        if (skip[i])
            rest[n++] = w->units[i];
        else
            w->units[w->can++] = w->units[i];
    }
    for (int i = 0; i < n; i++)
        w->units[w->can + i] = rest[i];
    return ATN_NONE;
}

static visit *begin(atn_infer_state *s, int z, int v)
{
    visit *w = malloc(sizeof *w + sizeof *w->units * (size_t)s->tree.nnodes);
    if (!w) {
        s->broken = s->no_memory = true;
        return NULL;
    }
    *w = (visit){.s = s, .z = z};
    w->d = atn_topo_infer_units(s, v, 0, w->units);
    return w;
}

/* The neighbour of v that leads to z; ATN_NONE: z hangs from v itself. */
static int direction(atn_infer_state *s, int z, int v)
{
    visit *w = begin(s, z, v);
    int x;
    if (!w)
        return ATN_NONE;
    int found = take_hints(w, v);
    if (found < 0)
        found = search(w, &x);
    const int way = found >= 0 ? w->units[found].node : ATN_NONE;
    free(w);
    return way;
}

bool atn_topo_infer_beside(atn_infer_state *s, int v, int u, int at[4])
{
    visit *w = begin(s, ATN_NONE, v);
    int last = 0, x;
    if (!w)
        return false;
    while (w->units[last].node != u)
        last++;
    const atn_branch far = w->units[last];
    w->units[last] = w->units[w->d - 1];
    w->units[w->d - 1] = far;
    w->can = w->d - 1;
    w->z = far.send;
    const int found = w->can >= 3 ? search(w, &x) : ATN_NONE;
    if (found >= 0) {
        at[0] = w->units[found].node;
        at[1] = u;
        at[2] = w->units[x].node;
        at[3] = w->units[best_target(w, found, x)].node;
    }
    free(w);
    return found >= 0;
}

/* ---- the search ---- */

/* The open switch whose largest branch is smallest. */
static int middle(const atn_infer_state *s, const bool *open)
{
    const atn_infer_tree *g = &s->tree;
    int found = ATN_NONE, least = g->nnodes + 1, ways[g->nnodes], count[g->nnodes];
    for (int v = g->hosts; v < g->nnodes; v++) {
        if (!open[v])
            continue;
        int worst = 0;
        atn_topo_tree_ways(g, v, ways);
        for (int u = 0; u < g->nnodes; u++)
            count[u] = 0;
        for (int u = g->hosts; u < g->nnodes; u++)
            if (open[u] && u != v)
                worst = atn_max(worst, ++count[ways[u]]);
        if (worst < least) {
            least = worst;
            found = v;
        }
    }
    return found;
}

/* After z was found to lie beyond u: what is not, is closed. */
static bool close_others(const atn_infer_tree *g, int v, int u, bool *open)
{
    int ways[g->nnodes];
    bool any = false;
    atn_topo_tree_ways(g, v, ways);
    for (int i = g->hosts; i < g->nnodes; i++) {
        open[i] = open[i] && ways[i] == u;
        any = any || open[i];
    }
    return any;
}

void atn_topo_infer_insert(atn_infer_state *s, int z)
{
    atn_infer_tree *g = &s->tree;
    bool open[g->nnodes];
    int v, u;
    for (int i = 0; i < g->nnodes; i++)
        open[i] = atn_topo_is_switch(g, i);
    do {
        v = middle(s, open);
        u = direction(s, z, v);
    } while (u >= 0 && close_others(g, v, u, open));
    atn_topo_tree_hang(g, z, u < 0 ? v : atn_topo_tree_divide(g, v, u));
}
