/* requests.c - active requests, and the calls that start and complete them. */
#include <stdlib.h>
#include <string.h>

#include "tracer/polls.h"

/* ---- the table ---- */

static atn_traced_request *new_entry(atn_handles *table, uint64_t key)
{
    uint32_t at = atn_tracer_rec.free_request;
    if (at != 0) {
        at--;
        atn_tracer_rec.free_request = atn_tracer_rec.requests.v[at].next;
    } else {
        at = (uint32_t)atn_tracer_rec.requests.n;
        if (!atn_push(&atn_tracer_rec.requests, (atn_traced_request){0}))
            return NULL;
    }
    atn_trace_handles_add(table, key, at);
    return &atn_tracer_rec.requests.v[at];
}

static atn_traced_request *new_request(MPI_Request handle)
{
    return new_entry(&atn_tracer_rec.request_of, ATN_KEY(handle));
}

static void drop_entry(atn_handles *table, uint64_t key)
{
    const int64_t at = atn_trace_handles_remove(table, key);
    if (at < 0)
        return;
    if (atn_tracer_rec.requests.v[at].any)
        atn_tracer_count_any(-1);
    atn_tracer_rec.requests.v[at].next = atn_tracer_rec.free_request;
    atn_tracer_rec.free_request = (uint32_t)at + 1;
}

void atn_tracer_add_request(MPI_Request handle, uint32_t request, bool any, int comm)
{
    atn_traced_request *const q = handle != MPI_REQUEST_NULL ? new_request(handle) : NULL;
    if (q != NULL)
        *q = (atn_traced_request){.request = request, .any = any, .comm = comm};
    if (q != NULL && any)
        atn_tracer_count_any(1);
}

void atn_tracer_add_persistent(MPI_Request handle, const atn_trace_what *what, bool any, int comm)
{
    atn_traced_request *const q = new_request(handle);
    if (q != NULL)
        *q = (atn_traced_request){.persistent = true, .any = any, .comm = comm, .what = *what};
    if (q != NULL && any)
        atn_tracer_count_any(1);
}

static atn_traced_request *find_request(MPI_Request handle)
{
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.request_of, ATN_KEY(handle));
    return at >= 0 ? &atn_tracer_rec.requests.v[at] : NULL;
}

static void drop_request(MPI_Request handle)
{
    drop_entry(&atn_tracer_rec.request_of, ATN_KEY(handle));
}

void atn_tracer_add_message(MPI_Message handle, const atn_trace_what *what)
{
    atn_traced_request *const q = new_entry(&atn_tracer_rec.message_of, ATN_KEY(handle));
    if (q != NULL)
        *q = (atn_traced_request){.what = *what};
}

void atn_tracer_take_message(MPI_Message handle, atn_trace_what *what)
{
    const int64_t at = atn_trace_handles_get(&atn_tracer_rec.message_of, ATN_KEY(handle));
    if (at < 0)
        return;
    const atn_trace_what *const matched = &atn_tracer_rec.requests.v[at].what;
    what->partner = matched->partner;
    what->tag = matched->tag;
    what->comm = matched->comm;
    what->flags = matched->flags;
    drop_entry(&atn_tracer_rec.message_of, ATN_KEY(handle));
}

int atn_tracer_Request_free(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    (void)from;
    if (atn_tracer_is_recorded() && request != NULL && *request != MPI_REQUEST_NULL) {
        atn_tracer_lock();
        drop_request(*request);
        atn_tracer_unlock();
    }
    ATN_PASS(next(request));
}

/* ---- a call that completes requests ---- */

/* A copy of the handles, which the call sets to MPI_REQUEST_NULL, and statuses if the caller
 * ignores them. */
enum { FEW = 32 };
typedef struct {
    int n;
    MPI_Request *handles, few[FEW];
    MPI_Status *statuses, few_statuses[FEW]; /* passed to MPI; NULL: those of the caller */
    int64_t enter;                           /* wait: in ns; test: in ticks */
} completion;

static bool has_wildcard(const completion *c)
{
    bool any = false;
    atn_tracer_lock();
    for (int i = 0; i < c->n && !any; i++) {
        const atn_traced_request *const q =
            c->handles[i] != MPI_REQUEST_NULL ? find_request(c->handles[i]) : NULL;
        any = q != NULL && q->any;
    }
    atn_tracer_unlock();
    return any;
}

/* Many requests, or statuses that the caller ignores.  False: no memory; the call is not
 * recorded. */
