/* path.c - edges between ranks: climb from both ends to where the ways meet. */
#include "topo/topo.h"

int atn_topo_edges(const atn_topo *t) { return 2 * (t->p + t->nnodes); }

int atn_topo_depth(const atn_topo *t)
{
    int depth = 0;
    for (int v = 0; v < t->nnodes; v++)
        depth = atn_max(depth, t->nodes[v].depth);
    return depth;
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

int atn_topo_path(const atn_topo *t, int u, int v, int *edges)
{
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

int64_t atn_topo_rate(const atn_topo *t, int edge)
{
    const int v = edge / 2 - t->p;
    return v < 0 ? 0 : t->nodes[v].rate;
}

int64_t atn_topo_delay(const atn_topo *t, int edge)
{
    const int v = edge / 2 - t->p;
    return v < 0 ? 0 : t->nodes[v].delay_ns;
}
