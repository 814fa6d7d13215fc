/* timing.h - what a nonblocking call takes out of the program: the time in its start, and in every
 * MPI_Wait and MPI_Test that has its request among its arguments, which share that time.
 *
 * Only calls that are timed are registered; while there are none, the routines that complete
 * requests do not look for them (entry/requests.c). */
#ifndef ATN_PMPI_NONBLOCKING_TIMING_H
#define ATN_PMPI_NONBLOCKING_TIMING_H

#include <mpi.h>
#include <stdatomic.h>

#include "interpose/interpose.h"
#include "plan/choice.h"
#include "pmpi/real.h"
#include "report/job.h"

struct atn_start_class;

/* How to start a call. */
typedef struct {
    struct atn_start_class *of; /* NULL: not tuned */
    atn_choice use;
    unsigned era; /* of the class */
    int block;    /* that the call is timed for; -1: none */
    atn_why why;  /* not tuned: why the native routine serves */
} atn_start_turn;

/* A call; functions for those that have ended get it. */
typedef struct {
    const void *owner; /* of the call: a communicator */
    atn_start_turn turn;
    atn_problem q;
    int64_t ticks; /* so far */
} atn_timed_start;

/* Functions for calls that have ended: of those that are tuned; of all, if it is not NULL. */
extern void (*atn_nonblocking_timed)(const atn_timed_start *x);
extern void (*atn_nonblocking_observed)(const atn_timed_start *x);

/* Whether calls are timed at present. */
static inline bool atn_nonblocking_is_timing(void)
{
    const uint64_t gate = atomic_load_explicit(&atn_pmpi_requests_gate, memory_order_relaxed);
    return ATN_RARELY((gate & ~ATN_REQUESTS_TOOL) >= ATN_REQUESTS_TIMED);
}

/* A call has been started and has this request.  No memory: it is not timed. */
void atn_nonblocking_time(MPI_Request request, const atn_timed_start *x);
/* What has been decided about a call that is timed. */
void atn_nonblocking_time_as(MPI_Request request, const atn_problem *q, const atn_start_turn *turn);
/* Forgets all calls of an owner. */
void atn_nonblocking_time_forget(const void *owner);

/* Before and after a routine that may complete requests; `seen` are those that are timed. */
typedef struct {
    int64_t start;
    int n;
    struct atn_timed_request *first;
} atn_seen_requests;
void atn_nonblocking_seen(int n, const MPI_Request *requests, atn_seen_requests *seen_p);
void atn_nonblocking_seen_end(const MPI_Request *requests, const atn_seen_requests *seen);

#endif
