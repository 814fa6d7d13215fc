/* make.c - copies a tree into the order of topo.h. */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "topo/hostlist.h"
#include "topo/routes.h"

/* A node on its way to its place. */
typedef struct {
    const atn_topo_node *node;
    int given;    /* its number as given */
    int smallest; /* rank at or below it; INT_MAX: none */
} item;

static int by_parent(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->node->parent != y->node->parent)
        return x->node->parent < y->node->parent ? -1 : 1;
    if ((x->node->kind == ATN_TOPO_SWITCH) != (y->node->kind == ATN_TOPO_SWITCH))
        return x->node->kind == ATN_TOPO_SWITCH ? 1 : -1;
    if (x->smallest != y->smallest)
        return x->smallest < y->smallest ? -1 : 1;
    return atn_topo_name_compare(x->node->name, y->node->name);
}

/* Every rank climbs until it meets a node that has a smaller one: O(nodes + ranks). */
static void find_smallest(item *items, const int *node_of, int p)
{
    for (int r = 0; r < p; r++)
        for (int v = node_of[r]; v >= 0 && items[v].smallest > r; v = items[v].node->parent)
            items[v].smallest = r;
}

/* Depth first: a stack of nodes, children pushed last to first.  `first[v]` is where the children
 * of given node v begin among the sorted items; new_of maps given to new numbers. */
static void number(const item *items, int n, const int *first, int *stack, int *new_of)
{
    int top = 0, next = 0;
    stack[top++] = items[0].given;
    while (top > 0) {
        const int v = stack[--top];
        int end = first[v];
        new_of[v] = next++;
        while (end < n && items[end].node->parent == v)
            end++;
        while (end > first[v])
            stack[top++] = items[--end].given;
    }
}

static bool order(const atn_topo_node *nodes, int n, const int *node_of, int p, int *new_of)
{
    item *items = malloc(sizeof *items * (size_t)n);
    int *work = malloc(sizeof *work * 2 * (size_t)n);
    if (items && work) {
        int *first = work, *stack = work + n;
        for (int i = 0; i < n; i++)
            items[i] = (item){&nodes[i], i, INT_MAX};
        find_smallest(items, node_of, p);
        qsort(items, (size_t)n, sizeof *items, by_parent);
        for (int i = 0; i < n; i++)
            first[i] = n;
        for (int i = n - 1; i > 0; i--)
            first[items[i].node->parent] = i;
        number(items, n, first, stack, new_of);
    }
    const bool done = items && work;
    free(items);
    free(work);
    return done;
}

/* One block for all: allocated one by one, texts would need more memory than nodes. */
static bool reserve_texts(atn_topo *t, const atn_topo_node *nodes)
{
    size_t bytes = 1;
    for (int i = 0; i < t->nnodes; i++)
        bytes += strlen(nodes[i].name) + 1 + (nodes[i].level ? strlen(nodes[i].level) + 1 : 0);
    t->texts = malloc(bytes);
    return t->texts != NULL;
}

static char *copied(const char *text, char **at)
{
    if (!text)
        return NULL;
    char *copy = *at;
    const size_t bytes = strlen(text) + 1;
    *at += bytes;
    return memcpy(copy, text, bytes);
}

static bool fill(atn_topo *t, const atn_topo_node *nodes, const int *new_of, const int *node_of)
{
    if (!reserve_texts(t, nodes))
        return false;
    char *at = t->texts;
    for (int i = 0; i < t->nnodes; i++) {
        const bool root = nodes[i].parent < 0;
        t->nodes[new_of[i]] = (atn_topo_node){
            .name = copied(nodes[i].name, &at),
            .kind = nodes[i].kind,
            .parent = root ? -1 : new_of[nodes[i].parent],
            .rate = root ? 0 : nodes[i].rate,
            .delay_ns = root ? 0 : nodes[i].delay_ns,
            .level = copied(nodes[i].level, &at),
            .number = nodes[i].number,
        };
    }
    for (int i = 1; i < t->nnodes; i++)
        t->nodes[i].depth = t->nodes[t->nodes[i].parent].depth + 1;
    for (int r = 0; r < t->p; r++)
        t->node_of[r] = new_of[node_of[r]];
    return true;
}

