/* dummy.c - see dummy.h. */
#include "algo/dummy.h"

#include <stdlib.h>

enum {
    TRIES = 16
}; /* receivers that a sender tries: with many ranks per host most paths are taken */

static int switch_above(const atn_topo *t, int r)
{
    int v = t->node_of[r];

    while (t->nodes[v].kind != ATN_TOPO_SWITCH && t->nodes[v].parent >= 0)
        v = t->nodes[v].parent;
    return v;
}

/* Counting sort of the ranks by the switch above them. */
static void sort_ranks(atn_dummies *d, int *at)
{
    for (int v = 0; v <= d->t->nnodes; v++)
        at[v] = 0;
    for (int r = 0; r < d->t->p; r++)
        at[d->above[r] + 1]++;
    for (int v = 0; v < d->t->nnodes; v++)
        at[v + 1] += at[v];
    for (int r = 0; r < d->t->p; r++)
        d->sorted[at[d->above[r]]++] = r;
}

bool atn_algo_dummies_begin(const atn_topo *t, atn_dummies *d)
{
    const size_t p = (size_t)t->p, edges = (size_t)atn_topo_edges(t);

    *d = (atn_dummies){.t = t};
    d->memory = malloc(sizeof(int) * (4 * p + edges + (size_t)atn_topo_longest(t)));
    if (!d->memory)
        return false;
    d->to = d->memory;
    d->from = d->to + p;
    d->sorted = d->from + p;
    d->above = d->sorted + p;
    d->stamp = d->above + p;
    d->path = d->stamp + edges;
    for (int r = 0; r < t->p; r++)
        d->above[r] = switch_above(t, r);
    sort_ranks(d, d->stamp);
    for (size_t e = 0; e < edges; e++)
        d->stamp[e] = -1;
    return true;
}

void atn_algo_dummies_end(atn_dummies *d)
{
    free(d->memory);
    d->memory = NULL;
}

static void take(atn_dummies *d, int from, int to, int phase)
{
    const int length = atn_topo_path(d->t, from, to, d->path);

    for (int i = 0; i < length; i++)
        d->stamp[d->path[i]] = phase;
    d->to[from] = to;
    d->from[to] = from;
}

static bool is_free(const atn_dummies *d, int from, int to, int phase)
{
    const int length = atn_topo_path(d->t, from, to, d->path);

    for (int i = 0; i < length; i++)
        if (d->stamp[d->path[i]] == phase)
            return false;
    return true;
}

/* The ranks lo .. hi - 1 of `sorted`: each idle sender takes the next idle receiver cyclically, so
 * that idle ranks below a switch form a ring. */
static void pair_up(atn_dummies *d, int lo, int hi, int phase)
{
    int next = lo + 1;

    for (int i = lo; i < hi; i++) {
        const int from = d->sorted[i];
        for (int k = 0; d->to[from] < 0 && k < atn_min(TRIES, hi - lo); k++, next++) {
            const int to = d->sorted[lo + (next - lo) % (hi - lo)];
            if (to != from && d->from[to] < 0 && is_free(d, from, to, phase))
                take(d, from, to, phase);
        }
    }
}

int atn_algo_dummies_fill(atn_dummies *d, const atn_phases *x, int phase, int lo)
{
    int end = 0;

    for (int r = 0; r < d->t->p; r++)
        d->to[r] = d->from[r] = -1;
    for (; lo < x->n && x->list[lo].phase == phase; lo++)
        take(d, x->list[lo].from, x->list[lo].to, phase);
    for (int i = 0; i < d->t->p; i = end) {
        for (end = i; end < d->t->p && d->above[d->sorted[end]] == d->above[d->sorted[i]];)
            end++;
        pair_up(d, i, end, phase);
    }
    return lo;
}
