/* fabric.c - see fabric.h. */
#include "import/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTERS = 2048 }; /* with routes; see topo/shortest.c */

/* ---- while a file is read ---- */

int atn_import_fabric_node(atn_fabric *f, const char *identity, int line)
{
    f->identities.found = f->found;
    const int v = atn_topo_draft_node_at(&f->identities, ATN_TOPO_SWITCH, identity, line);
    if (v == f->nodes.n && !atn_push(&f->nodes, (atn_fabric_node){0})) {
        f->found->no_memory = true;
        return -1;
    }
    return v;
}

/* Names become words of host lists. */
static void make_word(char *name)
{
    for (; *name != '\0'; name++)
        if (!atn_topo_is_name_char(*name))
            *name = '_';
}

void atn_import_fabric_name(atn_fabric *f, int node, const char *name)
{
    if (node < 0 || f->nodes.v[node].name != NULL || *name == '\0')
        return;
    char *const copy = strdup(name);
    if (copy == NULL)
        f->found->no_memory = true;
    else
        make_word(copy);
    f->nodes.v[node].name = copy;
}

void atn_import_fabric_describe(atn_fabric *f, int node, atn_fabric_kind kind, const char *text)
{
    if (node < 0)
        return;
    atn_fabric_node *const v = &f->nodes.v[node];
    v->kind = v->kind != ATN_FABRIC_UNKNOWN ? v->kind : kind;
    if (v->description == NULL && *text != '\0' && (v->description = strdup(text)) == NULL)
        f->found->no_memory = true;
}

void atn_import_fabric_port(atn_fabric *f, int node, int port)
{
    if (node < 0)
        return;
    atn_fabric_node *const v = &f->nodes.v[node];
    v->ports = v->ports || (v->port != 0 && v->port != port);
    v->port = v->port != 0 ? v->port : port;
}

void atn_import_fabric_cable(atn_fabric *f, atn_fabric_cable cable)
{
    if (cable.from < 0 || cable.to < 0)
        return;
    if (!atn_push(&f->cables, cable))
        f->found->no_memory = true;
}

void atn_import_fabric_free(atn_fabric *f)
{
    for (int i = 0; i < f->nodes.n; i++)
        free(f->nodes.v[i].name), free(f->nodes.v[i].description);
    atn_topo_draft_free(&f->identities);
    atn_vec_free(&f->nodes);
    atn_vec_free(&f->cables);
    atn_vec_free(&f->tables);
    atn_vec_free(&f->entries);
}

/* ---- from nodes to hosts and switches ---- */

typedef struct {
    atn_fabric *f;
    atn_draft *d;
    atn_net_graph g;
    atn_draft names; /* index of the nodes of the graph */
    int *place;      /* node of the fabric -> node of the graph; -1: none */
    int *link_of;    /* node of the graph -> the only link of a host; -1: none */
} maker;

static int line_of(const atn_fabric *f, int v) { return f->identities.nodes.v[v].line; }
static const char *identity_of(const atn_fabric *f, int v) { return f->identities.nodes.v[v].name; }

/* Adapters have one port at each address, switches many. */
bool atn_import_fabric_is_host(const atn_fabric_node *v)
{
    return v->kind == ATN_FABRIC_HOST || (v->kind == ATN_FABRIC_UNKNOWN && !v->ports);
}

/* Switches of the same name, as many have a description of their type only, are known by their
 * identity. */
static bool name_is_shared(const atn_fabric *f, int v)
{
    const char *const name = f->nodes.v[v].name;
    for (int i = 0; i < f->nodes.n; i++)
        if (i != v && f->nodes.v[i].name != NULL && !atn_import_fabric_is_host(&f->nodes.v[i]) &&
            strcmp(f->nodes.v[i].name, name) == 0)
            return true;
    return false;
}

static const char *name_of(const atn_fabric *f, int v)
{
    const atn_fabric_node *const node = &f->nodes.v[v];
    if (node->name == NULL || (!atn_import_fabric_is_host(node) && name_is_shared(f, v)))
        return identity_of(f, v);
    return node->name;
}

