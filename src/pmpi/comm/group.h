/* group.h - the ranks of a communicator as ranks of MPI_COMM_WORLD. */
#ifndef ATN_PMPI_COMM_GROUP_H
#define ATN_PMPI_COMM_GROUP_H

#include "pmpi/comm/state.h"

/* Rank by rank, MPI_UNDEFINED for a process outside of MPI_COMM_WORLD; the caller frees the array.
 * NULL: no memory. */
int *atn_comm_world_ranks(MPI_Comm comm);
/* Whether all processes belong to this MPI_COMM_WORLD: others may not run Attune at all. */
bool atn_comm_within_world(const atn_comm *c);
/* Sets the topology of its ranks; false: no memory (part of the agreement). */
bool atn_comm_place(atn_comm *c);

#endif
