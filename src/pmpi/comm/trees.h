/* trees.h - the topologies of communicators: those of ranks on the same hosts in the same order
 * share one. */
#ifndef ATN_PMPI_COMM_TREES_H
#define ATN_PMPI_COMM_TREES_H

#include "topo/topo.h"

/* The part of `whole` that these ranks see; NULL: no memory. */
atn_topo *atn_comm_tree_take(atn_topo *whole, const int *ranks, int p);
/* NULL is fine. */
void atn_comm_tree_give(const atn_topo *t);

#endif
