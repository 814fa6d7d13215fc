/* tree.c - a tree that grows host by host. */
#include "topo/infer/tree.h"

#include <stdlib.h>

bool atn_topo_tree_make(atn_infer_tree *g, int hosts)
{
    /* A tree with n leaves and no switch of degree 2 has less than n switches. */
    *g = (atn_infer_tree){.hosts = hosts, .nnodes = 2 * hosts + 2};
    g->parent = malloc(sizeof *g->parent * (size_t)g->nnodes);
    g->work = malloc(sizeof *g->work * (size_t)g->nnodes);
    for (int v = 0; g->parent && v < g->nnodes; v++)
        g->parent[v] = ATN_OUTSIDE;
    return g->parent && g->work;
}

void atn_topo_tree_free(atn_infer_tree *g)
{
    free(g->parent);
    free(g->work);
    *g = (atn_infer_tree){0};
}

static int new_switch(atn_infer_tree *g, int parent)
{
    int v = g->hosts;
    while (g->parent[v] != ATN_OUTSIDE)
        v++;
    g->parent[v] = parent;
    return v;
}

void atn_topo_tree_start(atn_infer_tree *g, const int hosts[3])
{
    const int v = new_switch(g, ATN_NONE);
    for (int i = 0; i < 3; i++)
        g->parent[hosts[i]] = v;
}

/* ---- looking ---- */

int atn_topo_tree_near(const atn_infer_tree *g, int v, int *near)
{
    int n = 0;
    if (g->parent[v] >= 0)
        near[n++] = g->parent[v];
    for (int u = 0; u < g->nnodes; u++)
        if (g->parent[u] == v)
            near[n++] = u;
    return n;
}

/* The child of v above (or at) node u; ATN_NONE when u is not below v. */
static int child_towards(const atn_infer_tree *g, int v, int u)
{
    while (u >= 0 && g->parent[u] != v)
        u = g->parent[u];
    return u >= 0 ? u : ATN_NONE;
}

void atn_topo_tree_ways(const atn_infer_tree *g, int v, int *way_of)
{
    for (int u = 0; u < g->nnodes; u++) {
        way_of[u] = ATN_NONE;
        if (u == v || !atn_topo_tree_has(g, u))
            continue;
        const int child = child_towards(g, v, u);
        way_of[u] = child >= 0 ? child : g->parent[v];
    }
}

void atn_topo_tree_branches(const atn_infer_tree *g, int v, int *branch_of)
{
    atn_topo_tree_ways(g, v, g->work);
    for (int h = 0; h < g->hosts; h++)
        branch_of[h] = g->work[h];
}

int atn_topo_tree_beyond(const atn_infer_tree *g, int v, int u, int *hosts)
{
    int n = 0;
    atn_topo_tree_ways(g, v, g->work);
    for (int h = 0; h < g->hosts; h++)
        if (g->work[h] == u)
            hosts[n++] = h;
    return n;
}

/* ---- changing ---- */

int atn_topo_tree_divide(atn_infer_tree *g, int v, int u)
{
    const int below = g->parent[u] == v ? u : v, above = g->parent[u] == v ? v : u;
    g->parent[below] = new_switch(g, above);
    return g->parent[below];
}

void atn_topo_tree_hang(atn_infer_tree *g, int host, int v) { g->parent[host] = v; }

int atn_topo_tree_join(atn_infer_tree *g, int v, const int *near, int n)
{
    const int above = g->parent[v];
    bool upwards = false;
    for (int i = 0; i < n; i++)
        upwards = upwards || near[i] == above;
    const int w = new_switch(g, upwards ? above : v);
    for (int i = 0; i < n; i++)
        if (near[i] != above)
            g->parent[near[i]] = w;
    if (upwards)
        g->parent[v] = w;
    return w;
}

void atn_topo_tree_merge(atn_infer_tree *g, int w)
{
    const int above = g->parent[w];
    for (int u = 0; u < g->nnodes; u++)
        if (g->parent[u] == w)
            g->parent[u] = above;
    g->parent[w] = ATN_OUTSIDE;
}

void atn_topo_tree_turn(atn_infer_tree *g, int v)
{
    int below = ATN_NONE;
    while (v >= 0) {
        const int above = g->parent[v];
        g->parent[v] = below;
        below = v;
        v = above;
    }
}

void atn_topo_tree_remove(atn_infer_tree *g, int host)
{
    const int v = g->parent[host];
    g->parent[host] = ATN_OUTSIDE;
    const int n = atn_topo_tree_near(g, v, g->work);
    if (n > 2)
        return;
    const int a = g->work[0], b = g->work[1];
    if (g->parent[v] == ATN_NONE)
        atn_topo_tree_turn(g, atn_topo_is_switch(g, a) ? a : b);
    /* One of the two is above v now. */
    g->parent[g->parent[a] == v ? a : b] = g->parent[v];
    g->parent[v] = ATN_OUTSIDE;
}
