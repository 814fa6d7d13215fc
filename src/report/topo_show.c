/* topo_show.c - a topology as a tree in text, or as a row per node. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "report/topo_report.h"
#include "topo/hostlist.h"
#include "topo/routes.h"
#include "topo/units.h"

enum { MAX_CELL = 120 };

static const char *const kinds[] = {"switch", "host", "part"};

static const char *level_of(const atn_topo_node *v) { return v->level ? v->level : kinds[v->kind]; }

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* ---- cells ---- */

static void link_cells(atn_table *table, const atn_topo_node *v)
{
    char text[32];
    atn_report_cell(table, "%s", v->rate > 0 ? atn_topo_format_rate(v->rate, text) : "");
    atn_report_cell(table, "%s", v->delay_ns > 0 ? atn_topo_format_delay(v->delay_ns, text) : "");
}

static void load_cells(atn_table *table, const atn_topo *t, const atn_topo_facts *facts, int v)
{
    if (v == 0 || t->p == 0)
        atn_report_cell(table, "%s", "");
    else
        atn_report_cell(table, "%" PRId64, facts->loads[v]);
    atn_report_cell(table, "%s", facts->bottleneck[v] ? "bottleneck" : "");
}

/* ---- the tree ---- */

typedef struct {
    const atn_topo *t;
    const atn_topo_facts *facts;
    atn_table table;
    bool all;
    const char **names; /* room for a group */
    int *ranks;
    char indent[512];
} tree;

static const atn_column tree_columns[] = {
    {"node", ATN_CELL_TEXT},    {"level", ATN_CELL_TEXT},  {"rate", ATN_CELL_NUMBER},
    {"delay", ATN_CELL_NUMBER}, {"load", ATN_CELL_NUMBER}, {"note", ATN_CELL_TEXT},
    {"ranks", ATN_CELL_TEXT},
};

static int subtree_end(const atn_topo *t, int v)
{
    int end = v + 1;
    while (end < t->nnodes && t->nodes[end].depth > t->nodes[v].depth)
        end++;
    return end;
}

static bool is_leaf(const atn_topo *t, int v)
{
    return t->nodes[v].kind != ATN_TOPO_SWITCH && subtree_end(t, v) == v + 1;
}

/* Hosts that differ in nothing but their names and ranks. */
static bool alike(const tree *w, int a, int b)
{
    const atn_topo_node *x = &w->t->nodes[a], *y = &w->t->nodes[b];
    return x->parent == y->parent && x->kind == y->kind && x->rate == y->rate &&
           x->delay_ns == y->delay_ns && w->facts->below[a] == w->facts->below[b] &&
           is_leaf(w->t, a) && is_leaf(w->t, b) && strcmp(level_of(x), level_of(y)) == 0;
}

/* Leaves from v on that share its line; returns where they end. */
static int group_end(const tree *w, int v)
{
    int end = subtree_end(w->t, v);
    while (!w->all && end < w->t->nnodes && alike(w, v, end))
        end++;
    return end;
}

static void name_cell(tree *w, int v, int end, const char *branch)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    const bool leaf = is_leaf(w->t, v);
    if (f == NULL) {
        w->table.failed = true;
        return;
    }
    for (int i = v; i < end && (leaf || i == v); i++)
        w->names[i - v] = w->t->nodes[i].name;
    fprintf(f, "%s%s", w->indent, branch);
    atn_topo_hostlist_print(f, w->names, leaf ? end - v : 1);
    if (fclose(f) != 0)
        w->table.failed = true;
    else
        atn_report_cell(&w->table, "%s", text);
    free(text);
}

static void ranks_cell(tree *w, int v, int end)
{
    const atn_topo_facts *facts = w->facts;
    char text[MAX_CELL];
    int n = 0;
    const bool leaf = is_leaf(w->t, v);
    for (int i = v; i < (leaf ? end : v + 1); i++)
        for (int k = facts->first[i]; k < facts->first[i + 1]; k++)
            w->ranks[n++] = facts->ranks[k];
    atn_report_numbers_print(w->ranks, n, text, sizeof text);
    atn_report_cell(&w->table, "%s", text);
}

