/* timing.c - see timing.h. */
#include "pmpi/nonblocking/timing.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"

/* A call that is timed. */
typedef struct atn_timed_request {
    MPI_Request handle;
    atn_timed_start call;
    struct atn_timed_request *next; /* in the table, or unused */
    /* While a routine that may complete it runs: */
    bool seen, gone; /* gone: not in the table any more */
    int at;          /* among the arguments */
    struct atn_timed_request *next_seen;
} timed;

enum { BUCKETS = 1024 };

void (*atn_nonblocking_timed)(const atn_timed_start *x);
void (*atn_nonblocking_observed)(const atn_timed_start *x);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static timed *table[BUCKETS];                            /* by handle */
static timed *unused;

/* ---- the table; under the lock ---- */

static timed **bucket(MPI_Request handle)
{
    return &table[((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

static timed *find(MPI_Request handle)
{
    timed *t = *bucket(handle);
    while (t != NULL && t->handle != handle)
        t = t->next;
    return t;
}

static timed *take(void)
{
    timed *const t = unused;
    if (t == NULL)
        return malloc(sizeof *t);
    unused = t->next;
    return t;
}

static void give(timed *t)
{
    t->next = unused;
    unused = t;
}

static void put(timed *t)
{
    timed **const list = bucket(t->handle);
    t->next = *list;
    *list = t;
    atomic_fetch_add(&atn_pmpi_requests_gate, ATN_REQUESTS_TIMED);
}

/* The routine that has seen it gives it back. */
static void drop(timed *t)
{
    timed **at = bucket(t->handle);
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    atomic_fetch_sub(&atn_pmpi_requests_gate, ATN_REQUESTS_TIMED);
    if (t->seen)
        t->gone = true;
    else
        give(t);
}

/* ---- calls ---- */

void atn_nonblocking_time(MPI_Request request, const atn_timed_start *x)
{
    pthread_mutex_lock(&lock);
    timed *const t = take();
    if (t != NULL) {
        *t = (timed){.handle = request, .call = *x};
        put(t);
    }
    pthread_mutex_unlock(&lock);
}

void atn_nonblocking_time_forget(const void *owner)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS; i++)
        for (timed *t = table[i], *next; t != NULL; t = next) {
            next = t->next;
            if (t->call.owner == owner)
                drop(t);
        }
    pthread_mutex_unlock(&lock);
}

void atn_nonblocking_time_as(MPI_Request request, const atn_problem *q, const atn_start_turn *turn)
{
    pthread_mutex_lock(&lock);
    timed *const t = find(request);
    if (t != NULL) {
        t->call.q = *q;
        t->call.turn = *turn;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- routines that complete requests ---- */

static void see(timed *t, int at, atn_seen_requests *seen_p)
{
    if (t == NULL || t->seen)
        return;
    t->seen = true;
    t->at = at;
    t->next_seen = seen_p->first;
    seen_p->first = t;
    seen_p->n++;
}

void atn_nonblocking_seen(int n, const MPI_Request *requests, atn_seen_requests *seen_p)
{
    seen_p->n = 0;
    seen_p->first = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            see(find(requests[i]), i, seen_p);
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

/* The communicator may have been freed meanwhile. */
static void charge(timed *t, int64_t ticks, bool ended)
{
    pthread_mutex_lock(&lock);
    const bool gone = t->gone;
    t->seen = false;
    t->call.ticks += ticks;
    const atn_timed_start call = t->call;
    if (gone)
        give(t);
    else if (ended)
        drop(t);
    pthread_mutex_unlock(&lock);
    if (!gone && ended)
        conclude(&call);
}

/* A handle that has changed was completed. */
void atn_nonblocking_seen_end(const MPI_Request *requests, const atn_seen_requests *seen)
{
    const int64_t ticks = (atn_ticks() - seen->start) / (seen->n > 0 ? seen->n : 1);
    for (timed *t = seen->first, *next; t != NULL; t = next) {
        next = t->next_seen;
        charge(t, ticks, requests[t->at] != t->handle);
    }
}