static bool prepare_more(completion *c, int n, const MPI_Request *requests, bool ignored)
{
    if (n < 0 || (requests == NULL && n > 0))
        return false;
    c->handles = n <= FEW ? c->few : malloc((size_t)n * sizeof *c->handles);
    if (c->handles == NULL)
        return false;
    if (n > 0)
        memcpy(c->handles, requests, (size_t)n * sizeof *c->handles);
    if (ignored && has_wildcard(c))
        c->statuses = n <= FEW ? c->few_statuses : malloc((size_t)n * sizeof *c->statuses);
    return true;
}

static bool prepare(completion *c, int n, const MPI_Request *requests, bool ignored)
{
    c->n = n;
    c->handles = c->few;
    c->statuses = NULL;
    if ((unsigned)n > FEW || requests == NULL || (ignored && atn_tracer_any_active()))
        return prepare_more(c, n, requests, ignored);
    for (int i = 0; i < n; i++)
        c->few[i] = requests[i];
    return true;
}

static bool enter_wait(completion *c, int n, const MPI_Request *requests, bool ignored)
{
    if (!atn_tracer_is_recorded() || !prepare(c, n, requests, ignored))
        return false;
    c->enter = atn_tracer_enter();
    return true;
}

static bool enter_test(completion *c, int n, const MPI_Request *requests, bool ignored)
{
    if (!atn_tracer_is_recorded() || !prepare(c, n, requests, ignored))
        return false;
    c->enter = atn_tracer_enter_poll();
    return true;
}

static void finish(completion *c)
{
    if (c->handles != c->few)
        free(c->handles);
    if (c->statuses != c->few_statuses)
        free(c->statuses);
}

static void put_head(atn_trace_op op, const void *from, int n, int64_t enter, int64_t exit)
{
    const atn_trace_what what = {.op = (uint8_t)op,
                                 .depth = (uint8_t)atn_depth,
                                 .thread = atn_tracer_thread,
                                 .count = n,
                                 .partner = ATN_TRACE_NO_RANK,
                                 .tag = ATN_TRACE_NO_TAG,
                                 .comm = -1,
                                 .type = -1,
                                 .site = atn_tracer_find_site(from)};
    atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
}

/* `status`: NULL if there is none. */
static void put_done(MPI_Request handle, const MPI_Status *status)
{
    atn_traced_request *const q = handle != MPI_REQUEST_NULL ? find_request(handle) : NULL;
    if (q == NULL || q->request == 0)
        return;
    atn_trace_what what = {.op = ATN_TRACE_DONE,
                           .depth = (uint8_t)atn_depth,
                           .thread = atn_tracer_thread,
                           .partner = ATN_TRACE_NO_RANK,
                           .tag = ATN_TRACE_NO_TAG,
                           .comm = -1,
                           .type = -1,
                           .site = -1};
    if (q->any && status != NULL && q->comm >= 0) {
        what.partner = atn_tracer_partner(&atn_tracer_rec.comms.v[q->comm], status->MPI_SOURCE);
        what.tag = status->MPI_TAG;
    }
    atn_trace_put(atn_tracer_rec.writer, &what, 0, 0, q->request);
    if (q->persistent)
        q->request = 0;
    else
        drop_request(handle);
}

/* Those at `indices`, or the first `n`; statuses in the same order. */
static void record_done(const completion *c, atn_trace_op op, const void *from, int64_t exit, int n,
                        const int *indices, const MPI_Status *statuses)
{
    if (c->statuses != NULL)
        statuses = c->statuses;
    else if (statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE)
        statuses = NULL;
    atn_tracer_lock();
    put_head(op, from, n, c->enter, exit);
    for (int i = 0; i < n; i++) {
        const int at = indices != NULL ? indices[i] : i;
        if (at >= 0 && at < c->n)
            put_done(c->handles[at], statuses != NULL ? &statuses[i] : NULL);
    }
    atn_tracer_unlock();
}

/* ---- waits ---- */

int atn_tracer_Wait(int (*next)(MPI_Request *, MPI_Status *), const void *from,
                    MPI_Request *request, MPI_Status *status)
{
    completion c;
    if (!enter_wait(&c, 1, request, status == MPI_STATUS_IGNORE))
        ATN_PASS(next(request, status));
    const int code = next(request, c.statuses != NULL ? c.statuses : status);
    const int64_t exit = atn_tracer_leave();
    if (code == MPI_SUCCESS)
        record_done(&c, ATN_TRACE_WAIT, from, exit, 1, NULL, status);
    finish(&c);
    return code;
}

