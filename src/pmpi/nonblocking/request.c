/* request.c - see request.h. */
#include "pmpi/nonblocking/request.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/nonblocking/progress.h"
#include "pmpi/real.h"

enum { BUCKETS = 256 };
enum { FIRST_TAG = 16384 }; /* programs rarely use such tags: see has_ended */
/* Of a communicator: messages to the process itself are compared with all of them. */
enum { MOST_SPARE = 8 };
/* Later standards have functions that would see stale requests (Request_get_status_any ...). */
enum { REUSES = MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1) };

int atn_nonblocking_unsent;
_Atomic int atn_nonblocking_kept;
bool atn_nonblocking_withheld;
atn_open_request *atn_nonblocking_recent;

static bool threaded = true, lean;                       /* lean: receives are used again */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static atn_open_request *table[BUCKETS];                 /* by handle: active and persistent ones */
static atn_open_request *unused;
static int tags; /* used so far: each request keeps its own */
static atn_open_request *first_ended;
static const atn_open_request *awaited;

void atn_nonblocking_requests_start(bool threads)
{
    threaded = threads;
    lean = REUSES && !threads;
}

static void enter(void)
{
    if (threaded)
        pthread_mutex_lock(&lock);
}
static void leave(void)
{
    if (threaded)
        pthread_mutex_unlock(&lock);
}

/* Only where one thread calls MPI. */
static inline void count_token(int by)
{
    const uint64_t gate = atomic_load_explicit(&atn_pmpi_requests_gate, memory_order_relaxed);
    if (lean)
        atomic_store_explicit(&atn_pmpi_requests_gate, gate + (uint64_t)(int64_t)by,
                              memory_order_relaxed);
}

/* ---- the table ---- */

