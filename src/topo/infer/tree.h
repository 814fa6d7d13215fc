/* tree.h - the tree as far as it is known: hosts are leaves, switches join at least three
 * branches. It has no top; the parents are only a way of storing it. */
#ifndef ATN_TOPO_INFER_TREE_H
#define ATN_TOPO_INFER_TREE_H

#include "base/base.h"

enum { ATN_NONE = -1, ATN_OUTSIDE = -2 };

typedef struct {
    int hosts;   /* nodes 0 .. hosts - 1 */
    int nnodes;  /* all nodes, also those that are not used (any more) */
    int *parent; /* ATN_NONE: the root; ATN_OUTSIDE: not in the tree */
    int *work;   /* room for nnodes */
} atn_infer_tree;

bool atn_topo_tree_make(atn_infer_tree *g, int hosts);
void atn_topo_tree_free(atn_infer_tree *g);

static inline bool atn_topo_tree_has(const atn_infer_tree *g, int v)
{
    return g->parent[v] != ATN_OUTSIDE;
}
static inline bool atn_topo_is_switch(const atn_infer_tree *g, int v)
{
    return v >= g->hosts && atn_topo_tree_has(g, v);
}

/* The first three hosts, on one switch. */
void atn_topo_tree_start(atn_infer_tree *g, const int hosts[3]);
/* Nodes next to v; returns how many. */
int atn_topo_tree_near(const atn_infer_tree *g, int v, int *near);
/* For each host the neighbour of v that leads to it; ATN_NONE for v itself and hosts outside. */
void atn_topo_tree_branches(const atn_infer_tree *g, int v, int *branch_of);
/* For each node the neighbour of v that leads to it; ATN_NONE for v and what is outside. */
void atn_topo_tree_ways(const atn_infer_tree *g, int v, int *way_of);
/* Hosts beyond u, seen from its neighbour v; returns how many. */
int atn_topo_tree_beyond(const atn_infer_tree *g, int v, int u, int *hosts);

/* Each returns the new switch. */
int atn_topo_tree_divide(atn_infer_tree *g, int v, int u); /* in the middle of the link v - u */
int atn_topo_tree_join(atn_infer_tree *g, int v, const int *near,
                       int n); /* n neighbours of v behind it */

void atn_topo_tree_hang(atn_infer_tree *g, int host, int v);
/* Takes a host out; a switch that then joins only two branches goes too. */
void atn_topo_tree_remove(atn_infer_tree *g, int host);
/* The link between switch w and its parent goes: w's branches become its parent's. */
void atn_topo_tree_merge(atn_infer_tree *g, int w);
/* Makes v the root. */
void atn_topo_tree_turn(atn_infer_tree *g, int v);

#endif
