/* start.c - see start.h. */
#include "pmpi/nonblocking/start.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pmpi/comm/private.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/nonblocking/hook.h"
#include "pmpi/nonblocking/progress.h"
#include "pmpi/nonblocking/refusal.h"
#include "pmpi/nonblocking/request.h"
#include "pmpi/nonblocking/thread.h"
#include "pmpi/nonblocking/timing.h"
#include "pmpi/select/serve.h"

/* ---- communicators ---- */

static bool is_ready(const atn_comm *c)
{
    return c->stage == ATN_COMM_SERVED && c->private_comm != MPI_COMM_NULL;
}

/* An MPI library may number persistent requests among its nonblocking calls when it makes them. */
static void wait_for_ranks(atn_comm *c)
{
    atn_comm_set_up_now(c);
    if (c->starts != NULL)
        atn_nonblocking_held_settle(c);
}

atn_comm *atn_nonblocking_enter(MPI_Comm comm, atn_operation op, bool local)
{
    if (!atn_job_current.nonblocking)
        return NULL;
    atn_comm *const c = atn_comm_find(comm);
    if (c == NULL || c->p == 1)
        return NULL;
    if (!local)
        wait_for_ranks(c);
    if (!is_ready(c)) {
        c->before |= 1u << op;
        atn_nonblocking_refused(c, op, NULL);
        return NULL;
    }
    if (c->started++ == 0)
        atn_comm_used(c);
    return c;
}

/* ---- starts ---- */

/* A call that the native routine starts now, and that is timed. */
static _Thread_local struct {
    bool any;
    atn_timed_start call;
    int64_t start;
} pending;

static atn_timed_start timed(const atn_comm *c, const atn_start_choice *x, int64_t ticks)
{
    return (atn_timed_start){.owner = c, .turn = x->turn, .q = x->q, .ticks = ticks};
}

static bool is_timed(const atn_start_choice *x)
{
    return x->turn.block >= 0 || atn_nonblocking_observed != NULL;
}

void atn_nonblocking_started(MPI_Request request)
{
    if (ATN_LIKELY(!pending.any))
        return;
    pending.any = false;
    if (request == MPI_REQUEST_NULL)
        return;
    pending.call.ticks = atn_ticks() - pending.start;
    atn_nonblocking_time(request, &pending.call);
}

static void launch(atn_open_request *q)
{
    atn_exec_launch(q->execution, atn_nonblocking_request_done, q);
    atn_nonblocking_hook_ensure(); /* while the first message travels */
    atn_nonblocking_count(true);
    atn_nonblocking_thread_wake();
}

/* A request with its execution.  NULL: an error in *code_p. */
static atn_open_request *make_request(atn_comm *c, atn_plan *plan, const atn_call *call,
                                      bool persistent, int *code_p)
{
    atn_execution *const e = atn_exec_prepare(c->exec, plan, call, c->private_comm, code_p);
    atn_open_request *const q =
        e != NULL ? atn_nonblocking_request_new(c, persistent, code_p) : NULL;
    if (q != NULL)
        q->execution = e;
    else if (e != NULL)
        atn_exec_dismiss(e);
    return q;
}

/* The request may have ended, and be another one's, when launch returns. */
static int begin(atn_comm *c, atn_plan *plan, const atn_call *call, MPI_Request *request)
{
    int code;
    atn_open_request *const q = make_request(c, plan, call, false, &code);
    if (q == NULL)
        return code;
    atn_execution *const e = q->execution;
    *request = q->handle;
    launch(q);
    atn_exec_dismiss(e);
    return MPI_SUCCESS;
}

static int hold(atn_comm *c, const atn_call *call, const atn_start_choice *x, int64_t entered,
                MPI_Request *request)
{
    int code;
    atn_open_request *const q = atn_nonblocking_request_new(c, false, &code);
    if (q == NULL)
        return code;
    *request = q->handle;
    q->execution = NULL;
    if (!atn_nonblocking_hold(c, call, q))
        atn_nonblocking_request_done(q, MPI_ERR_NO_MEM);
    const atn_timed_start t = timed(c, x, atn_ticks() - entered);
    atn_nonblocking_time(*request, &t);
    return MPI_SUCCESS;
}

