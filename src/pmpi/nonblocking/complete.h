/* complete.h - the functions that complete requests.
 *
 * Where all requests of a call are Attune's, it is completed here, without the MPI library; else
 * the library gets requests in the state that the program sees.  Nothing is done if several threads
 * call MPI: then requests always have this state. */
#ifndef ATN_PMPI_NONBLOCKING_COMPLETE_H
#define ATN_PMPI_NONBLOCKING_COMPLETE_H

#include "pmpi/nonblocking/request.h"

/* Whether the functions below have to be called. */
static inline bool atn_nonblocking_completes(void)
{
    return ATN_RARELY(atn_nonblocking_tokens() > 0);
}

/* The status of a request that is not active; the error field is kept. */
void atn_nonblocking_set_empty(MPI_Status *status);
/* Waits shortly for a start that repeats (start.h).  True: done, without an error. */
static inline bool atn_nonblocking_wait_bound(const MPI_Request *request, MPI_Status *status)
{
    atn_open_request *const q = atn_nonblocking_recent;
    const bool bound = q != NULL && request != NULL && q->handle == *request && q->bound &&
                       q->state == ATN_REQUEST_ACTIVE;
    if (!ATN_LIKELY(bound) || !atn_exec_wait_bound(q->execution))
        return false;
    q->state = ATN_REQUEST_STALE;
    if (status != MPI_STATUS_IGNORE)
        atn_nonblocking_set_empty(status);
    return true;
}

/* True: done, *code_p; false: call the routine of the MPI library. */
bool atn_nonblocking_wait(MPI_Request *request, MPI_Status *status, int *code_p);
bool atn_nonblocking_test(MPI_Request *request, int *flag, MPI_Status *status, int *code_p);
bool atn_nonblocking_get_status(MPI_Request request, int *flag, MPI_Status *status, int *code_p);
bool atn_nonblocking_wait_all(int n, MPI_Request *requests, MPI_Status *statuses, int *code_p);
/* Before the MPI library gets requests. */
void atn_nonblocking_settle(int n, const MPI_Request *requests);

#endif
