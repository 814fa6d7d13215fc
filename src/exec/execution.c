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
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"
#include "exec/shared.h"

/* Executions of a communicator that have begun; the others keep waiting in its list. */
enum { MOST_BEGUN = 64 };
/* Executions that a plan keeps, and the scratch memory of each. */
enum { MOST_IDLE = 8, IDLE_BYTES = 1 << 20 };

struct atn_execution {
    atn_run run;
    atn_exec *x;     /* of the communicator: the list of its executions */
    atn_exec worker; /* an executor without plans: scratch and packed buffers, sizes, datatypes */
    atn_plan *plan;  /* held */
    atn_exec_unit unit;
    atn_program bound; /* v-operations: bound to the sizes of the call */
    atn_call call;
    void *arrays[2]; /* its counts, displacements and types */
    atn_sides sides;
    atn_dag_run dag;
    atn_done_fn done;
    void *context;
    struct {
        atn_shm_end *out; /* NULL: none */
        const char *data;
        uint32_t bytes;
    } first;       /* message of a chain whose buffers are bound: sent at once */
    bool is_short; /* the chain; `at`: its next operation */
    int at;
    bool direct;                /* uses the user's buffers */
    bool open;                  /* launched, and has not ended */
    bool begun;                 /* has sent or received */
    bool dismissed;             /* to be freed when it ends */
    atn_execution *after;       /* the next one of the communicator, or kept by the plan */
    atn_execution *prev, *next; /* begun ones of all communicators */
};

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

static void release_plan(atn_plan *plan)
{
    if (--plan->users == 0 && plan->evicted)
        atn_exec_plan_free(plan);
}

/* ---- memory ---- */

static void free_arrays(atn_execution *e)
{
    free(e->arrays[0]);
    free(e->arrays[1]);
    e->arrays[0] = e->arrays[1] = NULL;
}

static void free_execution(atn_execution *e)
{
    free_arrays(e);
    atn_exec_dag_run_free(&e->dag);
    atn_exec_program_free(&e->bound);
    atn_exec_buffers_free(&e->worker);
    free(e);
}

void atn_exec_executions_free(atn_execution *kept)
{
    while (kept != NULL) {
        atn_execution *const e = kept;
        kept = e->after;
        free_execution(e);
    }
}

/* Applications repeat calls: the plan keeps what the next one needs. */
static void recycle(atn_execution *e)
{
    atn_plan *const plan = e->plan;
    const bool small =
        e->worker.scratch_bytes + e->worker.stage_bytes[0] + e->worker.stage_bytes[1] <= IDLE_BYTES;

    free_arrays(e);
    if (small && !plan->evicted && plan->nidle < MOST_IDLE) {
        e->after = plan->idle;
        plan->idle = e;
        plan->nidle++;
    } else {
        free_execution(e);
    }
    release_plan(plan);
}

/* Whether an operation of this rank uses shared memory. */
static bool shares(const atn_exec *x, const atn_schedule *s)
{
    for (int i = 0; x->shared != NULL && i < s->nops; i++) {
        const atn_op *const o = &s->ops[i];
        if (!atn_sched_is_local(o) &&
            (!atn_sched_is_message(o) || atn_exec_shared_index(x->shared, o->peer) >= 0))
            return true;
    }
    return false;
}

/* Plans belong to one executor. */
static atn_execution *new_execution(const atn_exec *x, atn_plan *plan)
{
    atn_execution *e = plan->idle;

    if (e != NULL) {
        plan->idle = e->after;
        plan->nidle--;
        return e;
    }
    e = calloc(1, sizeof *e);
    if (e != NULL && !atn_exec_dag_run_init(&e->dag, &plan->dag, plan->schedule, &requests)) {
        free_execution(e);
        return NULL;
    }
    if (e != NULL) {
        e->run.shares = shares(x, plan->schedule);
        e->is_short = atn_exec_chain_is_short(x, plan);
    }
    return e;
}

bool atn_exec_can_start(const atn_exec *x, const atn_choice *choice)
{
    return (int)x->call_mask + 1 >= 2 * MOST_BEGUN && choice->row != NULL &&
           !atn_exec_exchanges_sizes(choice->row);
}

bool atn_exec_call_copy(const atn_exec *x, const atn_call *call, atn_call *copy_p, void *arrays[2])
{
    *copy_p = *call;
    arrays[0] = arrays[1] = NULL;
    return atn_exec_user_keep(x, call, &copy_p->src, true, &arrays[0]) &&
           atn_exec_user_keep(x, call, &copy_p->dst, false, &arrays[1]);
}

