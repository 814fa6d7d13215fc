/* job.h - queries of the MPI library and of the job that the preloaded libraries share. */
#ifndef ATN_INTERPOSE_JOB_H
#define ATN_INTERPOSE_JOB_H

#include <mpi.h>
#include <stdbool.h>

/* Whether the process runs on the MPI implementation that this library was built for.  Handles of
 * another one differ, so calls may only be passed on. */
bool atn_interpose_mpi_is_ours(void);

/* Collective over MPI_COMM_WORLD: a communicator with the same ranks, made by `create`, which is
 * the real MPI_Comm_create. */
MPI_Comm atn_interpose_private_world(int (*create)(MPI_Comm, MPI_Group, MPI_Comm *));

/* The ranks of a group in MPI_COMM_WORLD, MPI_UNDEFINED where a process is not in it; *n_p: size of
 * the group.  NULL: out of memory. */
int *atn_interpose_group_world_ranks(MPI_Group group, int *n_p);

#endif
