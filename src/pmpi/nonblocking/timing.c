/* timing.c - see timing.h. */
#include "pmpi/nonblocking/timing.h"

#include <pthread.h>

#include "base/clock.h"

typedef struct {
    MPI_Request handle;
    atn_timed_start call;
} timed;

void (*atn_nonblocking_timed)(const atn_timed_start *x);
void (*atn_nonblocking_observed)(const atn_timed_start *x);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static ATN_VEC(timed) list;

static void remove_at(int i)
{
    list.v[i] = list.v[--list.n];
    atomic_fetch_sub(&atn_pmpi_requests_gate, ATN_REQUESTS_TIMED);
}

void atn_nonblocking_time(MPI_Request request, const atn_timed_start *x)
{
    pthread_mutex_lock(&lock);
    if (atn_push(&list, ((timed){.handle = request, .call = *x})))
        atomic_fetch_add(&atn_pmpi_requests_gate, ATN_REQUESTS_TIMED);
    pthread_mutex_unlock(&lock);
}

void atn_nonblocking_time_forget(const void *owner)
{
    pthread_mutex_lock(&lock);
    for (int i = list.n - 1; i >= 0; i--)
        if (list.v[i].call.owner == owner)
            remove_at(i);
    pthread_mutex_unlock(&lock);
}

static int find(MPI_Request handle)
{
    for (int i = 0; i < list.n; i++)
        if (list.v[i].handle == handle)
            return i;
    return -1;
}

void atn_nonblocking_time_as(MPI_Request request, const atn_problem *q, const atn_start_turn *turn)
{
    pthread_mutex_lock(&lock);
    const int i = find(request);
    if (i >= 0) {
        list.v[i].call.q = *q;
        list.v[i].call.turn = *turn;
    }
    pthread_mutex_unlock(&lock);
}

void atn_nonblocking_seen(int n, const MPI_Request *requests, atn_seen_requests *seen_p)
{
    seen_p->n = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n && seen_p->n < ATN_SEEN_MOST; i++)
        if (requests[i] != MPI_REQUEST_NULL && find(requests[i]) >= 0) {
            seen_p->is[seen_p->n].at = i;
            seen_p->is[seen_p->n++].handle = requests[i];
        }
    pthread_mutex_unlock(&lock);
    seen_p->start = atn_ticks();
}

static void conclude(const atn_timed_start *x)
{
    if (x->turn.of != NULL)
        atn_nonblocking_timed(x);
    if (atn_nonblocking_observed != NULL)
        atn_nonblocking_observed(x);
}

/* A handle that has changed was completed. */
static void charge(MPI_Request handle, int64_t ticks, bool ended)
{
    timed x = {.call.ticks = -1};
    pthread_mutex_lock(&lock);
    const int i = find(handle);
    if (i >= 0) {
        list.v[i].call.ticks += ticks;
        x = list.v[i];
    }
    if (i >= 0 && ended)
        remove_at(i);
    pthread_mutex_unlock(&lock);
    if (i >= 0 && ended)
        conclude(&x.call);
}

void atn_nonblocking_seen_end(const MPI_Request *requests, const atn_seen_requests *seen)
{
    const int64_t ticks = (atn_ticks() - seen->start) / (seen->n > 0 ? seen->n : 1);
    for (int i = 0; i < seen->n; i++)
        charge(seen->is[i].handle, ticks, requests[seen->is[i].at] != seen->is[i].handle);
}