static void row(tree *w, int v, int end, const char *branch)
{
    const atn_topo_node *node = &w->t->nodes[v];
    name_cell(w, v, end, branch);
    const bool hosts = node->kind == ATN_TOPO_HOST && is_leaf(w->t, v);
    atn_report_cell(&w->table, "%s%s", level_of(node), hosts ? plural(end - v) : "");
    link_cells(&w->table, node);
    load_cells(&w->table, w->t, w->facts, v);
    ranks_cell(w, v, end);
}

/* Rows of what is below v; the indent grows by three letters per depth. */
static void rows_below(tree *w, int v)
{
    static const char *const branches[] = {"\xe2\x94\x9c\xe2\x94\x80 ",
                                           "\xe2\x94\x94\xe2\x94\x80 "};
    const int last = subtree_end(w->t, v);
    const size_t used = strlen(w->indent);
    for (int c = v + 1, end; c < last; c = end) {
        end = group_end(w, c);
        row(w, c, end, branches[end == last]);
        if (is_leaf(w->t, c) || used + 8 > sizeof w->indent)
            continue;
        strcat(w->indent, end == last ? "   " : "\xe2\x94\x82  ");
        rows_below(w, c);
        w->indent[used] = '\0';
    }
}

/* ---- above and below the tree ---- */

static void write_head(FILE *f, const atn_topo *t, const atn_topo_facts *facts)
{
    fprintf(f, "%s: ", t->origin);
    if (t->p > 0)
        fprintf(f, "%d rank%s on ", t->p, plural(t->p));
    fprintf(f, "%d host%s", facts->hosts, plural(facts->hosts));
    if (facts->switches > 0)
        fprintf(f, ", %d switch%s", facts->switches, facts->switches == 1 ? "" : "es");
    if (t->p == 0)
        fputs(", no ranks placed", f);
    fprintf(f, ", fingerprint %016" PRIx64 "\n", atn_topo_fingerprint(t));
    if (t->routes)
        fprintf(f,
                "Network: %s; %d link%s, up to %d on a route.  Rates and loads of switches are "
                "those of all links that leave them.\n",
                t->routes->rule->name, t->routes->nlinks, plural(t->routes->nlinks),
                t->routes->longest);
    fputc('\n', f);
}

/* The slowest an alltoall can be, for a message size that shows milliseconds. */
static void write_foot(FILE *f, const atn_topo *t, const atn_topo_facts *facts)
{
    const int v = facts->worst, n = facts->nbottlenecks;
    char rate[32];
    if (v < 0)
        return;
    fprintf(f, "\n%d bottleneck%s", n, plural(n));
    if (v >= t->nnodes) {
        char name[MAX_CELL];
        atn_report_topo_link_name(t, v, " to ", name, sizeof name);
        fprintf(f, ", %s%s", n == 1 ? "" : "the first from ", name);
    }
    fprintf(f, ": an alltoall sends %" PRId64 " messages %s over %s.", facts->loads[v],
            v < t->nnodes ? "each way" : "one way", n == 1 ? "it" : "each");
    if (facts->worst_rate > 0)
        fprintf(f, "\nAt %sbit/s, 64K for every pair take %.4g ms or more.",
                atn_topo_format_rate(facts->worst_rate, rate),
                (double)facts->loads[v] * 65536 * 8e3 / (double)facts->worst_rate);
    fputc('\n', f);
}

