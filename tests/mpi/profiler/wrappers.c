/* wrappers.c - a typical profiling tool: it defines MPI_X and calls PMPI_X.  Linked into
 * the program, or built as a shared library that the program is linked with. */
#include <mpi.h>

#include "wrappers.h"

static int calls[WRAPPED];

int wrapper_calls(int which) { return calls[which]; }

int MPI_Allreduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    calls[WRAPPED_ALLREDUCE]++;
    return PMPI_Allreduce(sbuf, rbuf, count, type, op, comm);
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    calls[WRAPPED_BCAST]++;
    return PMPI_Bcast(buf, count, type, root, comm);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    calls[WRAPPED_COMM_FREE]++;
    return PMPI_Comm_free(comm);
}

int MPI_Finalize(void)
{
    calls[WRAPPED_FINALIZE]++;
    return PMPI_Finalize();
}
