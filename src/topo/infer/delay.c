/* delay.c - hosts that are near each other, seen by the time of small messages.
 *
 * Distances from one host, sorted, have a gap where hosts behind a slow or distant link begin.
 * What is before the gap is a cluster around that host; the rest is looked at from one of its own
 * hosts. Only gaps that stand out from noise count, and only when other hosts of the cluster see
 * them too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/infer/private.h"

typedef struct {
    int host;
    double seconds, spread;
} place;

/* ---- measuring ---- */

static place ping(atn_infer_state *s, int a, int b)
{
    const atn_prober *p = s->prober;
    atn_ping m = {.a = a, .b = b};
    s->broken = s->broken || !p->round_trip(p->context, a, b, &m.seconds, &m.spread);
    if (!s->broken && !atn_push(&s->pings, m))
        s->broken = s->no_memory = true;
    return (place){b, s->broken ? 1 : m.seconds, m.spread};
}

static int by_distance(const void *a, const void *b)
{
    const double x = ((const place *)a)->seconds, y = ((const place *)b)->seconds;
    return (x > y) - (x < y);
}

/* ---- gaps ---- */

static bool stands_out(const place *near, const place *far)
{
    const double noise = near->spread + far->spread;
    return far->seconds > 1.5 * near->seconds && far->seconds - near->seconds > 5 * noise;
}

/* The number of entries before the widest gap, or 0. */
static int widest_gap(const place *places, int n)
{
    double widest = 1;
    int found = 0;
    for (int i = 1; i < n; i++) {
        const double ratio = places[i].seconds / places[i - 1].seconds;
        if (ratio > widest && stands_out(&places[i - 1], &places[i])) {
            widest = ratio;
            found = i;
        }
    }
    return found;
}

/* Other hosts before the gap must see those behind it as far away, and each other as near. */
static bool others_agree(atn_infer_state *s, const place *places, int gap, int n)
{
    enum { WITNESSES = 3 };
    const double border = sqrt(places[gap - 1].seconds * places[gap].seconds);
    for (int i = 0; i < WITNESSES; i++) {
        const int a = places[atn_topo_infer_pick(s, gap)].host, b = places[i % gap].host;
        const int far = places[gap + atn_topo_infer_pick(s, n - gap)].host;
        if (ping(s, a, far).seconds < border || (a != b && ping(s, a, b).seconds > border))
            return false;
    }
    return true;
}

/* ---- clusters ---- */

static void add_cluster(atn_infer_state *s, const int *hosts, int n)
{
    bool *inside = calloc((size_t)s->hosts, sizeof *inside);
    if (!inside || !atn_push(&s->clusters, ((atn_host_group){inside, n}))) {
        free(inside);
        s->broken = s->no_memory = true;
        return;
    }
    for (int i = 0; i < n; i++)
        inside[hosts[i]] = true;
}

/* `outside` is how far away hosts of the rest have been seen; 0: there is no rest. */
static void look(atn_infer_state *s, const int *hosts, int n, double outside)
{
    place places[n];
    int near[n], far[n];
    if (n < 2 || s->broken)
        return;
    for (int i = 1; i < n; i++)
        places[i - 1] = ping(s, hosts[0], hosts[i]);
    qsort(places, (size_t)n - 1, sizeof *places, by_distance);
    const int gap = widest_gap(places, n - 1);
    const bool together = outside > 1.5 * places[n - 2].seconds;
    if (together)
        add_cluster(s, hosts, n);
    if (gap == 0 || !others_agree(s, places, gap, n - 1)) {
        /* All alike: near each other, unless all that is left is scattered. */
        if (outside > 0 && !together)
            look(s, hosts + 1, n - 1, outside);
        return;
    }
    near[0] = hosts[0];
    for (int i = 0; i < gap; i++)
        near[i + 1] = places[i].host;
    for (int i = gap; i < n - 1; i++)
        far[i - gap] = places[i].host;
    add_cluster(s, near, gap + 1);
    look(s, near, gap + 1, 0);
    look(s, far, n - 1 - gap, places[gap].seconds);
}

void atn_topo_infer_pings(atn_infer_state *s)
{
    int hosts[s->hosts];
    for (int h = 0; h < s->hosts; h++)
        hosts[h] = h;
    atn_topo_infer_shuffle(s, hosts, s->hosts);
    if (s->prober->round_trip)
        look(s, hosts, s->hosts, 0);
}

/* ---- into the tree ---- */

/* The switch whose link parts the cluster from the rest, as far as both are in the tree; ATN_NONE:
 * none does. */
static int link_of(const atn_infer_state *s, const atn_host_group *c)
{
    const atn_infer_tree *g = &s->tree;
    int ways[g->nnodes];
    for (int v = g->hosts; v < g->nnodes; v++) {
        if (!atn_topo_is_switch(g, v) || g->parent[v] < 0)
            continue;
        int same = 0, all = 0;
        atn_topo_tree_ways(g, g->parent[v], ways);
        for (int h = 0; h < s->hosts; h++) {
            all += atn_topo_tree_has(g, h);
            same += atn_topo_tree_has(g, h) && (ways[h] == v) == c->inside[h];
        }
        if (same == all || same == 0)
            return v;
    }
    return ATN_NONE;
}

