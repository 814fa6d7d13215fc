/* loads.c - what all ranks together do to the links; bottlenecks; clusters by level. */
#include <stdlib.h>

#include "topo/routes.h"
#include "topo/topo.h"

/* Children stand behind their parents, so one pass from the end sums up. */
void atn_topo_below(const atn_topo *t, int *below)
{
    for (int v = 0; v < t->nnodes; v++)
        below[v] = 0;
    for (int r = 0; r < t->p; r++)
        below[t->node_of[r]]++;
    for (int v = t->nnodes - 1; v > 0; v--)
        below[t->nodes[v].parent] += below[v];
}

/* ---- loads ---- */

/* The next node from v on that is a host with ranks; `links` holds the ranks below each. */
static int next_host(const atn_topo *t, const int64_t *links, int v)
{
    while (v < t->nnodes && (t->nodes[v].kind != ATN_TOPO_HOST || links[2 * v] == 0))
        v++;
    return v;
}

/* Hosts from v on that have one router; returns where they end, and their ranks. */
static int same_router(const atn_topo *t, const int64_t *links, int v, int64_t *ranks_p)
{
    const int *const router_of = t->routes->router_of;
    const int router = router_of[t->nodes[v].number];
    *ranks_p = 0;
    do {
        *ranks_p += links[2 * v];
        v = next_host(t, links, v + 1);
    } while (v < t->nnodes && router_of[t->nodes[v].number] == router);
    return v;
}

/* From all hosts of a router to a host, or to all hosts of another if they share routes. */
static void count_routes(const atn_topo *t, int64_t *links)
{
    const atn_routes *x = t->routes;
    int64_t out, in;
    for (int u = next_host(t, links, 0), end; u < t->nnodes; u = end) {
        const int router = x->router_of[t->nodes[u].number];
        end = same_router(t, links, u, &out);
        for (int v = next_host(t, links, 0), after; v < t->nnodes; v = after) {
            after = same_router(t, links, v, &in);
            if (x->by_host) {
                in = links[2 * v];
                after = next_host(t, links, v + 1);
            }
            atn_topo_route_add(x, router, t->nodes[v].number, out * in, links + 2 * t->nnodes);
        }
    }
}

/* By the faster way of the rule, if there is one. */
static bool count_at_once(const atn_topo *t, int64_t *links)
{
    const atn_routes *x = t->routes;
    int64_t *const ranks = x->rule->loads ? calloc((size_t)x->nrouters, sizeof *ranks) : NULL;
    for (int v = next_host(t, links, 0); ranks && v < t->nnodes; v = next_host(t, links, v + 1))
        ranks[x->router_of[t->nodes[v].number]] += links[2 * v];
    const bool done = ranks && x->rule->loads(x, ranks, links + 2 * t->nnodes);
    free(ranks);
    return done;
}

/* Counts without memory of its own on trees: the up edges first hold the number of ranks below. */
void atn_topo_loads(const atn_topo *t, int64_t *loads)
{
    int64_t *const links = loads + 2 * t->p;
    for (int e = 0; e < atn_topo_edges(t); e++)
        loads[e] = e < 2 * t->p ? t->p - 1 : 0;
    for (int r = 0; r < t->p; r++)
        links[2 * t->node_of[r]]++;
    for (int v = t->nnodes - 1; v > 0; v--)
        links[2 * t->nodes[v].parent] += links[2 * v];
    if (t->routes && !count_at_once(t, links))
        count_routes(t, links);
    for (int v = 0; v < t->nnodes; v++) {
        const bool crossed = v > 0 && (!t->routes || t->nodes[v].kind != ATN_TOPO_SWITCH);
        links[2 * v] *= crossed ? t->p - links[2 * v] : 0;
        links[2 * v + 1] = links[2 * v];
    }
}

/* ---- bottlenecks ---- */

static bool any_rate(const atn_topo *t)
{
    for (int e = 2 * t->p; e < atn_topo_edges(t); e += 2)
        if (atn_topo_rate(t, e) > 0)
            return true;
    return false;
}

int atn_topo_bottlenecks(const atn_topo *t, int *links)
{
    int64_t *const loads = malloc(sizeof *loads * (size_t)atn_topo_edges(t));
    const bool rated = any_rate(t);
    int64_t worst_load = 0, worst_rate = 1;
    int n = 0;
    if (loads == NULL)
        return -1;
    atn_topo_loads(t, loads);
    for (int e = 2 * t->p; e < atn_topo_edges(t); e += 2) {
        const int64_t load = loads[e] > loads[e + 1] ? loads[e] : loads[e + 1];
        const int64_t rate = rated ? atn_topo_rate(t, e) : 1;
        if (rate == 0 || load == 0)
            continue;
        const __int128 mine = (__int128)load * worst_rate, worst = (__int128)worst_load * rate;
        if (mine > worst) {
            worst_load = load;
            worst_rate = rate;
            n = 0;
        }
        if (mine >= worst)
            links[n++] = e / 2 - t->p;
    }
    free(loads);
    return n;
}

/* ---- levels ---- */

/* Depth inside the host; -1 for a switch. */
static int inner_depth(const atn_topo *t, int v)
{
    int depth = -1;
    for (; v >= 0 && t->nodes[v].kind != ATN_TOPO_SWITCH; v = t->nodes[v].parent)
        depth++;
    return depth;
}

/* Levels of switches above the ranks. */
static int switch_levels(const atn_topo *t)
{
    int n = 0;
    for (int r = 0; r < t->p; r++)
        n = atn_max(n, t->nodes[t->node_of[r]].depth - inner_depth(t, t->node_of[r]));
    return n;
}

int atn_topo_levels(const atn_topo *t)
{
    int inner = 0;
    for (int r = 0; r < t->p; r++)
        inner = atn_max(inner, inner_depth(t, t->node_of[r]));
    return switch_levels(t) + inner + 1;
}

/* The node that stands for a rank's node at a level, given how many levels switches have. */
static int at_level(const atn_topo *t, int v, int level, int switches)
{
    while (inner_depth(t, v) > (level < switches ? -1 : level - switches))
        v = t->nodes[v].parent;
    while (level < switches && t->nodes[v].depth > level)
        v = t->nodes[v].parent;
    return v;
}

int atn_topo_clusters(const atn_topo *t, int level, int *cluster_of)
{
    int *number = malloc(sizeof *number * (size_t)t->nnodes), n = 0;
    const int switches = switch_levels(t);
    if (number == NULL)
        return -1;
    for (int v = 0; v < t->nnodes; v++)
        number[v] = -1;
    for (int r = 0; r < t->p; r++) {
        const int v = at_level(t, t->node_of[r], level, switches);
        if (number[v] < 0)
            number[v] = n++;
        cluster_of[r] = number[v];
    }
    free(number);
    return n;
}
