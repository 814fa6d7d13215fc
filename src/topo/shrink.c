/* shrink.c - a small topology that stands for a large one.
 *
 * Every node keeps some of its items (children with ranks, and ranks of its own), evenly spaced, so
 * the tree keeps its depth and the ranks their mapping.  A link with fewer ranks below it gets a
 * rate that is lower in proportion, so that flows of all these ranks share it as before.  A single
 * flow must not become slower, though, so a node keeps at least as many items as fill its link. */
#include <stdlib.h>

#include "topo/topo.h"

enum { FEWEST = 4 }; /* items of the root: most pairs of ranks are in different branches */

typedef struct {
    const atn_topo *t;
    int *below, *items, *end; /* of a node: its ranks, its items, the end of its subtree */
    int *towards;             /* of a node: the item with the rank that must be kept, or 0 */
    int *first, *next;        /* ranks of a node: the first, the one after a rank; p: none */
    int levels, *widest, *least, *kept; /* of nodes of one depth: most items; the fewest that they
                                           must keep; how many the widest keeps */
    int *ranks, n;
    int *memory;
} shrinking;

/* ---- properties of nodes ---- */

static void list_ranks(shrinking *x)
{
    for (int r = x->t->p - 1; r >= 0; r--) {
        const int v = x->t->node_of[r];
        x->next[r] = x->first[v];
        x->first[v] = r;
        x->items[v]++;
    }
}

static void survey(shrinking *x, int keep)
{
    const atn_topo *t = x->t;

    for (int v = 0; v < t->nnodes; v++) {
        x->first[v] = t->p;
        x->end[v] = v + 1;
    }
    atn_topo_below(t, x->below);
    list_ranks(x);
    for (int v = t->nnodes - 1; v > 0; v--) {
        x->end[t->nodes[v].parent] = atn_max(x->end[t->nodes[v].parent], x->end[v]);
        x->items[t->nodes[v].parent] += x->below[v] > 0;
    }
    const int host = t->node_of[keep];
    for (int c = host + 1; c < x->end[host]; c = x->end[c])
        x->towards[host] += x->below[c] > 0;
    for (int r = x->first[host]; r != keep; r = x->next[r])
        x->towards[host]++;
    for (int v = host; v > 0; v = t->nodes[v].parent)
        for (int up = t->nodes[v].parent, c = up + 1; c < v; c = x->end[c])
            x->towards[up] += x->below[c] > 0;
}

/* The rate of a flow of one rank over the link of a node.  Ports of ranks are unlimited. */
static int64_t single_flow(const shrinking *x, int v)
{
    const int64_t rate = x->t->nodes[v].rate;
    int64_t most = x->first[v] < x->t->p ? rate : 0;

    for (int c = v + 1; c < x->end[v]; c = x->end[c])
        if (x->below[c] > 0 && (x->t->nodes[c].rate == 0 || x->t->nodes[c].rate > most))
            most = x->t->nodes[c].rate == 0 ? rate : x->t->nodes[c].rate;
    return most < rate ? most : rate;
}

static int fewest_items(const shrinking *x, int v)
{
    const int64_t rate = x->t->nodes[v].rate;

    if (v == 0 || rate == 0)
        return atn_min(x->items[v], v == 0 ? FEWEST : 2);
    return (int)((x->items[v] * single_flow(x, v) + rate - 1) / rate);
}

/* ---- how many ---- */

static void measure_levels(shrinking *x)
{
    for (int v = 0; v < x->t->nnodes; v++) {
        const int d = x->t->nodes[v].depth;
        if (x->below[v] == 0)
            continue;
        x->widest[d] = atn_max(x->widest[d], x->items[v]);
        x->least[d] = atn_max(x->least[d], fewest_items(x, v));
    }
}

/* The widest level that keeps more than it must, or with `any` more than two items; -1: none. */
static int level_to_halve(const shrinking *x, bool any)
{
    int found = -1;

    for (int d = 0; d < x->levels; d++) {
        const int fewest = any ? 2 : atn_max(2, x->least[d]);
        if (x->kept[d] > fewest && (found < 0 || x->kept[d] > x->kept[found]))
            found = d;
    }
    return found;
}

static int64_t size_of(const shrinking *x)
{
    int64_t size = 1;

    for (int d = 0; d < x->levels; d++)
        size *= atn_max(x->kept[d], 1);
    return size;
}

static void halve(shrinking *x, int d, bool any)
{
    const int half = (x->kept[d] + 1) / 2;

    x->kept[d] = any ? half : atn_max(half, x->least[d]);
}

