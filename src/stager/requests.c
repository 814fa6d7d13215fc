/* requests.c - see requests.h.
 *
 * These requests are generalized requests.  If the transfer of the message is complete, they
 * complete immediately; otherwise calls that wait or test complete them after the transfer.  A
 * persistent receive cannot be replaced, because the application keeps its handle: while it is
 * active, a generalized request substitutes for it in the request arrays of these calls. */
#include "stager/requests.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "stager/staging.h"
#include "trace/handles.h"

/* ---- generalized requests ---- */

typedef struct bound {
    struct bound *next; /* active ones */
    atn_staged_message *m;
    atn_receive_buffer buffer;
    bool own_type;
    MPI_Request send; /* MPI_REQUEST_NULL: none */
    void *packed;     /* send buffer */
    MPI_Request handle;
    bool detached; /* freed by the application */
    MPI_Status status;
    int code;
} bound;

static bound *active;

static int query(void *extra, MPI_Status *status)
{
    const bound *const l = extra;
    if (status == MPI_STATUS_IGNORE)
        return l->code;
    *status = l->status;
    status->MPI_ERROR = l->code;
    return l->code;
}

static void release(bound *l)
{
    free(l->packed);
    free(l);
}

static int freed(void *extra)
{
    release(extra);
    return MPI_SUCCESS;
}

/* It has a message already: nothing to cancel. */
static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static bool is_complete(bound *l)
{
    int flag = 1;
    if (l->send != MPI_REQUEST_NULL) {
        const int code = atn_stager_pmpi.Test(&l->send, &flag, MPI_STATUS_IGNORE);
        l->code = code != MPI_SUCCESS ? code : l->code;
    }
    return atn_stager_staged_test(l->m) && flag;
}

static void complete(bound *l)
{
    const int code = atn_stager_staged_deliver(l->m, &l->buffer);
    l->code = code != MPI_SUCCESS ? code : l->code;
    if (l->own_type)
        PMPI_Type_free(&l->buffer.type);
    if (l->detached)
        release(l);
    else
        PMPI_Grequest_complete(l->handle);
}

/* The application may free its type during the transfer. */
static void keep_type(atn_receive_buffer *b, bool *own_p)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (b->type != MPI_DATATYPE_NULL)
        PMPI_Type_get_envelope(b->type, &integers, &addresses, &types, &combiner);
    *own_p = combiner != MPI_COMBINER_NAMED;
    if (*own_p)
        PMPI_Type_dup(b->type, &b->type);
}

