/* topo_json.c - a topology for other programs. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/json.h"
#include "report/topo_report.h"
#include "topo/routes.h"

static void write_node(atn_json *j, const atn_topo *t, const atn_topo_facts *facts, int v)
{
    static const char *const kinds[] = {"switch", "host", "part"};
    const atn_topo_node *node = &t->nodes[v];
    atn_report_json_open(j, NULL, '{');
    atn_report_json_text(j, "name", node->name);
    atn_report_json_text(j, "kind", kinds[node->kind]);
    atn_report_json_text(j, "level", node->level);
    atn_report_json_text(j, "parent", v ? t->nodes[node->parent].name : NULL);
    atn_report_json_int(j, "rate_bps", node->rate);
    atn_report_json_int(j, "delay_ns", node->delay_ns);
    atn_report_json_int(j, "load", facts->loads[v]);
    atn_report_json_bool(j, "bottleneck", facts->bottleneck[v]);
    atn_report_json_open(j, "ranks", '[');
    for (int k = facts->first[v]; k < facts->first[v + 1]; k++)
        atn_report_json_int(j, NULL, facts->ranks[k]);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

static void write_link(atn_json *j, const atn_topo *t, const atn_topo_facts *facts, int i)
{
    const atn_route_link *l = &t->routes->links[i - t->nnodes];
    char end[64];
    atn_report_json_open(j, NULL, '{');
    atn_topo_router_name(t->routes, l->a, end, sizeof end);
    atn_report_json_text(j, "from", end);
    atn_topo_router_name(t->routes, l->b, end, sizeof end);
    atn_report_json_text(j, "to", end);
    atn_report_json_int(j, "rate_bps", l->rate);
    atn_report_json_int(j, "delay_ns", l->delay_ns);
    atn_report_json_int(j, "load", facts->loads[i]);
    atn_report_json_bool(j, "bottleneck", facts->bottleneck[i]);
    atn_report_json_close(j, '}');
}

static void write_routes(atn_json *j, const atn_topo *t, const atn_topo_facts *facts)
{
    atn_report_json_open(j, "routes", '{');
    atn_report_json_text(j, "rule", t->routes->rule->name);
    atn_report_json_int(j, "longest", t->routes->longest);
    atn_report_json_open(j, "links", '[');
    for (int i = t->nnodes; i < atn_topo_links(t); i++)
        write_link(j, t, facts, i);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

/* The cluster of each rank, level by level. */
static bool write_levels(atn_json *j, const atn_topo *t)
{
    int *cluster_of = malloc(sizeof *cluster_of * ((size_t)t->p + 1));
    bool done = cluster_of != NULL;
    atn_report_json_open(j, "levels", '[');
    for (int level = 0; done && t->p > 0 && level < atn_topo_levels(t); level++) {
        const int n = atn_topo_clusters(t, level, cluster_of);
        done = n >= 0;
        atn_report_json_open(j, NULL, '{');
        atn_report_json_int(j, "clusters", n);
        atn_report_json_open(j, "cluster_of", '[');
        for (int r = 0; done && r < t->p; r++)
            atn_report_json_int(j, NULL, cluster_of[r]);
        atn_report_json_close(j, ']');
        atn_report_json_close(j, '}');
    }
    atn_report_json_close(j, ']');
    free(cluster_of);
    return done;
}

atn_status atn_report_topo_json(FILE *f, const atn_topo *t, atn_error *err)
{
    atn_topo_facts facts;
    atn_json j = {.f = f};
    char fingerprint[20];
    if (!atn_report_topo_facts_make(t, &facts))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, atn_topo_fingerprint(t));
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/topo-show.json */
    atn_report_json_text(&j, "origin", t->origin);
    atn_report_json_text(&j, "fingerprint", fingerprint);
    atn_report_json_int(&j, "ranks", t->p);
    atn_report_json_int(&j, "hosts", facts.hosts);
    atn_report_json_int(&j, "switches", facts.switches);
    atn_report_json_open(&j, "nodes", '[');
    for (int v = 0; v < t->nnodes; v++)
        write_node(&j, t, &facts, v);
    atn_report_json_close(&j, ']');
    if (t->routes)
        write_routes(&j, t, &facts);
    const bool done = write_levels(&j, t);
    atn_report_json_close(&j, '}');
    atn_report_topo_facts_free(&facts);
    return done ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
