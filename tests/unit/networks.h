/* networks.h - paths and loads of networks with routes, checked by brute force. */
#ifndef ATN_TEST_NETWORKS_H
#define ATN_TEST_NETWORKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/routes.h"
#include "topo/topo.h"

static inline int t_router_of(const atn_topo *t, int rank)
{
    return t->routes->router_of[t->nodes[atn_topo_host_of(t, rank)].number];
}

/* Links follow each other from the host of u to that of v, none twice. */
static inline void t_check_path(const atn_topo *t, int u, int v, int *path)
{
    const int n = atn_topo_path(t, u, v, path), first = 2 * (t->p + t->nnodes);
    const int from = atn_topo_host_of(t, u), to = atn_topo_host_of(t, v);
    int at = t_router_of(t, u);
    assert_true(n <= atn_topo_longest(t));
    assert_int_equal(path[0], 2 * u);
    assert_int_equal(path[n - 1], 2 * v + 1);
    if (from == to) {
        assert_int_equal(n, 2);
        return;
    }
    assert_int_equal(path[1], 2 * (t->p + from));
    assert_int_equal(path[n - 2], 2 * (t->p + to) + 1);
    for (int i = 2; i < n - 2; i++) {
        const int edge = path[i] - first;
        assert_true(edge >= 0 && edge < 2 * t->routes->nlinks);
        const atn_route_link *l = &t->routes->links[edge / 2];
        assert_int_equal(edge % 2 ? l->b : l->a, at);
        at = edge % 2 ? l->a : l->b;
        assert_true(atn_topo_rate(t, path[i]) == l->rate &&
                    atn_topo_delay(t, path[i]) == l->delay_ns);
        for (int k = 2; k < i; k++)
            assert_int_not_equal(path[k], path[i]);
    }
    assert_int_equal(at, t_router_of(t, v));
}

/* Links from one router to all others, found breadth first. */
static inline void t_find_distances(const atn_routes *x, int from, int *distance)
{
    bool more = true;
    for (int v = 0; v < x->nrouters; v++)
        distance[v] = v == from ? 0 : -1;
    for (int d = 0; more; d++) {
        more = false;
        for (int i = 0; i < x->nlinks; i++)
            for (int turn = 0; turn < 2; turn++) {
                const int a = turn ? x->links[i].b : x->links[i].a;
                const int b = turn ? x->links[i].a : x->links[i].b;
                if (distance[a] == d && distance[b] < 0) {
                    distance[b] = d + 1;
                    more = true;
                }
            }
    }
}

static inline void t_count_paths(const atn_topo *t, int64_t *counted)
{
    int *path = malloc(sizeof *path * (size_t)atn_topo_longest(t));
    memset(counted, 0, sizeof *counted * (size_t)atn_topo_edges(t));
    for (int u = 0; u < t->p; u++)
        for (int v = 0; v < t->p; v++)
            for (int i = u == v ? 0 : atn_topo_path(t, u, v, path); i > 0; i--)
                counted[path[i - 1]]++;
    free(path);
}

static inline void t_check_loads(const atn_topo *t)
{
    const size_t edges = (size_t)atn_topo_edges(t);
    int64_t *loads = malloc(sizeof *loads * edges), *counted = malloc(sizeof *counted * edges);
    int *links = malloc(sizeof *links * (size_t)atn_topo_links(t));
    double worst = 0;
    atn_topo_loads(t, loads);
    t_count_paths(t, counted);
    assert_memory_equal(loads, counted, sizeof *loads * edges);
    for (int e = 2 * t->p; e < atn_topo_edges(t); e++)
        if (loads[e] > 0 && (double)loads[e] / (double)atn_topo_rate(t, e) > worst)
            worst = (double)loads[e] / (double)atn_topo_rate(t, e);
    for (int n = atn_topo_bottlenecks(t, links); n > 0; n--) {
        const int e = 2 * (t->p + links[n - 1]);
        const int64_t load = loads[e] > loads[e + 1] ? loads[e] : loads[e + 1];
        assert_true((double)load / (double)atn_topo_rate(t, e) > worst * 0.999999);
    }
    free(loads);
    free(counted);
    free(links);
}

#endif
