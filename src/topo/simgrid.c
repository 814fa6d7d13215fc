/* simgrid.c - a platform of SimGrid: a zone for each switch, with its hosts, and a split-duplex
 * link for each edge of the tree.
 *
 * SimGrid finds routes between zones with the algorithm of Floyd, whose time grows with the third
 * power of their number, so hosts are not part of it: those of a switch are a cluster.  Messages
 * inside of a host of a cluster would use its link, however; where hosts have several ranks, routes
 * inside of the zones are found in the same way as between them. */
#include <inttypes.h>
#include <stdlib.h>

#include "topo/routes.h"
#include "topo/simgrid.h"
#include "topo/write.h"

/* Without memory: true, which is right for all topologies. */
static bool any_host_shared(const atn_topo *t)
{
    bool shared = false, *const used = calloc((size_t)t->nnodes, sizeof *used);
    for (int r = 0; used != NULL && r < t->p; r++) {
        bool *const own = &used[atn_topo_host_of(t, r)];
        shared = shared || *own;
        *own = true;
    }
    const bool known = used != NULL;
    free(used);
    return shared || !known;
}

static const char *prefix(const atn_topo_node *v)
{
    return v->kind == ATN_TOPO_SWITCH ? "switch-" : "";
}

int64_t atn_topo_simgrid_rate(int64_t rate) { return rate > 0 ? rate : INT64_C(100000000000); }

void atn_topo_simgrid_link(const atn_platform *p, const atn_topo_node *v)
{
    fprintf(p->f,
            "    <link id=\"link-%s%s\" bandwidth=\"%" PRId64 "bps\" latency=\"%" PRId64
            "ns\" sharing_policy=\"SPLITDUPLEX\"/>\n",
            prefix(v), v->name, atn_topo_simgrid_rate(v->rate), v->delay_ns);
}

/* Both ways apart, because they use the two halves of the link. */
static void write_host_routes(const atn_platform *p, const atn_topo_node *v,
                              const atn_topo_node *up)
{
    static const char cluster[] =
        "    <host_link id=\"%s\" up=\"link-%s_UP\" down=\"link-%s_DOWN\"/>\n";
    static const char route[] = "    <route src=\"%s%s\" dst=\"%s%s\" symmetrical=\"NO\">"
                                "<link_ctn id=\"link-%s\" direction=\"%s\"/></route>\n";
    if (p->clusters) {
        fprintf(p->f, cluster, v->name, v->name, v->name);
        return;
    }
    fprintf(p->f, route, "", v->name, "switch-", up->name, v->name, "UP");
    fprintf(p->f, route, "switch-", up->name, "", v->name, v->name, "DOWN");
}

static void write_switch_routes(const atn_platform *p, const atn_topo_node *v,
                                const atn_topo_node *up)
{
    static const char route[] =
        "    <zoneRoute src=\"zone-%s\" dst=\"zone-%s\" gw_src=\"switch-%s\" "
        "gw_dst=\"switch-%s\" symmetrical=\"NO\">"
        "<link_ctn id=\"link-switch-%s\" direction=\"%s\"/></zoneRoute>\n";
    fprintf(p->f, route, v->name, up->name, v->name, up->name, v->name, "UP");
    fprintf(p->f, route, up->name, v->name, up->name, v->name, v->name, "DOWN");
}

void atn_topo_simgrid_host(const atn_platform *p, int v)
{
    fprintf(p->f, "    <host id=\"%s\" speed=\"10Gf\"/>\n", p->t->nodes[v].name);
}

/* Hosts follow their switch, before the switches below it. */
static int hosts_end(const atn_topo *t, int v)
{
    do
        v++;
    while (v < t->nnodes && t->nodes[v].kind != ATN_TOPO_SWITCH);
    return v;
}

void atn_topo_simgrid_zone(const atn_platform *p, int v)
{
    const atn_topo_node *const nodes = p->t->nodes;
    const int end = hosts_end(p->t, v);
    const bool cluster = p->clusters && end > v + 1;
    fprintf(p->f, "  <zone id=\"zone-%s\" routing=\"%s\">\n", nodes[v].name,
            cluster ? "Cluster" : "Floyd");
    for (int u = v + 1; u < end; u++)
        if (nodes[u].kind == ATN_TOPO_HOST)
            atn_topo_simgrid_host(p, u);
    fprintf(p->f, "    <router id=\"switch-%s\"/>\n", nodes[v].name);
    for (int u = v + 1; u < end; u++)
        if (nodes[u].kind == ATN_TOPO_HOST)
            atn_topo_simgrid_link(p, &nodes[u]);
    for (int u = v + 1; u < end; u++)
        if (nodes[u].kind == ATN_TOPO_HOST)
            write_host_routes(p, &nodes[u], &nodes[v]);
    fputs("  </zone>\n", p->f);
}

static void write_tree(const atn_platform *p)
{
    const atn_topo *const t = p->t;
    if (t->nodes[0].kind == ATN_TOPO_HOST) /* a machine without network */
        atn_topo_simgrid_host(p, 0);
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            atn_topo_simgrid_zone(p, v);
    for (int v = 1; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            atn_topo_simgrid_link(p, &t->nodes[v]);
    for (int v = 1; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            write_switch_routes(p, &t->nodes[v], &t->nodes[t->nodes[v].parent]);
}

static void write_platform(FILE *f, const atn_topo *t)
{
    const atn_platform p = {.f = f, .t = t, .clusters = !any_host_shared(t)};
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n",
          f);
    fprintf(f, "<zone id=\"world\" routing=\"%s\">\n", t->routes ? "Full" : "Floyd");
    if (t->routes)
        atn_topo_simgrid_routes(&p);
    else
        write_tree(&p);
    fputs("</zone>\n</platform>\n", f);
}

/* ---- hosts of the ranks ---- */

static void write_hosts(FILE *f, const atn_topo *t)
{
    for (int r = 0; r < t->p; r++)
        fprintf(f, "%s\n", t->nodes[atn_topo_host_of(t, r)].name);
}

static atn_status to_text(void (*write)(FILE *f, const atn_topo *t), const atn_topo *t,
                          char **text_p, atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    if (f != NULL) {
        write(f, t);
        if (fclose(f) == 0) {
            *text_p = text;
            return ATN_OK;
        }
    }
    free(text);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}

atn_status atn_topo_to_simgrid(const atn_topo *t, char **text_p, atn_error *err)
{
    const atn_status status = t->routes ? atn_topo_simgrid_check(t, err) : ATN_OK;
    return status ? status : to_text(write_platform, t, text_p, err);
}

atn_status atn_topo_to_hostfile(const atn_topo *t, char **text_p, atn_error *err)
{
    if (t->p == 0)
        return atn_fail(err, ATN_INPUT, "%s: no ranks are placed; place them with --ranks",
                        t->origin);
    return to_text(write_hosts, t, text_p, err);
}
