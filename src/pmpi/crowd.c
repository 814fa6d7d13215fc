/* crowd.c - asks once per job whether the ranks of this node share cores. */
#include "exec/crowd.h"
#include "pmpi/job.h"

bool atn_node_is_crowded(void)
{
    const atn_place_mpi mpi = {atn_real.Bcast, atn_real.Allgather, atn_real.Allreduce};
    MPI_Comm near;
    if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near) !=
        MPI_SUCCESS)
        return true;
    const bool crowded = atn_ranks_crowded(&mpi, near);
    atn_real.Comm_free(&near);
    return crowded;
}
