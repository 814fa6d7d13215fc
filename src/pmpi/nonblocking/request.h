/* request.h - the requests of nonblocking and persistent collectives.
 *
 * A request is a receive of zero bytes from this rank itself, on a communicator of its own; a
 * message to it completes the request.  So it is a request of the MPI library, which all its
 * functions accept. */
#ifndef ATN_PMPI_NONBLOCKING_REQUEST_H
#define ATN_PMPI_NONBLOCKING_REQUEST_H

#include "exec/execution.h"
#include "pmpi/comm/state.h"

typedef struct atn_open_request {
    MPI_Request handle;
    MPI_Comm self; /* of the user's communicator */
    MPI_Comm user;
    int tag;
    bool persistent, active;
    bool freed; /* by the program, while active */
    atn_execution *execution;
    struct atn_open_request *next;
} atn_open_request;

/* A new request of a call on c.  *code_p: why there is none. */
atn_open_request *atn_nonblocking_request_new(atn_comm *c, bool persistent, int *code_p);
/* The function for atn_exec_launch, whose context is the request: completes it. */
void atn_nonblocking_request_done(void *request, int code);
/* The request with this handle that is active or persistent; NULL: the MPI library's own. */
atn_open_request *atn_nonblocking_request_find(MPI_Request handle);
/* Whether the call of the request has ended, but the program has not completed it; not for
 * persistent ones. */
bool atn_nonblocking_request_has_ended(MPI_Request handle);
/* Frees a persistent request. */
int atn_nonblocking_request_free(atn_open_request *q);
/* Persistent requests that exist. */
int atn_nonblocking_requests_kept(void);

#endif
