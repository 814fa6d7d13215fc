/* crowd.h - do the ranks of a node outnumber its cores?  The answer may differ between nodes: it
 * changes how a rank waits, never what it sends. */
#ifndef ATN_CROWD_H
#define ATN_CROWD_H

#include "exec/place.h"

/* Whether ranks should give the core away while they wait: they share cores, and the MPI library
 * does not do it itself.  Collective; with the seats of all ranks it takes no more than messages
 * between those that share a kernel, and none where more of them than processors settle it. */
bool atn_seats_crowded(const atn_seat *seats, MPI_Comm comm);
bool atn_ranks_crowded(const atn_place_mpi *mpi, MPI_Comm comm);

#endif
