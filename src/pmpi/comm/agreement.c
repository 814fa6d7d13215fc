/* agreement.c - see agreement.h. */
#include "pmpi/comm/agreement.h"

#include "pmpi/job/job.h"
#include "pmpi/own.h"

atn_readiness atn_comm_agree(MPI_Comm comm, atn_readiness own, uint64_t context, bool *same_p)
{
    const int64_t hash = (int64_t)atn_job_current.hash, name = (int64_t)context;
    int64_t ballot[] = {own, hash, ~hash, name, ~name};
    const int code = atn_pmpi_own_allreduce(MPI_IN_PLACE, ballot, 5, MPI_INT64_T, MPI_MIN, comm);
    *same_p = ballot[3] == ~ballot[4];
    return code == MPI_SUCCESS && ballot[1] == ~ballot[2] ? (atn_readiness)ballot[0]
                                                          : ATN_READY_NOTHING;
}
