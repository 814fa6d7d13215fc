/* path.c - edges between ranks: climb from both ends to where the ways meet. */
#include "topo/routes.h"
#include "topo/topo.h"

int atn_topo_links(const atn_topo *t) { return t->nnodes + (t->routes ? t->routes->nlinks : 0); }

int atn_topo_edges(const atn_topo *t) { return 2 * (t->p + atn_topo_links(t)); }

int atn_topo_depth(const atn_topo *t)
{
    int depth = 0;
    for (int v = 0; v < t->nnodes; v++)
        depth = atn_max(depth, t->nodes[v].depth);
    return depth;
}

int atn_topo_longest(const atn_topo *t)
{
    return 2 * atn_topo_depth(t) + 2 + (t->routes ? t->routes->longest : 0);
}

static int meeting(const atn_topo *t, int a, int b)
{
    while (a != b) {
        if (t->nodes[a].depth >= t->nodes[b].depth)
            a = t->nodes[a].parent;
        else
            b = t->nodes[b].parent;
    }
    return a;
}

/* Edges from where u is up to its host and its link, along the routes, and down to where v is. */
static int routed_path(const atn_topo *t, int u, int v, int *edges)
{
    const int from = atn_topo_host_of(t, u), to = atn_topo_host_of(t, v);
    int n = 0;
    edges[n++] = 2 * u;
    for (int a = t->node_of[u]; a != t->nodes[from].parent; a = t->nodes[a].parent)
        edges[n++] = 2 * (t->p + a);
    const int first = n;
    n += atn_topo_route(t->routes, t->nodes[from].number, t->nodes[to].number, edges + n);
    for (int i = first; i < n; i++)
        edges[i] += 2 * (t->p + t->nnodes);
    const int length = n + t->nodes[t->node_of[v]].depth - t->nodes[to].depth + 2;
    n = length;
    edges[--n] = 2 * v + 1;
    for (int b = t->node_of[v]; b != t->nodes[to].parent; b = t->nodes[b].parent)
        edges[--n] = 2 * (t->p + b) + 1;
    return length;
}

int atn_topo_path(const atn_topo *t, int u, int v, int *edges)
{
    if (t->routes && atn_topo_host_of(t, u) != atn_topo_host_of(t, v))
        return routed_path(t, u, v, edges);
    const int from = t->node_of[u], to = t->node_of[v], top = meeting(t, from, to);
    const int length = 2 + t->nodes[from].depth + t->nodes[to].depth - 2 * t->nodes[top].depth;
    int n = 0;
    edges[n++] = 2 * u;
    for (int a = from; a != top; a = t->nodes[a].parent)
        edges[n++] = 2 * (t->p + a);
    n = length;
    edges[--n] = 2 * v + 1;
    for (int b = to; b != top; b = t->nodes[b].parent)
        edges[--n] = 2 * (t->p + b) + 1;
    return length;
}

static int switches_below(const atn_topo *t, int v, int top)
{
    int n = 0;
    for (; v != top; v = t->nodes[v].parent)
        n += t->nodes[v].kind == ATN_TOPO_SWITCH;
    return n;
}

int atn_topo_hops(const atn_topo *t, int u, int v)
{
    const int from = t->node_of[u], to = t->node_of[v], top = meeting(t, from, to);
    return switches_below(t, from, top) + switches_below(t, to, top) +
           (t->nodes[top].kind == ATN_TOPO_SWITCH);
}

int atn_topo_link_height(const atn_topo *t, int edge)
{
    return atn_topo_route_height(t->routes, edge / 2 - t->p - t->nnodes);
}

int64_t atn_topo_rate(const atn_topo *t, int edge)
{
    const int v = edge / 2 - t->p;
    if (v >= t->nnodes)
        return t->routes->links[v - t->nnodes].rate;
    return v < 0 ? 0 : t->nodes[v].rate;
}

int64_t atn_topo_delay(const atn_topo *t, int edge)
{
    const int v = edge / 2 - t->p;
    if (v >= t->nnodes)
        return t->routes->links[v - t->nnodes].delay_ns;
    return v < 0 ? 0 : t->nodes[v].delay_ns;
}