int atn_tracer_Waitany(int (*next)(int, MPI_Request *, int *, MPI_Status *), const void *from,
                       int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    completion c;
    if (!enter_wait(&c, n, requests, status == MPI_STATUS_IGNORE))
        ATN_PASS(next(n, requests, index, status));
    const int code = next(n, requests, index, c.statuses != NULL ? c.statuses : status);
    const int64_t exit = atn_tracer_leave();
    if (code == MPI_SUCCESS)
        record_done(&c, ATN_TRACE_WAITANY, from, exit, *index != MPI_UNDEFINED, index, status);
    finish(&c);
    return code;
}

int atn_tracer_Waitall(int (*next)(int, MPI_Request *, MPI_Status *), const void *from, int n,
                       MPI_Request *requests, MPI_Status *statuses)
{
    completion c;
    if (!enter_wait(&c, n, requests, statuses == MPI_STATUSES_IGNORE))
        ATN_PASS(next(n, requests, statuses));
    const int code = next(n, requests, c.statuses != NULL ? c.statuses : statuses);
    const int64_t exit = atn_tracer_leave();
    if (code == MPI_SUCCESS)
        record_done(&c, ATN_TRACE_WAITALL, from, exit, n, NULL, statuses);
    finish(&c);
    return code;
}

int atn_tracer_Waitsome(int (*next)(int, MPI_Request *, int *, int *, MPI_Status *),
                        const void *from, int n, MPI_Request *requests, int *found, int *indices,
                        MPI_Status *statuses)
{
    completion c;
    if (!enter_wait(&c, n, requests, statuses == MPI_STATUSES_IGNORE))
        ATN_PASS(next(n, requests, found, indices, statuses));
    const int code = next(n, requests, found, indices, c.statuses != NULL ? c.statuses : statuses);
    const int64_t exit = atn_tracer_leave();
    if (code == MPI_SUCCESS)
        record_done(&c, ATN_TRACE_WAITSOME, from, exit, *found != MPI_UNDEFINED ? *found : 0,
                    indices, statuses);
    finish(&c);
    return code;
}

/* ---- tests: unsuccessful ones are only counted ---- */

enum { NOTHING = -1 };

/* A successful test. */
static void record_test(completion *c, atn_trace_op op, const void *from, int done,
                        const int *indices, const MPI_Status *statuses)
{
    const int64_t took = atn_tracer_poll_took(c->enter), exit = atn_tracer_now();
    c->enter = exit - took;
    record_done(c, op, from, exit, done, indices, statuses);
}

static int end_test(completion *c, atn_trace_op op, const void *from, int code, int done,
                    const int *indices, const MPI_Status *statuses)
{
    atn_depth--;
    if (done != NOTHING)
        record_test(c, op, from, done, indices, statuses);
    else
        atn_tracer_count_unsuccessful(c->enter);
    finish(c);
    return code;
}

static int test(int (*next)(MPI_Request *, int *, MPI_Status *), const void *from,
                MPI_Request *request, int *flag, MPI_Status *status)
{
    completion c;
    if (!enter_test(&c, 1, request, status == MPI_STATUS_IGNORE))
        ATN_PASS(next(request, flag, status));
    const int code = next(request, flag, c.statuses != NULL ? c.statuses : status);
    const int done = code == MPI_SUCCESS && *flag ? 1 : NOTHING;
    return end_test(&c, ATN_TRACE_TEST, from, code, done, NULL, status);
}

static int test_any(int (*next)(int, MPI_Request *, int *, int *, MPI_Status *), const void *from,
                    int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    completion c;
    if (!enter_test(&c, n, requests, status == MPI_STATUS_IGNORE))
        ATN_PASS(next(n, requests, index, flag, status));
    const int code = next(n, requests, index, flag, c.statuses != NULL ? c.statuses : status);
    const int done = code == MPI_SUCCESS && *flag ? *index != MPI_UNDEFINED : NOTHING;
    return end_test(&c, ATN_TRACE_TESTANY, from, code, done, index, status);
}

int atn_tracer_Testall(int (*next)(int, MPI_Request *, int *, MPI_Status *), const void *from,
                       int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    completion c;
    if (!enter_test(&c, n, requests, statuses == MPI_STATUSES_IGNORE))
        ATN_PASS(next(n, requests, flag, statuses));
    const int code = next(n, requests, flag, c.statuses != NULL ? c.statuses : statuses);
    const int done = code == MPI_SUCCESS && *flag ? n : NOTHING;
    return end_test(&c, ATN_TRACE_TESTALL, from, code, done, NULL, statuses);
}

