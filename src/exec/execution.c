/* execution.c - see execution.h.
 *
 * One lock protects everything here, if several threads call MPI.  It is held while MPI is called,
 * and MPI may call atn_exec_progress again: `inside` detects that.
 *
 * A short execution, a chain of short messages in shared memory, has no dag.  If nothing else is
 * open when it starts it is `solo`: it enters no list until something else needs the lists. */
#include "exec/execution.h"

#include <pthread.h>
#include <sched.h>

#include "exec/execution_private.h"

_Atomic int atn_exec_all_open;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool threaded = true;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));
static atn_requests requests; /* of all executions */
static atn_execution *first_begun, *last_begun;
static atn_execution *solo; /* NULL: none */

void atn_exec_set_threads(bool several) { threaded = several; }

static inline void enter(void)
{
    if (threaded)
        pthread_mutex_lock(&lock);
    inside = true;
}

static inline void leave(void)
{
    inside = false;
    if (threaded)
        pthread_mutex_unlock(&lock);
}

static inline bool try_enter(void)
{
    if (inside || (threaded && pthread_mutex_trylock(&lock) != 0))
        return false;
    return inside = true;
}

/* Under the lock; it is read without. */
static inline void add(_Atomic int *n, int by)
{
    const int sum = atomic_load_explicit(n, memory_order_relaxed) + by;
    if (threaded)
        atomic_store_explicit(n, sum, memory_order_release);
    else
        atomic_store_explicit(n, sum, memory_order_relaxed);
}

bool atn_exec_is_inside(void) { return inside; }

/* ---- plans ---- */

void atn_exec_plan_evict(atn_plan *plan)
{
    if (plan == NULL)
        return;
    enter();
    plan->evicted = true;
    const bool unused = plan->users == 0;
    leave();
    if (unused)
        atn_exec_plan_free(plan);
}

/* ---- preparation ---- */

atn_execution *atn_exec_prepare(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm,
                                int *code_p)
{
    enter();
    atn_execution *const e = atn_exec_execution_new(x, plan, call, comm, &requests);
    leave();
    *code_p = e != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    return e;
}

/* Inside of an execution, MPI has called the program, which frees a handle. */
bool atn_exec_uses(MPI_Datatype type, MPI_Op op)
{
    if (inside)
        return true;
    enter();
    const bool used = atn_exec_execution_any_uses(type, op);
    leave();
    return used;
}

/* ---- beginning and end ---- */

static void list_begun(atn_execution *e)
{
    e->prev = last_begun;
    e->next = NULL;
    *(last_begun != NULL ? &last_begun->next : &first_begun) = e;
    last_begun = e;
}

static void unlist_begun(atn_execution *e)
{
    *(e->prev != NULL ? &e->prev->next : &first_begun) = e->next;
    *(e->next != NULL ? &e->next->prev : &last_begun) = e->prev;
}

static inline void begin(atn_execution *e)
{
    e->begun = true;
    if (e->dag.code == MPI_SUCCESS && !atn_exec_run_place(&e->worker, &e->run))
        e->dag.code = MPI_ERR_NO_MEM;
    if (e->dag.code == MPI_SUCCESS && !e->is_short)
        e->dag.code = atn_exec_dag_begin(&e->dag, &e->run);
}

/* Whether it has nothing more to do. */
static inline bool step_chain(atn_execution *e, int polls)
{
    if (e->dag.code == MPI_SUCCESS)
        e->dag.code = atn_exec_chain_advance(&e->run, &e->at, polls);
    return e->dag.code != MPI_SUCCESS || e->at >= e->run.program->ops.n;
}

static bool step(atn_execution *e)
{
    if (e->is_short)
        return step_chain(e, 1);
    if (e->dag.code == MPI_SUCCESS && !atn_exec_dag_is_done(&e->dag))
        e->dag.code = atn_exec_dag_advance(&e->dag);
    return e->dag.code != MPI_SUCCESS || atn_exec_dag_is_done(&e->dag);
}

