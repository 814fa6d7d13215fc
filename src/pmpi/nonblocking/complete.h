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
    return ATN_RARELY(atn_nonblocking_tokens > 0);
}

/* True: done, *code_p; false: call the routine of the MPI library. */
bool atn_nonblocking_wait(MPI_Request *request, MPI_Status *status, int *code_p);
bool atn_nonblocking_test(MPI_Request *request, int *flag, MPI_Status *status, int *code_p);
bool atn_nonblocking_get_status(MPI_Request request, int *flag, MPI_Status *status, int *code_p);
bool atn_nonblocking_wait_all(int n, MPI_Request *requests, MPI_Status *statuses, int *code_p);
/* Before the MPI library gets requests. */
void atn_nonblocking_settle(int n, const MPI_Request *requests);

#endif
