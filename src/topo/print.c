/* print.c - a topology as topology.conf, with what Slurm does not have in comments. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/hostlist.h"
#include "topo/routes.h"
#include "topo/topo.h"
#include "topo/units.h"

enum { MOST_ENDS = 64 }; /* of a line of links */

typedef struct {
    FILE *f;
    const atn_topo *t;
    int *kids;          /* children of the node at hand, those that share a line together */
    const char **names; /* room for nnodes + p */
} printer;

/* ---- children that share a line ---- */

static int compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_link(const atn_topo_node *a, const atn_topo_node *b)
{
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->rate != b->rate)
        return a->rate < b->rate ? -1 : 1;
    if (a->delay_ns != b->delay_ns)
        return a->delay_ns < b->delay_ns ? -1 : 1;
    return a->kind == ATN_TOPO_PART ? compare_text(a->level, b->level) : 0;
}

static int by_link(const void *a, const void *b, void *t)
{
    const atn_topo_node *nodes = ((const atn_topo *)t)->nodes;
    const atn_topo_node *x = &nodes[*(const int *)a], *y = &nodes[*(const int *)b];
    const int order = compare_link(x, y);
    return order != 0 ? order : atn_topo_name_compare(x->name, y->name);
}

static int children(const printer *w, int v)
{
    int n = 0;
    for (int c = v + 1; c < w->t->nnodes && w->t->nodes[c].depth > w->t->nodes[v].depth; c++)
        if (w->t->nodes[c].parent == v)
            w->kids[n++] = c;
    qsort_r(w->kids, (size_t)n, sizeof *w->kids, by_link, (void *)w->t);
    return n;
}

/* Prints the names of the children from `at` on that share its line; returns where they end. */
static int print_names(const printer *w, int at, int n)
{
    const atn_topo_node *first = &w->t->nodes[w->kids[at]];
    int end = at;
    while (end < n && compare_link(&w->t->nodes[w->kids[end]], first) == 0) {
        w->names[end - at] = w->t->nodes[w->kids[end]].name;
        end++;
    }
    atn_topo_hostlist_print(w->f, w->names, end - at);
    return end;
}

/* ---- lines ---- */

static void print_value(const printer *w, const char *key, const char *value)
{
    const bool quoted = strpbrk(value, " \t") != NULL;
    fprintf(w->f, " %s=%s%s%s", key, quoted ? "\"" : "", value, quoted ? "\"" : "");
}

/* Slurm reads a whole number of 32 bits; other rates go into the comment. */
static bool slurm_speed(int64_t rate)
{
    return rate > 0 && rate % 1000000 == 0 && rate / 1000000 <= UINT32_MAX;
}

static void print_link(const printer *w, const atn_topo_node *link, bool rate)
{
    char text[32];
    if (rate && link->rate > 0)
        print_value(w, "rate", atn_topo_format_rate(link->rate, text));
    if (link->delay_ns > 0)
        print_value(w, "delay", atn_topo_format_delay(link->delay_ns, text));
}

static void print_switch(const printer *w, int v)
{
    static const char *const keys[] = {" Switches=", " Nodes="};
    const atn_topo_node *node = &w->t->nodes[v];
    const int n = children(w, v);
    for (int at = 0; at < n;) {
        const atn_topo_node *link = &w->t->nodes[w->kids[at]];
        const char *level = at == 0 ? node->level : NULL;
        fprintf(w->f, "SwitchName=%s%s", node->name, keys[link->kind]);
        at = print_names(w, at, n);
        const bool speed = slurm_speed(link->rate);
        if (speed)
            fprintf(w->f, " LinkSpeed=%" PRId64, link->rate / 1000000);
        if ((link->rate > 0 && !speed) || link->delay_ns > 0 || level)
            fputs(" #attune", w->f);
        print_link(w, link, !speed);
        if (level)
            print_value(w, "level", level);
        fputc('\n', w->f);
    }
}

static void print_parts(const printer *w, int v)
{
    const int n = children(w, v);
    for (int at = 0; at < n;) {
        const atn_topo_node *link = &w->t->nodes[w->kids[at]];
        fputs("#attune part=", w->f);
        at = print_names(w, at, n);
        fprintf(w->f, " of=%s", w->t->nodes[v].name);
        print_link(w, link, true);
        if (link->level)
            print_value(w, "level", link->level);
        fputc('\n', w->f);
    }
}

