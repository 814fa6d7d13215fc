/* agreement.c - see agreement.h. */
#include "pmpi/comm/agreement.h"

#include "pmpi/job/job.h"
#include "pmpi/own.h"

enum { READY, HASH, HASH_NOT, CONTEXT, CONTEXT_NOT, STARTS, BALLOT };

atn_readiness atn_comm_agree(MPI_Comm comm, atn_readiness own, uint64_t context,
                             atn_agreed *agreed_p)
{
    const atn_job *const job = &atn_job_current;
    int64_t ballot[BALLOT] = {
        [READY] = own,
        [HASH] = (int64_t)job->hash,
        [HASH_NOT] = ~(int64_t)job->hash,
        [CONTEXT] = (int64_t)context,
        [CONTEXT_NOT] = ~(int64_t)context,
        [STARTS] = job->can_start,
    };
    const int code =
        atn_pmpi_own_allreduce(MPI_IN_PLACE, ballot, BALLOT, MPI_INT64_T, MPI_MIN, comm);
    *agreed_p = (atn_agreed){.same = ballot[CONTEXT] == ~ballot[CONTEXT_NOT],
                             .nonblocking = ballot[STARTS] != 0};
    return code == MPI_SUCCESS && ballot[HASH] == ~ballot[HASH_NOT] ? (atn_readiness)ballot[READY]
                                                                    : ATN_READY_NOTHING;
}
