/* simgrid_routes.c - platforms of SimGrid for networks with routes.
 *
 * Every route is written out: between the routers that hold hosts, or between hosts where these
 * have routes of their own.  The text grows with their pairs, so there is a limit.  SimGrid's own
 * fat trees have the same routes as ours (D-mod-k), and need one line. */
#include <inttypes.h>
#include <string.h>

#include "topo/routes.h"
#include "topo/simgrid.h"

enum { MOST_LINKS = 1 << 21 }; /* of all routes together; about 100 MB of text */

static int host_number(const atn_topo *t, int v) { return t->nodes[v].number; }

/* ---- links ---- */

static void write_links(const atn_platform *p)
{
    const atn_routes *x = p->t->routes;
    for (int i = 0; i < x->nlinks; i++)
        fprintf(p->f,
                "    <link id=\"route-%d\" bandwidth=\"%" PRId64 "bps\" latency=\"%" PRId64
                "ns\" sharing_policy=\"SPLITDUPLEX\"/>\n",
                i, atn_topo_simgrid_rate(x->links[i].rate), x->links[i].delay_ns);
}

static void write_hops(const atn_platform *p, int from, int to)
{
    const atn_routes *x = p->t->routes;
    for (int at = x->router_of[from]; at != x->router_of[to];) {
        const int edge = x->rule->next(x, at, to);
        fprintf(p->f, "<link_ctn id=\"route-%d\" direction=\"%s\"/>", edge / 2,
                edge % 2 ? "DOWN" : "UP");
        at = atn_topo_route_end(x, edge);
    }
}

/* ---- routes between routers ---- */

/* Hosts stand behind their switch, so the next node is the first of them. */
static bool has_hosts(const atn_topo *t, int v)
{
    return t->nodes[v].kind == ATN_TOPO_SWITCH && v + 1 < t->nnodes &&
           t->nodes[v + 1].kind == ATN_TOPO_HOST;
}

static void write_router_route(const atn_platform *p, int a, int b)
{
    const char *from = p->t->nodes[a].name, *to = p->t->nodes[b].name;
    fprintf(p->f,
            "    <zoneRoute src=\"zone-%s\" dst=\"zone-%s\" gw_src=\"switch-%s\" "
            "gw_dst=\"switch-%s\" symmetrical=\"NO\">",
            from, to, from, to);
    write_hops(p, host_number(p->t, a + 1), host_number(p->t, b + 1));
    fputs("</zoneRoute>\n", p->f);
}

static void write_routers(const atn_platform *p)
{
    const atn_topo *t = p->t;
    for (int v = 0; v < t->nnodes; v++)
        if (has_hosts(t, v))
            atn_topo_simgrid_zone(p, v);
    write_links(p);
    for (int a = 0; a < t->nnodes; a++)
        for (int b = 0; has_hosts(t, a) && b < t->nnodes; b++)
            if (a != b && has_hosts(t, b))
                write_router_route(p, a, b);
}

/* ---- routes between hosts ---- */