/* Begins, in order, all executions that may run beside those before them. */
static void begin_some(const atn_exec *x)
{
    const unsigned far = (x->call_mask + 1) / 2;
    bool shared = false;
    int n = 0;

    for (atn_execution *e = x->first_open; e != NULL && n < ATN_MOST_BEGUN; e = e->after, n++) {
        const bool turn = !(shared && e->run.shares);
        if (!e->begun && (!turn || e->run.number - x->first_open->run.number >= far))
            return;
        if (!e->begun) {
            list_begun(e);
            begin(e);
        }
        shared = shared || e->run.shares;
    }
}

static void remove_open(atn_execution *e)
{
    atn_exec *const x = e->x;
    atn_execution *before = NULL;

    for (atn_execution *i = x->first_open; i != e; i = i->after)
        before = i;
    *(before != NULL ? &before->after : &x->first_open) = e->after;
    if (x->last_open == e)
        x->last_open = before;
}

static inline void count_open(atn_execution *e, int by)
{
    add(&e->x->nopen, by);
    add(&atn_exec_all_open, by);
}

/* It is in no list any more. */
static inline void finish(atn_execution *e)
{
    int code = e->dag.code;

    if (code != MPI_SUCCESS)
        atn_exec_dag_cancel(&e->dag);
    else if (!e->direct)
        code = atn_exec_sides_unbind(&e->worker, e->plan, &e->call, &e->sides);
    e->open = e->begun = false;
    if (e->done != NULL)
        e->done(e->context, code);
    if (e->dismissed)
        atn_exec_execution_recycle(e);
}

static void end(atn_execution *e)
{
    const atn_exec *const x = e->x;

    unlist_begun(e);
    remove_open(e);
    count_open(e, -1);
    finish(e);
    begin_some(x);
}

/* Whether it has ended. */
static bool advance(atn_execution *e)
{
    const bool done = step(e);

    if (done)
        end(e);
    return done;
}

static inline bool advance_solo(int polls)
{
    atn_execution *const e = solo;

    if (!step_chain(e, polls))
        return false;
    solo = NULL;
    count_open(e, -1);
    finish(e);
    return true;
}

/* The end of one may begin others, which enter the list behind it. */
static int advance_all(void)
{
    int ended = 0;

    for (atn_execution *e = first_begun, *before; e != NULL;) {
        before = e->prev;
        if (!advance(e)) {
            e = e->next;
            continue;
        }
        e = before != NULL ? before->next : first_begun;
        ended++;
    }
    return ended;
}

int atn_exec_progress(void)
{
    int moved;

    if (atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) == 0 || !try_enter())
        return 0;
    if (solo != NULL) {
        moved = advance_solo(1);
    } else {
        moved = requests.requests.n > 0 ? atn_exec_requests_test(&requests) : 0;
        moved += advance_all();
    }
    leave();
    return moved;
}

/* ---- calls ---- */

static void append_open(atn_execution *e)
{
    atn_exec *const x = e->x;

    e->after = NULL;
    *(x->last_open != NULL ? &x->last_open->after : &x->first_open) = e;
    x->last_open = e;
}

static void list_solo(void)
{
    if (solo == NULL)
        return;
    append_open(solo);
    list_begun(solo);
    solo = NULL;
}

static inline bool is_idle(void)
{
    return atomic_load_explicit(&atn_exec_all_open, memory_order_relaxed) == 0;
}

/* Of all that a start does, other ranks wait for this alone. */
static inline void send_first(atn_execution *e)
{
    if (e->first.out != NULL && is_idle() &&
        atn_shm_send_small(e->first.out, e->first.data, e->first.bytes) == ATN_SHM_DONE)
        e->at = 1;
}

static atn_shared_peer *peer_of(const atn_execution *e, const atn_xop *o)
{
    return &e->x->shared->peer[e->x->shared->index[o->peer]];
}

