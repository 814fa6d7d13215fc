/* shortest.c - routes of a network that is given by its links: a shortest one for each pair.
 *
 * Of several links on shortest routes, the fastest is used; of equal ones, the router at the end
 * selects one, so that routes to different routers use different links.  Routers are numbered by
 * name, so the order of lines does not matter.  The table has an entry for each pair of routers. */
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/hostlist.h"
#include "topo/routes.h"

enum { MOST_ROUTERS = 2048 };

static int next(const atn_routes *x, int at, int host)
{
    return x->table[(size_t)at * (size_t)x->nrouters + (size_t)x->router_of[host]];
}

static const atn_route_rule rule = {"graph, shortest routes", next, NULL};

typedef struct {
    atn_draft *d;
    atn_routes *x;
    const char **names; /* of routers, in order */
    int nnames;
    int *first; /* where the directed links out of each router begin */
    int *out;
    int *distance, *queue;
} maker;

/* ---- routers ---- */

static int by_name(const void *a, const void *b)
{
    return atn_topo_name_compare(*(const char *const *)a, *(const char *const *)b);
}

static int router_named(const maker *m, const char *name)
{
    const char **found = bsearch(&name, m->names, (size_t)m->nnames, sizeof name, by_name);
    return found ? (int)(found - m->names) : -1;
}

/* Ends of links, and switches that hold hosts. */
static bool list_routers(maker *m)
{
    const atn_draft *d = m->d;
    int n = 0;
    m->names = malloc(sizeof *m->names * (2 * (size_t)d->links.n + (size_t)d->nodes.n));
    if (m->names == NULL)
        return false;
    for (int i = 0; i < d->links.n; i++) {
        m->names[n++] = d->links.v[i].end[0];
        m->names[n++] = d->links.v[i].end[1];
    }
    for (int v = 0; v < d->nodes.n; v++)
        if (d->nodes.v[v].kind == ATN_TOPO_HOST && d->nodes.v[v].parent >= 0)
            m->names[n++] = d->nodes.v[d->nodes.v[v].parent].name;
    qsort(m->names, (size_t)n, sizeof *m->names, by_name);
    for (int i = 0; i < n; i++)
        if (i == 0 || strcmp(m->names[i], m->names[i - 1]) != 0)
            m->names[m->nnames++] = m->names[i];
    return true;
}

/* ---- links ---- */