static void write_host_route(const atn_platform *p, int a, int b)
{
    const char *from = p->t->nodes[a].name, *to = p->t->nodes[b].name;
    fprintf(p->f, "    <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">", from, to);
    fprintf(p->f, "<link_ctn id=\"link-%s\" direction=\"UP\"/>", from);
    write_hops(p, host_number(p->t, a), host_number(p->t, b));
    fprintf(p->f, "<link_ctn id=\"link-%s\" direction=\"DOWN\"/></route>\n", to);
}

static void write_hosts(const atn_platform *p)
{
    const atn_topo *t = p->t;
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            atn_topo_simgrid_host(p, v);
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            atn_topo_simgrid_link(p, &t->nodes[v]);
    write_links(p);
    for (int a = 0; a < t->nnodes; a++)
        for (int b = 0; t->nodes[a].kind == ATN_TOPO_HOST && b < t->nnodes; b++)
            if (a != b && t->nodes[b].kind == ATN_TOPO_HOST)
                write_host_route(p, a, b);
}

/* ---- SimGrid's own fat trees ---- */

/* The links of rails have no delay beside that of the hosts. */
static int first_link(const atn_routes *x) { return x->rails > 1 ? x->first[1] : 0; }

/* All hosts of the network, named n0, n1 ..., and one rate and delay for all links. */
static bool is_plain_fattree(const atn_topo *t)
{
    const atn_routes *x = t->routes;
    char plain[32];
    if (x->rails == 0 || x->tiers < 2 || atn_topo_hosts(t) != x->nhosts)
        return false;
    const atn_route_link *like = &x->links[first_link(x)];
    for (int v = 0; v < t->nnodes; v++) {
        snprintf(plain, sizeof plain, "n%d", host_number(t, v));
        if (t->nodes[v].kind == ATN_TOPO_HOST &&
            (strcmp(plain, t->nodes[v].name) != 0 || t->nodes[v].rate != like->rate * x->rails ||
             t->nodes[v].delay_ns != like->delay_ns))
            return false;
    }
    for (int i = 0; i < x->nlinks; i++)
        if (x->links[i].rate != like->rate ||
            (i >= first_link(x) && x->links[i].delay_ns != like->delay_ns))
            return false;
    return true;
}

/* levels; children; parents; cables of each, from the hosts up.  Messages inside of hosts as in
 * other platforms (docs/sim.md). */
static void write_fattree(const atn_platform *p)
{
    const atn_routes *x = p->t->routes;
    const atn_route_link *like = &x->links[first_link(x)];
    fprintf(p->f,
            "    <cluster id=\"fattree\" prefix=\"n\" suffix=\"\" radical=\"0-%d\" speed=\"10Gf\" "
            "bw=\"%" PRId64 "bps\" lat=\"%" PRId64 "ns\" loopback_bw=\"5GBps\" "
            "loopback_lat=\"500ns\" topology=\"FAT_TREE\" topo_parameters=\"%d;",
            x->nhosts - 1, atn_topo_simgrid_rate(like->rate), like->delay_ns, x->levels);
    for (int i = x->levels - 1; i >= 0; i--)
        fprintf(p->f, "%d%s", x->count[i], i > 0 ? "," : ";");
    fprintf(p->f, "%d", x->rails);
    for (int i = x->rails > 1; i + 1 < x->tiers; i++)
        fprintf(p->f, ",%d", x->up[i]);
    for (int i = 0; i < x->levels; i++)
        fprintf(p->f, "%s1", i ? "," : ";");
    fputs("\"/>\n", p->f);
}

/* ---- all ---- */

static int count_hops(const atn_routes *x, int from, int to)
{
    int n = 0;
    for (int at = x->router_of[from]; at != x->router_of[to]; n++)
        at = atn_topo_route_end(x, x->rule->next(x, at, to));
    return n;
}

/* Whether routes lead to a node: to the first host of a switch, or to each. */
static bool is_end(const atn_topo *t, int v)
{
    return t->routes->by_host ? t->nodes[v].kind == ATN_TOPO_HOST : has_hosts(t, v);
}

/* Links of all routes, as far as they fit. */
static int64_t count_links(const atn_topo *t)
{
    const int first = t->routes->by_host ? 0 : 1; /* host behind such a node */
    int64_t n = 0;
    for (int a = 0; a < t->nnodes; a++)
        for (int b = 0; is_end(t, a) && n <= MOST_LINKS && b < t->nnodes; b++)
            if (a != b && is_end(t, b))
                n +=
                    1 + count_hops(t->routes, host_number(t, a + first), host_number(t, b + first));
    return n;
}

/* Hosts below one switch of the tree have one router; only files that were edited differ. */
static const char *mixed_switch(const atn_topo *t)
{
    for (int v = 1; !t->routes->by_host && v < t->nnodes; v++) {
        const int before = v - 1;
        if (t->nodes[v].kind == ATN_TOPO_HOST && t->nodes[before].kind == ATN_TOPO_HOST &&
            t->nodes[v].parent == t->nodes[before].parent &&
            t->routes->router_of[host_number(t, v)] != t->routes->router_of[host_number(t, before)])
            return t->nodes[t->nodes[v].parent].name;
    }
    return NULL;
}

atn_status atn_topo_simgrid_check(const atn_topo *t, atn_error *err)
{
    const char *const mixed = mixed_switch(t);
    const int64_t links = is_plain_fattree(t) ? 0 : count_links(t);
    if (mixed)
        return atn_fail(err, ATN_INPUT,
                        "%s: hosts of switch %s are at different routers of the network; give each "
                        "router a switch of its own",
                        t->origin, mixed);
    if (links > MOST_LINKS)
        return atn_fail(err, ATN_INPUT,
                        "%s: SimGrid needs all routes written out, and these have more than %d "
                        "links together; simulate a smaller network%s",
                        t->origin, MOST_LINKS,
                        t->routes->by_host ? ", or a fat tree of equal links and hosts n0, n1 ..."
                                           : "");
    return ATN_OK;
}

void atn_topo_simgrid_routes(const atn_platform *p)
{
    if (is_plain_fattree(p->t))
        write_fattree(p);
    else if (p->t->routes->by_host)
        write_hosts(p);
    else
        write_routers(p);
}