/* What it does with the data, if that is one step. */
static void bind_data(atn_execution *e, const atn_xop *o)
{
    const atn_part *const part = &e->run.program->parts.v[o->combined];
    const atn_kernel kernel = e->unit.kernel;

    e->second.out = NULL;
    e->second.kernel = NULL;
    e->second.units = o->one.units;
    e->second.bytes = (uint32_t)(o->one.units * e->unit.stride);
    if (o->kind == X_RECV) {
        e->second.out = o->nparts <= 1 ? atn_exec_message(&e->run, o) : NULL;
    } else if (kernel != NULL && o->ncombined == 1 && part->a == 0 && part->units == o->one.units) {
        e->second.kernel = kernel;
        e->second.operand = e->run.base[o->space_c] + part->c;
        e->second.out = e->run.base[o->space_b] + part->b;
    }
}

static void bind_second(atn_execution *e, const atn_xop *o, int after)
{
    const bool receives = after > 0 && atn_exec_receives(o);

    e->second.in = receives ? &peer_of(e, o)->in : NULL;
    e->second.ends = after == 1;
    if (receives)
        bind_data(e, o);
}

static void bind_first(atn_execution *e)
{
    const atn_xop *const o = e->run.program->ops.v;

    if (!e->direct || e->run.program->ops.n == 0 || o->nparts > 1 ||
        (o->kind != X_SEND && o->kind != X_EXCHANGE))
        return;
    e->first.data = atn_exec_message(&e->run, o);
    e->first.bytes = (uint32_t)(o->one.units * e->unit.stride);
    e->first.out = &peer_of(e, o)->out;
    bind_second(e, o + 1, e->run.program->ops.n - 1);
}

/* No rank waits for the last message to be received.  Looking for it right after a message was sent
 * would fetch the line that its sender is about to write, and delay the program's computation. */
static inline bool awaits_last(const atn_execution *e)
{
    return e->at == 1 && e->first.out != NULL && e->second.in != NULL && e->second.ends;
}

static inline void launch_solo(atn_execution *e)
{
    begin(e);
    if (e->first.out == NULL && e->dag.code == MPI_SUCCESS) {
        bind_first(e);
        send_first(e);
    }
    if (!awaits_last(e) && step_chain(e, 1)) {
        finish(e);
        return;
    }
    solo = e;
    count_open(e, 1);
}

void atn_exec_launch(atn_execution *e, atn_done_fn done, void *context)
{
    enter();
    e->dag.frontier = e->at = 0;
    send_first(e);
    e->done = done;
    e->context = context;
    e->open = true;
    e->dag.code = atn_exec_execution_bind(e);
    atn_exec_run_number(e->x, &e->run);
    if (e->is_short && is_idle()) {
        launch_solo(e);
        leave();
        return;
    }
    list_solo();
    append_open(e);
    count_open(e, 1);
    begin_some(e->x);
    leave();
    atn_exec_progress();
}

/* A short execution is polled alone: a call of MPI takes longer than its message. */
static inline bool poll_solo(int polls)
{
    inside = true;
    const bool ended = advance_solo(polls);
    inside = false;
    return ended;
}

/* ---- a call that repeats: what is not needed by its first message follows that ---- */

bool atn_exec_is_bound(const atn_execution *e)
{
    return !threaded && e->first.out != NULL && e->second.in != NULL;
}

int atn_exec_launch_bound(atn_execution *e)
{
    e->at = atn_shm_send_small(e->first.out, e->first.data, e->first.bytes) == ATN_SHM_DONE;
    e->open = e->begun = true;
    e->dag.code = MPI_SUCCESS;
    atn_exec_run_number(e->x, &e->run);
    solo = e;
    count_open(e, 1);
    if (!awaits_last(e) && atn_shm_arrived(e->second.in) != 0)
        poll_solo(1);
    return MPI_SUCCESS;
}

