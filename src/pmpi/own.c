/* own.c - see own.h. */
#include "pmpi/own.h"

#include "exec/traffic.h"
#include "pmpi/real.h"

int atn_pmpi_own_bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    atn_exec_traffic_collective(count, type);
    return atn_pmpi_real.Bcast(buf, count, type, root, comm);
}

int atn_pmpi_own_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm)
{
    atn_exec_traffic_collective(count, type);
    return atn_pmpi_real.Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

int atn_pmpi_own_iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    atn_exec_traffic_collective(count, type);
    return atn_pmpi_real.Iallreduce(sendbuf, recvbuf, count, type, op, comm, request);
}

int atn_pmpi_own_barrier(MPI_Comm comm)
{
    atn_exec_traffic_collective(0, MPI_BYTE);
    return atn_pmpi_real.Barrier(comm);
}

int atn_pmpi_own_allgather(const void *own, int bytes, void *all, MPI_Comm comm)
{
    atn_exec_traffic_collective(bytes, MPI_BYTE);
    return atn_pmpi_real.Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
}
