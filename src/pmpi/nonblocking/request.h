/* request.h - the requests of nonblocking and persistent collectives.
 *
 * A request is a receive of zero bytes from this rank itself, on a communicator of its own; a
 * message to it completes the request.  So it is a request of the MPI library, which all its
 * functions accept.
 *
 * Receive and message take longer than a short collective.  If one thread calls MPI, both are
 * avoided where MPI_Wait, MPI_Test or MPI_Waitall completes the request (complete.h): for the MPI
 * library the receive stays active, and the next call on the communicator, or the next start of the
 * persistent request, uses it again.  The message is sent as soon as the library has to take part:
 * by the progress hook, or before another function gets the request. */
#ifndef ATN_PMPI_NONBLOCKING_REQUEST_H
#define ATN_PMPI_NONBLOCKING_REQUEST_H

#include "exec/execution.h"
#include "pmpi/comm/state.h"
#include "pmpi/real.h"

typedef enum {
    ATN_REQUEST_SPARE,    /* nonblocking: an active receive for a later call */
    ATN_REQUEST_INACTIVE, /* persistent: as far as Attune is concerned */
    ATN_REQUEST_STALE,    /* persistent: inactive for the program, active for the MPI library */
    ATN_REQUEST_ACTIVE,
    ATN_REQUEST_ENDED /* the execution has ended; the message has not been sent */
} atn_request_state;

typedef struct atn_open_request {
    MPI_Request handle;
    atn_request_state state;
    bool ended;  /* the execution */
    bool listed; /* among the ended ones */
    bool persistent;
    bool bound; /* persistent: the execution can be launched again at once (atn_exec_is_bound) */
    bool freed; /* by the program, while active */
    int code;   /* of the execution */
    atn_execution *execution;
    atn_comm *c;   /* which persistent ones hold */
    MPI_Comm self; /* of the user's communicator */
    int tag;
    struct atn_open_request *next;  /* in the table, or unused */
    struct atn_open_request *spare; /* of its communicator: the next one */
    struct atn_open_request *ended_prev, *ended_next;
} atn_open_request;

/* `threads`: several threads may call MPI at the same time. */
void atn_nonblocking_requests_start(bool threads);
/* A new request of a call on c.  *code_p: why there is none. */
atn_open_request *atn_nonblocking_request_new(atn_comm *c, bool persistent, int *code_p);
/* A persistent request becomes active.  False: it is active already; *code_p is an error of
 * MPI_Start. */
bool atn_nonblocking_request_start(atn_open_request *q, int *code_p);
static inline bool atn_nonblocking_request_activate(atn_open_request *q, int *code_p)
{
    if (!ATN_LIKELY(q->state == ATN_REQUEST_STALE))
        return atn_nonblocking_request_start(q, code_p);
    q->state = ATN_REQUEST_ACTIVE;
    q->ended = false;
    *code_p = MPI_SUCCESS;
    return true;
}
/* After the first launch of a persistent request: whether the next ones are short. */
void atn_nonblocking_request_bind(atn_open_request *q);
/* The function for atn_exec_launch, whose context is the request. */
void atn_nonblocking_request_done(void *request, int code);
/* The request with this handle that is active or persistent; NULL: the MPI library's own. */
atn_open_request *atn_nonblocking_request_search(MPI_Request handle);
extern atn_open_request *atn_nonblocking_recent ATN_HIDDEN; /* if one thread calls MPI */
static inline atn_open_request *atn_nonblocking_request_find(MPI_Request handle)
{
    atn_open_request *const q = atn_nonblocking_recent;
    return ATN_LIKELY(q != NULL && q->handle == handle) ? q
                                                        : atn_nonblocking_request_search(handle);
}
/* Whether the call of the request has ended, but the program has not completed it; not for
 * persistent ones. */
bool atn_nonblocking_request_has_ended(MPI_Request handle);
/* Frees a persistent request. */
int atn_nonblocking_request_free(atn_open_request *q);
/* Persistent requests that exist. */
extern _Atomic int atn_nonblocking_kept ATN_HIDDEN;
static inline int atn_nonblocking_requests_kept(void)
{
    return atomic_load_explicit(&atn_nonblocking_kept, memory_order_relaxed);
}

/* ---- completion ---- */

/* Requests that functions which complete requests have to look for: the lowest part of the gate. */
static inline int atn_nonblocking_tokens(void)
{
    return (int)(uint32_t)atomic_load_explicit(&atn_pmpi_requests_gate, memory_order_relaxed);
}
/* Requests whose message has not been sent. */
extern int atn_nonblocking_unsent ATN_HIDDEN;
/* While it is set, messages are not sent. */
extern bool atn_nonblocking_withheld ATN_HIDDEN;
/* Waits for an active request; its message is not sent. */
void atn_nonblocking_request_wait(atn_open_request *q);

/* Whether the request can be completed without the MPI library. */
static inline bool atn_nonblocking_request_is_own(const atn_open_request *q)
{
    return q->state >= ATN_REQUEST_STALE;
}
/* The program has completed it: ended without an error, or stale. */
void atn_nonblocking_request_reuse(atn_open_request *q);
static inline void atn_nonblocking_request_complete(atn_open_request *q)
{
    if (ATN_LIKELY(q->persistent && !q->listed))
        q->state = ATN_REQUEST_STALE;
    else
        atn_nonblocking_request_reuse(q);
}
/* Gives the MPI library the state that the program sees. */
void atn_nonblocking_request_settle(atn_open_request *q);
/* Sends all messages; their number.  For the progress hook. */
int atn_nonblocking_requests_send(void);
/* Before c is freed; none of its calls is open. */
void atn_nonblocking_requests_leave(atn_comm *c);

#endif
