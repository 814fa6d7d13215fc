/* forest.c - see forest.h. */
#include "algo/forest.h"

#include <stdlib.h>
#include <string.h>

/* Nodes are in depth-first order, so sorting by node gives lr1. */
static void sort_ranks(atn_forest *f, int *next)
{
    const atn_topo *t = f->t;
    int at = 0;

    for (int v = 0; v < t->nnodes; v++) {
        next[v] = 0;
        f->begin[v] = 0;
    }
    for (int r = 0; r < t->p; r++)
        next[t->node_of[r]]++;
    for (int v = 0; v < t->nnodes; v++) {
        const int here = next[v];
        f->begin[v] = next[v] = at;
        at += here;
    }
    for (int r = 0; r < t->p; r++)
        f->sorted[next[t->node_of[r]]++] = r;
}

static void list_children(atn_forest *f)
{
    const atn_topo *t = f->t;

    memset(f->first, 0, sizeof *f->first * ((size_t)t->nnodes + 2));
    for (int v = 1; v < t->nnodes; v++)
        if (f->below[v] > 0)
            f->first[t->nodes[v].parent + 2]++;
    for (int v = 0; v < t->nnodes; v++)
        f->first[v + 2] += f->first[v + 1];
    for (int v = 1; v < t->nnodes; v++)
        if (f->below[v] > 0)
            f->child[f->first[t->nodes[v].parent + 1]++] = v;
}

static int joining(const atn_forest *f)
{
    int v = 0;

    while (f->first[v + 1] - f->first[v] == 1 && f->below[f->child[f->first[v]]] == f->t->p)
        v = f->child[f->first[v]];
    return v;
}

bool atn_algo_forest_begin(const atn_topo *t, atn_forest *f)
{
    const size_t n = (size_t)t->nnodes;
    int *memory = malloc(sizeof *memory * (5 * n + (size_t)t->p + 2));

    *f = (atn_forest){.t = t, .below = memory};
    if (!memory)
        return false;
    f->begin = memory + n;
    f->child = f->begin + n;
    f->first = f->child + n;
    f->sorted = f->first + n + 2;
    atn_topo_below(t, f->below);
    sort_ranks(f, f->child);
    list_children(f);
    f->root = joining(f);
    return true;
}

void atn_algo_forest_end(atn_forest *f)
{
    free(f->below);
    f->below = NULL;
}

int atn_algo_forest_take(const atn_forest *f, int v, int *ranks, int n)
{
    memcpy(ranks + n, f->sorted + f->begin[v], sizeof *ranks * (size_t)f->below[v]);
    return n + f->below[v];
}
