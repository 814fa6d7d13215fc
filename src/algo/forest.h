/* forest.h - the tree of switches and hosts with ranks, for computing orders and phases. */
#ifndef ATN_ALGO_FOREST_H
#define ATN_ALGO_FOREST_H

#include "topo/topo.h"

/* The ranks of a host stay together. */
typedef struct {
    const atn_topo *t;
    int root;           /* the lowest node that joins all ranks */
    int *below;         /* ranks at or below a node */
    int *sorted;        /* ranks in the order lr1 */
    int *begin;         /* node -> place in `sorted` of the first rank below it */
    int *child, *first; /* children with ranks: child[first[v] .. first[v + 1]) */
} atn_forest;

bool atn_algo_forest_begin(const atn_topo *t, atn_forest *f);
void atn_algo_forest_end(atn_forest *f);
static inline bool atn_algo_forest_switch(const atn_forest *f, int v)
{
    return f->t->nodes[v].kind == ATN_TOPO_SWITCH;
}
/* Appends the ranks of a host; returns the new number of ranks. */
int atn_algo_forest_take(const atn_forest *f, int v, int *ranks, int n);

#endif
