/* own.h - the MPI library for Attune's own communication, which is counted (exec/traffic.h). */
#ifndef ATN_PMPI_OWN_H
#define ATN_PMPI_OWN_H

#include <mpi.h>

#include "exec/exchange.h"
#include "exec/place.h"

int atn_pmpi_own_bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
int atn_pmpi_own_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm);
int atn_pmpi_own_iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Request *request);
int atn_pmpi_own_barrier(MPI_Comm comm);
/* On communicators of the program, where messages of Attune might be received by the program. */
int atn_pmpi_own_allgather(const void *own, int bytes, void *all, MPI_Comm comm);

/* Collective: a communicator of the same ranks, without attributes, whose errors are returned.  The
 * error handler of the program is not called.  False: this rank has none. */
bool atn_pmpi_own_comm(MPI_Comm user, MPI_Comm *comm_p);
/* Collective: atn_exec_collect for all ranks of the job, on a communicator of its own: messages
 * that the program has not received, and receives that it has not cancelled, may be left on
 * MPI_COMM_WORLD at its end.  False: there is none, and nothing was collected. */
bool atn_pmpi_own_collect(const atn_collection *x);

/* For collective functions of the executor. */
static inline atn_place_mpi atn_pmpi_own_place(void)
{
    return (atn_place_mpi){atn_pmpi_own_bcast, atn_pmpi_own_allreduce};
}

#endif
