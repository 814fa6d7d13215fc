/* wrappers.c - a typical profiling tool: it defines MPI_X and calls PMPI_X.  Linked into
 * the program, or built as a shared library that is linked or preloaded. */
#include <mpi.h>

#include "wrappers.h"

int MPI_Allreduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    wrapped_calls[WRAPPED_ALLREDUCE]++;
    return PMPI_Allreduce(sbuf, rbuf, count, type, op, comm);
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    wrapped_calls[WRAPPED_BCAST]++;
    return PMPI_Bcast(buf, count, type, root, comm);
}

int MPI_Iallreduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    wrapped_calls[WRAPPED_IALLREDUCE]++;
    return PMPI_Iallreduce(sbuf, rbuf, count, type, op, comm, request);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    wrapped_calls[WRAPPED_MESSAGES]++;
    return PMPI_Isend(buf, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    wrapped_calls[WRAPPED_MESSAGES]++;
    return PMPI_Irecv(buf, count, type, from, tag, comm, request);
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    wrapped_calls[WRAPPED_MESSAGES]++;
    return PMPI_Send(buf, count, type, to, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    wrapped_calls[WRAPPED_MESSAGES]++;
    return PMPI_Recv(buf, count, type, from, tag, comm, status);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    wrapped_calls[WRAPPED_COMM_FREE]++;
    return PMPI_Comm_free(comm);
}

int MPI_Finalize(void)
{
    wrapped_calls[WRAPPED_FINALIZE]++;
    return PMPI_Finalize();
}