/* Ranks that count along the hosts fit on one line; others are cut so that lines stay short. */
static bool print_ranks(const printer *w)
{
    enum { PER_LINE = 16 };
    const atn_topo *t = w->t;
    int jumps = 0;
    bool done = true;
    for (int r = 0; r < t->p; r++) {
        w->names[r] = t->nodes[t->node_of[r]].name;
        jumps += r > 0 && atn_topo_name_compare(w->names[r], w->names[r - 1]) < 0;
    }
    const int each = jumps > 3 && t->p > PER_LINE ? PER_LINE : t->p;
    for (int r = 0; r < t->p && done; r += each) {
        fputs("#attune ranks=", w->f);
        done = atn_topo_ranklist_print(w->f, w->names + r, atn_min(each, t->p - r));
        fputc('\n', w->f);
    }
    return done;
}

/* ---- routes ---- */

/* Links from one router with the same rate and delay share a line; returns where they end. */
static int print_links(const printer *w, int at)
{
    const atn_routes *x = w->t->routes;
    const atn_route_link *first = &x->links[at];
    const atn_topo_node like = {.rate = first->rate, .delay_ns = first->delay_ns};
    const char *names[MOST_ENDS];
    int n = 0;
    for (; at + n < x->nlinks && n < MOST_ENDS; n++) {
        const atn_route_link *l = &first[n];
        if (l->a != first->a || l->rate != first->rate || l->delay_ns != first->delay_ns)
            break;
        names[n] = x->names[l->b];
    }
    fprintf(w->f, "#attune link=%s to=", x->names[first->a]);
    atn_topo_hostlist_print(w->f, names, n);
    print_link(w, &like, true);
    fputc('\n', w->f);
    return at + n;
}

/* Entries of a forwarding table, together where messages leave over one link. */
static void print_forwards(const printer *w, int at)
{
    const atn_routes *x = w->t->routes;
    for (int i = 0; i < 2 * x->nlinks; i++) {
        int n = 0;
        for (int v = 0; atn_topo_route_end(x, i ^ 1) == at && v < w->t->nnodes; v++)
            if (w->t->nodes[v].kind == ATN_TOPO_HOST && x->router_of[w->t->nodes[v].number] != at &&
                x->rule->next(x, at, w->t->nodes[v].number) == i)
                w->names[n++] = w->t->nodes[v].name;
        if (n == 0)
            continue;
        fprintf(w->f, "#attune route=%s by=%s to=", x->names[at],
                x->names[atn_topo_route_end(x, i)]);
        atn_topo_hostlist_print(w->f, w->names, n);
        fputc('\n', w->f);
    }
}

static void print_routes(const printer *w)
{
    const atn_routes *x = w->t->routes;
    for (int i = 0; x->names && i < x->nlinks;)
        i = print_links(w, i);
    for (int at = 0; x->forwarded && at < x->nrouters; at++)
        print_forwards(w, at);
    if (x->names)
        return;
    fputs("#attune", w->f);
    print_value(w, "routes", x->text);
    fputc('\n', w->f);
}

static bool print_all(const printer *w)
{
    fputs("#attune topology 1\n", w->f);
    if (w->t->routes)
        print_routes(w);
    if (w->t->nodes[0].kind != ATN_TOPO_SWITCH)
        fprintf(w->f, "#attune host=%s\n", w->t->nodes[0].name);
    for (int v = 0; v < w->t->nnodes; v++)
        if (w->t->nodes[v].kind == ATN_TOPO_SWITCH)
            print_switch(w, v);
    for (int v = 0; v < w->t->nnodes; v++)
        if (w->t->nodes[v].kind != ATN_TOPO_SWITCH)
            print_parts(w, v);
    return print_ranks(w);
}

char *atn_topo_print(const atn_topo *t)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    printer w = {.f = f, .t = t, .kids = malloc(sizeof *w.kids * (size_t)t->nnodes)};
    w.names = malloc(sizeof *w.names * ((size_t)t->nnodes + (size_t)t->p));
    const bool done = f && w.kids && w.names && print_all(&w) && !ferror(f);
    if (f && (fclose(f) != 0 || !done)) {
        free(text);
        text = NULL;
    }
    free(w.kids);
    free(w.names);
    return text;
}
