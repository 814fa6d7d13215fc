/* simgrid.c - platforms of SimGrid, as far as they describe a network of hosts and switches.
 *
 * A route along one link is a cable between its ends; routes along several such links determine
 * which way messages take.  A <cluster> is hosts on a switch, or a network such as a torus. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/document.h"
#include "import/fabric.h"
#include "import/import.h"
#include "import/platform.h"
#include "topo/hostlist.h"

/* ---- units ---- */

/* "1Gbps", "125MBps", "1.25e8" (bytes per second): bits per second; 0: it is no rate. */
static int64_t parse_rate(const char *text)
{
    static const struct {
        const char *prefix;
        double factor;
    } prefixes[] = {
        {"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0},
        {"k", 1e3},     {"M", 1e6},        {"G", 1e9},           {"T", 1e12},
        {"", 1}};
    char *unit;
    double rate = strtod(text, &unit);
    if (unit == text || !(rate > 0))
        return 0;
    if (*unit == '\0')
        return rate < 1e17 ? (int64_t)llround(8 * rate) : 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i].prefix);
        if (strncmp(unit, prefixes[i].prefix, n) != 0)
            continue;
        rate *= prefixes[i].factor;
        if (strcmp(unit + n, "bps") != 0 && strcmp(unit + n, "Bps") != 0)
            continue;
        rate *= unit[n] == 'B' ? 8 : 1;
        return rate < 1e18 ? (int64_t)llround(rate) : 0;
    }
    return 0;
}

/* "50us", "1E-4s", "5.0e-5" (seconds): nanoseconds; -1: it is no time. */
static int64_t parse_delay(const char *text)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"ps", 1e-3}};
    char *unit;
    const double time = strtod(text, &unit);
    for (size_t i = 0; unit != text && time >= 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return time * units[i].ns < 1e18 ? (int64_t)llround(time * units[i].ns) : -1;
    return -1;
}

atn_platform_link atn_import_platform_link(const atn_import_platform *p, const atn_import_value *v,
                                           const char *rate_key, const char *delay_key)
{
    const char *const rate = atn_import_text(&p->doc, v, rate_key);
    const char *const delay = atn_import_text(&p->doc, v, delay_key);
    const atn_platform_link l = {.rate = rate ? parse_rate(rate) : 0,
                                 .delay_ns = delay ? parse_delay(delay) : 0,
                                 .line = v->line};
    if (rate == NULL || l.rate == 0)
        atn_topo_found(p->f.found, v->line, "%s=\"%s\" is no rate; write 125MBps or 1Gbps",
                       rate_key, rate ? rate : "");
    if (l.delay_ns < 0)
        atn_topo_found(p->f.found, v->line, "%s=\"%s\" is no time; write 50us or 1ms", delay_key,
                       delay);
    return l;
}

/* ---- links and nodes ---- */

static const char *attribute(const atn_import_platform *p, const atn_import_value *v,
                             const char *key)
{
    const char *const text = atn_import_text(&p->doc, v, key);
    return text ? text : "";
}

/* Platforms have names in one space; routers of Attune are switch-NAME. */
int atn_import_platform_node(atn_import_platform *p, const char *id, atn_fabric_kind kind, int line)
{
    const bool ours = kind == ATN_FABRIC_SWITCH && strncmp(id, "switch-", 7) == 0;
    const int v = atn_import_fabric_node(&p->f, id, line);
    atn_import_fabric_name(&p->f, v, ours ? id + 7 : id);
    atn_import_fabric_describe(&p->f, v, kind, "");
    return v;
}

static void add_link(atn_import_platform *p, const atn_import_value *v)
{
    const char *const id = attribute(p, v, "id");
    atn_platform_link l = atn_import_platform_link(p, v, "bandwidth", "latency");
    const int known = p->links.n;
    l.from = l.to = -1;
    const int at = atn_topo_draft_node_at(&p->link_ids, ATN_TOPO_SWITCH, id, v->line);
    if (at == known && !atn_push(&p->links, l))
        p->f.found->no_memory = true;
    else if (at >= 0 && at < known)
        atn_topo_found(p->f.found, v->line, "link %s is on line %d already; name it once", id,
                       p->links.v[at].line);
}