/* Of the last operation, if its message has been sent and the received one has its size. */
static inline bool receive_bound(const atn_execution *e, int polls)
{
    atn_shm_end *const in = e->second.in;
    uint64_t flag = 0;

    while ((flag = atn_shm_arrived(in)) == 0 && polls-- > 0)
        ;
    if (flag == 0 || (flag & ATN_SHM_BYTES) != e->second.bytes)
        return false;
    const char *const message = atn_shm_next_slot(in)->data;
    if (e->second.kernel != NULL)
        e->second.kernel(message, e->second.operand, e->second.out, (size_t)e->second.units);
    else
        atn_shm_copy_small(e->second.out, message, e->second.bytes);
    atn_shm_consume(in, ATN_SHM_SLOTS, flag & ATN_SHM_ACK);
    return true;
}

static bool advance_bound(atn_execution *e, int polls)
{
    if (e->at == 1 && e->second.ends && e->second.out != NULL)
        return receive_bound(e, polls);
    inside = true;
    const bool ended = step_chain(e, polls);
    inside = false;
    return ended && e->dag.code == MPI_SUCCESS;
}

bool atn_exec_wait_bound(atn_execution *e)
{
    enum { SPINS = 4 * ATN_SHM_SPINS };
    if (solo != e || !advance_bound(e, e->x->yield ? ATN_SHM_SPINS_YIELDING : SPINS))
        return false;
    solo = NULL;
    count_open(e, -1);
    e->open = e->begun = false;
    return true;
}

void atn_exec_dismiss(atn_execution *e)
{
    enter();
    e->dismissed = true;
    if (!e->open)
        atn_exec_execution_recycle(e);
    leave();
}

int atn_exec_open(const atn_exec *x)
{
    return atomic_load_explicit(&x->nopen, memory_order_relaxed);
}

bool atn_exec_tests_requests(void) { return !threaded && requests.requests.n > 0; }

/* The library advances, too, where no execution has a request.  What else the hook advances gets
 * there by a probe, now and then. */
static void wait_for(atn_exec *x)
{
    enum { PROBE_EVERY = 8 };
    static unsigned calls; /* of one thread */
    int flag;

    if (atn_exec_progress() > 0)
        return;
    if (!atn_exec_tests_requests() || ++calls % PROBE_EVERY == 0)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (x->yield || (x->shared != NULL && x->shared->waiting.yields))
        sched_yield();
}

static void wait_with_cores(const atn_execution *e, const bool *ended_p)
{
    atn_exec *const x = e->x;
    int polls = ATN_SHM_SPINS;

    while (!*ended_p) {
        if (solo == e && poll_solo(polls))
            return;
        wait_for(x);
        polls = ATN_SHM_SPINS_YIELDING;
    }
}

/* Ranks that share cores must sleep. */
static void wait_without_cores(const atn_execution *e, const bool *ended_p)
{
    atn_shm_wait w = {.how = &e->x->shared->waiting};

    while (!*ended_p)
        if (atn_exec_progress() == 0)
            atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
}

void atn_exec_wait(atn_execution *e, const bool *ended_p)
{
    const bool sleeps = e->run.shares && e->x->shared->waiting.yields;

    (sleeps ? wait_without_cores : wait_with_cores)(e, ended_p);
}

void atn_exec_drain(atn_exec *x)
{
    while (atn_exec_open(x) > 0)
        wait_for(x);
}

/* The blocking call uses the channels itself, and its tags must not be those of an execution. */
void atn_exec_settle(atn_exec *x)
{
    enter();
    list_solo();
    const atn_execution *const first = x->first_open;
    const bool far = first != NULL && x->call - first->run.number >= (x->call_mask + 1) / 2;
    leave();
    if (x->shared != NULL || far)
        atn_exec_drain(x);
}

void atn_exec_progress_end(void)
{
    enter();
    if (atomic_load(&atn_exec_all_open) == 0)
        atn_exec_requests_free(&requests);
    leave();
}