static void place_node(maker *m, int v)
{
    const char *const name = name_of(m->f, v);
    const bool host = atn_import_fabric_is_host(&m->f->nodes.v[v]);
    const int line = line_of(m->f, v);
    const int at =
        atn_topo_draft_node_at(&m->names, host ? ATN_TOPO_HOST : ATN_TOPO_SWITCH, name, line);
    m->place[v] = at;
    if (at < 0 || at < m->g.nodes.n)
        return;
    char *const copy = strdup(name);
    if (copy == NULL || !atn_push(&m->g.nodes, (atn_net_node){copy, host, line})) {
        free(copy);
        m->f->found->no_memory = true;
        m->place[v] = -1;
    }
}

/* ---- from cables to links ---- */

/* All cables from one node to another, as one of them lists them. */
typedef struct {
    int from, to, cables, line;
    int64_t rate, delay_ns;
    bool unknown;
} bundle;

typedef ATN_VEC(bundle) bundle_list;

static int by_ends(const void *a, const void *b)
{
    const bundle *x = a, *y = b;
    const int xa = atn_min(x->from, x->to), ya = atn_min(y->from, y->to);
    const int xb = atn_max(x->from, x->to), yb = atn_max(y->from, y->to);
    if (xa != ya)
        return xa < ya ? -1 : 1;
    if (xb != yb)
        return xb < yb ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool same_ends(const bundle *a, const bundle *b)
{
    return atn_min(a->from, a->to) == atn_min(b->from, b->to) &&
           atn_max(a->from, a->to) == atn_max(b->from, b->to);
}

static void add_to(bundle *sum, const bundle *one)
{
    if (sum->cables == 0)
        *sum = *one;
    else {
        sum->cables += one->cables;
        sum->rate += one->rate;
        sum->unknown = sum->unknown || one->unknown;
        sum->delay_ns = sum->delay_ns < one->delay_ns ? sum->delay_ns : one->delay_ns;
    }
}

/* Both ends may list a cable, or one of them: the longer list counts. */
static void add_link(maker *m, const bundle *there, const bundle *back)
{
    const bool first = there->cables > back->cables ||
                       (there->cables == back->cables && there->rate >= back->rate);
    const bundle *const b = first ? there : back;
    const atn_net_link link = {b->from, b->to, b->unknown ? 0 : b->rate, b->delay_ns, b->line};
    if (!atn_push(&m->g.links, link))
        m->f->found->no_memory = true;
}

static void bundle_links(maker *m, bundle_list *list)
{
    if (list->n > 0)
        qsort(list->v, (size_t)list->n, sizeof *list->v, by_ends);
    for (int i = 0, next; i < list->n; i = next) {
        bundle way[2] = {{0}};
        for (next = i; next < list->n && same_ends(&list->v[i], &list->v[next]); next++)
            add_to(&way[list->v[next].from != list->v[i].from], &list->v[next]);
        add_link(m, &way[0], &way[1]);
    }
}

static void make_links(maker *m)
{
    bundle_list list = {0};
    for (int i = 0; i < m->f->cables.n; i++) {
        const atn_fabric_cable *const c = &m->f->cables.v[i];
        const bundle one = {m->place[c->from], m->place[c->to], 1,           c->line,
                            c->rate,           c->delay_ns,     c->rate == 0};
        if (one.from < 0 || one.to < 0 || one.from == one.to)
            continue;
        if (!atn_push(&list, one))
            m->f->found->no_memory = true;
    }
    bundle_links(m, &list);
    atn_vec_free(&list);
}

/* ---- hosts with several links ---- */

static int host_end(const maker *m, const atn_net_link *l)
{
    return m->g.nodes.v[l->a].host ? l->a : m->g.nodes.v[l->b].host ? l->b : -1;
}

/* The link with the smallest line of each host. */
static void select_host_links(const maker *m)
{
    for (int i = 0; i < m->g.links.n; i++) {
        const int host = host_end(m, &m->g.links.v[i]);
        if (host < 0)
            continue;
        const int before = m->link_of[host];
        if (before < 0 || m->g.links.v[i].line < m->g.links.v[before].line)
            m->link_of[host] = i;
    }
}

/* Rails: a host is part of one network, the first one. */
static void drop_rails(maker *m)
{
    int kept = 0, dropped = 0, example = -1;
    select_host_links(m);
    for (int i = 0; i < m->g.links.n; i++) {
        const int host = host_end(m, &m->g.links.v[i]);
        if (host < 0 || m->link_of[host] == i) {
            m->g.links.v[kept++] = m->g.links.v[i];
        } else {
            dropped++;
            example = host;
        }
    }
    m->g.links.n = kept;
    if (dropped > 0)
        atn_topo_remark(m->f->found, m->g.nodes.v[example].line,
                        "hosts such as %s are linked to several switches; the first link of each "
                        "is used",
                        m->g.nodes.v[example].name);
}

/* Nodes without a cable are of no use. */
static void drop_unlinked(maker *m)
{
    bool *const used = calloc((size_t)m->g.nodes.n + 1, sizeof *used);
    int *const moved = calloc((size_t)m->g.nodes.n + 1, sizeof *moved), kept = 0;
    for (int i = 0; used && moved && i < m->g.links.n; i++)
        used[m->g.links.v[i].a] = used[m->g.links.v[i].b] = true;
    for (int v = 0; used && moved && v < m->g.nodes.n; v++) {
        moved[v] = used[v] ? kept : -1;
        if (used[v])
            m->g.nodes.v[kept++] = m->g.nodes.v[v];
        else
            free(m->g.nodes.v[v].name);
    }
    if (used && moved)
        m->g.nodes.n = kept;
    else
        m->f->found->no_memory = true;
    for (int i = 0; used && moved && i < m->g.links.n; i++) {
        m->g.links.v[i].a = moved[m->g.links.v[i].a];
        m->g.links.v[i].b = moved[m->g.links.v[i].b];
    }
    for (int v = 0; used && moved && v < m->f->nodes.n; v++)
        m->place[v] = m->place[v] < 0 ? -1 : moved[m->place[v]];
    free(used);
    free(moved);
}

/* ---- routes ---- */

/* Whether there are several ways between switches, and a table of routes is not too large. */
static bool has_ways(const maker *m)
{
    int switches = 0, links = 0;
    for (int v = 0; v < m->g.nodes.n; v++)
        switches += !m->g.nodes.v[v].host;
    for (int i = 0; i < m->g.links.n; i++)
        links += host_end(m, &m->g.links.v[i]) < 0;
    return links >= switches && switches <= MOST_ROUTERS;
}

/* The switch whose table it is, as a node of the fabric; -1: not listed. */
static int owner_of(const atn_fabric *f, const atn_fabric_table *t)
{
    for (int v = 0; v < f->nodes.n; v++)
        if ((t->guid != 0 && f->nodes.v[v].guid == t->guid) ||
            (t->lid != 0 && f->nodes.v[v].lid == t->lid))
            return v;
    return -1;
}

/* Nodes of the graph that the ports of a switch lead to, and hosts by address. */
typedef struct {
    int *behind; /* by port */
    int ports;
    int *host; /* by address; -1: none */
    int lids;
} lookup;

static bool make_lookup(const maker *m, lookup *x)
{
    const atn_fabric *f = m->f;
    for (int i = 0; i < f->cables.n; i++)
        x->ports = atn_max(x->ports, f->cables.v[i].port + 1);
    for (int v = 0; v < f->nodes.n; v++)
        x->lids = atn_max(x->lids, f->nodes.v[v].lid + 1);
    x->behind = malloc(sizeof *x->behind * ((size_t)x->ports + 1));
    x->host = malloc(sizeof *x->host * ((size_t)x->lids + 1));
    for (int i = 0; x->host && i < x->lids; i++)
        x->host[i] = -1;
    for (int v = 0; x->host && v < f->nodes.n; v++)
        if (m->place[v] >= 0 && f->nodes.v[v].lid > 0 && m->g.nodes.v[m->place[v]].host)
            x->host[f->nodes.v[v].lid] = m->place[v];
    return x->behind && x->host;
}

static void look_behind(const maker *m, lookup *x, int owner)
{
    for (int i = 0; i < x->ports; i++)
        x->behind[i] = -1;
    for (int i = 0; i < m->f->cables.n; i++) {
        const atn_fabric_cable *const c = &m->f->cables.v[i];
        if (c->from == owner && c->port > 0)
            x->behind[c->port] = m->place[c->to];
    }
}

/* Port 0 is the switch itself, 255 no way.  Of several ports of a host, those of other networks are
 * not behind the link that is used, which the last switch ignores. */
static void forward(maker *m, const lookup *x, int at, const atn_fabric_entry *e)
{
    const int host = e->lid < x->lids ? x->host[e->lid] : -1;
    if (e->port <= 0 || e->port >= 255 || host < 0)
        return;
    const int by = e->port < x->ports ? x->behind[e->port] : -1;
    if (by < 0)
        atn_topo_found(m->f->found, e->line,
                       "port %d of %s leads to no node in this file; write links and forwarding "
                       "tables at the same time",
                       e->port, m->g.nodes.v[at].name);
    else if (!m->g.nodes.v[by].host)
        atn_topo_draft_forward(m->d, m->g.nodes.v[at].name, m->g.nodes.v[by].name,
                               m->g.nodes.v[host].name, e->line);
}

static void make_forwards(maker *m)
{
    lookup x = {0};
    const bool done = make_lookup(m, &x);
    int table = -1, at = -1;
    for (int i = 0; done && i < m->f->entries.n; i++) {
        const atn_fabric_entry *const e = &m->f->entries.v[i];
        if (e->table != table) {
            const int owner = owner_of(m->f, &m->f->tables.v[e->table]);
            table = e->table;
            at = owner < 0 ? -1 : m->place[owner];
            if (at >= 0)
                look_behind(m, &x, owner);
            else
                atn_topo_found(m->f->found, m->f->tables.v[table].line,
                               "the switch of this table is not in this file; write links and "
                               "forwarding tables at the same time");
        }
        if (at >= 0)
            forward(m, &x, at, e);
    }
    if (!done)
        m->f->found->no_memory = true;
    free(x.behind);
    free(x.host);
}

/* ---- the whole ---- */

static bool make_room(maker *m)
{
    const int n = m->f->nodes.n;
    m->place = malloc(sizeof *m->place * ((size_t)n + 1));
    m->link_of = malloc(sizeof *m->link_of * ((size_t)n + 1));
    for (int v = 0; m->place && m->link_of && v < n; v++)
        m->place[v] = m->link_of[v] = -1;
    return m->place && m->link_of;
}

static void make_graph(maker *m)
{
    for (int v = 0; v < m->f->nodes.n; v++)
        if (!m->f->nodes.v[v].ignored)
            place_node(m, v);
    make_links(m);
    drop_rails(m);
    drop_unlinked(m);
    m->g.routed = has_ways(m);
}

void atn_import_fabric_draft(atn_fabric *f, atn_draft *d)
{
    maker m = {.f = f, .d = d, .g.root = -1, .names.found = f->found};
    if (f->found->wrong == 0 && !make_room(&m))
        f->found->no_memory = true;
    else if (f->found->wrong == 0) {
        make_graph(&m);
        if (m.g.links.n == 0)
            atn_topo_found(f->found, 0,
                           "no link between two nodes; give the complete file or output");
        else
            atn_topo_graph_draft(d, &m.g);
        if (m.g.routed && f->found->wrong == 0)
            make_forwards(&m);
    }
    atn_topo_graph_free(&m.g);
    atn_topo_draft_free(&m.names);
    free(m.place);
    free(m.link_of);
}
