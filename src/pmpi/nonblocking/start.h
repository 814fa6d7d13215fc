/* start.h - starting nonblocking and persistent collectives.
 *
 * The start of a nonblocking call must not wait for other ranks.  So it is served only if
 * everything that ranks have to agree on exists: the communicator is set up and has its private
 * communicator, and rules or wisdom choose an algorithm, which depends on data that all ranks
 * share.  Communicators are set up when they are created (nonblocking/prepare.h).  Making a
 * persistent request may wait. */
#ifndef ATN_PMPI_NONBLOCKING_START_H
#define ATN_PMPI_NONBLOCKING_START_H

#include "pmpi/comm/fastpath.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/nonblocking/hook.h"
#include "pmpi/nonblocking/request.h"

/* The state of a communicator whose calls can be started; NULL: the native routine starts the
 * call.  `local`: the call must not wait. */
atn_comm *atn_nonblocking_enter(MPI_Comm comm, atn_operation op, bool local);
/* True: the call was started, or has failed; *code_p.  False: the native routine must start it. */
bool atn_nonblocking_start(atn_comm *c, const atn_call *call, MPI_Request *request, int *code_p);
/* The native routine has started it; MPI_REQUEST_NULL: has failed. */
void atn_nonblocking_started(MPI_Request request);
/* The same for persistent requests: true if *request is one. */
bool atn_nonblocking_init(atn_comm *c, const atn_call *call, MPI_Request *request, int *code_p);
/* MPI_Start; false: the request belongs to the MPI library. */
bool atn_nonblocking_restart(MPI_Request *request, int *code_p);
/* The same, for one that has been completed and repeats its last start: NULL if it is not. */
static inline atn_open_request *atn_nonblocking_bound(const MPI_Request *request)
{
    atn_open_request *const q = atn_nonblocking_recent;
    const bool bound = q != NULL && request != NULL && q->handle == *request && q->bound &&
                       q->state == ATN_REQUEST_STALE &&
                       atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) == 0;
    return ATN_LIKELY(bound) ? q : NULL;
}
static inline int atn_nonblocking_start_bound(atn_open_request *q)
{
    q->state = ATN_REQUEST_ACTIVE;
    q->ended = false;
    atn_nonblocking_hook_ensure();
    atn_nonblocking_count(true);
    return atn_exec_launch_bound(q->execution);
}
/* MPI_Request_free and MPI_Cancel; false: the request belongs to the MPI library. */
bool atn_nonblocking_free(MPI_Request *request, int *code_p);
bool atn_nonblocking_cancel(MPI_Request *request, int *code_p);
/* MPI_Type_free and MPI_Op_free while calls exist that may use the handle: it is freed later.
 * False: there is none. */
bool atn_nonblocking_keep_type(MPI_Datatype *type);
bool atn_nonblocking_keep_op(MPI_Op *op);

/* Before MPI_Finalize: frees them. */
void atn_nonblocking_handles_end(void);

#endif
