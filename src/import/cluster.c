/* cluster.c - <cluster> of SimGrid's platforms: hosts on one switch, a torus, a fat tree or a
 * dragonfly. */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "import/platform.h"
#include "topo/hostlist.h"
#include "topo/units.h"

enum { MOST_HOSTS = 65536, MOST_LEVELS = 8 };

static const char *attribute(const atn_import_platform *p, const atn_import_value *v,
                             const char *key)
{
    const char *const text = atn_import_text(&p->doc, v, key);
    return text ? text : "";
}

/* ---- hosts ---- */

/* "0-7,9" with prefix and suffix. */
static void list_hosts(const atn_import_platform *p, const atn_import_value *v,
                       atn_name_list *names)
{
    const char *const radical = attribute(p, v, "radical");
    char *list = NULL;
    size_t bytes;
    atn_error err = {0};
    FILE *f = atn_open_text(&list, &bytes);
    if (f == NULL) {
        p->f.found->no_memory = true;
        return;
    }
    fprintf(f, "%s[%s]%s", attribute(p, v, "prefix"), radical, attribute(p, v, "suffix"));
    if (fclose(f) != 0)
        p->f.found->no_memory = true;
    else if (atn_topo_hostlist_expand(list, names, &err) != ATN_OK)
        atn_topo_found(p->f.found, v->line, "radical=\"%s\": %s", radical, err.text);
    free(list);
}

/* Messages between hosts also cross the backbone: half of its delay belongs to either side. */
static void one_switch(atn_import_platform *p, const atn_import_value *v,
                       const atn_name_list *names)
{
    const atn_platform_link host = atn_import_platform_link(p, v, "bw", "lat");
    const bool backbone = atn_import_text(&p->doc, v, "bb_bw") != NULL;
    atn_platform_link inner = {0};
    char id[512];
    if (backbone)
        inner = atn_import_platform_link(p, v, "bb_bw", "bb_lat");
    if (*attribute(p, v, "router_id") != '\0')
        snprintf(id, sizeof id, "%s", attribute(p, v, "router_id"));
    else
        snprintf(id, sizeof id, "%s%s_router%s", attribute(p, v, "prefix"), attribute(p, v, "id"),
                 attribute(p, v, "suffix"));
    const int at = atn_import_fabric_node(&p->f, id, v->line);
    atn_import_fabric_name(&p->f, at, attribute(p, v, "id"));
    atn_import_fabric_describe(&p->f, at, ATN_FABRIC_SWITCH, "");
    for (int i = 0; i < names->n; i++)
        atn_import_fabric_cable(
            &p->f, (atn_fabric_cable){
                       .from = atn_import_platform_node(p, names->v[i], ATN_FABRIC_HOST, v->line),
                       .to = at,
                       .rate = host.rate,
                       .delay_ns = host.delay_ns + inner.delay_ns / 2,
                       .line = v->line});
    if (backbone && inner.rate / names->n < host.rate)
        atn_topo_remark(p->f.found, v->line,
                        "the backbone of cluster %s limits all of its hosts together; a topology "
                        "has no such limit inside of a switch",
                        attribute(p, v, "id"));
}

/* ---- networks ---- */

/* "2;8,4;2,4;1,1": lists of numbers. */
static int numbers(const char **at_p, int *list)
{
    int n = 0;
    for (; n < MOST_LEVELS && **at_p != ';' && **at_p != '\0'; n++) {
        char *end;
        list[n] = (int)strtol(*at_p, &end, 10);
        if (end == *at_p || list[n] < 1)
            return 0;
        *at_p = end + (*end == ',');
    }
    *at_p += **at_p == ';';
    return n;
}

typedef struct {
    FILE *f;
    const char *parameters;
    int64_t link_rate, delay_ns;
} network;

static void write_rate(const network *w, int cables)
{
    char rate[32], delay[32];
    fprintf(w->f, "@%s+%s", atn_topo_format_rate(w->link_rate * cables, rate),
            atn_topo_format_delay(w->delay_ns, delay));
}

/* The dimensions. */
static bool write_torus(network *w)
{
    int list[MOST_LEVELS];
    const int n = numbers(&w->parameters, list);
    fputs("torus:", w->f);
    for (int i = 0; i < n; i++)
        fprintf(w->f, "%s%d", i ? "x" : "", list[i]);
    write_rate(w, 1);
    return n > 0 && *w->parameters == '\0';
}

