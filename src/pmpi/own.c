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

bool atn_pmpi_own_comm(MPI_Comm user, MPI_Comm *comm_p)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL; /* SMPI has none by default */
    MPI_Group group;
    PMPI_Comm_get_errhandler(user, &handler);
    if (handler != MPI_ERRHANDLER_NULL)
        PMPI_Comm_set_errhandler(user, MPI_ERRORS_RETURN);
    PMPI_Comm_group(user, &group);
    const int code = atn_pmpi_real.Comm_create(user, group, comm_p);
    PMPI_Group_free(&group);
    if (handler != MPI_ERRHANDLER_NULL) {
        PMPI_Comm_set_errhandler(user, handler);
        PMPI_Errhandler_free(&handler);
    }
    if (code != MPI_SUCCESS) {
        *comm_p = MPI_COMM_NULL;
        return false;
    }
    return PMPI_Comm_set_errhandler(*comm_p, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

bool atn_pmpi_own_collect(const atn_collection *x)
{
    MPI_Comm comm = MPI_COMM_NULL;
    const int have = atn_pmpi_own_comm(MPI_COMM_WORLD, &comm);
    int all = 0;
    const bool agreed =
        atn_pmpi_own_allreduce(&have, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS &&
        all;
    if (agreed)
        atn_exec_collect(x, comm);
    if (comm != MPI_COMM_NULL)
        atn_pmpi_real.Comm_free(&comm);
    return agreed;
}