int atn_stager_bind(atn_staged_message *m, const atn_receive_buffer *b, MPI_Request send,
                    void *packed, MPI_Request *request)
{
    bound *const l = calloc(1, sizeof *l);
    if (l == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* the message would be lost */
    l->m = m;
    l->buffer = *b;
    l->send = send;
    l->packed = packed;
    l->status = m->status;
    const int code = PMPI_Grequest_start(query, freed, cancel, l, &l->handle);
    if (code != MPI_SUCCESS)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    *request = l->handle;
    if (is_complete(l)) {
        complete(l);
        return MPI_SUCCESS;
    }
    atn_stager.counts.waited++;
    keep_type(&l->buffer, &l->own_type);
    l->next = active;
    active = l;
    return MPI_SUCCESS;
}

static void progress(void)
{
    for (bound **at = &active; *at != NULL;) {
        bound *const l = *at;
        if (!is_complete(l)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        complete(l);
    }
}

void atn_stager_finish_requests(void)
{
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        progress();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (active != NULL && now.tv_sec - start.tv_sec < 2);
}

/* ---- persistent receives ---- */

typedef struct {
    MPI_Request handle, substitute; /* MPI_REQUEST_NULL: inactive, or started in MPI */
    atn_stager_comm *comm;          /* NULL: this entry is free */
    int source, tag, at;            /* at: index in the array of the current call */
    atn_receive_buffer buffer;
    bool own_type;
    const void *from;
} persistent;

static ATN_VEC(persistent) receives;
static atn_handles by_handle;
static int substitutes; /* active ones */

static persistent *find(MPI_Request handle)
{
    const int64_t i = handle != MPI_REQUEST_NULL
                          ? atn_trace_handles_get(&by_handle, ATN_KEY(handle))
                          : ATN_HANDLE_NONE;
    return i >= 0 ? &receives.v[i] : NULL;
}

static int free_entry(void)
{
    for (int i = 0; i < receives.n; i++)
        if (receives.v[i].comm == NULL)
            return i;
    return atn_push(&receives, (persistent){0}) ? receives.n - 1 : -1;
}

int atn_stager_add_persistent(atn_stager_comm *c, int source, int tag, const atn_receive_buffer *b,
                              const void *from, MPI_Request handle)
{
    const int i = free_entry();
    if (i < 0 || !atn_trace_handles_set(&by_handle, ATN_KEY(handle), (uint32_t)i))
        PMPI_Abort(MPI_COMM_WORLD, 1); /* its message may be staged when it starts */
    persistent *const e = &receives.v[i];
    *e = (persistent){.handle = handle,
                      .substitute = MPI_REQUEST_NULL,
                      .comm = c,
                      .source = source,
                      .tag = tag,
                      .buffer = *b,
                      .from = from};
    keep_type(&e->buffer, &e->own_type);
    c->persistent_receives++;
    return MPI_SUCCESS;
}

static void remove_persistent(persistent *e)
{
    atn_trace_handles_remove(&by_handle, ATN_KEY(e->handle));
    atn_stager_comm_release(e->comm);
    if (e->own_type)
        PMPI_Type_free(&e->buffer.type);
    if (e->substitute != MPI_REQUEST_NULL)
        substitutes--;
    *e = (persistent){.substitute = MPI_REQUEST_NULL};
}

static int start(int (*next)(MPI_Request *), MPI_Request *request)
{
    persistent *const e = find(*request);
    atn_staged_message *const m = e != NULL && e->comm->comm != MPI_COMM_NULL
                                      ? atn_stager_match_on(e->comm, e->source, e->tag, e->from)
                                      : NULL;
    if (m == NULL)
        return next(request);
    substitutes++;
    return atn_stager_bind(m, &e->buffer, MPI_REQUEST_NULL, NULL, &e->substitute);
}

int atn_stager_Start(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    if (!atn_stager.on || request == NULL)
        return next(request);
    atn_stager_enter();
    return atn_stager_leave(start(next, request));
}

int atn_stager_Startall(int (*next)(int, MPI_Request *), const void *from, int n,
                        MPI_Request *requests)
{
    (void)from;
    int code = MPI_SUCCESS;
    if (!atn_stager.on || by_handle.n == 0 || requests == NULL)
        return next(n, requests);
    atn_stager_enter();
    for (int i = 0; i < n && code == MPI_SUCCESS; i++)
        code = start(atn_stager_pmpi.Start, &requests[i]);
    return atn_stager_leave(code);
}

/* ---- calls that complete requests ---- */

static bool any_active(void) { return active != NULL || substitutes > 0; }

static void insert_substitutes(int n, MPI_Request *requests)
{
    for (int i = 0; i < receives.n; i++)
        receives.v[i].at = -1;
    for (int i = 0; i < n && substitutes > 0; i++) {
        persistent *const e = find(requests[i]);
        if (e == NULL || e->substitute == MPI_REQUEST_NULL)
            continue;
        e->at = i;
        requests[i] = e->substitute;
    }
}

static void remove_substitutes(MPI_Request *requests)
{
    for (int i = 0; i < receives.n; i++) {
        persistent *const e = &receives.v[i];
        if (e->at < 0)
            continue;
        if (requests[e->at] == MPI_REQUEST_NULL) {
            e->substitute = MPI_REQUEST_NULL;
            substitutes--;
        }
        requests[e->at] = e->handle;
    }
}

/* Waits and tests.  `test` tests the same requests, `done` is its result; a wait repeats the test
 * while there are requests that only progress() completes. */
#define COMPLETES(name, formals, actuals, n, requests, test, done)                                 \
    int atn_stager_##name(int(*next) formals, const void *from, ATN_FORMALS(formals))              \
    {                                                                                              \
        (void)from;                                                                                \
        int code, flag = 0;                                                                        \
        if (!atn_stager.on)                                                                        \
            return next actuals;                                                                   \
        atn_stager_enter();                                                                        \
        if (!any_active() || (requests) == NULL)                                                   \
            return atn_stager_leave(next actuals);                                                 \
        insert_substitutes(n, requests);                                                           \
        do {                                                                                       \
            progress();                                                                            \
            code = atn_stager_pmpi.test;                                                           \
        } while (code == MPI_SUCCESS && !(done) && sched_yield() == 0);                            \
        remove_substitutes(requests);                                                              \
        (void)flag;                                                                                \
        return atn_stager_leave(code);                                                             \
    }

COMPLETES(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request,
          Test(request, &flag, status), flag)
COMPLETES(Waitany, (int n, MPI_Request *requests, int *index, MPI_Status *status),
          (n, requests, index, status), n, requests, Testany(n, requests, index, &flag, status),
          flag)
COMPLETES(Waitall, (int n, MPI_Request *requests, MPI_Status *statuses), (n, requests, statuses), n,
          requests, Testall(n, requests, &flag, statuses), flag)
COMPLETES(Waitsome, (int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses),
          (n, requests, found, indices, statuses), n, requests,
          Testsome(n, requests, found, indices, statuses), *found != 0)
COMPLETES(Test, (MPI_Request * request, int *is, MPI_Status *status), (request, is, status), 1,
          request, Test(request, is, status), true)
COMPLETES(Testany, (int n, MPI_Request *requests, int *index, int *is, MPI_Status *status),
          (n, requests, index, is, status), n, requests, Testany(n, requests, index, is, status),
          true)
COMPLETES(Testall, (int n, MPI_Request *requests, int *is, MPI_Status *statuses),
          (n, requests, is, statuses), n, requests, Testall(n, requests, is, statuses), true)
COMPLETES(Testsome, (int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses),
          (n, requests, found, indices, statuses), n, requests,
          Testsome(n, requests, found, indices, statuses), true)

/* ---- calls about one request ---- */

int atn_stager_Request_get_status(int (*next)(MPI_Request, int *, MPI_Status *), const void *from,
                                  MPI_Request request, int *flag, MPI_Status *status)
{
    (void)from;
    if (!atn_stager.on)
        return next(request, flag, status);
    progress();
    const persistent *const e = find(request);
    return next(e != NULL && e->substitute != MPI_REQUEST_NULL ? e->substitute : request, flag,
                status);
}

int atn_stager_Cancel(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    const persistent *const e = atn_stager.on && request != NULL ? find(*request) : NULL;
    return e != NULL && e->substitute != MPI_REQUEST_NULL ? MPI_SUCCESS : next(request);
}

/* The transfer continues: the application may free a request and detect completion by other
 * means. */
static void detach(MPI_Request handle)
{
    for (bound **at = &active; *at != NULL; at = &(*at)->next) {
        bound *const l = *at;
        if (l->handle != handle || l->detached)
            continue;
        bound *const copy = calloc(1, sizeof *copy); /* MPI frees the data of the request */
        if (copy == NULL)
            PMPI_Abort(MPI_COMM_WORLD, 1);
        *copy = *l;
        copy->detached = true;
        *at = copy;
        l->packed = NULL;
        PMPI_Grequest_complete(handle);
        return;
    }
}

int atn_stager_Request_free(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    if (!atn_stager.on || request == NULL)
        return next(request);
    persistent *const e = find(*request);
    if (e != NULL) {
        MPI_Request substitute = e->substitute;
        remove_persistent(e);
        if (substitute != MPI_REQUEST_NULL) {
            detach(substitute);
            atn_stager_pmpi.Request_free(&substitute);
        }
    } else
        detach(*request);
    return next(request);
}