static atn_status show_tree(FILE *f, const atn_topo *t, const atn_topo_facts *facts, bool all,
                            bool terminal, atn_error *err)
{
    tree w = {.t = t, .facts = facts, .all = all};
    w.table = (atn_table){.columns = tree_columns,
                          .ncolumns = sizeof tree_columns / sizeof *tree_columns};
    w.names = malloc(sizeof *w.names * (size_t)t->nnodes);
    w.ranks = malloc(sizeof *w.ranks * ((size_t)t->p + 1));
    atn_status st = ATN_OK;
    if (w.names && w.ranks) {
        row(&w, 0, 1, "");
        rows_below(&w, 0);
        write_head(f, t, facts);
        st = atn_report_table_write(f, &w.table, "table", terminal, err);
        write_foot(f, t, facts);
    } else {
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    atn_report_table_free(&w.table);
    free(w.names);
    free(w.ranks);
    return st;
}

/* ---- a row per node ---- */

static const atn_column columns[] = {
    {"node", ATN_CELL_TEXT},       {"kind", ATN_CELL_TEXT},    {"level", ATN_CELL_TEXT},
    {"parent", ATN_CELL_TEXT},     {"depth", ATN_CELL_NUMBER}, {"rate_bps", ATN_CELL_NUMBER},
    {"delay_ns", ATN_CELL_NUMBER}, {"load", ATN_CELL_NUMBER},  {"bottleneck", ATN_CELL_TEXT},
    {"ranks", ATN_CELL_TEXT},
};

static void node_row(atn_table *table, const atn_topo *t, const atn_topo_facts *facts, int v,
                     char *ranks, size_t size)
{
    const atn_topo_node *node = &t->nodes[v];
    atn_report_cell(table, "%s", node->name);
    atn_report_cell(table, "%s", kinds[node->kind]);
    atn_report_cell(table, "%s", level_of(node));
    atn_report_cell(table, "%s", v ? t->nodes[node->parent].name : "");
    atn_report_cell(table, "%d", node->depth);
    atn_report_cell(table, "%" PRId64, node->rate);
    atn_report_cell(table, "%" PRId64, node->delay_ns);
    atn_report_cell(table, "%" PRId64, facts->loads[v]);
    atn_report_cell(table, "%s", facts->bottleneck[v] ? "yes" : "no");
    atn_report_numbers_print(facts->ranks + facts->first[v], facts->first[v + 1] - facts->first[v],
                             ranks, size);
    atn_report_cell(table, "%s", ranks);
}

static void link_row(atn_table *table, const atn_topo *t, const atn_topo_facts *facts, int i)
{
    const atn_route_link *l = &t->routes->links[i - t->nnodes];
    char ends[2][64];
    atn_topo_router_name(t->routes, l->a, ends[0], sizeof ends[0]);
    atn_topo_router_name(t->routes, l->b, ends[1], sizeof ends[1]);
    atn_report_cell(table, "%s", ends[0]);
    atn_report_cell(table, "%s", "link");
    atn_report_cell(table, "%s", "");
    atn_report_cell(table, "%s", ends[1]);
    atn_report_cell(table, "%s", "");
    atn_report_cell(table, "%" PRId64, l->rate);
    atn_report_cell(table, "%" PRId64, l->delay_ns);
    atn_report_cell(table, "%" PRId64, facts->loads[i]);
    atn_report_cell(table, "%s", facts->bottleneck[i] ? "yes" : "no");
    atn_report_cell(table, "%s", "");
}

static atn_status show_rows(FILE *f, const atn_topo *t, const atn_topo_facts *facts,
                            const char *format, atn_error *err)
{
    atn_table table = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    const size_t size = 16 * ((size_t)t->p + 1);
    char *ranks = malloc(size);
    table.failed = ranks == NULL;
    for (int v = 0; ranks && v < t->nnodes; v++)
        node_row(&table, t, facts, v, ranks, size);
    for (int i = t->nnodes; ranks && i < atn_topo_links(t); i++)
        link_row(&table, t, facts, i);
    const atn_status st = atn_report_table_write(f, &table, format, false, err);
    atn_report_table_free(&table);
    free(ranks);
    return st;
}

atn_status atn_report_topo_show(FILE *f, const atn_topo *t, const char *format, bool all,
                                bool terminal, atn_error *err)
{
    atn_topo_facts facts;
    if (strcmp(format, "json") == 0)
        return atn_report_topo_json(f, t, err);
    if (!atn_report_topo_facts_make(t, &facts))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status st = strcmp(format, "table") == 0 ? show_tree(f, t, &facts, all, terminal, err)
                                                       : show_rows(f, t, &facts, format, err);
    atn_report_topo_facts_free(&facts);
    return st;
}
