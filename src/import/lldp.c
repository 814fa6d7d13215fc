/* lldp.c - neighbours of hosts, and of switches that run lldpd: `lldpctl -f json` of each of them.
 *
 * Its output does not name the host that it is of, so it stands behind its name ("n0: {...}"), or
 * behind `lldpcli -f json show chassis` of the same host. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/document.h"
#include "import/fabric.h"
#include "import/import.h"

typedef struct {
    atn_fabric f;
    atn_document doc;
    ATN_VEC(bool) listed;  /* per node: its neighbours are in the file */
    ATN_VEC(bool) bridges; /* per node: it reports that it forwards messages */
} reader;

/* ---- nodes ---- */

/* "leaf1.cluster.org" and "leaf1" are the same; addresses have no domain. */
static int node_named(reader *r, const char *name, int line)
{
    char shorter[256];
    const bool domain = isalpha((unsigned char)*name) && strchr(name, ':') == NULL;
    snprintf(shorter, sizeof shorter, "%.*s", (int)(domain ? strcspn(name, ".") : strlen(name)),
             name);
    const int v = atn_import_fabric_node(&r->f, shorter, line);
    atn_import_fabric_name(&r->f, v, shorter);
    while (r->listed.n < r->f.nodes.n)
        if (!atn_push(&r->listed, false) || !atn_push(&r->bridges, false)) {
            r->f.found->no_memory = true;
            return -1;
        }
    return v;
}

static bool is_bridge(const reader *r, const atn_import_value *one)
{
    const char *const type = atn_import_text(&r->doc, one, "type");
    const char *const enabled = atn_import_text(&r->doc, one, "enabled");
    return type && enabled && strcmp(enabled, "true") == 0 &&
           (strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0);
}

/* "capability" is a list, or a single one. */
static bool has_bridge(const reader *r, const atn_import_value *chassis)
{
    const atn_import_value *const all = atn_import_member(&r->doc, chassis, "capability");
    bool found = is_bridge(r, all);
    for (const atn_import_value *v = atn_import_first(&r->doc, all); v != NULL && !found;
         v = atn_import_next(&r->doc, v))
        found = is_bridge(r, v);
    return found;
}

/* "chassis": {"leaf1": {"id": ...}}, or without a name {"id": {"value": ...}} */
static int chassis_node(reader *r, const atn_import_value *chassis)
{
    const atn_import_value *const id = atn_import_member(&r->doc, chassis, "id");
    const atn_import_value *const body = id ? chassis : atn_import_first(&r->doc, chassis);
    const char *const name = id ? atn_import_text(&r->doc, id, "value") : body ? body->key : NULL;
    if (name == NULL)
        return -1;
    const int v = node_named(r, name, chassis->line);
    if (v >= 0)
        r->bridges.v[v] = r->bridges.v[v] || has_bridge(r, body);
    return v;
}

/* ---- links ---- */

/* "1000BaseTFD - Four-pair Category 5 UTP", "10GigBaseLR", "100GBASE-SR4" */
static int64_t rate_of(const char *text)
{
    char *unit;
    const double number = text ? strtod(text, &unit) : 0;
    if (number <= 0 || number > 1e6)
        return 0;
    const bool giga = toupper((unsigned char)*unit) == 'G';
    if (giga)
        unit += strncasecmp(unit, "gig", 3) == 0 ? 3 : 1;
    return strncasecmp(unit, "base", 4) == 0 ? (int64_t)(number * (giga ? 1e9 : 1e6)) : 0;
}

static void neighbour(reader *r, int from, const atn_import_value *interface)
{
    const atn_import_value *const chassis = atn_import_member(&r->doc, interface, "chassis");
    const atn_import_value *const port = atn_import_member(&r->doc, interface, "port");
    const atn_import_value *const speed = atn_import_member(&r->doc, port, "auto-negotiation");
    if (chassis == NULL)
        return;
    const int to = chassis_node(r, chassis);
    if (to < 0) {
        atn_topo_found(r->f.found, chassis->line,
                       "a chassis without name and id; give the "
                       "unchanged output of lldpctl -f json");
        return;
    }
    atn_import_fabric_cable(
        &r->f, (atn_fabric_cable){.from = from,
                                  .to = to,
                                  .rate = rate_of(atn_import_text(&r->doc, speed, "current")),
                                  .line = interface->line});
}