/* ---- kinds and levels ---- */

bool atn_topo_has_kind(const atn_topo *t, atn_topo_kind kind)
{
    int v = 0;
    while (v < t->nnodes && t->nodes[v].kind != kind)
        v++;
    return v < t->nnodes;
}

int atn_topo_hosts(const atn_topo *t)
{
    int hosts = 0;
    for (int v = 0; v < t->nnodes; v++)
        hosts += t->nodes[v].kind == ATN_TOPO_HOST;
    return hosts;
}

int atn_topo_host_of(const atn_topo *t, int rank)
{
    int v = t->node_of[rank];
    while (v > 0 && t->nodes[v].kind == ATN_TOPO_PART)
        v = t->nodes[v].parent;
    return v;
}

const char *atn_topo_level_name(const atn_topo *t, int v)
{
    static const char *const kinds[] = {
        [ATN_TOPO_SWITCH] = "switch", [ATN_TOPO_HOST] = "host", [ATN_TOPO_PART] = "part"};
    return t->nodes[v].level ? t->nodes[v].level : kinds[t->nodes[v].kind];
}

bool atn_topo_has_level(const atn_topo *t, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = n ? t->levels : NULL; at && (at = strstr(at, name)) != NULL; at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static char *list_levels(atn_topo *t)
{
    size_t bytes = 2, used = 1;
    for (int v = 0; v < t->nnodes; v++)
        bytes += strlen(atn_topo_level_name(t, v)) + 1;
    t->levels = calloc(1, bytes);
    if (t->levels)
        t->levels[0] = ' ';
    for (int v = 0; t->levels && v < t->nnodes; v++)
        if (!atn_topo_has_level(t, atn_topo_level_name(t, v)))
            used += (size_t)sprintf(t->levels + used, "%s ", atn_topo_level_name(t, v));
    return t->levels;
}

atn_topo *atn_topo_make(const atn_topo_node *nodes, int nnodes, const int *node_of, int p,
                        const char *origin)
{
    int *new_of = malloc(sizeof *new_of * (size_t)nnodes);
    atn_topo *t = calloc(1, sizeof *t);
    if (t) {
        *t = (atn_topo){.p = p, .origin = origin ? strdup(origin) : NULL};
        t->nodes = calloc((size_t)nnodes, sizeof *t->nodes);
        t->node_of = malloc(sizeof *t->node_of * ((size_t)p + 1));
        t->nnodes = t->nodes ? nnodes : 0;
    }
    if (!new_of || !t || !t->nodes || !t->node_of || (origin && !t->origin) ||
        !order(nodes, nnodes, node_of, p, new_of) || !fill(t, nodes, new_of, node_of) ||
        !list_levels(t)) {
        atn_topo_free(t);
        t = NULL;
    }
    free(new_of);
    return t;
}

atn_topo *atn_topo_like(const atn_topo *t, const atn_topo_node *nodes, int nnodes,
                        const int *node_of, int p)
{
    atn_topo *like = atn_topo_make(nodes, nnodes, node_of, p, t->origin);
    if (like)
        like->routes = atn_topo_routes_share(t->routes);
    return like;
}

/* The number of holders is no part of the topology. */
atn_topo *atn_topo_share(const atn_topo *t)
{
    atn_topo *held = (atn_topo *)t;
    atomic_fetch_add(&held->holders, 1);
    return held;
}

void atn_topo_free(atn_topo *t)
{
    if (t == NULL || atomic_fetch_sub(&t->holders, 1) > 0)
        return;
    free(t->nodes);
    free(t->texts);
    free(t->node_of);
    free(t->origin);
    free(t->levels);
    atn_topo_routes_free(t->routes);
    free(t);
}