/* False: the native routine must start the call. */
static bool start(atn_comm *c, const atn_call *call, MPI_Request *request, int *code_p)
{
    const int64_t entered = atn_ticks();
    const atn_start_choice x = atn_nonblocking_choose(c, call);
    *code_p = x.code;
    if (x.is == ATN_TURN_LATER)
        *code_p = hold(c, call, &x, entered, request);
    else if (x.plan != NULL)
        *code_p = begin(c, x.plan, call, request);
    else if (x.code == MPI_SUCCESS) {
        if (x.turn.of == NULL)
            atn_nonblocking_refused(c, call->op, call);
        pending.any = is_timed(&x);
        pending.call = timed(c, &x, 0);
        pending.start = entered;
        return false;
    }
    if (x.is == ATN_TURN_NOW && *code_p == MPI_SUCCESS && is_timed(&x)) {
        const atn_timed_start t = timed(c, &x, atn_ticks() - entered);
        atn_nonblocking_time(*request, &t);
    }
    return true;
}

bool atn_nonblocking_start(atn_comm *c, const atn_call *call, MPI_Request *request, int *code_p)
{
    atn_nonblocking_enter_lock();
    const bool started = start(c, call, request, code_p);
    atn_nonblocking_leave_lock();
    if (c->starts != NULL) { /* the call may be held, or an order be on its way */
        atn_nonblocking_hook_ensure();
        atn_nonblocking_thread_wake();
    }
    atn_comm_raise(c, *code_p);
    return started;
}

/* By rules and wisdom: what tuning finds serves nonblocking calls. */
bool atn_nonblocking_init(atn_comm *c, const atn_call *call, MPI_Request *request, int *code_p)
{
    atn_problem problem;
    atn_choice choice;
    *code_p = MPI_SUCCESS;
    atn_why why;
    if (atn_select_started_problem(c, call, &problem) != ATN_WHY_SERVED)
        return false;
    if (!atn_select_started_for_good(c, call, &problem, &choice, &why)) {
        const atn_subject s = atn_select_started_subject(call, &problem);
        atn_select_started_first(c, &s, &choice);
    }
    atn_plan *const plan = atn_select_started_plan(c, call, &problem, &choice, code_p);
    atn_open_request *const q = plan != NULL ? make_request(c, plan, call, true, code_p) : NULL;
    if (q != NULL)
        *request = q->handle;
    else if (*code_p == MPI_SUCCESS)
        atn_nonblocking_refused(c, call->op, call);
    atn_comm_raise(c, *code_p);
    return q != NULL || *code_p != MPI_SUCCESS;
}

/* Behind calls that are held. */
static void launch_again(atn_open_request *q)
{
    atn_nonblocking_enter_lock();
    if (!atn_nonblocking_holds(q->c)) {
        launch(q);
        atn_nonblocking_request_bind(q);
    } else if (!atn_nonblocking_hold(q->c, NULL, q))
        atn_nonblocking_request_done(q, MPI_ERR_NO_MEM);
    atn_nonblocking_leave_lock();
}

/* An active request: the MPI library reports it. */
bool atn_nonblocking_restart(MPI_Request *request, int *code_p)
{
    if (atn_nonblocking_requests_kept() == 0 || request == NULL)
        return false;
    atn_open_request *const q = atn_nonblocking_request_find(*request);
    if (q == NULL || !q->persistent || !atn_nonblocking_request_activate(q, code_p))
        return false;
    if (*code_p == MPI_SUCCESS)
        launch_again(q);
    return true;
}

/* ---- what ends or frees requests and handles ---- */

static bool is_idle(void)
{
    return atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) == 0 &&
           atn_nonblocking_requests_kept() == 0;
}