bool atn_topo_infer_by_delay(const atn_infer_state *s, int w)
{
    for (int i = 0; i < s->clusters.n; i++)
        if (link_of(s, &s->clusters.v[i]) == w)
            return true;
    return false;
}

/* The branches of v inside the cluster; 0 when one is partly inside, or fewer than two on a
 * side. */
static int branches_inside(const atn_infer_state *s, int v, const atn_host_group *c, int *inside)
{
    const atn_infer_tree *g = &s->tree;
    int near[g->nnodes], branch_of[g->hosts], n = 0;
    const int d = atn_topo_tree_near(g, v, near);
    atn_topo_tree_branches(g, v, branch_of);
    for (int i = 0; i < d; i++) {
        int in = 0, all = 0;
        for (int h = 0; h < s->hosts; h++)
            if (branch_of[h] == near[i]) {
                all++;
                in += c->inside[h];
            }
        if (in != 0 && in != all)
            return 0;
        if (in != 0)
            inside[n++] = near[i];
    }
    return n >= 2 && d - n >= 2 ? n : 0;
}

static void put_in(atn_infer_state *s, const atn_host_group *c)
{
    atn_infer_tree *g = &s->tree;
    int inside[g->nnodes];
    if (link_of(s, c) >= 0)
        return;
    for (int v = g->hosts; v < g->nnodes; v++) {
        const int n = atn_topo_is_switch(g, v) ? branches_inside(s, v, c, inside) : 0;
        if (n > 0) {
            atn_topo_tree_join(g, v, inside, n);
            return;
        }
    }
    fprintf(s->remarks,
            "delays separate %d hosts, but shared links do not: the result follows the links\n",
            c->n);
}

/* Hosts were put in without transfers to those that are far away.  So branches at an end of the
 * cluster's link may have a link in common with what is beyond it: true when one was found. */
static bool mend_ends(atn_infer_state *s, const atn_host_group *c)
{
    const int w = link_of(s, c);
    if (w < 0 || s->broken)
        return false;
    const int ends[2] = {w, s->tree.parent[w]};
    for (int i = 0; i < 2; i++) {
        int at[4];
        if (atn_topo_infer_beside(s, ends[i], ends[1 - i], at)) {
            atn_topo_infer_put_link(s, ends[i], at);
            return true;
        }
    }
    return false;
}

void atn_topo_infer_refine(atn_infer_state *s)
{
    for (int i = 0; i < s->clusters.n; i++) {
        const atn_host_group *c = &s->clusters.v[i];
        if (c->n < 2 || s->hosts - c->n < 2)
            continue;
        put_in(s, c);
        while (mend_ends(s, c))
            ;
    }
}

/* ---- delays of links ---- */

/* One delay for each of the links, and one that is common to all pairs, fitted to what was
 * measured: each in turn takes the mean of what the others leave over, in proportion to the
 * whole. */
static void fit(const atn_infer_state *s, bool *const *cross, int n, double *x)
{
    enum { SWEEPS = 200 };
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int e = 0; e < n; e++) {
            double sum = 0, weight = 0;
            for (int i = 0; i < s->pings.n; i++) {
                const double one_way = s->pings.v[i].seconds / 2;
                double left = one_way;
                if (!cross[e][i])
                    continue;
                for (int f = 0; f < n; f++)
                    left -= f != e && cross[f][i] ? x[f] : 0;
                sum += left / (one_way * one_way);
                weight += 1 / (one_way * one_way);
            }
            x[e] = weight > 0 ? fmax(0, sum / weight) : 0;
        }
}

static void mark_crossings(const atn_infer_state *s, int v, bool *cross)
{
    const atn_infer_tree *g = &s->tree;
    int ways[g->nnodes];
    if (v >= 0)
        atn_topo_tree_ways(g, g->parent[v], ways);
    for (int i = 0; i < s->pings.n; i++)
        cross[i] = v < 0 || (ways[s->pings.v[i].a] == v) != (ways[s->pings.v[i].b] == v);
}

void atn_topo_infer_delays(const atn_infer_state *s, double *delay)
{
    int links[s->clusters.n + 1], n = 0;
    for (int v = 0; v < s->tree.nnodes; v++)
        delay[v] = 0;
    links[n++] = ATN_NONE; /* what all pairs have in common */
    for (int i = 0; i < s->clusters.n; i++) {
        const int v = link_of(s, &s->clusters.v[i]);
        bool new = v >= 0;
        for (int k = 0; k < n && new; k++)
            new = links[k] != v;
        if (new)
            links[n++] = v;
    }
    bool *all = malloc((size_t)n * (size_t)(s->pings.n + 1)), *cross[n];
    double x[n];
    if (!all || n == 1) {
        free(all);
        return;
    }
    for (int e = 0; e < n; e++) {
        x[e] = 0;
        cross[e] = all + (size_t)e * (size_t)s->pings.n;
        mark_crossings(s, links[e], cross[e]);
    }
    fit(s, cross, n, x);
    for (int e = 1; e < n; e++)
        delay[links[e]] = x[e];
    free(all);
}
