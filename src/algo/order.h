/* order.h - rank orders that make rings and chains contention-free on a topology: the ranks of
 * every branch are consecutive.
 *
 *   lr1   depth first through the topology
 *   lr2   a ring whose neighbours are at most two switches apart; exists when every switch has at
 *         least as many hosts as neighbouring switches
 *   lr3   a contention-free ring with the shortest possible maximum distance between neighbours
 *   dfs   depth first from the root of the operation (see walk.h) */
#ifndef ATN_ORDER_H
#define ATN_ORDER_H

#include "topo/topo.h"

typedef enum {
    ATN_ORDER_RANK,
    ATN_ORDER_LR1,
    ATN_ORDER_LR2,
    ATN_ORDER_LR3,
    ATN_ORDER_DFS
} atn_order;

/* NULL when the topology has such an order, else the reason. */
const char *atn_order_refuses(const atn_topo *t, atn_order how);
/* Sets ranks[i] to the rank at place i (t->p entries).  False: no memory, or no such order. */
bool atn_order_ranks(const atn_topo *t, atn_order how, int root, int *ranks);

/* ---- internal to order*.c ---- */

/* The tree of switches and hosts with ranks.  The ranks of a host stay together. */
typedef struct {
    const atn_topo *t;
    int root;           /* the lowest node that joins all ranks */
    int *below;         /* ranks at or below a node */
    int *sorted;        /* ranks in the order lr1 */
    int *begin;         /* node -> place in `sorted` of the first rank below it */
    int *child, *first; /* children with ranks: child[first[v] .. first[v + 1]) */
} atn_forest;

bool atn_forest_begin(const atn_topo *t, atn_forest *f);
void atn_forest_end(atn_forest *f);
static inline bool atn_forest_switch(const atn_forest *f, int v)
{
    return f->t->nodes[v].kind == ATN_TOPO_SWITCH;
}
/* Appends the ranks of a host; returns the new number of ranks. */
int atn_forest_take(const atn_forest *f, int v, int *ranks, int n);

/* lr3 (order_lr3.c): NULL on success; `ranks` may be NULL. */
const char *atn_order_shortest(const atn_forest *f, int *ranks);

#endif
