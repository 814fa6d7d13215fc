/* neighbours.h - the virtual topology of a communicator, for neighbourhood collectives. */
#ifndef ATN_PMPI_COMM_NEIGHBOURS_H
#define ATN_PMPI_COMM_NEIGHBOURS_H

#include "pmpi/comm/state.h"

/* Whether c can serve the neighbourhood collective; collective in its first call on c, which reads
 * the topology.  Where a rank sends several blocks to the same rank, MPI libraries match them in
 * different ways, so all but allgathers stay native. */
bool atn_comm_neighbours_ready(atn_comm *c, atn_operation op);
/* The same without reading it. */
bool atn_comm_neighbours_known(const atn_comm *c, atn_operation op);

#endif
