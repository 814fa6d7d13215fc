/* oversubscribed.h - detects oversubscription of a node.  The result may differ between nodes: it
 * affects how a rank waits, never what it sends. */
#ifndef ATN_EXEC_OVERSUBSCRIBED_H
#define ATN_EXEC_OVERSUBSCRIBED_H

#include "exec/place.h"

/* Whether ranks of this host share cores, if each has this many threads.  Collective; with the
 * locations of all ranks it needs messages only between ranks that share a kernel, along a tree,
 * and none if these outnumber the processors. */
bool atn_exec_locations_oversubscribed(const atn_location *locations, MPI_Comm comm, int threads);
bool atn_exec_ranks_oversubscribed(const atn_place_mpi *mpi, MPI_Comm comm);
/* Whether the MPI library yields the processor in its own waits; if so, a second yield would only
 * waste a time slice. */
bool atn_exec_library_yields(void);

#endif