/* One that has ended is the MPI library's. */
static atn_open_request *find(const MPI_Request *request)
{
    if (request == NULL || (is_idle() && atn_nonblocking_tokens() == 0))
        return NULL;
    atn_open_request *const q = atn_nonblocking_request_find(*request);
    if (q == NULL || q->persistent || q->state != ATN_REQUEST_ENDED)
        return q;
    atn_nonblocking_request_settle(q);
    return NULL;
}

/* Both are errors for collectives; classes and handler are those of the MPI library.  Open MPI
 * frees those that have ended. */
#ifdef MPICH_VERSION
enum { FREE_ACTIVE = MPI_ERR_OTHER, FREES_ENDED = 0, CANCEL_ACTIVE = MPI_ERR_INTERN };
#else
enum { FREE_ACTIVE = MPI_ERR_REQUEST, FREES_ENDED = 1, CANCEL_ACTIVE = MPI_ERR_REQUEST };
#endif

static bool has_ended(const MPI_Request *request)
{
    return request != NULL && *request != MPI_REQUEST_NULL && atn_job_current.nonblocking &&
           atn_nonblocking_request_has_ended(*request);
}

static int refuse(int code)
{
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    return code;
}

bool atn_nonblocking_free(MPI_Request *request, int *code_p)
{
    atn_open_request *const q = find(request);
    if (q == NULL && (FREES_ENDED || !has_ended(request)))
        return false;
    if (q == NULL || !q->persistent) {
        *code_p = refuse(FREE_ACTIVE);
        return true;
    }
    *code_p = atn_nonblocking_request_free(q);
    *request = MPI_REQUEST_NULL;
    return true;
}

bool atn_nonblocking_cancel(MPI_Request *request, int *code_p)
{
    if (find(request) == NULL && !has_ended(request))
        return false;
    *code_p = refuse(CANCEL_ACTIVE);
    return true;
}

/* ---- handles that the program has freed ---- */

/* One of both is null. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} handle;

typedef ATN_VEC(handle) handle_list;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held for nothing but the list */
static handle_list kept;

/* Calls that are held will use theirs. */
static bool any_held(void)
{
    atn_nonblocking_enter_lock();
    const bool held = atn_nonblocking_held_any();
    atn_nonblocking_leave_lock();
    return held;
}

static bool is_used(const handle *h)
{
    return !is_idle() && (atn_exec_uses(h->type, h->op) || any_held());
}

static bool put(const handle *h)
{
    pthread_mutex_lock(&lock);
    const bool so = atn_push(&kept, *h);
    pthread_mutex_unlock(&lock);
    return so;
}

static handle_list take_all(void)
{
    pthread_mutex_lock(&lock);
    const handle_list all = kept;
    kept = (handle_list){0};
    pthread_mutex_unlock(&lock);
    return all;
}

static void release(handle *h)
{
    if (h->type != MPI_DATATYPE_NULL)
        atn_pmpi_real.Type_free(&h->type);
    else
        atn_pmpi_real.Op_free(&h->op);
}

static void free_unused(void)
{
    handle_list all = take_all();
    for (int i = 0; i < all.n; i++)
        if (is_used(&all.v[i]))
            put(&all.v[i]);
        else
            release(&all.v[i]);
    atn_vec_free(&all);
}

static bool keep(const handle *h)
{
    free_unused();
    return is_used(h) && put(h);
}

bool atn_nonblocking_keep_type(MPI_Datatype *type)
{
    const bool so = keep(&(handle){*type, MPI_OP_NULL});
    if (so)
        *type = MPI_DATATYPE_NULL;
    return so;
}

bool atn_nonblocking_keep_op(MPI_Op *op)
{
    const bool so = keep(&(handle){MPI_DATATYPE_NULL, *op});
    if (so)
        *op = MPI_OP_NULL;
    return so;
}

/* Persistent requests may remain. */
void atn_nonblocking_handles_end(void)
{
    free_unused();
    atn_vec_free(&kept);
}
