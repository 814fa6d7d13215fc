/* later.c - requests of the program that get messages which were received early.
 *
 * Such a request is a generalised one.  It is complete from the start where the message is all
 * here; else the calls that wait and test complete it when the rest has come.  A persistent
 * receive cannot be replaced, as the program keeps its handle: while it is under way such a request
 * stands in for it, and takes its place in the arrays of those calls. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "pmpi/messages/early.h"
#include "trace/handles.h"

/* ---- generalised requests ---- */

typedef struct later {
    struct later *next; /* those under way */
    atn_early_message *m;
    atn_target target;
    bool own_type;
    MPI_Request send; /* MPI_REQUEST_NULL: it only receives */
    void *packed;     /* what is sent */
    MPI_Request handle;
    bool detached; /* the program has freed it */
    MPI_Status status;
    int code;
} later;

static later *pending;

static int query(void *extra, MPI_Status *status)
{
    const later *const l = extra;
    if (status == MPI_STATUS_IGNORE)
        return l->code;
    *status = l->status;
    status->MPI_ERROR = l->code;
    return l->code;
}

static void release(later *l)
{
    free(l->packed);
    free(l);
}

static int freed(void *extra)
{
    release(extra);
    return MPI_SUCCESS;
}

/* It has its message: too late. */
static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static bool arrived(later *l)
{
    int flag = 1;
    if (l->send != MPI_REQUEST_NULL) {
        const int code = atn_pbehind.Test(&l->send, &flag, MPI_STATUS_IGNORE);
        l->code = code != MPI_SUCCESS ? code : l->code;
    }
    return atn_early_arrived(l->m) && flag;
}

static void complete(later *l)
{
    const int code = atn_early_deliver(l->m, &l->target);
    l->code = code != MPI_SUCCESS ? code : l->code;
    if (l->own_type)
        PMPI_Type_free(&l->target.type);
    if (l->detached)
        release(l);
    else
        PMPI_Grequest_complete(l->handle);
}

/* The program may free its type before the message is here. */
static void keep_type(atn_target *t, bool *own_p)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (t->type != MPI_DATATYPE_NULL)
        PMPI_Type_get_envelope(t->type, &integers, &addresses, &types, &combiner);
    *own_p = combiner != MPI_COMBINER_NAMED;
    if (*own_p)
        PMPI_Type_dup(t->type, &t->type);
}

