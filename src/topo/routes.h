/* routes.h - networks that are no trees: routers, links between them, and the route of each pair of
 * hosts.
 *
 * A route is found link by link: the next one follows from the router at hand and the host at the
 * end, by a formula or a table of routers, so that no memory grows with the pairs of hosts and all
 * ranks find the same routes.  Copies of a topology share its routes. */
#ifndef ATN_TOPO_ROUTES_H
#define ATN_TOPO_ROUTES_H

#include "base/base.h"

enum { ATN_ROUTE_LEVELS = 9 };

typedef struct {
    int a, b;               /* routers; full duplex */
    int64_t rate, delay_ns; /* 0: not known */
} atn_route_link;

/* Routers of one kind: as many for each node of the tree at that depth. */
typedef struct {
    int first, each, depth;
} atn_route_tier;

typedef struct atn_routes atn_routes;

typedef struct {
    const char *name; /* in reports */
    /* The directed link from router `at` towards a host: twice its number, plus one from b to a. */
    int (*next)(const atn_routes *x, int at, int host);
    /* Adds to the directed links what all pairs of ranks send, faster than pair by pair; ranks: how
     * many each router has.  False: no memory, nothing was added.  NULL: there is no faster way. */
    bool (*loads)(const atn_routes *x, const int64_t *ranks, int64_t *loads);
} atn_route_rule;

struct atn_routes {
    _Atomic int users;
    char *text; /* the synthetic string that makes it; NULL: from a graph */
    const atn_route_rule *rule;
    bool by_host; /* hosts of one router are reached by different routes */
    int nhosts, nrouters, nlinks;
    int longest; /* most links of a route */
    atn_route_link *links;
    int *router_of; /* host -> router */
    int tiers;      /* the first one are hosts, if they have several rails */
    atn_route_tier tier[ATN_ROUTE_LEVELS];
    int lowest; /* depth of the nodes that hold hosts */
    int rails;
    /* for the formulas */
    int levels, count[ATN_ROUTE_LEVELS]; /* as in the string */
    int stride[ATN_ROUTE_LEVELS], first[ATN_ROUTE_LEVELS], up[ATN_ROUTE_LEVELS];
    int global, ports; /* links between two groups, links of a router to other groups */
    bool wraps;
    int *table;     /* at * nrouters + router at the end -> directed link */
    bool forwarded; /* instead: at * nhosts + host */
    char **names;   /* of routers from a graph */
};

/* A copy of `shape` with links and hosts to be filled in; NULL: no memory. */
atn_routes *atn_topo_routes_new(const atn_routes *shape);
atn_routes *atn_topo_routes_share(atn_routes *x); /* NULL is fine */
void atn_topo_routes_free(atn_routes *x);         /* NULL is fine */

/* Where a directed link ends. */
static inline int atn_topo_route_end(const atn_routes *x, int edge)
{
    return edge % 2 ? x->links[edge / 2].a : x->links[edge / 2].b;
}

/* Directed links from one host to another; at most x->longest.  Returns how many. */
int atn_topo_route(const atn_routes *x, int from, int to, int *edges);
/* Adds `weight` to all directed links of a route from a router to a host. */
void atn_topo_route_add(const atn_routes *x, int router, int host, int64_t weight, int64_t *loads);
/* The tree's node that stands for a router: its depth, and its number at that depth. */
int atn_topo_router_depth(const atn_routes *x, int router, int *number_p);
/* Levels from hosts up to the nodes whose branches a link connects. */
int atn_topo_route_height(const atn_routes *x, int link);
/* "s1.2", as the tree names it; "s1/0": the first of several that one node stands for; "host 0". */
void atn_topo_router_name(const atn_routes *x, int router, char *out, size_t size);
/* Of links and rule. */
uint64_t atn_topo_routes_hash(const atn_routes *x);

#endif
