/* neighbours.h - the virtual topology of a communicator, as the MPI library has it. */
#ifndef ATN_EXEC_NEIGHBOURS_H
#define ATN_EXEC_NEIGHBOURS_H

#include <mpi.h>

#include "sched/neighbourhood.h"

/* Collective: the neighbours of all ranks of `comm`, the same on all of them; to be freed.  Grids
 * and graphs of MPI_Graph_create need one agreement; the lists of a distributed graph are
 * exchanged, all on `messages`, a communicator of the same ranks in the same order.  NULL on all
 * ranks: no virtual topology, lists that do not match, too much data, or a rank without memory. */
atn_neighbourhood *atn_exec_neighbours_read(MPI_Comm comm, MPI_Comm messages);

#endif