/* levels; children; parents; cables of each, from the hosts up. */
static bool write_fattree(network *w)
{
    int levels[MOST_LEVELS], down[MOST_LEVELS], up[MOST_LEVELS], cables[MOST_LEVELS];
    const bool one = numbers(&w->parameters, levels) == 1;
    const int n = numbers(&w->parameters, down);
    if (!one || n != levels[0] || numbers(&w->parameters, up) != n ||
        numbers(&w->parameters, cables) != n)
        return false;
    fputs("fattree:", w->f);
    for (int i = n - 1; i >= 0; i--) {
        fprintf(w->f, "%d", down[i]);
        write_rate(w, cables[i]);
        fputs(i ? "x" : ";", w->f);
    }
    if (up[0] > 1)
        fprintf(w->f, "rails=%d;", up[0]);
    for (int i = 1; i < n; i++)
        fprintf(w->f, "%s%d%s", i == 1 ? "up=" : ",", up[i], i == n - 1 ? ";" : "");
    fputs("routes=dmodk", w->f);
    return true;
}

/* groups, links; chassis, links; routers, links; nodes */
static bool write_dragonfly(network *w)
{
    int groups[MOST_LEVELS], chassis[MOST_LEVELS], routers[MOST_LEVELS], nodes[MOST_LEVELS];
    if (numbers(&w->parameters, groups) != 2 || numbers(&w->parameters, chassis) != 2 ||
        numbers(&w->parameters, routers) != 2 || numbers(&w->parameters, nodes) != 1 ||
        chassis[0] != 1)
        return false;
    fprintf(w->f, "dragonfly:%d", groups[0]);
    write_rate(w, groups[1]);
    fprintf(w->f, "x%d", routers[0]);
    write_rate(w, routers[1]);
    fprintf(w->f, "x%d", nodes[0]);
    write_rate(w, 1);
    return true;
}

static const struct {
    const char *name;
    bool (*write)(network *w);
    const char *remedy;
} networks[] = {
    {"TORUS", write_torus, "write the dimensions, as 4,4,2"},
    {"FAT_TREE", write_fattree, "write levels;children;parents;cables, as 2;8,4;2,4;1,1"},
    {"DRAGONFLY", write_dragonfly,
     "write groups,links;1,links;routers,links;nodes - several chassis in a group have no "
     "counterpart"},
};

enum { NETWORKS = sizeof networks / sizeof *networks };

static char *network_text(const atn_import_platform *p, const atn_import_value *v, int kind,
                          const atn_name_list *names, bool *valid_p)
{
    const atn_platform_link l = atn_import_platform_link(p, v, "bw", "lat");
    char *text = NULL;
    size_t bytes;
    network w = {.f = atn_open_text(&text, &bytes),
                 .parameters = attribute(p, v, "topo_parameters"),
                 .link_rate = l.rate,
                 .delay_ns = l.delay_ns};
    if (w.f == NULL)
        return NULL;
    *valid_p = networks[kind].write(&w);
    fputs(";hosts=", w.f);
    atn_topo_hostlist_print(w.f, (const char *const *)names->v, names->n);
    if (fclose(w.f) == 0)
        return text;
    free(text);
    return NULL;
}

static void whole_network(atn_import_platform *p, const atn_import_value *v, const char *kind,
                          const atn_name_list *names)
{
    int k = 0;
    bool valid = false;
    while (k < NETWORKS && strcmp(networks[k].name, kind) != 0)
        k++;
    if (k == NETWORKS) {
        atn_topo_found(p->f.found, v->line,
                       "topology=\"%s\" is unknown; there are FLAT, TORUS, FAT_TREE and DRAGONFLY",
                       kind);
        return;
    }
    if (p->network_line > 0)
        atn_topo_found(p->f.found, v->line,
                       "a second cluster with topology=, the first is on line "
                       "%d; a topology has one",
                       p->network_line);
    p->network_line = v->line;
    char *const text = network_text(p, v, k, names, &valid);
    if (text == NULL)
        p->f.found->no_memory = true;
    else if (!valid)
        atn_topo_found(p->f.found, v->line, "topo_parameters=\"%s\" describes no %s; %s",
                       attribute(p, v, "topo_parameters"), kind, networks[k].remedy);
    else if (p->f.found->wrong == 0)
        atn_topo_read_string(p->d, text, v->line);
    free(text);
}

void atn_import_platform_cluster(atn_import_platform *p, const atn_import_value *v)
{
    const char *const kind = attribute(p, v, "topology");
    atn_name_list names = {0};
    list_hosts(p, v, &names);
    if (names.n > MOST_HOSTS)
        atn_topo_found(p->f.found, v->line, "more than %d hosts; describe fewer", MOST_HOSTS);
    else if (names.n > 0 && (*kind == '\0' || strcmp(kind, "FLAT") == 0))
        one_switch(p, v, &names);
    else if (names.n > 0)
        whole_network(p, v, kind, &names);
    atn_topo_name_list_free(&names);
}
