/* draft.c - nodes by name, and the checks that make a draft a tree. */
#include "topo/draft.h"

#include <stdlib.h>
#include <string.h>

#include "topo/routes.h"

/* ---- names ---- */

static int space_of(atn_topo_kind kind) { return kind != ATN_TOPO_SWITCH; }

static const char *const kind_names[] = {"switch", "host", "part"};

static uint64_t hash_name(const char *name) { return atn_hash(name, strlen(name), 0); }

/* The slot that holds the name, or the empty one where it belongs. */
static int *slot_of(const atn_draft *d, const atn_draft_index *x, const char *name)
{
    uint64_t at = hash_name(name);
    for (;; at++) {
        int *slot = &x->slot[at & (uint64_t)(x->cap - 1)];
        if (*slot < 0 || strcmp(d->nodes.v[*slot].name, name) == 0)
            return slot;
    }
}

static bool index_grow(atn_draft *d, int space)
{
    atn_draft_index old = d->index[space], *x = &d->index[space];
    const int cap = old.cap ? 2 * old.cap : 64;
    int *slot = malloc(sizeof *slot * (size_t)cap);
    if (slot == NULL)
        return false;
    for (int i = 0; i < cap; i++)
        slot[i] = -1;
    *x = (atn_draft_index){slot, cap};
    for (int i = 0; i < old.cap; i++)
        if (old.slot[i] >= 0)
            *slot_of(d, x, d->nodes.v[old.slot[i]].name) = old.slot[i];
    free(old.slot);
    return true;
}

int atn_topo_draft_find(const atn_draft *d, atn_topo_kind kind, const char *name)
{
    const atn_draft_index *x = &d->index[space_of(kind)];
    return x->cap ? *slot_of(d, x, name) : -1;
}

/* Half empty is enough room; all nodes together bound the nodes of one space. */
int atn_topo_draft_node_at(atn_draft *d, atn_topo_kind kind, const char *name, int line)
{
    const int space = space_of(kind), known = atn_topo_draft_find(d, kind, name);
    if (known >= 0)
        return known;
    char *copy = strdup(name);
    const bool room = 2 * (d->nodes.n + 1) <= d->index[space].cap || index_grow(d, space);
    if (copy == NULL || !room ||
        !atn_push(&d->nodes,
                  (atn_draft_node){.name = copy, .kind = kind, .parent = -1, .line = line})) {
        free(copy);
        d->found->no_memory = true;
        return -1;
    }
    return *slot_of(d, &d->index[space], name) = d->nodes.n - 1;
}

const char *atn_topo_draft_near(const atn_draft *d, atn_topo_kind kind, const char *name)
{
    const char **words = malloc(sizeof *words * ((size_t)d->nodes.n + 1));
    int n = 0;
    if (words == NULL)
        return NULL;
    for (int i = 0; i < d->nodes.n; i++)
        if (space_of(d->nodes.v[i].kind) == space_of(kind))
            words[n++] = d->nodes.v[i].name;
    const char *near = atn_nearest(name, words, n);
    free(words);
    return near;
}

/* ---- links ---- */

void atn_topo_draft_hang(atn_draft *d, int node, int parent, int line)
{
    atn_draft_node *v = &d->nodes.v[node];
    const char *kind = kind_names[v->kind], *above = d->nodes.v[parent].name;
    if (v->parent < 0) {
        v->parent = parent;
        v->parent_line = line;
    } else if (v->parent == parent && v->parent_line == line) {
        atn_topo_found(d->found, line, "%s %s is named twice on this line; name it once", kind,
                       v->name);
    } else if (v->parent == parent) {
        atn_topo_found(d->found, line, "%s %s is below %s already (line %d); name it once", kind,
                       v->name, above, v->parent_line);
    } else {
        atn_topo_found(d->found, line,
                       "%s %s is below two switches, %s (line %d) and %s; a node has one parent, "
                       "keep one of them or describe the network as a graph",
                       kind, v->name, d->nodes.v[v->parent].name, v->parent_line, above);
    }
}

void atn_topo_draft_level(atn_draft *d, int node, const char *level)
{
    char *copy = strdup(level);
    if (copy == NULL)
        d->found->no_memory = true;
    free(d->nodes.v[node].level);
    d->nodes.v[node].level = copy;
}

void atn_topo_draft_rank(atn_draft *d, int node)
{
    if (!atn_push(&d->ranks, node))
        d->found->no_memory = true;
}

/* ---- checks ---- */

static void report_cycle(const atn_draft *d, int start)
{
    char way[200];
    int used = 0, v = start;
    do {
        used += snprintf(way + used, sizeof way - (size_t)used, "%s > ", d->nodes.v[v].name);
        v = d->nodes.v[v].parent;
    } while (v != start && used < (int)sizeof way - 80);
    atn_topo_found(d->found, d->nodes.v[start].parent_line,
                   "cycle: %s%s; a tree has no cycles, remove one of the links", way,
                   v == start ? d->nodes.v[start].name : "...");
}

