/* routes.c - what all networks with routes have in common. */
#include "topo/routes.h"

#include <stdlib.h>
#include <string.h>

atn_routes *atn_topo_routes_new(const atn_routes *shape)
{
    atn_routes *x = malloc(sizeof *x);
    if (x == NULL)
        return NULL;
    *x = *shape;
    x->users = 1;
    x->links = calloc((size_t)x->nlinks + 1, sizeof *x->links);
    x->router_of = calloc((size_t)x->nhosts + 1, sizeof *x->router_of);
    if (x->links && x->router_of)
        return x;
    atn_topo_routes_free(x);
    return NULL;
}

atn_routes *atn_topo_routes_share(atn_routes *x)
{
    if (x)
        x->users++;
    return x;
}

void atn_topo_routes_free(atn_routes *x)
{
    if (x == NULL || --x->users > 0)
        return;
    for (int v = 0; x->names && v < x->nrouters; v++)
        free(x->names[v]);
    free(x->names);
    free(x->table);
    free(x->links);
    free(x->router_of);
    free(x->text);
    free(x);
}

/* ---- routes ---- */

int atn_topo_route(const atn_routes *x, int from, int to, int *edges)
{
    int n = 0;
    for (int at = x->router_of[from]; at != x->router_of[to];) {
        edges[n] = x->rule->next(x, at, to);
        at = atn_topo_route_end(x, edges[n++]);
    }
    return n;
}

void atn_topo_route_add(const atn_routes *x, int router, int host, int64_t weight, int64_t *loads)
{
    for (int at = router; at != x->router_of[host];) {
        const int edge = x->rule->next(x, at, host);
        loads[edge] += weight;
        at = atn_topo_route_end(x, edge);
    }
}

/* ---- routers ---- */

static const atn_route_tier *tier_of(const atn_routes *x, int router)
{
    int i = x->tiers - 1;
    while (i > 0 && x->tier[i].first > router)
        i--;
    return &x->tier[i];
}

int atn_topo_router_depth(const atn_routes *x, int router, int *number_p)
{
    const atn_route_tier *tier = tier_of(x, router);
    *number_p = (router - tier->first) / tier->each;
    return tier->depth;
}

/* Both ends climb until they are siblings; a link of a fat tree leads out of its lower end. */
int atn_topo_route_height(const atn_routes *x, int link)
{
    if (x->names)
        return 1;
    int a, b, depth = atn_topo_router_depth(x, x->links[link].a, &a);
    const int above = atn_topo_router_depth(x, x->links[link].b, &b);
    while (above >= depth && a / x->count[depth - 1] != b / x->count[depth - 1]) {
        a /= x->count[depth - 1];
        b /= x->count[depth - 1];
        depth--;
    }
    return x->lowest - depth + 1;
}

/* Numbers of a node among its siblings, from the top. */
static size_t print_node(const atn_routes *x, int depth, int number, char *out, size_t size)
{
    int digit[ATN_ROUTE_LEVELS];
    size_t used = (size_t)snprintf(out, size, depth > 0 ? "s" : "core");
    for (int i = depth - 1; i >= 0; i--) {
        digit[i] = number % x->count[i];
        number /= x->count[i];
    }
    for (int i = 0; i < depth && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%d", i ? "." : "", digit[i]);
    return used;
}

void atn_topo_router_name(const atn_routes *x, int router, char *out, size_t size)
{
    if (x->names) {
        snprintf(out, size, "%s", x->names[router]);
        return;
    }
    const atn_route_tier *tier = tier_of(x, router);
    const int inside = (router - tier->first) % tier->each;
    if (tier->depth > x->lowest) {
        snprintf(out, size, "host %d", router);
        return;
    }
    const size_t used = print_node(x, tier->depth, (router - tier->first) / tier->each, out, size);
    if (tier->each > 1 && used < size)
        snprintf(out + used, size - used, "/%d", inside);
}

uint64_t atn_topo_routes_hash(const atn_routes *x)
{
    uint64_t hash = atn_hash(x->rule->name, strlen(x->rule->name), 5);
    for (int i = 0; i < x->nlinks; i++) {
        const int64_t link[] = {x->links[i].a, x->links[i].b, x->links[i].rate,
                                x->links[i].delay_ns};
        hash = atn_hash(link, sizeof link, hash);
    }
    if (x->forwarded)
        hash = atn_hash(x->table, sizeof *x->table * (size_t)x->nrouters * (size_t)x->nhosts, hash);
    return hash;
}