/* ---- preparation ---- */

static void set_up(atn_execution *e, atn_exec *x, atn_plan *plan, const atn_call *call,
                   MPI_Comm comm)
{
    e->x = x;
    e->worker.p = x->p;
    e->worker.r = x->r;
    e->worker.yield = x->yield;
    e->worker.shared = x->shared;
    e->worker.neighbourhood = x->neighbourhood;
    e->plan = plan;
    e->unit = plan->unit;
    e->direct = x->direct && !atn_exec_one_buffer(call);
    e->dismissed = false;
    e->first.out = NULL;
    e->run = (atn_run){
        .x = &e->worker, .plan = plan, .unit = &e->unit, .comm = comm, .shares = e->run.shares};
    plan->users++;
}

atn_execution *atn_exec_prepare(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm,
                                int *code_p)
{
    enter();
    atn_execution *e = new_execution(x, plan);
    if (e != NULL)
        set_up(e, x, plan, call, comm);
    if (e != NULL && !atn_exec_call_copy(x, call, &e->call, e->arrays)) {
        recycle(e);
        e = NULL;
    }
    leave();
    *code_p = e != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    return e;
}

static int bind_sizes(atn_execution *e)
{
    e->bound.chain = false;
    if (!atn_exec_program_bind(&e->bound, e->plan->schedule, &e->sides.partition, &e->unit))
        return MPI_ERR_NO_MEM;
    e->run.program = &e->bound;
    return MPI_SUCCESS;
}

/* The user's buffers are read now: packed data must be those of this start. */
static int bind_call(atn_execution *e)
{
    int code = MPI_SUCCESS;

    if (e->direct && e->is_short && e->run.program != NULL) /* by an earlier start */
        return code;
    const bool varies = atn_exec_is_varying(&e->plan->q);

    if (!e->direct)
        code = atn_exec_sides_bind(&e->worker, e->plan, &e->call, &e->sides);
    e->run.base[ATN_SRC] = e->direct ? e->call.src.buf : e->sides.base[0];
    e->run.base[ATN_DST] = e->direct ? e->call.dst.buf : e->sides.base[1];
    if (code == MPI_SUCCESS && varies)
        return bind_sizes(e);
    e->run.program = e->is_short ? &e->plan->program : atn_exec_plan_steps(e->plan);
    return code == MPI_SUCCESS && e->run.program == NULL ? MPI_ERR_NO_MEM : code;
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

    for (atn_execution *e = x->first_open; e != NULL && n < MOST_BEGUN; e = e->after, n++) {
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
        recycle(e);
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

static void bind_first(atn_execution *e)
{
    const atn_xop *const o = e->run.program->ops.v;

    if (!e->direct || e->run.program->ops.n == 0 || o->nparts > 1 ||
        (o->kind != X_SEND && o->kind != X_EXCHANGE))
        return;
    e->first.data = atn_exec_message(&e->run, o);
    e->first.bytes = (uint32_t)(o->one.units * e->unit.stride);
    e->first.out = &e->x->shared->peer[e->x->shared->index[o->peer]].out;
}

static inline void launch_solo(atn_execution *e)
{
    begin(e);
    if (e->first.out == NULL && e->dag.code == MPI_SUCCESS)
        bind_first(e);
    if (step_chain(e, 1)) {
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
    e->dag.code = bind_call(e);
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

void atn_exec_dismiss(atn_execution *e)
{
    enter();
    e->dismissed = true;
    if (!e->open)
        recycle(e);
    leave();
}

int atn_exec_open(const atn_exec *x)
{
    return atomic_load_explicit(&x->nopen, memory_order_relaxed);
}

/* The library advances, too, where no execution has a request. */
static void wait_for(atn_exec *x)
{
    int flag;

    if (atn_exec_progress() > 0)
        return;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (x->yield || (x->shared != NULL && x->shared->waiting.yields))
        sched_yield();
}

/* A short execution is polled alone: a call of MPI takes longer than its message. */
static inline bool poll_solo(int polls)
{
    inside = true;
    const bool ended = advance_solo(polls);
    inside = false;
    return ended;
}

void atn_exec_wait(atn_execution *e, const bool *ended_p)
{
    atn_exec *const x = e->x;
    int polls = x->yield ? ATN_SHM_SPINS_YIELDING : ATN_SHM_SPINS;

    while (!*ended_p) {
        if (solo == e && poll_solo(polls))
            return;
        wait_for(x);
        polls = ATN_SHM_SPINS_YIELDING;
    }
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