/* Rather somewhat too many ranks than flows that become slower. */
static void choose_widths(shrinking *x, int most)
{
    int d = 0;

    for (int i = 0; i < x->levels; i++)
        x->kept[i] = x->widest[i];
    while (size_of(x) > most && (d = level_to_halve(x, false)) >= 0)
        halve(x, d, false);
    while (size_of(x) > 2 * (int64_t)most && (d = level_to_halve(x, true)) >= 0)
        halve(x, d, true);
}

/* ---- which ---- */

/* Items are counted from the one that must be kept. */
static bool is_kept(const shrinking *x, int v, int item)
{
    const int64_t all = x->items[v], d = x->t->nodes[v].depth;
    const int64_t wanted = (all * x->kept[d] + x->widest[d] - 1) / x->widest[d];

    return (item - x->towards[v] + all) % all * wanted % all < wanted;
}

static void take(shrinking *x, int v)
{
    int item = 0;

    for (int c = v + 1; c < x->end[v]; c = x->end[c]) {
        if (x->below[c] == 0)
            continue;
        if (is_kept(x, v, item++))
            take(x, c);
    }
    for (int r = x->first[v]; r < x->t->p; r = x->next[r])
        if (is_kept(x, v, item++))
            x->ranks[x->n++] = r;
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* ---- rates ---- */

/* In proportion to the messages of an alltoall that cross the link, per message of a rank. */
static int64_t rate_for(const shrinking *x, int v, int left)
{
    const atn_topo *const t = x->t;
    const double before = (double)x->below[v] * (t->p - x->below[v]) / (t->p - 1);
    const double now = (double)left * (x->n - left) / (x->n - 1);
    const int64_t rate = t->nodes[v].rate, least = single_flow(x, v);
    const int64_t lower = before > 0 ? (int64_t)((double)rate * (now / before)) : rate;

    return lower < least ? least : lower < rate ? lower : rate;
}

/* `left`: ranks below each node that are kept. */
static atn_topo *with_rates(const shrinking *x, int *left)
{
    const size_t n = (size_t)x->t->nnodes;
    atn_topo copy = *x->t;

    copy.routes = NULL; /* the tree of levels has the rates of all their links together */
    copy.nodes = malloc(n * sizeof *copy.nodes);
    for (int v = 0; v < x->t->nnodes; v++)
        left[v] = 0;
    for (int i = 0; i < x->n; i++)
        left[x->t->node_of[x->ranks[i]]]++;
    for (int v = x->t->nnodes - 1; copy.nodes && v >= 0; v--) {
        copy.nodes[v] = x->t->nodes[v];
        if (v > 0)
            left[x->t->nodes[v].parent] += left[v];
        if (v > 0 && left[v] > 0)
            copy.nodes[v].rate = rate_for(x, v, left[v]);
    }
    atn_topo *const small = copy.nodes ? atn_topo_sub(&copy, x->ranks, x->n) : NULL;
    free(copy.nodes);
    return small;
}

/* ---- interface ---- */

static bool begin(shrinking *x, const atn_topo *t)
{
    const size_t n = (size_t)t->nnodes, p = (size_t)t->p, levels = (size_t)atn_topo_depth(t) + 1;

    *x = (shrinking){.t = t, .levels = (int)levels};
    x->memory = calloc(5 * n + p + 3 * levels, sizeof *x->memory);
    x->ranks = malloc(p * sizeof *x->ranks);
    if (!x->memory || !x->ranks)
        return false;
    x->below = x->memory;
    x->items = x->below + n;
    x->end = x->items + n;
    x->towards = x->end + n;
    x->first = x->towards + n;
    x->next = x->first + n;
    x->widest = x->next + p;
    x->least = x->widest + levels;
    x->kept = x->least + levels;
    return true;
}

atn_topo *atn_topo_shrink(const atn_topo *t, int most, int keep, int **ranks_p)
{
    shrinking x;
    atn_topo *small = NULL;

    if (begin(&x, t)) {
        survey(&x, keep);
        measure_levels(&x);
        choose_widths(&x, most);
        take(&x, 0);
        qsort(x.ranks, (size_t)x.n, sizeof *x.ranks, ascending);
        small = x.n > 1 ? with_rates(&x, x.items) : NULL;
    }
    free(x.memory);
    if (small)
        *ranks_p = x.ranks;
    else
        free(x.ranks);
    return small;
}
