/* place.c - ranks onto hosts by name, and what a group of ranks sees. */
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"

/* ---- by name ---- */

typedef struct {
    const char *name;
    int node;
} entry;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* Up to the first dot, and as a whole: host names come with and without their domain. */
static bool same_host(const char *a, const char *b)
{
    const size_t na = strcspn(a, "."), nb = strcspn(b, ".");
    return na == nb && strncmp(a, b, na) == 0 && (a[na] == '\0' || b[nb] == '\0');
}

/* Without domains. */
static int by_short_name(const void *a, const void *b)
{
    const char *x = ((const entry *)a)->name, *y = ((const entry *)b)->name;
    const size_t nx = strcspn(x, "."), ny = strcspn(y, ".");
    const int order = strncmp(x, y, nx < ny ? nx : ny);
    return order != 0 ? order : (nx > ny) - (nx < ny);
}

/* The names of hosts, sorted as a whole and, behind them, without domains. */
typedef struct {
    entry *v;
    int n;
} host_names;

/* Only one host may fit a shortened name. */
static int find_short(const host_names *list, const char *name)
{
    const entry key = {.name = name}, *v = list->v + list->n;
    const entry *hit = list->n ? bsearch(&key, v, (size_t)list->n, sizeof *v, by_short_name) : NULL;
    int found = -1;
    while (hit && hit > v && by_short_name(hit - 1, &key) == 0)
        hit--;
    for (; hit && hit < v + list->n && by_short_name(hit, &key) == 0; hit++)
        if (same_host(hit->name, name)) {
            if (found >= 0)
                return -1;
            found = hit->node;
        }
    return found;
}

static int find(const host_names *list, const char *name)
{
    const entry key = {.name = name};
    const entry *hit =
        list->n ? bsearch(&key, list->v, (size_t)list->n, sizeof key, by_name) : NULL;
    return hit ? hit->node : find_short(list, name);
}

/* v is NULL: no memory. */
static host_names list_hosts(const atn_topo *t)
{
    host_names list = {.v = malloc(2 * sizeof *list.v * ((size_t)t->nnodes + 1))};
    for (int v = 0; list.v && v < t->nnodes; v++)
        if (t->nodes[v].kind != ATN_TOPO_SWITCH)
            list.v[list.n++] = (entry){t->nodes[v].name, v};
    if (list.n > 0) {
        memcpy(list.v + list.n, list.v, sizeof *list.v * (size_t)list.n);
        qsort(list.v, (size_t)list.n, sizeof *list.v, by_name);
        qsort(list.v + list.n, (size_t)list.n, sizeof *list.v, by_short_name);
    }
    return list;
}

static atn_status unknown_host(const atn_topo *t, const host_names *list, const char *name, int r,
                               atn_error *err)
{
    const char **words = malloc(sizeof *words * ((size_t)list->n + 1));
    for (int i = 0; words && i < list->n; i++)
        words[i] = list->v[i].name;
    const char *near = words ? atn_nearest(name, words, list->n) : NULL;
    const atn_status st =
        atn_fail(err, ATN_INPUT, "%s: host %s of rank %d is not in the topology; add it%s%s%s",
                 t->origin ? t->origin : "topology", name, r, near ? " (did you mean " : "",
                 near ? near : "", near ? "?)" : "");
    free(words);
    return st;
}

atn_status atn_topo_place(const atn_topo *t, const char *const *hosts, int p, atn_topo **topo_p,
                          atn_error *err)
{
    const host_names list = list_hosts(t);
    int *node_of = malloc(sizeof *node_of * ((size_t)p + 1));
    atn_status st = ATN_OK;
    atn_topo *placed = NULL;
    for (int r = 0; list.v && node_of && r < p && !st; r++) {
        const bool again = r > 0 && strcmp(hosts[r], hosts[r - 1]) == 0;
        node_of[r] = again ? node_of[r - 1] : find(&list, hosts[r]);
        if (node_of[r] < 0)
            st = unknown_host(t, &list, hosts[r], r, err);
    }
    if (list.v && node_of && !st)
        placed = atn_topo_like(t, t->nodes, t->nnodes, node_of, p);
    if (placed)
        *topo_p = placed;
    else if (!st)
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    free(list.v);
    free(node_of);
    return st;
}

/* ---- groups ---- */

/* The lowest node with all ranks below it. */
static int common_top(const atn_topo *t, const int *below, int p)
{
    int top = 0;
    for (int v = 1; v < t->nnodes; v++)
        if (below[v] == p && t->nodes[v].parent == top)
            top = v;
    return top;
}

static void count_below(const atn_topo *t, const int *ranks, int p, int *below)
{
    for (int i = 0; i < p; i++)
        below[t->node_of[ranks[i]]]++;
    for (int v = t->nnodes - 1; v > 0; v--)
        below[t->nodes[v].parent] += below[v];
}

/* The nodes kept, renumbered; new_of is -1 for the others. */
static int keep(const atn_topo *t, const int *below, int top, atn_topo_node *nodes, int *new_of)
{
    int n = 0;
    for (int v = 0; v < t->nnodes; v++) {
        const bool kept = v == top || (v > top && below[v] > 0);
        new_of[v] = kept ? n : -1;
        if (!kept)
            continue;
        nodes[n] = t->nodes[v];
        nodes[n++].parent = v == top ? -1 : new_of[t->nodes[v].parent];
    }
    return n;
}

/* Rules that name a level hold for all groups. */
static bool keep_levels(atn_topo *sub, const atn_topo *t)
{
    free(sub->levels);
    sub->levels = strdup(t->levels);
    return sub->levels != NULL;
}

atn_topo *atn_topo_sub(const atn_topo *t, const int *ranks, int p)
{
    atn_topo_node *nodes = malloc(sizeof *nodes * (size_t)t->nnodes);
    int *below = calloc((size_t)t->nnodes, sizeof *below);
    int *new_of = malloc(sizeof *new_of * (size_t)t->nnodes);
    int *node_of = malloc(sizeof *node_of * ((size_t)p + 1));
    atn_topo *sub = NULL;
    if (nodes && below && new_of && node_of) {
        count_below(t, ranks, p, below);
        const int top = p > 0 ? common_top(t, below, p) : 0;
        const int n = keep(t, below, top, nodes, new_of);
        for (int i = 0; i < p; i++)
            node_of[i] = new_of[t->node_of[ranks[i]]];
        sub = atn_topo_like(t, nodes, n, node_of, p);
    }
    if (sub && !keep_levels(sub, t)) {
        atn_topo_free(sub);
        sub = NULL;
    }
    free(nodes);
    free(below);
    free(new_of);
    free(node_of);
    return sub;
}

static bool is_in_order(const int *ranks, int p)
{
    int r = 0;
    while (r < p && ranks[r] == r)
        r++;
    return r == p;
}

atn_topo *atn_topo_part(const atn_topo *t, const int *ranks, int p)
{
    atn_topo *sub = atn_topo_sub(t, ranks, p);
    if (sub == NULL || p != t->p || sub->nnodes != t->nnodes || !is_in_order(ranks, p))
        return sub;
    atn_topo_free(sub);
    return atn_topo_share(t);
}
