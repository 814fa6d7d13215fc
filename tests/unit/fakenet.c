/* fakenet.c - rates by progressive filling: all grow equally until a link is saturated. */
#include "fakenet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fake_uniform(fakenet *net)
{
    net->random = net->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(net->random >> 11) / (double)(UINT64_C(1) << 53);
}

int fake_pick(fakenet *net, int n) { return (int)(fake_uniform(net) * n); }

/* ---- shapes ---- */

static void begin(fakenet *net, int hosts, int switches)
{
    net->hosts = hosts;
    net->nnodes = hosts + switches;
    for (int v = 0; v < net->nnodes; v++) {
        net->parent[v] = v == net->nnodes - 1 ? -1 : net->nnodes - 1;
        net->rate[v] = 100e6;
        net->delay[v] = 5e-6;
    }
}

/* Hosts of all groups mixed: names carry no information. */
static void deal(fakenet *net, int *where)
{
    for (int i = net->hosts - 1; i > 0; i--) {
        const int j = fake_pick(net, i + 1), old = where[i];
        where[i] = where[j];
        where[j] = old;
    }
    for (int h = 0; h < net->hosts; h++)
        net->parent[h] = where[h];
}

void fake_stars(fakenet *net, int groups, int each, int at_the_top)
{
    int where[FAKE_HOSTS];
    begin(net, groups * each + at_the_top, groups + 1);
    for (int h = 0; h < net->hosts; h++)
        where[h] = h < groups * each ? net->hosts + h / each : net->nnodes - 1;
    deal(net, where);
}

void fake_chain(fakenet *net, int switches, int each)
{
    int where[FAKE_HOSTS];
    begin(net, switches * each, switches);
    for (int h = 0; h < net->hosts; h++)
        where[h] = net->hosts + h / each;
    deal(net, where);
    for (int v = net->hosts; v < net->nnodes - 1; v++)
        net->parent[v] = v + 1;
}

void fake_random(fakenet *net, int hosts, int switches)
{
    int where[FAKE_HOSTS];
    begin(net, hosts, switches);
    for (int h = 0; h < hosts; h++)
        where[h] = hosts + fake_pick(net, switches);
    deal(net, where);
    for (int v = hosts; v < net->nnodes - 1; v++)
        net->parent[v] = v + 1 + fake_pick(net, net->nnodes - 1 - v);
}

/* ---- from a topology ---- */

/* Hosts by first rank, then switches from the leaves up, so that the root is last. */
static int number_nodes(const atn_topo *t, int *number)
{
    int n = 0;
    for (int v = 0; v < t->nnodes; v++)
        number[v] = -1;
    for (int r = 0; r < t->p; r++)
        if (number[t->node_of[r]] < 0)
            number[t->node_of[r]] = n++;
    const int hosts = n;
    for (int v = t->nnodes - 1; v >= 0; v--)
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            number[v] = n++;
    return hosts;
}

void fake_topo(fakenet *net, const char *name)
{
    atn_topo *t = NULL;
    int number[FAKE_NODES];
    if (atn_topo_load(name, &t, NULL) != ATN_OK || t->nnodes > FAKE_NODES)
        abort();
    net->hosts = number_nodes(t, number);
    net->nnodes = t->nnodes;
    for (int v = 0; v < t->nnodes; v++) {
        const atn_topo_node *node = &t->nodes[v];
        net->parent[number[v]] = node->parent < 0 ? -1 : number[node->parent];
        net->rate[number[v]] = node->rate > 0 ? 0.949 * (double)node->rate : 1e12;
        net->delay[number[v]] = node->delay_ns > 0 ? (double)node->delay_ns * 1e-9 : 5e-6;
    }
    atn_topo_free(t);
}

/* ---- transfers ---- */

typedef struct {
    int edges[2 * FAKE_NODES]; /* 2v: up, 2v + 1: down */
    int n;
} route;

static int depth_of(const fakenet *net, int v)
{
    int d = 0;
    while (net->parent[v] >= 0) {
        v = net->parent[v];
        d++;
    }
    return d;
}

static void find_route(const fakenet *net, int a, int b, route *r)
{
    int da = depth_of(net, a), db = depth_of(net, b);
    r->n = 0;
    while (a != b) {
        if (da >= db) {
            r->edges[r->n++] = 2 * a;
            a = net->parent[a];
            da--;
        } else {
            r->edges[r->n++] = 2 * b + 1;
            b = net->parent[b];
            db--;
        }
    }
}