/* Nodes are coloured by the walk that first met them; meeting one's own colour is a cycle. */
static bool check_cycles(const atn_draft *d)
{
    int *colour = calloc((size_t)d->nodes.n + 1, sizeof *colour);
    bool fine = true;
    if (colour == NULL) {
        d->found->no_memory = true;
        return false;
    }
    for (int i = 0; i < d->nodes.n; i++) {
        int v = i;
        for (; v >= 0 && colour[v] == 0; v = d->nodes.v[v].parent)
            colour[v] = i + 1;
        if (v >= 0 && colour[v] == i + 1) {
            report_cycle(d, v);
            fine = false;
        }
    }
    free(colour);
    return fine;
}

static bool any_switch(const atn_draft *d)
{
    for (int i = 0; i < d->nodes.n; i++)
        if (d->nodes.v[i].kind == ATN_TOPO_SWITCH)
            return true;
    return false;
}

/* One root; where there are switches it is one of them. */
static void check_roots(const atn_draft *d)
{
    const bool switches = any_switch(d);
    int root = -1;
    for (int i = 0; i < d->nodes.n; i++) {
        const atn_draft_node *v = &d->nodes.v[i];
        if (v->parent >= 0)
            continue;
        if (v->kind != ATN_TOPO_SWITCH && switches)
            atn_topo_found(d->found, v->line,
                           "%s %s is below no switch; add it to the Nodes= of one",
                           kind_names[v->kind], v->name);
        else if (root < 0)
            root = i;
        else
            atn_topo_found(
                d->found, v->line,
                "two roots, %s (line %d) and %s: the network is not connected; add a switch "
                "above both",
                d->nodes.v[root].name, d->nodes.v[root].line, v->name);
    }
}

static void check_children(const atn_draft *d)
{
    bool *used = calloc((size_t)d->nodes.n + 1, sizeof *used);
    if (used == NULL) {
        d->found->no_memory = true;
        return;
    }
    for (int i = 0; i < d->nodes.n; i++)
        if (d->nodes.v[i].parent >= 0)
            used[d->nodes.v[i].parent] = true;
    for (int i = 0; i < d->nodes.n; i++)
        if (d->nodes.v[i].kind == ATN_TOPO_SWITCH && !used[i])
            atn_topo_found(
                d->found, d->nodes.v[i].line,
                "switch %s has neither hosts nor switches below it; give it some or remove it",
                d->nodes.v[i].name);
    free(used);
}

/* ---- the result ---- */

static atn_topo *make(const atn_draft *d)
{
    atn_topo_node *nodes = malloc(sizeof *nodes * (size_t)d->nodes.n);
    atn_topo *t = NULL;
    for (int i = 0; nodes && i < d->nodes.n; i++) {
        const atn_draft_node *v = &d->nodes.v[i];
        nodes[i] = (atn_topo_node){.name = v->name,
                                   .kind = v->kind,
                                   .parent = v->parent,
                                   .rate = v->rate,
                                   .delay_ns = v->delay_ns,
                                   .level = v->level,
                                   .number = v->number};
    }
    if (nodes)
        t = atn_topo_make(nodes, d->nodes.n, d->ranks.v, d->ranks.n, d->found->file);
    free(nodes);
    if (t == NULL)
        d->found->no_memory = true;
    else
        t->routes = atn_topo_routes_share(d->routes);
    return t;
}

atn_topo *atn_topo_draft_finish(atn_draft *d)
{
    if (d->nodes.n == 0 && d->found->wrong == 0)
        atn_topo_found(d->found, 0, "no switch and no host; is it a description of a topology?");
    if (d->found->wrong == 0 && check_cycles(d))
        check_roots(d);
    if (d->found->wrong == 0)
        check_children(d);
    if (d->found->wrong == 0 && d->links.n > 0)
        atn_topo_draft_route(d);
    return d->found->wrong == 0 && !d->found->no_memory ? make(d) : NULL;
}

void atn_topo_draft_free(atn_draft *d)
{
    for (int i = 0; i < d->nodes.n; i++) {
        free(d->nodes.v[i].name);
        free(d->nodes.v[i].level);
    }
    atn_vec_free(&d->nodes);
    atn_vec_free(&d->ranks);
    for (int i = 0; i < d->links.n; i++) {
        free(d->links.v[i].end[0]);
        free(d->links.v[i].end[1]);
    }
    atn_vec_free(&d->links);
    for (int i = 0; i < d->forwards.n; i++) {
        free(d->forwards.v[i].at);
        free(d->forwards.v[i].by);
        atn_topo_name_list_free(&d->forwards.v[i].hosts);
    }
    atn_vec_free(&d->forwards);
    free(d->index[0].slot);
    free(d->index[1].slot);
    atn_topo_routes_free(d->routes);
}
