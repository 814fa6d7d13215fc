/* request.c - see request.h. */
#include "pmpi/nonblocking/request.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/real.h"

enum { BUCKETS = 256 };
enum { FIRST_TAG = 16384 }; /* programs rarely use such tags: see has_ended */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static atn_open_request *table[BUCKETS];                 /* by handle: active and persistent ones */
static atn_open_request *unused;
static _Atomic int kept;
static int tags; /* used so far: each request keeps its own */

/* ---- the table ---- */

static atn_open_request **bucket(MPI_Request handle)
{
    return &table[((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static void put(atn_open_request *q)
{
    pthread_mutex_lock(&lock);
    atn_open_request **const list = bucket(q->handle);
    q->next = *list;
    *list = q;
    pthread_mutex_unlock(&lock);
}

static void drop(atn_open_request *q)
{
    pthread_mutex_lock(&lock);
    atn_open_request **at = bucket(q->handle);
    while (*at != NULL && *at != q)
        at = &(*at)->next;
    if (*at != NULL)
        *at = q->next;
    pthread_mutex_unlock(&lock);
}

atn_open_request *atn_nonblocking_request_find(MPI_Request handle)
{
    pthread_mutex_lock(&lock);
    atn_open_request *q = *bucket(handle);
    while (q != NULL && q->handle != handle)
        q = q->next;
    pthread_mutex_unlock(&lock);
    return q;
}

int atn_nonblocking_requests_kept(void)
{
    return atomic_load_explicit(&kept, memory_order_relaxed);
}

/* ---- memory ---- */

static atn_open_request *take(void)
{
    pthread_mutex_lock(&lock);
    atn_open_request *q = unused;
    if (q != NULL)
        unused = q->next;
    const int tag = q != NULL ? q->tag : FIRST_TAG + tags;
    tags += q == NULL;
    pthread_mutex_unlock(&lock);
    if (q == NULL)
        q = malloc(sizeof *q);
    if (q != NULL)
        *q = (atn_open_request){.handle = MPI_REQUEST_NULL, .tag = tag};
    return q;
}

static void give(atn_open_request *q)
{
    pthread_mutex_lock(&lock);
    q->next = unused;
    unused = q;
    pthread_mutex_unlock(&lock);
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

static int make_handle(atn_open_request *q)
{
    return q->persistent ? PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, q->tag, q->self, &q->handle)
                         : PMPI_Irecv(NULL, 0, MPI_BYTE, 0, q->tag, q->self, &q->handle);
}

atn_open_request *atn_nonblocking_request_new(atn_comm *c, bool persistent, int *code_p)
{
    *code_p = self_of(c);
    atn_open_request *const q = *code_p == MPI_SUCCESS ? take() : NULL;
    if (q == NULL) {
        *code_p = *code_p == MPI_SUCCESS ? MPI_ERR_NO_MEM : *code_p;
        return NULL;
    }
    q->persistent = persistent;
    q->active = !persistent;
    q->self = c->self;
    q->user = c->user;
    *code_p = make_handle(q);
    if (*code_p != MPI_SUCCESS) {
        give(q);
        return NULL;
    }
    put(q);
    atomic_fetch_add(&kept, persistent);
    return q;
}

static int forget(atn_open_request *q)
{
    MPI_Request handle = q->handle;
    drop(q);
    give(q);
    atomic_fetch_sub(&kept, 1);
    return atn_pmpi_real.Request_free(&handle);
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
void atn_nonblocking_request_done(void *request, int code)
{
    static char byte;
    atn_open_request *const q = request;
    MPI_Request send;
    if (!q->persistent)
        drop(q);
    q->active = false;
    if (code != MPI_SUCCESS) /* the program may have set another handler */
        copy_handler(q->user, q->self);
    if (PMPI_Isend(&byte, code != MPI_SUCCESS, MPI_BYTE, 0, q->tag, q->self, &send) == MPI_SUCCESS)
        atn_pmpi_real.Request_free(&send);
    wake();
    if (!q->persistent)
        give(q);
    else if (q->freed)
        forget(q);
}

/* While it is active, its end does the rest. */
int atn_nonblocking_request_free(atn_open_request *q)
{
    atn_exec_dismiss(q->execution);
    q->freed = q->active;
    return q->active ? MPI_SUCCESS : forget(q);
}

/* ---- requests that have ended ---- */

/* An unused one that had this handle. */
static const atn_open_request *find_unused(MPI_Request handle)
{
    pthread_mutex_lock(&lock);
    const atn_open_request *q = unused;
    while (q != NULL && q->handle != handle)
        q = q->next;
    pthread_mutex_unlock(&lock);
    return q;
}

/* When the program completes a request is not known, and the MPI library uses handles again; but
 * then the handle does not have the status of the message. */
bool atn_nonblocking_request_has_ended(MPI_Request handle)
{
    const atn_open_request *const q = find_unused(handle);
    int flag = 0, bytes = -1;
    MPI_Status status;
    return q != NULL && PMPI_Request_get_status(handle, &flag, &status) == MPI_SUCCESS && flag &&
           status.MPI_SOURCE == 0 && status.MPI_TAG == q->tag &&
           PMPI_Get_count(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == 0;
}
