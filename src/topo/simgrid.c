/* simgrid.c - a platform of SimGrid: hosts, routers, a split-duplex link per edge of the tree. */
#include <inttypes.h>
#include <stdlib.h>

#include "topo/write.h"

/* What ranks inside a host share is not modelled there. */
static bool shown(const atn_topo_node *v) { return v->kind != ATN_TOPO_PART; }

static const char *prefix(const atn_topo_node *v)
{
    return v->kind == ATN_TOPO_SWITCH ? "switch-" : "";
}

static void write_link(FILE *f, const atn_topo_node *v)
{
    const int64_t fast = INT64_C(100000000000);
    fprintf(f,
            "    <link id=\"link-%s%s\" bandwidth=\"%" PRId64 "bps\" latency=\"%" PRId64
            "ns\" sharing_policy=\"SPLITDUPLEX\"/>\n",
            prefix(v), v->name, v->rate > 0 ? v->rate : fast, v->delay_ns);
}

/* Both ways apart, because they use the two halves of the link. */
static void write_route(FILE *f, const atn_topo_node *v, const atn_topo_node *up)
{
    static const char route[] = "    <route src=\"%s%s\" dst=\"%s%s\" symmetrical=\"NO\">"
                                "<link_ctn id=\"link-%s%s\" direction=\"%s\"/></route>\n";
    fprintf(f, route, prefix(v), v->name, prefix(up), up->name, prefix(v), v->name, "UP");
    fprintf(f, route, prefix(up), up->name, prefix(v), v->name, prefix(v), v->name, "DOWN");
}

static void write_platform(FILE *f, const atn_topo *t)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n  <zone id=\"world\" routing=\"Floyd\">\n",
          f);
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            fprintf(f, "    <host id=\"%s\" speed=\"10Gf\"/>\n", t->nodes[v].name);
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            fprintf(f, "    <router id=\"switch-%s\"/>\n", t->nodes[v].name);
    for (int v = 1; v < t->nnodes; v++)
        if (shown(&t->nodes[v]))
            write_link(f, &t->nodes[v]);
    for (int v = 1; v < t->nnodes; v++)
        if (shown(&t->nodes[v]))
            write_route(f, &t->nodes[v], &t->nodes[t->nodes[v].parent]);
    fputs("  </zone>\n</platform>\n", f);
}

/* ---- one host per rank ---- */

static void write_hosts(FILE *f, const atn_topo *t)
{
    for (int r = 0; r < t->p; r++) {
        int v = t->node_of[r];
        while (!shown(&t->nodes[v]))
            v = t->nodes[v].parent;
        fprintf(f, "%s\n", t->nodes[v].name);
    }
}

static atn_status to_text(void (*write)(FILE *f, const atn_topo *t), const atn_topo *t,
                          char **text_p, atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
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
    return to_text(write_platform, t, text_p, err);
}

atn_status atn_topo_to_hostfile(const atn_topo *t, char **text_p, atn_error *err)
{
    if (t->p == 0)
        return atn_fail(err, ATN_INPUT, "%s: no ranks are placed; place them with --ranks",
                        t->origin);
    return to_text(write_hosts, t, text_p, err);
}