/* {"interface": {"eth0": {...}}}, or [{"eth0": {...}}, {"eth1": {...}}] if there are several. */
static void neighbours(reader *r, int from, const atn_import_value *lldp)
{
    const atn_import_value *const all = atn_import_member(&r->doc, lldp, "interface");
    if (from < 0)
        return;
    r->listed.v[from] = true;
    if (lldp->kind != ATN_VALUE_MAP) {
        atn_topo_found(r->f.found, lldp->line,
                       "another format than json; write the file with "
                       "lldpctl -f json");
        return;
    }
    for (const atn_import_value *v = atn_import_first(&r->doc, all); v != NULL;
         v = atn_import_next(&r->doc, v))
        neighbour(r, from, all->kind == ATN_VALUE_LIST ? atn_import_first(&r->doc, v) : v);
}

/* ---- files ---- */

/* {"local-chassis": {"chassis": {"n0": {...}}}}; -1: none. */
static int local_node(reader *r, const atn_import_value *map)
{
    const atn_import_value *const local = atn_import_member(&r->doc, map, "local-chassis");
    const atn_import_value *const chassis = atn_import_member(&r->doc, local, "chassis");
    return chassis ? chassis_node(r, chassis) : -1;
}

static void read_map(reader *r, const atn_import_value *map, int *current_p)
{
    const int local = local_node(r, map);
    const atn_import_value *const lldp = atn_import_member(&r->doc, map, "lldp");
    *current_p = local >= 0 ? local : *current_p;
    if (lldp != NULL && *current_p < 0)
        atn_topo_found(
            r->f.found, lldp->line,
            "the host of these neighbours is not named; write 'n0:' before the output of "
            "n0, or that of 'lldpcli -f json show chassis'");
    else if (lldp != NULL)
        neighbours(r, *current_p, lldp);
    if (lldp != NULL)
        *current_p = -1;
    if (lldp != NULL || local >= 0)
        return;
    for (const atn_import_value *v = atn_import_first(&r->doc, map); v != NULL;
         v = atn_import_next(&r->doc, v)) {
        int host = v->key && v->kind == ATN_VALUE_MAP ? node_named(r, v->key, v->line) : -1;
        if (host >= 0)
            read_map(r, v, &host);
    }
}

static int distinct_neighbours(const reader *r, int v)
{
    int n = 0, seen[3];
    for (int i = 0; i < r->f.cables.n && n < 3; i++) {
        const atn_fabric_cable *const c = &r->f.cables.v[i];
        bool known = c->from != v;
        for (int k = 0; k < n; k++)
            known = known || seen[k] == c->to;
        if (!known)
            seen[n++] = c->to;
    }
    return n;
}

/* Hosts may forward messages to virtual machines, so that alone makes no switch. */
static void find_kinds(reader *r)
{
    for (int v = 0; v < r->f.nodes.n && v < r->listed.n; v++) {
        const bool connects = !r->listed.v[v] || distinct_neighbours(r, v) > 2;
        r->f.nodes.v[v].kind = r->bridges.v[v] && connects ? ATN_FABRIC_SWITCH : ATN_FABRIC_HOST;
    }
}

void atn_import_lldp(atn_draft *d, const char *text)
{
    reader r = {.f.found = d->found, .doc.found = d->found};
    int current = -1;
    atn_import_read_yaml(&r.doc, text);
    if (d->found->wrong == 0 && r.doc.values.n > 0)
        for (const atn_import_value *v = atn_import_first(&r.doc, &r.doc.values.v[0]); v != NULL;
             v = atn_import_next(&r.doc, v))
            read_map(&r, v, &current);
    find_kinds(&r);
    atn_import_fabric_draft(&r.f, d);
    atn_import_fabric_free(&r.f);
    atn_import_document_free(&r.doc);
    atn_vec_free(&r.listed);
    atn_vec_free(&r.bridges);
}

bool atn_import_is_lldp(const char *text)
{
    return strstr(text, "\"lldp\"") != NULL && strstr(text, "\"chassis\"") != NULL;
}