static int by_ends(const void *a, const void *b)
{
    const atn_route_link *x = a, *y = b;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

static void list_links(const maker *m)
{
    const atn_draft *d = m->d;
    for (int i = 0; i < d->links.n; i++) {
        const atn_draft_link *l = &d->links.v[i];
        const int a = router_named(m, l->end[0]), b = router_named(m, l->end[1]);
        if (a == b)
            atn_topo_found(d->found, l->line, "%s is linked to itself; remove it", l->end[0]);
        m->x->links[i] = (atn_route_link){atn_min(a, b), atn_max(a, b), l->rate, l->delay_ns};
    }
    qsort(m->x->links, (size_t)d->links.n, sizeof *m->x->links, by_ends);
    for (int i = 1; i < d->links.n; i++)
        if (by_ends(&m->x->links[i - 1], &m->x->links[i]) == 0)
            atn_topo_found(d->found, d->links.v[0].line,
                           "%s and %s are linked twice; write cables side by side as one link with "
                           "the sum of their rates",
                           m->names[m->x->links[i].a], m->names[m->x->links[i].b]);
}

/* Out of a router the fastest link first, then by name of the other end. */
static int by_preference(const void *a, const void *b, void *routes)
{
    const atn_routes *x = routes;
    const int e = *(const int *)a, f = *(const int *)b;
    const int from_e = atn_topo_route_end(x, e ^ 1), from_f = atn_topo_route_end(x, f ^ 1);
    const int64_t rate_e = x->links[e / 2].rate, rate_f = x->links[f / 2].rate;
    if (from_e != from_f)
        return from_e - from_f;
    if (rate_e != rate_f) /* without a rate: unlimited */
        return rate_e == 0 || (rate_f != 0 && rate_e > rate_f) ? -1 : 1;
    return atn_topo_route_end(x, e) - atn_topo_route_end(x, f);
}

static void list_out(const maker *m)
{
    const atn_routes *x = m->x;
    for (int e = 0; e < 2 * x->nlinks; e++)
        m->out[e] = e;
    qsort_r(m->out, 2 * (size_t)x->nlinks, sizeof *m->out, by_preference, m->x);
    for (int v = 0, at = 0; v <= x->nrouters; v++) {
        while (at < 2 * x->nlinks && atn_topo_route_end(x, m->out[at] ^ 1) < v)
            at++;
        m->first[v] = at;
    }
}

/* ---- routes to one router ---- */

static void find_distances(const maker *m, int end)
{
    int head = 0, tail = 0;
    for (int v = 0; v < m->x->nrouters; v++)
        m->distance[v] = -1;
    m->distance[end] = 0;
    m->queue[tail++] = end;
    while (head < tail) {
        const int v = m->queue[head++];
        for (int i = m->first[v]; i < m->first[v + 1]; i++) {
            const int to = atn_topo_route_end(m->x, m->out[i]);
            if (m->distance[to] < 0) {
                m->distance[to] = m->distance[v] + 1;
                m->queue[tail++] = to;
            }
        }
    }
}

/* The links of the highest rate that lead closer stand one behind the other. */
static int choose(const maker *m, int at, int end)
{
    const atn_routes *x = m->x;
    int count = 0, which = 0, best = -1;
    for (int turn = 0; turn < 2; turn++) {
        int seen = 0;
        for (int i = m->first[at]; i < m->first[at + 1]; i++) {
            const int e = m->out[i];
            if (m->distance[atn_topo_route_end(x, e)] != m->distance[at] - 1 ||
                (best >= 0 && x->links[e / 2].rate != x->links[best / 2].rate))
                continue;
            if (turn == 1 && seen == which)
                return e;
            best = best < 0 ? e : best;
            seen++;
        }
        count = seen;
        which = end % atn_max(count, 1);
    }
    return best;
}

static void fill_table(const maker *m)
{
    atn_routes *x = m->x;
    const size_t n = (size_t)x->nrouters;
    for (int end = 0; end < x->nrouters; end++) {
        find_distances(m, end);
        for (int at = 0; at < x->nrouters; at++) {
            if (m->distance[at] < 0) {
                atn_topo_found(m->d->found, m->d->links.v[0].line,
                               "no path from %s to %s: the network is not connected; add the "
                               "missing link",
                               m->names[at], m->names[end]);
                return;
            }
            x->table[(size_t)at * n + (size_t)end] = at == end ? -1 : choose(m, at, end);
            x->longest = atn_max(x->longest, m->distance[at]);
        }
    }
}

/* ---- the whole ---- */

static int count_hosts(const atn_draft *d)
{
    int n = 0;
    for (int v = 0; v < d->nodes.n; v++)
        n += d->nodes.v[v].kind == ATN_TOPO_HOST;
    return n;
}

static bool copy_names(const maker *m)
{
    m->x->names = calloc((size_t)m->nnames, sizeof *m->x->names);
    bool done = m->x->names != NULL;
    for (int v = 0; done && v < m->nnames; v++)
        done = (m->x->names[v] = strdup(m->names[v])) != NULL;
    return done;
}

static bool make_room(maker *m)
{
    const atn_routes shape = {
        .rule = &rule, .nrouters = m->nnames, .nlinks = m->d->links.n, .nhosts = count_hosts(m->d)};
    const size_t n = (size_t)m->nnames;
    m->x = atn_topo_routes_new(&shape);
    if (m->x)
        m->x->table = malloc(sizeof *m->x->table * n * n);
    m->first = malloc(sizeof *m->first * (3 * n + 1 + 2 * (size_t)m->d->links.n));
    if (!m->x || !m->x->table || !m->first || !copy_names(m))
        return false;
    m->distance = m->first + n + 1;
    m->queue = m->distance + n;
    m->out = m->queue + n;
    return true;
}

static void attach_hosts(const maker *m)
{
    int n = 0;
    for (int v = 0; v < m->d->nodes.n; v++) {
        atn_draft_node *host = &m->d->nodes.v[v];
        if (host->kind != ATN_TOPO_HOST)
            continue;
        host->number = n;
        m->x->router_of[n++] = router_named(m, m->d->nodes.v[host->parent].name);
    }
}

/* Routers that are no node of the tree belong to its root. */
static bool find_cuts(const maker *m)
{
    int *home = malloc(sizeof *home * (size_t)m->nnames), root = 0;
    while (m->d->nodes.v[root].parent >= 0)
        root = m->d->nodes.v[root].parent;
    for (int v = 0; home && v < m->nnames; v++) {
        const int node = atn_topo_draft_find(m->d, ATN_TOPO_SWITCH, m->names[v]);
        home[v] = node < 0 ? root : node;
    }
    if (home)
        atn_topo_draft_cuts(m->d, home);
    free(home);
    return home != NULL;
}

static bool make(maker *m)
{
    if (!make_room(m))
        return false;
    list_links(m);
    list_out(m);
    attach_hosts(m);
    if (m->d->found->wrong == 0)
        fill_table(m);
    m->d->routes = atn_topo_routes_share(m->x);
    if (m->d->found->wrong == 0 && m->d->forwards.n > 0)
        atn_topo_draft_forwarding(m->d);
    return m->d->found->wrong > 0 || find_cuts(m);
}

void atn_topo_draft_route(atn_draft *d)
{
    maker m = {.d = d};
    bool done = list_routers(&m);
    if (done && m.nnames > MOST_ROUTERS)
        atn_topo_found(d->found, d->links.v[0].line,
                       "%d switches; routes of more than %d have no table, use a tree or a "
                       "synthetic string",
                       m.nnames, MOST_ROUTERS);
    else if (done)
        done = make(&m);
    if (!done)
        d->found->no_memory = true;
    atn_topo_routes_free(m.x);
    free(m.names);
    free(m.first);
}

void atn_topo_draft_link(atn_draft *d, const char *a, const char *b, int64_t rate, int64_t delay_ns,
                         int line)
{
    const atn_draft_link link = {{strdup(a), strdup(b)}, rate, delay_ns, line};
    if (link.end[0] && link.end[1] && atn_push(&d->links, link))
        return;
    free(link.end[0]);
    free(link.end[1]);
    d->found->no_memory = true;
}
