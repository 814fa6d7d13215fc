/* topo_report.h - topologies as text, JSON and diagrams. */
#ifndef ATN_REPORT_TOPO_REPORT_H
#define ATN_REPORT_TOPO_REPORT_H

#include "topo/topo.h"

/* `format`: table (a tree; equal hosts share a line unless `all`), csv (a row per node) or json. */
atn_status atn_report_topo_show(FILE *f, const atn_topo *t, const char *format, bool all,
                                bool terminal, atn_error *err);
/* Nodes, links, ranks, loads and levels as JSON. */
atn_status atn_report_topo_json(FILE *f, const atn_topo *t, atn_error *err);
/* SVG: the tree from left to right, ranks as leaves; line width shows bandwidth. */
atn_status atn_report_topo_draw(FILE *f, const atn_topo *t, atn_error *err);

/* ---- shared by them ---- */

typedef struct {
    int hosts, switches, parts;
    int *below;       /* ranks at or below each node */
    int64_t *loads;   /* messages of an alltoall on each link, nodes first (atn_topo_links), in the
                       * busier direction; with routes, those that leave the branch of a switch */
    bool *bottleneck; /* per link: it is one */
    int nbottlenecks;
    int worst;          /* one of them; -1: none */
    int64_t worst_rate; /* its rate */
    int *ranks, *first; /* the ranks on node v: ranks[first[v]] .. ranks[first[v + 1] - 1] */
} atn_topo_facts;

bool atn_report_topo_facts_make(const atn_topo *t, atn_topo_facts *facts_p);
void atn_report_topo_facts_free(atn_topo_facts *facts);

/* "s0.0BETWEENs0.1": the ends of a link of the routes. */
void atn_report_topo_link_name(const atn_topo *t, int link, const char *between, char *out,
                               size_t size);

/* "0-3,8": consecutive numbers become a range.  Truncated to `size` with "...". */
void atn_report_numbers_print(const int *numbers, int n, char *out, size_t size);

#endif
