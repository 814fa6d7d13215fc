/* crowd.h - do the ranks of a node outnumber its cores?  The answer may differ between nodes: it
 * changes how a rank waits, never what it sends. */
#ifndef ATN_CROWD_H
#define ATN_CROWD_H

#include "exec/place.h"

/* Whether ranks should give the core away while they wait: they share cores, and the MPI library
 * does not do it itself.  `near`: the ranks of this node. */
bool atn_ranks_crowded(const atn_place_mpi *mpi, MPI_Comm near);

#endif
