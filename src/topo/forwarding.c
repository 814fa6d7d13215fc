/* forwarding.c - routes that forwarding tables of switches determine.
 *
 * The table has an entry for each router and host, because hosts of one router may be reached on
 * different routes.  Hosts are numbered by name, so the order of lines does not matter. */
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/hostlist.h"
#include "topo/routes.h"

enum { MOST_ENTRIES = 1 << 26 };

static int next(const atn_routes *x, int at, int host)
{
    return x->table[(size_t)at * (size_t)x->nhosts + (size_t)host];
}

static const atn_route_rule rule = {"graph, forwarding tables", next, NULL};

/* ---- hosts by name ---- */

static int by_name(const void *a, const void *b)
{
    const atn_draft_node *const *x = a, *const *y = b;
    return atn_topo_name_compare((*x)->name, (*y)->name);
}

static bool number_hosts(const atn_draft *d)
{
    atn_routes *x = d->routes;
    atn_draft_node **hosts = malloc(sizeof *hosts * ((size_t)x->nhosts + 1));
    int *router_of = malloc(sizeof *router_of * ((size_t)x->nhosts + 1)), n = 0;
    for (int v = 0; hosts && router_of && v < d->nodes.n; v++)
        if (d->nodes.v[v].kind == ATN_TOPO_HOST)
            hosts[n++] = &d->nodes.v[v];
    if (n > 0)
        qsort(hosts, (size_t)n, sizeof *hosts, by_name);
    for (int i = 0; i < n; i++) {
        router_of[i] = x->router_of[hosts[i]->number];
        hosts[i]->number = i;
    }
    free(hosts);
    if (n == 0) {
        free(router_of);
        return false;
    }
    free(x->router_of);
    x->router_of = router_of;
    return true;
}

/* ---- the table ---- */

static int compare_names(const void *a, const void *b)
{
    return atn_topo_name_compare(*(const char *const *)a, *(const char *const *)b);
}

static int router_named(const atn_routes *x, const char *name)
{
    char **found = bsearch(&name, x->names, (size_t)x->nrouters, sizeof name, compare_names);
    return found ? (int)(found - x->names) : -1;
}

static int compare_ends(const void *a, const void *b)
{
    const atn_route_link *x = a, *y = b;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

/* The directed link from one router to another; -1: there is none. */
static int edge_between(const atn_routes *x, int from, int to)
{
    const atn_route_link ends = {.a = atn_min(from, to), .b = atn_max(from, to)};
    const atn_route_link *l =
        bsearch(&ends, x->links, (size_t)x->nlinks, sizeof *x->links, compare_ends);
    return l ? 2 * (int)(l - x->links) + (from == l->b) : -1;
}

/* From the table of routers. */
static bool widen(atn_routes *x)
{
    const size_t hosts = (size_t)x->nhosts, routers = (size_t)x->nrouters;
    int *table = malloc(sizeof *table * routers * hosts);
    for (size_t at = 0; table && at < routers; at++)
        for (size_t h = 0; h < hosts; h++)
            table[at * hosts + h] = x->table[at * routers + (size_t)x->router_of[h]];
    if (table == NULL)
        return false;
    free(x->table);
    x->table = table;
    x->rule = &rule;
    x->by_host = x->forwarded = true;
    return true;
}

static void apply(const atn_draft *d, const atn_draft_forward *f)
{
    atn_routes *x = d->routes;
    const int at = router_named(x, f->at), by = router_named(x, f->by);
    const int edge = at >= 0 && by >= 0 ? edge_between(x, at, by) : -1;
    if (edge < 0) {
        atn_topo_found(d->found, f->line, "%s and %s are not linked; add the link", f->at, f->by);
        return;
    }
    for (int i = 0; i < f->hosts.n; i++) {
        const int v = atn_topo_draft_find(d, ATN_TOPO_HOST, f->hosts.v[i]);
        if (v < 0 || d->nodes.v[v].kind != ATN_TOPO_HOST)
            atn_topo_found(d->found, f->line, "%s is no host; remove it", f->hosts.v[i]);
        else
            x->table[(size_t)at * (size_t)x->nhosts + (size_t)d->nodes.v[v].number] = edge;
    }
}

/* ---- checks ---- */

/* Links from a router to a host; -1: never there. */
static int length_of(const atn_routes *x, int at, int host)
{
    int n = 0;
    for (; at != x->router_of[host] && n <= x->nrouters; n++)
        at = atn_topo_route_end(x, next(x, at, host));
    return n <= x->nrouters ? n : -1;
}

static const char *host_name(const atn_draft *d, int number)
{
    int v = 0;
    while (d->nodes.v[v].kind != ATN_TOPO_HOST || d->nodes.v[v].number != number)
        v++;
    return d->nodes.v[v].name;
}

/* From all routers that hold hosts to all hosts. */
static void check_routes(const atn_draft *d)
{
    atn_routes *x = d->routes;
    bool *const holds = calloc((size_t)x->nrouters, sizeof *holds);
    if (holds == NULL) {
        d->found->no_memory = true;
        return;
    }
    for (int h = 0; h < x->nhosts; h++)
        holds[x->router_of[h]] = true;
    x->longest = 0;
    for (int at = 0; at < x->nrouters && d->found->wrong == 0; at++)
        for (int h = 0; holds[at] && h < x->nhosts && d->found->wrong == 0; h++) {
            const int n = length_of(x, at, h);
            x->longest = atn_max(x->longest, n);
            if (n < 0)
                atn_topo_found(d->found, d->forwards.v[0].line,
                               "messages from %s to %s go in a circle; the tables are not from "
                               "one moment, write them again",
                               x->names[at], host_name(d, h));
        }
    free(holds);
}

void atn_topo_draft_forwarding(atn_draft *d)
{
    const atn_routes *x = d->routes;
    if ((int64_t)x->nrouters * x->nhosts > MOST_ENTRIES) {
        atn_topo_found(d->found, d->forwards.v[0].line,
                       "%d switches and %d hosts: more than %d entries; leave the forwarding "
                       "tables out",
                       x->nrouters, x->nhosts, MOST_ENTRIES);
        return;
    }
    if (!number_hosts(d) || !widen(d->routes)) {
        d->found->no_memory = true;
        return;
    }
    for (int i = 0; i < d->forwards.n; i++)
        apply(d, &d->forwards.v[i]);
    if (d->found->wrong == 0)
        check_routes(d);
}

/* ---- drafts ---- */

/* Entries of one switch over one link follow each other. */
static atn_draft_forward *last_of(atn_draft *d, const char *at, const char *by, int line)
{
    atn_draft_forward *last = d->forwards.n > 0 ? &d->forwards.v[d->forwards.n - 1] : NULL;
    if (last != NULL && strcmp(last->at, at) == 0 && strcmp(last->by, by) == 0)
        return last;
    const atn_draft_forward one = {.at = strdup(at), .by = strdup(by), .line = line};
    if (one.at && one.by && atn_push(&d->forwards, one))
        return &d->forwards.v[d->forwards.n - 1];
    free(one.at);
    free(one.by);
    return NULL;
}

void atn_topo_draft_forward(atn_draft *d, const char *at, const char *by, const char *host,
                            int line)
{
    atn_draft_forward *const f = last_of(d, at, by, line);
    char *const copy = f ? strdup(host) : NULL;
    if (copy && atn_push(&f->hosts, copy))
        return;
    free(copy);
    d->found->no_memory = true;
}