static atn_open_request **bucket(MPI_Request handle)
{
    return &table[((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static void put(atn_open_request *q)
{
    enter();
    atn_open_request **const list = bucket(q->handle);
    q->next = *list;
    *list = q;
    leave();
}

static void drop(atn_open_request *q)
{
    enter();
    atn_open_request **at = bucket(q->handle);
    while (*at != NULL && *at != q)
        at = &(*at)->next;
    if (*at != NULL)
        *at = q->next;
    atn_nonblocking_recent = NULL;
    leave();
}

atn_open_request *atn_nonblocking_request_search(MPI_Request handle)
{
    enter();
    atn_open_request *q = *bucket(handle);
    while (q != NULL && q->handle != handle)
        q = q->next;
    leave();
    atn_nonblocking_recent = threaded ? NULL : q;
    return q;
}

/* ---- memory ---- */

static atn_open_request *take(void)
{
    enter();
    atn_open_request *q = unused;
    if (q != NULL)
        unused = q->next;
    const int tag = q != NULL ? q->tag : FIRST_TAG + tags;
    tags += q == NULL;
    leave();
    if (q == NULL)
        q = malloc(sizeof *q);
    if (q != NULL)
        *q = (atn_open_request){.handle = MPI_REQUEST_NULL, .tag = tag};
    return q;
}

static void give(atn_open_request *q)
{
    enter();
    q->next = unused;
    unused = q;
    leave();
}

/* ---- handles ---- */

static void copy_handler(MPI_Comm user, MPI_Comm self)
{
    MPI_Errhandler handler;
    if (PMPI_Comm_get_errhandler(user, &handler) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_errhandler(self, handler);
    PMPI_Errhandler_free(&handler);
}

/* Made when first needed: it contains only this process, so no other one takes part. */
static int self_of(atn_comm *c)
{
    if (c->self != MPI_COMM_NULL)
        return MPI_SUCCESS;
    const int code = atn_pmpi_real.Comm_dup(MPI_COMM_SELF, &c->self);
    if (code == MPI_SUCCESS)
        copy_handler(c->user, c->self);
    return code;
}

static atn_open_request *take_spare(atn_comm *c)
{
    atn_open_request *const q = c->spare;
    if (q == NULL)
        return NULL;
    c->spare = q->spare;
    c->nspare--;
    return q;
}

static int make_handle(atn_open_request *q)
{
    return q->persistent ? PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, q->tag, q->self, &q->handle)
                         : PMPI_Irecv(NULL, 0, MPI_BYTE, 0, q->tag, q->self, &q->handle);
}

static atn_open_request *make(atn_comm *c, bool persistent, int *code_p)
{
    *code_p = self_of(c);
    atn_open_request *const q = *code_p == MPI_SUCCESS ? take() : NULL;
    if (q == NULL) {
        *code_p = *code_p == MPI_SUCCESS ? MPI_ERR_NO_MEM : *code_p;
        return NULL;
    }
    q->persistent = persistent;
    q->c = c;
    q->self = c->self;
    *code_p = make_handle(q);
    if (*code_p != MPI_SUCCESS) {
        give(q);
        return NULL;
    }
    put(q);
    return q;
}

atn_open_request *atn_nonblocking_request_new(atn_comm *c, bool persistent, int *code_p)
{
    atn_open_request *q = persistent ? NULL : take_spare(c);
    if (q == NULL)
        q = make(c, persistent, code_p);
    if (q == NULL)
        return NULL;
    *code_p = MPI_SUCCESS;
    q->state = persistent ? ATN_REQUEST_INACTIVE : ATN_REQUEST_ACTIVE;
    q->ended = false;
    count_token(1);
    atomic_fetch_add_explicit(&atn_nonblocking_kept, persistent, memory_order_relaxed);
    if (persistent)
        atn_comm_hold(c);
    return q;
}

bool atn_nonblocking_request_start(atn_open_request *q, int *code_p)
{
    if (q->state != ATN_REQUEST_INACTIVE)
        return false;
    *code_p = atn_pmpi_real.Start(&q->handle);
    if (*code_p == MPI_SUCCESS) {
        q->state = ATN_REQUEST_ACTIVE;
        q->ended = false;
    }
    return true;
}

void atn_nonblocking_request_bind(atn_open_request *q)
{
    q->bound = lean && q->persistent && atn_exec_is_bound(q->execution);
}

/* An execution that ends still needs its communicator: if that was freed, its state remains. */
static int forget(atn_open_request *q)
{
    MPI_Request handle = q->handle;
    atn_comm *const c = q->c;
    drop(q);
    give(q);
    count_token(-1);
    atomic_fetch_sub(&atn_nonblocking_kept, 1);
    const int code = atn_pmpi_real.Request_free(&handle);
    if (!atn_exec_is_inside() || c->user != MPI_COMM_NULL)
        atn_comm_release(c);
    return code;
}

#ifdef MPICH_VERSION
static int query(void *state, MPI_Status *status)
{
    (void)state;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    return PMPI_Status_set_cancelled(status, 0);
}
static int release(void *state) { return state != NULL; }
static int cancel(void *state, int complete) { return state != NULL && complete; }

/* A wait looks at its requests again only if a counter of completions has changed, which messages
 * of a process to itself do not count; generalized requests do. */
static void wake(void)
{
    MPI_Request any;
    if (PMPI_Grequest_start(query, release, cancel, NULL, &any) != MPI_SUCCESS)
        return;
    PMPI_Grequest_complete(any);
    atn_pmpi_real.Request_free(&any);
}
#else
static void wake(void) {}
#endif

/* An error becomes a message that does not fit, which the MPI library reports when the program
 * completes the request. */
static void send_message(atn_open_request *q)
{
    static char byte;
    MPI_Request send;
    const int code = q->code;
    if (code != MPI_SUCCESS && q->c->user != MPI_COMM_NULL)
        copy_handler(q->c->user, q->self); /* the program may have set another one */
    if (PMPI_Isend(&byte, code != MPI_SUCCESS, MPI_BYTE, 0, q->tag, q->self, &send) == MPI_SUCCESS)
        atn_pmpi_real.Request_free(&send);
    wake();
}

/* From now on the request is the MPI library's alone. */
static void hand_over(atn_open_request *q)
{
    if (!q->persistent)
        drop(q);
    q->state = ATN_REQUEST_INACTIVE;
    send_message(q);
    if (!q->persistent) {
        count_token(-1);
        give(q);
    } else if (q->freed) {
        forget(q);
    }
}

/* ---- ended ones ---- */

static inline void list_ended(atn_open_request *q)
{
    q->ended_prev = NULL;
    q->ended_next = first_ended;
    if (first_ended != NULL)
        first_ended->ended_prev = q;
    first_ended = q;
    atn_nonblocking_unsent++;
}

static inline void unlist_ended(atn_open_request *q)
{
    if (!q->listed)
        return;
    q->listed = false;
    *(q->ended_prev != NULL ? &q->ended_prev->ended_next : &first_ended) = q->ended_next;
    if (q->ended_next != NULL)
        q->ended_next->ended_prev = q->ended_prev;
    atn_nonblocking_unsent--;
}

void atn_nonblocking_request_done(void *request, int code)
{
    atn_open_request *const q = request;
    q->ended = true;
    q->code = code;
    if (!lean || q->freed) {
        hand_over(q);
        return;
    }
    q->state = ATN_REQUEST_ENDED;
    q->listed = q != awaited;
    if (q->listed)
        list_ended(q);
}

void atn_nonblocking_request_wait(atn_open_request *q)
{
    awaited = q;
    atn_nonblocking_withheld = true;
    while (!q->ended && q->execution == NULL) /* held, or begun natively after that */
        atn_nonblocking_pause();
    if (!q->ended)
        atn_exec_wait(q->execution, &q->ended);
    atn_nonblocking_withheld = false;
    awaited = NULL;
}

static void complete_in_library(atn_open_request *q)
{
    MPI_Request handle = q->handle;
    hand_over(q);
    atn_pmpi_real.Wait(&handle, MPI_STATUS_IGNORE);
}

void atn_nonblocking_request_reuse(atn_open_request *q)
{
    if (q->state == ATN_REQUEST_ENDED)
        unlist_ended(q);
    if (q->persistent) {
        q->state = ATN_REQUEST_STALE;
        return;
    }
    if (q->c->nspare >= MOST_SPARE) {
        complete_in_library(q);
        return;
    }
    count_token(-1);
    q->state = ATN_REQUEST_SPARE;
    q->spare = q->c->spare;
    q->c->spare = q;
    q->c->nspare++;
}

void atn_nonblocking_request_settle(atn_open_request *q)
{
    if (q->state == ATN_REQUEST_ENDED) {
        unlist_ended(q);
        hand_over(q);
    } else if (q->state == ATN_REQUEST_STALE) {
        q->code = MPI_SUCCESS;
        hand_over(q);
        atn_pmpi_real.Wait(&q->handle, MPI_STATUS_IGNORE);
    }
}

int atn_nonblocking_requests_send(void)
{
    int n = 0;
    if (atn_nonblocking_withheld)
        return 0;
    atn_nonblocking_withheld = true; /* sending calls the hook */
    for (; first_ended != NULL; n++)
        atn_nonblocking_request_settle(first_ended);
    atn_nonblocking_withheld = false;
    return n;
}

/* While it is active, its end does the rest. */
int atn_nonblocking_request_free(atn_open_request *q)
{
    atn_exec_dismiss(q->execution);
    q->freed = q->state == ATN_REQUEST_ACTIVE;
    atn_nonblocking_request_settle(q);
    return q->freed ? MPI_SUCCESS : forget(q);
}

/* ---- communicators ---- */

static void cancel_spare(atn_open_request *q)
{
    drop(q);
    atn_pmpi_real.Cancel(&q->handle);
    atn_pmpi_real.Request_free(&q->handle);
    give(q);
}

void atn_nonblocking_requests_leave(atn_comm *c)
{
    if (atomic_load(&c->holders) > 1)
        copy_handler(c->user, c->self); /* for persistent requests */
    for (atn_open_request *q; (q = take_spare(c)) != NULL;)
        cancel_spare(q);
    for (int i = 0; i < BUCKETS && lean && c->self != MPI_COMM_NULL; i++)
        for (atn_open_request *q = table[i], *next; q != NULL; q = next) {
            next = q->next;
            if (q->self == c->self)
                atn_nonblocking_request_settle(q);
        }
}

/* ---- requests that have ended ---- */

/* An unused one that had this handle. */
static const atn_open_request *find_unused(MPI_Request handle)
{
    enter();
    const atn_open_request *q = unused;
    while (q != NULL && q->handle != handle)
        q = q->next;
    leave();
    return q;
}

/* When the program completes a request is not known, and the MPI library uses handles again; but
 * then the handle does not have the status of the message. */
bool atn_nonblocking_request_has_ended(MPI_Request handle)
{
    const atn_open_request *const q = find_unused(handle);
    int flag = 0, bytes = -1;
    MPI_Status status;
    return q != NULL && atn_pmpi_real.Request_get_status(handle, &flag, &status) == MPI_SUCCESS &&
           flag && status.MPI_SOURCE == 0 && status.MPI_TAG == q->tag &&
           PMPI_Get_count(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == 0;
}
