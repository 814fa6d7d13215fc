/* wait.h - waiting for messages.
 *
 * Where every rank has a core, the MPI library's own wait is best.  With oversubscription, a
 * library that polls without yielding keeps the rank that it waits for off the core, so the
 * executor polls itself and yields in between. */
#ifndef ATN_EXEC_WAIT_H
#define ATN_EXEC_WAIT_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>

#include "exec/exec.h"
#include "exec/host.h"

/* MPICH's MPI_STATUSES_IGNORE is the address 1, which the compiler treats as an array of size 0. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"

static inline int atn_exec_wait_all(bool yield, int n, MPI_Request *requests)
{
    int done = 0, code = MPI_SUCCESS;

    if (!yield)
        return atn_real_complete.waitall(n, requests, MPI_STATUSES_IGNORE);
    for (;;) {
        code = atn_real_complete.testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done || code != MPI_SUCCESS)
            return code;
        sched_yield();
    }
}

static inline int atn_exec_wait_some(bool yield, int n, MPI_Request *requests, int *count,
                                     int *which)
{
    int code = MPI_SUCCESS;

    if (ATN_SIMULATED) { /* Waitsome tests all requests, and each test takes simulated time */
        *count = 1;
        return atn_real_complete.waitany(n, requests, which, MPI_STATUS_IGNORE);
    }
    if (!yield)
        return atn_real_complete.waitsome(n, requests, count, which, MPI_STATUSES_IGNORE);
    for (;;) {
        code = atn_real_complete.testsome(n, requests, count, which, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS || *count != 0)
            return code;
        sched_yield();
    }
}

#pragma GCC diagnostic pop

#endif
