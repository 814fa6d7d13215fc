/* order.h - rank orders that make rings and chains contention-free on a topology: the ranks of
 * every branch are consecutive.
 *
 *   lr1   depth first through the topology
 *   lr2   a ring whose neighbours are at most two switches apart; exists when every switch has at
 *         least as many hosts as neighbouring switches
 *   lr3   a contention-free ring with the shortest possible maximum distance between neighbours
 *   dfs   depth first from the root of the operation (see walk.h)
 *   name  by the names of hosts, n2 before n10, for networks of which only these are known: hosts
 *         with consecutive numbers usually share a switch
 *
 * On a network with routes, lr1 and dfs follow the tree of its levels; contention.h then counts the
 * messages that meet.  lr2 and lr3 exist for trees only. */
#ifndef ATN_ALGO_ORDER_H
#define ATN_ALGO_ORDER_H

#include "topo/topo.h"

typedef enum {
    ATN_ORDER_RANK,
    ATN_ORDER_LR1,
    ATN_ORDER_LR2,
    ATN_ORDER_LR3,
    ATN_ORDER_DFS,
    ATN_ORDER_NAME
} atn_order;

/* NULL when the topology has such an order, else the reason. */
const char *atn_algo_order_refuses(const atn_topo *t, atn_order how);
/* Sets ranks[i] to the rank at place i (t->p entries).  False: no memory, or no such order. */
bool atn_algo_order_ranks(const atn_topo *t, atn_order how, int root, int *ranks);
/* Whether the order `name` differs from rank order and the names differ in numbers only: others
 * show nothing about the network.  Allocates nothing. */
bool atn_algo_order_names_differ(const atn_topo *t);

#endif