static double weight_on(const route *routes, const double *weight, const bool *done, int n,
                        int edge)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < routes[i].n && !done[i]; k++)
            sum += routes[i].edges[k] == edge ? weight[i] : 0;
    return sum;
}

/* Fixes the transfers on the first saturated link; true while some are left. */
static bool fill_one(const fakenet *net, const route *routes, const double *weight, bool *done,
                     int n, double *room, double *rates)
{
    double least = INFINITY;
    int edge = -1;
    for (int e = 0; e < 2 * net->nnodes; e++) {
        const double w = weight_on(routes, weight, done, n, e);
        if (w > 0 && room[e] / w < least) {
            least = room[e] / w;
            edge = e;
        }
    }
    if (edge < 0)
        return false;
    for (int i = 0; i < n; i++) {
        bool on = false;
        for (int k = 0; k < routes[i].n; k++)
            on = on || routes[i].edges[k] == edge;
        if (!on || done[i])
            continue;
        done[i] = true;
        rates[i] = least * weight[i];
        for (int k = 0; k < routes[i].n; k++)
            room[routes[i].edges[k]] = fmax(0, room[routes[i].edges[k]] - rates[i]);
    }
    return true;
}

static double noisy(fakenet *net, double rate)
{
    double bell = -6;
    for (int i = 0; i < 12; i++)
        bell += fake_uniform(net);
    if (fake_uniform(net) < net->mishaps)
        rate *= 0.3 + 0.6 * fake_uniform(net);
    return rate * exp(net->noise * bell);
}

static bool allowed(const atn_infer_flow *flows, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (flows[i].from == flows[j].from || flows[i].to == flows[j].to)
                return false;
    return true;
}

static bool measure(void *context, const atn_infer_flow *flows, int n, double *rates)
{
    fakenet *net = context;
    static route routes[FAKE_HOSTS];
    double room[2 * FAKE_NODES], weight[FAKE_HOSTS];
    bool done[FAKE_HOSTS] = {false};
    if (n > FAKE_HOSTS || !allowed(flows, n))
        abort();
    if (net->breaks_after > 0 && net->sets >= net->breaks_after)
        return false;
    net->sets++;
    for (int v = 0; v < net->nnodes; v++)
        room[2 * v] = room[2 * v + 1] = net->rate[v];
    for (int i = 0; i < n; i++) {
        find_route(net, flows[i].from, flows[i].to, &routes[i]);
        weight[i] = 1 + net->unfair * (fake_uniform(net) - 0.5);
    }
    while (fill_one(net, routes, weight, done, n, room, rates))
        ;
    for (int i = 0; i < n; i++)
        rates[i] = noisy(net, rates[i]);
    return true;
}

static bool round_trip(void *context, int a, int b, double *best, double *spread)
{
    fakenet *net = context;
    route r;
    find_route(net, a, b, &r);
    net->pings++;
    *best = 20e-6 + net->jitter * fake_uniform(net);
    for (int k = 0; k < r.n; k++)
        *best += 2 * net->delay[r.edges[k] / 2];
    *spread = net->jitter * fake_uniform(net);
    return true;
}

atn_prober fake_prober(fakenet *net)
{
    return (atn_prober){.context = net, .rates = measure, .round_trip = round_trip};
}

/* ---- splits ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int fake_splits(const int *parent, int hosts, int nnodes, uint64_t *splits)
{
    const uint64_t all = hosts == 64 ? UINT64_MAX : (UINT64_C(1) << hosts) - 1;
    int n = 0, kept = 0;
    for (int v = hosts; v < nnodes; v++) {
        uint64_t below = 0;
        for (int h = 0; h < hosts; h++)
            for (int u = h; u >= 0; u = parent[u])
                below |= u == v ? UINT64_C(1) << h : 0;
        below = below & 1 ? all & ~below : below;
        if (__builtin_popcountll(below) >= 2 && __builtin_popcountll(all & ~below) >= 2)
            splits[n++] = below;
    }
    qsort(splits, (size_t)n, sizeof *splits, by_value);
    for (int i = 0; i < n; i++)
        if (i == 0 || splits[i] != splits[i - 1])
            splits[kept++] = splits[i];
    return kept;
}
