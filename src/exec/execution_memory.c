/* execution_memory.c - see execution_private.h. */
#include <stdlib.h>

#include "exec/execution_private.h"

/* Executions that a plan keeps, and the scratch memory of each. */
enum { MOST_IDLE = 8, IDLE_BYTES = 1 << 20 };

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

/* ---- executions that use handles of the program ---- */

static atn_execution *first_with_handles;

/* Contiguous data are bytes, and predefined operators have kernels. */
static bool uses_handles(const atn_execution *e)
{
    const bool reduces = (atn_sched_operation_get(e->call.op)->flags & ATN_TYPED) != 0;

    return !e->direct || (reduces && e->unit.kernel == NULL);
}

static void list_handles(atn_execution *e)
{
    e->has_handles = uses_handles(e);
    if (!e->has_handles)
        return;
    e->handles_prev = NULL;
    e->handles_next = first_with_handles;
    if (first_with_handles != NULL)
        first_with_handles->handles_prev = e;
    first_with_handles = e;
}

static void unlist_handles(atn_execution *e)
{
    if (!e->has_handles)
        return;
    e->has_handles = false;
    *(e->handles_prev != NULL ? &e->handles_prev->handles_next : &first_with_handles) =
        e->handles_next;
    if (e->handles_next != NULL)
        e->handles_next->handles_prev = e->handles_prev;
}

bool atn_exec_execution_any_uses(MPI_Datatype type, MPI_Op op)
{
    const bool by_type = type != MPI_DATATYPE_NULL;

    for (const atn_execution *e = first_with_handles; e != NULL; e = e->handles_next)
        if (by_type ? atn_exec_call_names(&e->worker, &e->call, type) : e->call.mpi_op == op)
            return true;
    return false;
}

/* ---- end ---- */

static void release_plan(atn_plan *plan)
{
    if (--plan->users == 0 && plan->evicted)
        atn_exec_plan_free(plan);
}

/* Applications repeat calls: the plan keeps what the next one needs. */
void atn_exec_execution_recycle(atn_execution *e)
{
    atn_plan *const plan = e->plan;
    const bool small =
        e->worker.scratch_bytes + e->worker.stage_bytes[0] + e->worker.stage_bytes[1] <= IDLE_BYTES;

    unlist_handles(e);
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
static atn_execution *make(const atn_exec *x, atn_plan *plan, atn_requests *requests)
{
    atn_execution *e = plan->idle;

    if (e != NULL) {
        plan->idle = e->after;
        plan->nidle--;
        return e;
    }
    e = calloc(1, sizeof *e);
    if (e != NULL && !atn_exec_dag_run_init(&e->dag, &plan->dag, plan->schedule, requests)) {
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
    return (int)x->call_mask + 1 >= 2 * ATN_MOST_BEGUN && choice->row != NULL &&
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

atn_execution *atn_exec_execution_new(atn_exec *x, atn_plan *plan, const atn_call *call,
                                      MPI_Comm comm, atn_requests *requests)
{
    atn_execution *const e = make(x, plan, requests);

    if (e == NULL)
        return NULL;
    set_up(e, x, plan, call, comm);
    if (!atn_exec_call_copy(x, call, &e->call, e->arrays)) {
        atn_exec_execution_recycle(e);
        return NULL;
    }
    list_handles(e);
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

int atn_exec_execution_bind(atn_execution *e)
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
