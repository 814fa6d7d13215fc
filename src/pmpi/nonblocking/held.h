/* held.h - nonblocking calls whose start has returned a request, but which have not begun, because
 * the order of rank 0 that decides about them has not arrived (tuning.h).
 *
 * A collective may wait for all ranks to enter it, hence for all of them to have entered earlier
 * ones; the answer of rank 0 needs no more.  Later calls on the communicator are held, too:
 * nonblocking ones in order behind it, blocking ones by atn_nonblocking_held_settle.  The functions
 * need the lock of progress.h, except settle. */
#ifndef ATN_PMPI_NONBLOCKING_HELD_H
#define ATN_PMPI_NONBLOCKING_HELD_H

#include "pmpi/nonblocking/request.h"
#include "pmpi/nonblocking/tuning.h"

/* What executes a call. */
typedef struct {
    atn_turn_is is;
    atn_plan *plan; /* NULL: the native routine, or an error */
    int code;
    atn_problem q;
    atn_start_turn turn;
} atn_start_choice;
/* By rules, tuning or wisdom; LATER also behind calls that are held. */
atn_start_choice atn_nonblocking_choose(atn_comm *c, const atn_call *call);

/* Starts of this rank so far: by Attune; by the native routine. */
typedef struct {
    int64_t served, native;
} atn_starts;
atn_starts atn_nonblocking_starts(void);
extern _Atomic int64_t atn_nonblocking_started_by[2] ATN_HIDDEN; /* native routine, Attune */
static inline void atn_nonblocking_count(bool served)
{
    _Atomic int64_t *const n = &atn_nonblocking_started_by[served];
    if (atn_job_current.threads)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    else
        atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

/* Whether calls on c have to be held behind others. */
bool atn_nonblocking_holds(const atn_comm *c);
/* Holds MPI_Comm_idup of c, because it begins in the order of collectives.  False: *code_p. */
bool atn_nonblocking_hold_dup(atn_comm *c, MPI_Comm *made, MPI_Request *request, int *code_p);
/* Whether calls of any communicator are. */
bool atn_nonblocking_held_any(void);
/* Whether calls of c are held, or were and are being executed by the native routine. */
bool atn_nonblocking_held_busy(const atn_comm *c);
/* Holds a call that has this request; of persistent ones, a start.  False: no memory. */
bool atn_nonblocking_hold(atn_comm *c, const atn_call *call, atn_open_request *q);
/* Begins held calls whose turn has come; completes requests of those that were begun natively. */
void atn_nonblocking_held_advance(void);
/* Before a collective call on c that is not held: waits until none is. */
void atn_nonblocking_held_settle(atn_comm *c);

#endif
