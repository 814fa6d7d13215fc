/* reproducible.c - see reproducible.h.
 *
 * The MPI library does not specify its order of operands, so reductions that fall back to it are
 * reported: without a message users would rely on them. */
#include "pmpi/job/reproducible.h"

#include <stdatomic.h>

#include "pmpi/job/job.h"

static const char *const reasons[] = {
    [ATN_LOST_INTER] = "a communicator joins two groups",
    [ATN_LOST_OUTSIDE] = "a communicator has processes outside of this MPI_COMM_WORLD",
    [ATN_LOST_ROOM] = "a communicator could not be set up on all ranks",
    [ATN_LOST_ARGUMENTS] = "operator and datatype, or other arguments, are not among those served",
    [ATN_LOST_NONBLOCKING] = "nonblocking and persistent reductions are not served",
};

void atn_job_not_reproducible(atn_reproducibility_loss why, MPI_Comm comm)
{
    static _Atomic unsigned reported;
    int r = 0;
    if (!atn_job_current.reproducible || atomic_fetch_or(&reported, 1u << why) & 1u << why)
        return;
    PMPI_Comm_rank(comm, &r);
    if (r == 0)
        atn_interpose_print_line(
            "ATTUNE_REPRODUCIBLE: %s; such floating-point reductions are left to the MPI "
            "library and may differ from run to run",
            reasons[why]);
}

uint32_t atn_job_reproducible_operations(void)
{
    uint32_t typed = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_sched_operation_get((atn_operation)op)->flags & ATN_TYPED)
            typed |= 1u << op;
    return atn_job_current.reproducible ? typed : 0;
}
