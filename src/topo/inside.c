/* inside.c - gives hosts an inside. */
#include "topo/inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/read.h"

/* ---- a machine alone ---- */

/* Parts are called HOST/PART, because names are unique in the whole topology. */
static int draft_part(atn_draft *d, const atn_host_part *part, const char *host, int parent)
{
    char name[300];
    snprintf(name, sizeof name, "%s/%s", host, part->name);
    const int v = atn_topo_draft_node_at(d, ATN_TOPO_PART, name, 0);
    if (v >= 0) {
        atn_topo_draft_hang(d, v, parent, 0);
        atn_topo_draft_level(d, v, part->level);
    }
    return v;
}

static void draft_inside(atn_draft *d, const atn_inside *in)
{
    int *node = malloc(sizeof *node * ((size_t)in->parts.n + 1));
    const int host = atn_topo_draft_node_at(d, ATN_TOPO_HOST, in->host, 0);
    d->found->no_memory = d->found->no_memory || node == NULL;
    for (int i = 0; i < in->parts.n && !d->found->no_memory; i++) {
        const atn_host_part *part = &in->parts.v[i];
        node[i] = draft_part(d, part, in->host, part->parent < 0 ? host : node[part->parent]);
    }
    for (int i = 0; i < in->cores.n && !d->found->no_memory; i++)
        atn_topo_draft_rank(d, in->cores.v[i] < 0 ? host : node[in->cores.v[i]]);
    free(node);
}

void atn_topo_read_hwloc(atn_draft *d, const char *text)
{
    atn_inside in = {0};
    atn_error err = {0};
    const atn_status st = atn_topo_inside_read(text, &in, &err);
    if (st == ATN_MEMORY)
        d->found->no_memory = true;
    else if (st)
        atn_topo_found(d->found, 0, "%s", err.text);
    else
        draft_inside(d, &in);
    atn_topo_inside_free(&in);
}

/* ---- every host of a topology ---- */

typedef struct {
    const atn_topo *t;
    const atn_inside *in;
    atn_topo_node *nodes; /* those of t, then the parts of each host */
    int *first;           /* per node of t: where its parts begin; 0: none */
    int *used;            /* per node of t: cores taken */
    int *node_of;
    int n;
} filling;

/* Hosts that have parts keep them. */
static bool is_plain(const atn_topo *t, int v)
{
    return t->nodes[v].kind == ATN_TOPO_HOST && (v + 1 == t->nnodes || t->nodes[v + 1].parent != v);
}

static bool fill_host(filling *w, int v)
{
    w->first[v] = w->n;
    for (int i = 0; i < w->in->parts.n; i++) {
        const atn_host_part *part = &w->in->parts.v[i];
        char *name = NULL;
        if (asprintf(&name, "%s/%s", w->t->nodes[v].name, part->name) < 0)
            return false;
        w->nodes[w->n++] =
            (atn_topo_node){.name = name,
                            .kind = ATN_TOPO_PART,
                            .parent = part->parent < 0 ? v : w->first[v] + part->parent,
                            .level = (char *)part->level};
    }
    return true;
}

static int core_node(filling *w, int v)
{
    if (w->first[v] == 0 || w->in->cores.n == 0)
        return v;
    const int part = w->in->cores.v[w->used[v]++ % w->in->cores.n];
    return part < 0 ? v : w->first[v] + part;
}

static atn_topo *fill(filling *w)
{
    const atn_topo *t = w->t;
    bool done = true;
    memcpy(w->nodes, t->nodes, sizeof *w->nodes * (size_t)t->nnodes);
    w->n = t->nnodes;
    for (int v = 0; v < t->nnodes && done; v++)
        if (is_plain(t, v))
            done = fill_host(w, v);
    for (int r = 0; r < t->p; r++)
        w->node_of[r] = core_node(w, t->node_of[r]);
    atn_topo *filled = done ? atn_topo_like(t, w->nodes, w->n, w->node_of, t->p) : NULL;
    for (int i = t->nnodes; i < w->n; i++)
        free(w->nodes[i].name);
    return filled;
}

static atn_status fill_all(const atn_topo *t, const atn_inside *in, atn_topo **topo_p,
                           atn_error *err)
{
    const size_t n = (size_t)t->nnodes;
    filling w = {.t = t, .in = in};
    w.nodes = malloc(sizeof *w.nodes * (n + n * (size_t)in->parts.n));
    w.first = calloc(n, sizeof *w.first);
    w.used = calloc(n, sizeof *w.used);
    w.node_of = malloc(sizeof *w.node_of * ((size_t)t->p + 1));
    atn_topo *filled = w.nodes && w.first && w.used && w.node_of ? fill(&w) : NULL;
    free(w.nodes);
    free(w.first);
    free(w.used);
    free(w.node_of);
    if (filled == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    *topo_p = filled;
    return ATN_OK;
}

atn_status atn_topo_inside(const atn_topo *t, const char *what, atn_topo **topo_p, atn_error *err)
{
    atn_inside in = {0};
    char *text = NULL;
    atn_status st = ATN_OK;
    if (access(what, R_OK) == 0)
        st = atn_read_file(what, &text, NULL, err);
    if (!st)
        st = atn_topo_inside_read(text ? text : what, &in, err);
    if (!st)
        st = fill_all(t, &in, topo_p, err);
    atn_topo_inside_free(&in);
    free(text);
    return st;
}