int atn_tracer_Testsome(int (*next)(int, MPI_Request *, int *, int *, MPI_Status *),
                        const void *from, int n, MPI_Request *requests, int *found, int *indices,
                        MPI_Status *statuses)
{
    completion c;
    if (!enter_test(&c, n, requests, statuses == MPI_STATUSES_IGNORE))
        ATN_PASS(next(n, requests, found, indices, statuses));
    const int code = next(n, requests, found, indices, c.statuses != NULL ? c.statuses : statuses);
    const int done =
        code == MPI_SUCCESS && *found > 0 && *found != MPI_UNDEFINED ? *found : NOTHING;
    return end_test(&c, ATN_TRACE_TESTSOME, from, code, done, indices, statuses);
}

/* ---- tests of one request, with a fast path for unsuccessful ones ---- */

ATN_RARE static int found_one(atn_trace_op op, const void *from,
                              const atn_test_arguments *arguments, int done, const int *index)
{
    completion c = {
        .n = 1, .handles = c.few, .few = {arguments->handle}, .enter = atn_tracer_rec.entered};
    atn_tracer_rec.found++;
    record_test(&c, op, from, done, index, arguments->status);
    return MPI_SUCCESS;
}

/* Always with a status: checking whether it is needed would take longer. */
ATN_FAST int poll_one(const atn_tracer_routines *real, MPI_Request *request, int *flag,
                      MPI_Status *status)
{
    atn_recorder *const rec = atn_tracer_poller();
    if (ATN_RARELY(request == NULL || !atn_tracer_poll_is_fast(rec)))
        return test(ATN_REAL(atn_tracer_, *real, Test), ATN_FROM(), request, flag, status);
    MPI_Status *const own = atn_tracer_test_status(rec, &rec->test, *request, status);
    const int64_t state = atn_tracer_begin_poll(rec);
    const int code = real->Test(request, flag, own);
    rec->poll_state = state;
    if (ATN_RARELY(code != MPI_SUCCESS))
        return code;
    if (ATN_RARELY(*flag))
        return found_one(ATN_TRACE_TEST, ATN_FROM(), &rec->test, 1, NULL);
    return atn_tracer_poll_unsuccessful(rec, state);
}

ATN_FAST int poll_any(const atn_tracer_routines *real, int n, MPI_Request *requests, int *index,
                      int *flag, MPI_Status *status)
{
    atn_recorder *const rec = atn_tracer_poller();
    if (ATN_RARELY(n != 1 || requests == NULL || !atn_tracer_poll_is_fast(rec)))
        return test_any(ATN_REAL(atn_tracer_, *real, Testany), ATN_FROM(), n, requests, index, flag,
                        status);
    MPI_Status *const own = atn_tracer_test_status(rec, &rec->test_any, *requests, status);
    const int64_t state = atn_tracer_begin_poll(rec);
    const int code = real->Testany(1, requests, index, flag, own);
    rec->poll_state = state;
    if (ATN_RARELY(code != MPI_SUCCESS))
        return code;
    if (ATN_RARELY(*flag))
        return found_one(ATN_TRACE_TESTANY, ATN_FROM(), &rec->test_any, *index != MPI_UNDEFINED,
                         index);
    return atn_tracer_poll_unsuccessful(rec, state);
}

ATN_ENTRY_POINTS_TEST(Test, poll_one, (MPI_Request * request, int *flag, MPI_Status *status),
                      (request, flag, status))
ATN_ENTRY_POINTS_TEST(Testany, poll_any,
                      (int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status),
                      (n, requests, index, flag, status))

/* ---- starts of persistent requests ---- */

static void record_start(const void *from, int n, const MPI_Request *requests, int64_t enter,
                         int64_t exit)
{
    put_head(ATN_TRACE_START, from, n, enter, exit);
    for (int i = 0; i < n; i++) {
        atn_traced_request *const q = find_request(requests[i]);
        if (q == NULL || !q->persistent)
            continue;
        atn_trace_what what = q->what;
        what.depth = (uint8_t)atn_depth;
        atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
        q->request = atn_trace_last_request(atn_tracer_rec.writer);
    }
}

int atn_tracer_Start(int (*next)(MPI_Request *), const void *from, MPI_Request *request)
{
    ATN_RECORD_CALL(next(request), record_start(from, 1, request, enter, exit);)
}

int atn_tracer_Startall(int (*next)(int, MPI_Request *), const void *from, int n,
                        MPI_Request *requests)
{
    ATN_RECORD_CALL(next(n, requests), record_start(from, n, requests, enter, exit);)
}
