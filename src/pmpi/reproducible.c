/* reproducible.c - ATTUNE_REPRODUCIBLE: what must be left to the MPI library, whose order of
 * operands nobody knows, is told once, because silence would be taken for a promise. */
#include <stdatomic.h>

#include "pmpi/watch.h"

static const char *const reasons[] = {
    [ATN_LOST_INTER] = "a communicator joins two groups",
    [ATN_LOST_OUTSIDE] = "a communicator has processes outside of this MPI_COMM_WORLD",
    [ATN_LOST_ROOM] = "a communicator could not be set up on all ranks",
    [ATN_LOST_ARGUMENTS] = "operator and datatype, or other arguments, are not among those served",
    [ATN_LOST_NONBLOCKING] = "nonblocking and persistent reductions are not served",
};

void atn_irreproducible(atn_lost why, MPI_Comm comm)
{
    static _Atomic unsigned told;
    int r = 0;
    if (!atn_the_job.reproducible || atomic_fetch_or(&told, 1u << why) & 1u << why)
        return;
    PMPI_Comm_rank(comm, &r);
    if (r == 0)
        atn_say("ATTUNE_REPRODUCIBLE: %s; such floating-point reductions are left to the MPI "
                "library and may differ from run to run",
                reasons[why]);
}

void atn_saw_later(MPI_Comm comm)
{
    const atn_job *const job = &atn_the_job;
    if (!job->active || (!job->reproducible && job->report == NULL))
        return;
    atn_report_later();
    atn_irreproducible(ATN_LOST_NONBLOCKING, comm);
}

uint32_t atn_reproducible_operations(void)
{
    uint32_t typed = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_operation_get((atn_operation)op)->flags & ATN_TYPED)
            typed |= 1u << op;
    return atn_the_job.reproducible ? typed : 0;
}
