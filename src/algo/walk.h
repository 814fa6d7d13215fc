/* walk.h - a depth-first walk through the tree of a topology, starting at a rank.
 *
 * Ranks get places in the order in which they are visited, so the ranks of every branch are
 * consecutive.  Seen from the start, a link leads into a branch (forward) or out of it (back): a
 * message from place i to a later place k uses the forward links of the branches that hold k but
 * not i, and the back links of those that hold i but not k; every directed link is one or the
 * other.  Contention of trees and rings follows from this. */
#ifndef ATN_ALGO_WALK_H
#define ATN_ALGO_WALK_H

#include "topo/topo.h"

typedef struct {
    int p, n;     /* ranks, nodes of the topology */
    int *rank;    /* place -> rank */
    int *node;    /* place -> node that the rank is attached to */
    int *up;      /* node -> node before it on the walk; -1: the start */
    int *lo, *hi; /* the branch that begins with a node holds the places lo .. hi - 1 */
    int *memory;
} atn_walk;

/* Visits at each node first its own ranks, then branches: short delays first, so that a slow link
 * is crossed last and only once each way, then hosts, then switches.  False: no memory. */
bool atn_algo_walk_begin(const atn_topo *t, int start, atn_walk *w);
void atn_algo_walk_end(atn_walk *w);

#endif
