/* walk.h - a walk through the tree of a topology that begins at a rank: depth first, away from it.
 *
 * Ranks get places in the order in which they are met, so the ranks of every branch stand one after
 * the other.  Seen from the start, a link leads into a branch (forward) and out of it (back):
 * a message from place i to a later place k uses forward the links of the branches that hold k and
 * not i, and back those of the branches that hold i and not k; and every directed link is one or
 * the other.  All that trees and rings need to know about contention follows from this. */
#ifndef ATN_WALK_H
#define ATN_WALK_H

#include "topo/topo.h"

typedef struct {
    int p, n;     /* ranks, nodes of the topology */
    int *rank;    /* place -> rank */
    int *node;    /* place -> node that the rank hangs from */
    int *up;      /* node -> node before it on the walk; -1: the start */
    int *lo, *hi; /* the branch that begins with a node holds the places lo .. hi - 1 */
    int *memory;
} atn_walk;

/* At each node first its own ranks, then branches: short delays first, so that a slow line is
 * crossed last and not back and forth, then hosts, then switches.  False: no memory. */
bool atn_walk_begin(const atn_topo *t, int start, atn_walk *w);
void atn_walk_end(atn_walk *w);

#endif