/* Also by the half of a split-duplex link: ID_UP, ID_DOWN.  -1: unknown (reported). */
static int find_link(const atn_import_platform *p, const char *id, int line)
{
    char half[512];
    const char *const end = strrchr(id, '_');
    int at = atn_topo_draft_find(&p->link_ids, ATN_TOPO_SWITCH, id);
    if (at < 0 && end && (strcmp(end, "_UP") == 0 || strcmp(end, "_DOWN") == 0)) {
        snprintf(half, sizeof half, "%.*s", (int)(end - id), id);
        at = atn_topo_draft_find(&p->link_ids, ATN_TOPO_SWITCH, half);
    }
    if (at < 0)
        atn_topo_found(p->f.found, line, "link %s is not in this file; add it", id);
    return at;
}

static void add_cable(atn_import_platform *p, int link, int from, int to, int line)
{
    if (link < 0 || from < 0 || to < 0)
        return;
    atn_platform_link *const l = &p->links.v[link];
    l->from = from;
    l->to = to;
    atn_import_fabric_cable(
        &p->f, (atn_fabric_cable){
                   .from = from, .to = to, .rate = l->rate, .delay_ns = l->delay_ns, .line = line});
}

/* ---- routes ---- */

static int find_node(const atn_import_platform *p, const char *id, int line)
{
    const int v = atn_topo_draft_find(&p->f.identities, ATN_TOPO_SWITCH, id);
    if (v < 0)
        atn_topo_found(p->f.found, line, "%s is no host and no router of this file; add it", id);
    return v;
}

/* <route src dst>, <zoneRoute gw_src gw_dst>, each with <link_ctn id>. */
static void read_route(atn_import_platform *p, const atn_import_value *v)
{
    const bool zones = strcmp(v->key, "route") != 0;
    const char *const from = attribute(p, v, zones ? "gw_src" : "src");
    const char *const to = attribute(p, v, zones ? "gw_dst" : "dst");
    atn_platform_route route = {.from = find_node(p, from, v->line), .line = v->line};
    route.to = find_node(p, to, v->line);
    route.first = p->hops.n;
    for (const atn_import_value *c = atn_import_first(&p->doc, v); c;
         c = atn_import_next(&p->doc, c)) {
        if (c->kind != ATN_VALUE_MAP || strcmp(c->key, "link_ctn") != 0)
            continue;
        if (!atn_push(&p->hops, find_link(p, attribute(p, c, "id"), c->line)))
            p->f.found->no_memory = true;
    }
    route.n = p->hops.n - route.first;
    if (route.n == 1)
        add_cable(p, p->hops.v[route.first], route.from, route.to, v->line);
    else if (!atn_push(&p->routes, route))
        p->f.found->no_memory = true;
}

/* <host_link id up down>: to the router of its zone. */
static void read_host_link(atn_import_platform *p, const atn_import_value *v, const char *router)
{
    const char *const id = attribute(p, v, "id");
    if (*router == '\0') {
        atn_topo_found(p->f.found, v->line,
                       "host_link of %s in a zone without a router; add "
                       "<router id=\"...\"/>",
                       id);
        return;
    }
    add_cable(p, find_link(p, attribute(p, v, "up"), v->line), find_node(p, id, v->line),
              find_node(p, router, v->line), v->line);
}

/* ---- elements ---- */

static bool is(const atn_import_value *v, const char *name)
{
    return v->kind == ATN_VALUE_MAP && v->key && strcmp(v->key, name) == 0;
}

static bool is_zone(const atn_import_value *v) { return is(v, "zone") || is(v, "AS"); }

static const char *const known[] = {
    "platform",  "zone",    "AS",       "host",    "router",       "link", "route",
    "zoneRoute", "ASroute", "link_ctn", "cluster", "host_link",    "prop", "config",
    "disk",      "storage", "backbone", "mount",   "storage_type", NULL};

static void check_known(const atn_import_platform *p, const atn_import_value *v)
{
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(v->key, known[i]) == 0)
            return;
    atn_topo_found(p->f.found, v->line,
                   "<%s> has no counterpart in a topology; describe these hosts with <host>, "
                   "<router>, <link> and routes of one link",
                   v->key);
}

static void read_nodes(atn_import_platform *p)
{
    for (int i = 0; i < p->doc.values.n; i++) {
        const atn_import_value *const v = &p->doc.values.v[i];
        if (v->kind == ATN_VALUE_MAP && v->key)
            check_known(p, v);
        if (is(v, "host"))
            atn_import_platform_node(p, attribute(p, v, "id"), ATN_FABRIC_HOST, v->line);
        else if (is(v, "router"))
            atn_import_platform_node(p, attribute(p, v, "id"), ATN_FABRIC_SWITCH, v->line);
        else if (is(v, "link"))
            add_link(p, v);
        else if (is(v, "cluster"))
            atn_import_platform_cluster(p, v);
    }
}

