/* walk.c - depth first from a rank's node, the branches of a node in a fixed order. */
#include "algo/walk.h"

#include <stdlib.h>

/* A node as a branch of the one before it. */
typedef struct {
    int up, node;
    int64_t delay; /* the longest delay in the branch */
    int kind;      /* hosts and their parts first, the parent last */
} branch;

static int by_up(const void *x, const void *y)
{
    const branch *a = x, *b = y;

    if (a->up != b->up)
        return a->up < b->up ? -1 : 1;
    if (a->delay != b->delay)
        return a->delay < b->delay ? -1 : 1;
    return a->kind != b->kind ? a->kind - b->kind : a->node - b->node;
}

/* Reverses the edges on the path from the start to the root. */
static void turn(const atn_topo *t, int start, int *up)
{
    int before = -1;

    for (int v = 0; v < t->nnodes; v++)
        up[v] = t->nodes[v].parent;
    for (int v = start; v >= 0; v = t->nodes[v].parent) {
        up[v] = before;
        before = v;
    }
}

static bool climbs(const atn_topo *t, int v, int up) { return up >= 0 && up != t->nodes[v].parent; }

static int64_t link_delay(const atn_topo *t, int v, int up)
{
    return up < 0 ? 0 : t->nodes[climbs(t, v, up) ? up : v].delay_ns;
}

static int64_t longer(int64_t a, int64_t b) { return a > b ? a : b; }

/* Children follow their parents: first accumulates over the tree of the topology, then along the
 * path from the root to the start. */
static void find_delays(const atn_topo *t, int start, const int *up, branch *b)
{
    int way = 0;

    for (int v = 0; v < t->nnodes; v++)
        b[v] = (branch){.up = up[v],
                        .node = v,
                        .delay = link_delay(t, v, up[v]),
                        .kind = climbs(t, v, up[v])                   ? 2
                                : t->nodes[v].kind == ATN_TOPO_SWITCH ? 1
                                                                      : 0};
    for (int v = t->nnodes - 1; v > 0; v--)
        if (up[v] == t->nodes[v].parent)
            b[up[v]].delay = longer(b[up[v]].delay, b[v].delay);
    for (int v = 0; v != start; v = way) {
        way = up[v];
        b[way].delay = longer(b[way].delay, b[v].delay);
    }
}

/* Numbers the ranks node by node, with a stack of branches, the first on top. */
static void number(const atn_topo *t, int start, const branch *b, const int *first, int *stack,
                   const int *ranks, const int *first_rank, atn_walk *w)
{
    int top = 0, place = 0;

    stack[top++] = start;
    while (top > 0) {
        const int v = stack[--top];
        int end = first[v];
        w->lo[v] = place;
        for (int i = first_rank[v]; i < first_rank[v + 1]; i++) {
            w->rank[place] = ranks[i];
            w->node[place++] = v;
        }
        while (end < t->nnodes && b[end].up == v)
            end++;
        while (end > first[v])
            stack[top++] = b[--end].node;
    }
}

/* Swaps the start rank with the first one on its node. */
static void begin_with(atn_walk *w, int start)
{
    int i = 0;

    while (w->rank[i] != start)
        i++;
    for (; i > 0; i--)
        w->rank[i] = w->rank[i - 1];
    w->rank[0] = start;
}

static void find_ends(const atn_topo *t, atn_walk *w, const int *first_rank, int *waiting)
{
    for (int v = 0; v < t->nnodes; v++) {
        w->hi[v] = first_rank[v + 1] - first_rank[v];
        waiting[v] = 0;
    }
    for (int v = 0; v < t->nnodes; v++)
        if (w->up[v] >= 0)
            waiting[w->up[v]]++;
    for (int leaf = 0; leaf < t->nnodes; leaf++)
        for (int v = leaf; v >= 0 && waiting[v] == 0; v = w->up[v]) {
            waiting[v] = -1;
            if (w->up[v] >= 0) {
                w->hi[w->up[v]] += w->hi[v];
                waiting[w->up[v]]--;
            }
        }
    for (int v = 0; v < t->nnodes; v++)
        w->hi[v] += w->lo[v];
}

/* Ranks sorted by node: first_rank[v] .. first_rank[v + 1] - 1. */
static void sort_ranks(const atn_topo *t, int *ranks, int *first_rank)
{
    for (int v = 0; v <= t->nnodes + 1; v++)
        first_rank[v] = 0;
    for (int r = 0; r < t->p; r++)
        first_rank[t->node_of[r] + 2]++;
    for (int v = 0; v < t->nnodes; v++)
        first_rank[v + 2] += first_rank[v + 1];
    for (int r = 0; r < t->p; r++)
        ranks[first_rank[t->node_of[r] + 1]++] = r;
}

static void walk(const atn_topo *t, int start, atn_walk *w, branch *b, int *work)
{
    int *const first = work, *const stack = first + t->nnodes, *const ranks = stack + t->nnodes;
    int *const first_rank = ranks + t->p;
    const int node = t->node_of[start];

    turn(t, node, w->up);
    find_delays(t, node, w->up, b);
    qsort(b, (size_t)t->nnodes, sizeof *b, by_up);
    for (int v = 0; v < t->nnodes; v++)
        first[v] = t->nnodes;
    for (int i = t->nnodes - 1; i >= 0; i--)
        if (b[i].up >= 0)
            first[b[i].up] = i;
    sort_ranks(t, ranks, first_rank);
    number(t, node, b, first, stack, ranks, first_rank, w);
    find_ends(t, w, first_rank, stack);
    begin_with(w, start);
}

bool atn_algo_walk_begin(const atn_topo *t, int start, atn_walk *w)
{
    const size_t n = (size_t)t->nnodes, p = (size_t)t->p;
    branch *b = malloc(sizeof *b * n);
    int *work = malloc(sizeof *work * (3 * n + p + 2));

    *w = (atn_walk){.p = t->p, .n = t->nnodes, .memory = malloc(sizeof(int) * (3 * n + 2 * p))};
    const bool ok = b && work && w->memory;
    if (ok) {
        w->rank = w->memory;
        w->node = w->rank + p;
        w->up = w->node + p;
        w->lo = w->up + n;
        w->hi = w->lo + n;
        walk(t, start, w, b, work);
    } else {
        atn_algo_walk_end(w);
    }
    free(b);
    free(work);
    return ok;
}

void atn_algo_walk_end(atn_walk *w)
{
    free(w->memory);
    w->memory = NULL;
}