int atn_later_bind(atn_early_message *m, const atn_target *t, MPI_Request send, void *packed,
                   MPI_Request *request)
{
    later *const l = calloc(1, sizeof *l);
    if (l == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* the message is nowhere else */
    l->m = m;
    l->target = *t;
    l->send = send;
    l->packed = packed;
    l->status = m->status;
    const int code = PMPI_Grequest_start(query, freed, cancel, l, &l->handle);
    if (code != MPI_SUCCESS)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    *request = l->handle;
    if (arrived(l)) {
        complete(l);
        return MPI_SUCCESS;
    }
    atn_early.counts.waited++;
    keep_type(&l->target, &l->own_type);
    l->next = pending;
    pending = l;
    return MPI_SUCCESS;
}

void atn_later_poll(void)
{
    for (later **at = &pending; *at != NULL;) {
        later *const l = *at;
        if (!arrived(l)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        complete(l);
    }
}

void atn_later_finish(void)
{
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        atn_later_poll();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (pending != NULL && now.tv_sec - start.tv_sec < 2);
}

/* ---- persistent receives ---- */

typedef struct {
    MPI_Request handle, stand_in; /* stand_in MPI_REQUEST_NULL: not under way, or MPI has it */
    atn_known *comm;              /* NULL: this entry is free */
    int source, tag, at;          /* at: in the array of the present call */
    atn_target target;
    bool own_type;
    const void *from;
} persistent;

static ATN_VEC(persistent) prepared;
static atn_handles by_handle;
static int standing; /* stand-ins */

#define KEY(handle) ((uint64_t)(uintptr_t)(handle))

static persistent *find(MPI_Request handle)
{
    const int64_t i =
        handle != MPI_REQUEST_NULL ? atn_handles_get(&by_handle, KEY(handle)) : ATN_HANDLE_NONE;
    return i >= 0 ? &prepared.v[i] : NULL;
}

static int free_place(void)
{
    for (int i = 0; i < prepared.n; i++)
        if (prepared.v[i].comm == NULL)
            return i;
    return atn_push(&prepared, (persistent){0}) ? prepared.n - 1 : -1;
}

int atn_later_prepare(atn_known *c, int source, int tag, const atn_target *t, const void *from,
                      MPI_Request handle)
{
    const int i = free_place();
    if (i < 0 || !atn_handles_set(&by_handle, KEY(handle), (uint32_t)i))
        PMPI_Abort(MPI_COMM_WORLD, 1); /* its message may be here when it starts */
    persistent *const e = &prepared.v[i];
    *e = (persistent){.handle = handle,
                      .stand_in = MPI_REQUEST_NULL,
                      .comm = c,
                      .source = source,
                      .tag = tag,
                      .target = *t,
                      .from = from};
    keep_type(&e->target, &e->own_type);
    c->users++;
    return MPI_SUCCESS;
}

static void forget(persistent *e)
{
    atn_handles_remove(&by_handle, KEY(e->handle));
    atn_known_leave(e->comm);
    if (e->own_type)
        PMPI_Type_free(&e->target.type);
    if (e->stand_in != MPI_REQUEST_NULL)
        standing--;
    *e = (persistent){.stand_in = MPI_REQUEST_NULL};
}

static int start(int (*next)(MPI_Request *), MPI_Request *request)
{
    persistent *const e = find(*request);
    atn_early_message *const m = e != NULL && e->comm->comm != MPI_COMM_NULL
                                     ? atn_early_claim_of(e->comm, e->source, e->tag, e->from)
                                     : NULL;
    if (m == NULL)
        return next(request);
    standing++;
    return atn_later_bind(m, &e->target, MPI_REQUEST_NULL, NULL, &e->stand_in);
}

int atn_on_Start(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    if (!atn_early.on || request == NULL)
        return next(request);
    atn_early_enter();
    return atn_early_exit(start(next, request));
}

int atn_on_Startall(int (*next)(int, MPI_Request *), const void *from, int n, MPI_Request *requests)
{
    (void)from;
    int code = MPI_SUCCESS;
    if (!atn_early.on || by_handle.n == 0 || requests == NULL)
        return next(n, requests);
    atn_early_enter();
    for (int i = 0; i < n && code == MPI_SUCCESS; i++)
        code = start(atn_pbehind.Start, &requests[i]);
    return atn_early_exit(code);
}

/* ---- calls that complete requests ---- */

bool atn_later_busy(void) { return pending != NULL || standing > 0; }

static void swap_in(int n, MPI_Request *requests)
{
    for (int i = 0; i < prepared.n; i++)
        prepared.v[i].at = -1;
    for (int i = 0; i < n && standing > 0; i++) {
        persistent *const e = find(requests[i]);
        if (e == NULL || e->stand_in == MPI_REQUEST_NULL)
            continue;
        e->at = i;
        requests[i] = e->stand_in;
    }
}

static void swap_out(MPI_Request *requests)
{
    for (int i = 0; i < prepared.n; i++) {
        persistent *const e = &prepared.v[i];
        if (e->at < 0)
            continue;
        if (requests[e->at] == MPI_REQUEST_NULL) {
            e->stand_in = MPI_REQUEST_NULL;
            standing--;
        }
        requests[e->at] = e->handle;
    }
}

/* Waits and tests.  `test` is a test of the same requests that says by `done` whether a wait would
 * end; a wait repeats it as long as something has to be completed from here. */
#define COMPLETES(name, formals, actuals, n, requests, test, done)                                 \
    int atn_on_##name(int(*next) formals, const void *from, ATN_FORMALS(formals))                  \
    {                                                                                              \
        (void)from;                                                                                \
        int code, flag = 0;                                                                        \
        if (!atn_early.on)                                                                         \
            return next actuals;                                                                   \
        atn_early_enter();                                                                         \
        if (!atn_later_busy() || (requests) == NULL)                                               \
            return atn_early_exit(next actuals);                                                   \
        swap_in(n, requests);                                                                      \
        do {                                                                                       \
            atn_later_poll();                                                                      \
            code = atn_pbehind.test;                                                               \
        } while (code == MPI_SUCCESS && !(done) && sched_yield() == 0);                            \
        swap_out(requests);                                                                        \
        (void)flag;                                                                                \
        return atn_early_exit(code);                                                               \
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

int atn_on_Request_get_status(int (*next)(MPI_Request, int *, MPI_Status *), const void *from,
                              MPI_Request request, int *flag, MPI_Status *status)
{
    (void)from;
    if (!atn_early.on)
        return next(request, flag, status);
    atn_later_poll();
    const persistent *const e = find(request);
    return next(e != NULL && e->stand_in != MPI_REQUEST_NULL ? e->stand_in : request, flag, status);
}

int atn_on_Cancel(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    const persistent *const e = atn_early.on && request != NULL ? find(*request) : NULL;
    return e != NULL && e->stand_in != MPI_REQUEST_NULL ? MPI_SUCCESS : next(request);
}

/* What is under way goes on: the program may free a request and learn otherwise of its end. */
static void detach(MPI_Request handle)
{
    for (later *l = pending; l != NULL; l = l->next)
        if (l->handle == handle && !l->detached) {
            later *const copy = calloc(1, sizeof *copy); /* MPI frees what belongs to the request */
            if (copy == NULL)
                PMPI_Abort(MPI_COMM_WORLD, 1);
            *copy = *l;
            copy->detached = true;
            for (later **at = &pending;; at = &(*at)->next)
                if (*at == l) {
                    *at = copy;
                    break;
                }
            l->packed = NULL;
            PMPI_Grequest_complete(handle);
            return;
        }
}

int atn_on_Request_free(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    if (!atn_early.on || request == NULL)
        return next(request);
    persistent *const e = find(*request);
    if (e != NULL) {
        MPI_Request stand_in = e->stand_in;
        forget(e);
        if (stand_in != MPI_REQUEST_NULL) {
            detach(stand_in);
            atn_pbehind.Request_free(&stand_in);
        }
    } else
        detach(*request);
    return next(request);
}