static void read_zone(atn_import_platform *p, const atn_import_value *zone)
{
    const char *router = "";
    for (const atn_import_value *v = atn_import_first(&p->doc, zone); v;
         v = atn_import_next(&p->doc, v))
        if (is(v, "router"))
            router = attribute(p, v, "id");
    for (const atn_import_value *v = atn_import_first(&p->doc, zone); v;
         v = atn_import_next(&p->doc, v)) {
        if (is(v, "route") || is(v, "zoneRoute") || is(v, "ASroute"))
            read_route(p, v);
        else if (is(v, "host_link"))
            read_host_link(p, v, router);
    }
}

/* ---- routes of several links ---- */

/* Where a link leads from a node; -1: it does not begin there. */
static int other_end(const atn_platform_link *l, int v)
{
    return l->from == v ? l->to : l->to == v ? l->from : -1;
}

/* Hosts that are directly at a router. */
static void forward_hosts(const atn_import_platform *p, atn_draft *d, int at, int by, int end)
{
    const char *const names[] = {p->f.nodes.v[at].name, p->f.nodes.v[by].name,
                                 p->f.nodes.v[end].name};
    const int above = atn_topo_draft_find(d, ATN_TOPO_SWITCH, names[2]);
    for (int v = 0; above >= 0 && v < d->nodes.n; v++)
        if (d->nodes.v[v].kind == ATN_TOPO_HOST && d->nodes.v[v].parent == above)
            atn_topo_draft_forward(d, names[0], names[1], d->nodes.v[v].name, d->nodes.v[v].line);
}

/* Without a draft: checks only. */
static void forward_route(const atn_import_platform *p, atn_draft *d, const atn_platform_route *r)
{
    int at = r->from;
    for (int i = 0; i < r->n && at >= 0; i++) {
        const int link = p->hops.v[r->first + i];
        const int by = link < 0 ? -1 : other_end(&p->links.v[link], at);
        if (by < 0) {
            atn_topo_found(p->f.found, r->line,
                           "link %d of this route is not known to connect two nodes: no route "
                           "consists of it alone; describe each link by a route of its own",
                           i + 1);
            return;
        }
        if (d != NULL && d->links.n > 0)
            forward_hosts(p, d, at, by, r->to);
        at = by;
    }
    if (at != r->to)
        atn_topo_found(p->f.found, r->line,
                       "the links of this route do not end at its destination; "
                       "correct them");
}

/* ---- the platform ---- */

static void free_platform(atn_import_platform *p)
{
    atn_import_fabric_free(&p->f);
    atn_import_document_free(&p->doc);
    atn_topo_draft_free(&p->link_ids);
    atn_vec_free(&p->links);
    atn_vec_free(&p->routes);
    atn_vec_free(&p->hops);
}

static void read_platform(atn_import_platform *p, atn_draft *d)
{
    read_nodes(p);
    for (int i = 0; p->f.found->wrong == 0 && i < p->doc.values.n; i++)
        if (is_zone(&p->doc.values.v[i]))
            read_zone(p, &p->doc.values.v[i]);
    if (p->network_line > 0 && p->f.nodes.n > 0)
        atn_topo_found(p->f.found, p->network_line,
                       "a cluster with topology= beside other hosts; give it a file of its own");
    if (p->network_line > 0)
        return;
    for (int i = 0; p->f.found->wrong == 0 && i < p->routes.n; i++)
        forward_route(p, NULL, &p->routes.v[i]);
    atn_import_fabric_draft(&p->f, d);
    for (int i = 0; p->f.found->wrong == 0 && i < p->routes.n; i++)
        forward_route(p, d, &p->routes.v[i]);
}

void atn_import_simgrid(atn_draft *d, const char *text)
{
    atn_import_platform p = {
        .d = d, .f.found = d->found, .doc.found = d->found, .link_ids.found = d->found};
    atn_import_read_xml(&p.doc, text);
    if (d->found->wrong == 0)
        read_platform(&p, d);
    free_platform(&p);
}

bool atn_import_is_simgrid(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '<' && strstr(text, "<platform") != NULL;
}
