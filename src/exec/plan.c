/* plan.c - plans: created once per problem, kept in a bounded cache, run many times. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "exec/shared.h"
#include "sched/neighbourhood.h"
#include "sched/optimise.h"

enum { SEQ_BITS = 20 }; /* of a tag: message number in its pair; the rest: call number */
static const int64_t chain_bytes = (int64_t)1 << 30; /* larger messages are split: dag only */

static const int64_t relay_bytes = (int64_t)256
                                   << 20; /* limit for the relayed blocks of an alltoallv */

/* ---- memory ---- */

static _Atomic int64_t all_bytes; /* of the plans of this process */

int64_t atn_exec_plans_bytes(void)
{
    return atomic_load_explicit(&all_bytes, memory_order_relaxed);
}

/* Of its arrays; what runs add to them is not counted. */
static int64_t bytes_of(const atn_plan *plan)
{
    const atn_schedule *const s = plan->schedule;
    const size_t per_run = sizeof *plan->run.pending + sizeof *plan->run.heap +
                           sizeof *plan->run.open + sizeof *plan->run.done;
    const size_t per_op = sizeof *s->ops + sizeof *plan->dag.first_succ + per_run;
    const size_t per_dep = sizeof *s->deps + sizeof *plan->dag.succ;

    return (int64_t)(sizeof *plan + (size_t)s->nops * per_op + (size_t)s->ndeps * per_dep +
                     (size_t)s->nranges * sizeof *s->ranges +
                     (size_t)s->ntmp * sizeof *s->tmp_shape +
                     (size_t)plan->program.ops.cap * sizeof *plan->program.ops.v +
                     (size_t)plan->program.parts.cap * sizeof *plan->program.parts.v);
}

static void count(atn_plan *plan)
{
    plan->bytes = bytes_of(plan);
    atomic_fetch_add_explicit(&all_bytes, plan->bytes, memory_order_relaxed);
}

/* ---- creation ---- */

void atn_exec_plan_free(atn_plan *plan)
{
    if (!plan)
        return;
    atomic_fetch_sub_explicit(&all_bytes, plan->bytes, memory_order_relaxed);
    atn_sched_schedule_free(plan->schedule);
    atn_exec_program_free(&plan->program);
    atn_exec_program_free(&plan->steps);
    atn_exec_dag_free(&plan->dag);
    atn_exec_dag_run_free(&plan->run);
    atn_exec_requests_free(&plan->requests);
    atn_exec_executions_free(plan->idle);
    free(plan);
}

static bool bind_program(atn_plan *plan, const atn_partition *t, int64_t total_units)
{
    plan->program.chain = plan->program.chain && total_units * plan->unit.stride <= chain_bytes;
    return atn_exec_program_bind(&plan->program, plan->schedule, t, &plan->unit);
}

/* Below the eager limit of every MPI. */
static const int64_t small_bytes = 2048;

static bool is_small(const atn_plan *plan, const atn_partition *t)
{
    const atn_schedule *s = plan->schedule;

    for (int i = 0; i < s->nops; i++)
        if (atn_sched_is_message(&s->ops[i]) &&
            atn_sched_slot_units(t, s, &s->ops[i].a) * plan->unit.stride > small_bytes)
            return false;
    return true;
}

/* The chain has one pack buffer for all messages; an exposure in several parts needs its own. */
static bool holds_packed(const atn_schedule *s)
{
    for (int i = 0; i < s->nops; i++)
        if (s->ops[i].kind == ATN_OP_EXPOSE && s->ops[i].a.n > 1)
            return true;
    return false;
}

/* `each`: units per natural block; ignored for v-operations, which are bound at each call. */
atn_plan *atn_exec_plan_new(const atn_problem *q, const atn_choice *choice,
                            const atn_exec_unit *unit, int64_t each, int *code_p)
{
    atn_plan *plan = calloc(1, sizeof *plan);
    atn_error err = {0};
    bool ok = plan != NULL;

    if (ok) {
        plan->q = *q;
        plan->choice = *choice;
        plan->unit = *unit;
        plan->each = each;
        plan->q.segments = atn_algo_segments(choice->row, q, &choice->params);
        ok =
            atn_algo_build(choice->row, &plan->q, &choice->params, &plan->schedule, &err) == ATN_OK;
    }
    if (ok) {
        atn_sched_optimise(plan->schedule); /* without memory it stays as it is */
        plan->program.chain = atn_sched_is_chain(plan->schedule) && !holds_packed(plan->schedule);
        ok = atn_exec_dag_init(&plan->dag, plan->schedule) &&
             atn_exec_dag_run_init(&plan->run, &plan->dag, plan->schedule, &plan->requests);
    }
    if (ok && !atn_exec_is_varying(q)) {
        const atn_partition t = atn_sched_partition_uniform(q, plan->schedule->split, each);
        plan->program.chain =
            plan->program.chain || (atn_sched_is_orderly(plan->schedule) &&
                                    !holds_packed(plan->schedule) && is_small(plan, &t));
        ok = bind_program(plan, &t, each * atn_max(t.src.n, t.dst.n));
    }
    const bool no_memory = err.status == ATN_OK || err.status == ATN_MEMORY;
    *code_p = ok ? MPI_SUCCESS : no_memory ? MPI_ERR_NO_MEM : MPI_ERR_INTERN;
    if (plan == NULL || !ok) {
        atn_exec_plan_free(plan);
        return NULL;
    }
    count(plan);
    return plan;
}

const atn_program *atn_exec_plan_steps(atn_plan *plan)
{
    atn_partition t;

    if (!plan->program.chain)
        return &plan->program;
    if (!plan->steps.bound) {
        t = atn_sched_partition_uniform(&plan->q, plan->schedule->split, plan->each);
        atn_exec_program_bind(&plan->steps, plan->schedule, &t, &plan->unit);
    }
    return plan->steps.bound ? &plan->steps : NULL;
}

const atn_choice *atn_exec_plan_choice(const atn_plan *plan) { return &plan->choice; }

/* A program serves every operator and all types of one layout: handles belong to the call. */
void atn_exec_plan_handles(atn_plan *plan, MPI_Datatype type, MPI_Op op)
{
    atn_exec_unit *const u = &plan->unit;

    if (u->op == op && u->type == type)
        return;
    u->op = op;
    u->type = type;
    u->kernel = atn_exec_kernel_of(op, type, u->stride);
    if (!u->contiguous)
        u->sent_type = type;
}

/* ---- running ---- */

void atn_exec_run_number(atn_exec *x, atn_run *run)
{
    run->number = x->call++;
    run->tag0 = (int)((run->number & x->call_mask) << SEQ_BITS);
    if (x->shared != NULL)
        run->shared_call = ++x->shared->call;
}

/* With the last message number, which no schedule reaches. */
int atn_exec_spare_tag(const atn_exec *x, unsigned number)
{
    return (int)((number & x->call_mask) << SEQ_BITS) + (1 << SEQ_BITS) - 1;
}

bool atn_exec_run_place(atn_exec *x, atn_run *run)
{
    const atn_program *const g = run->program;

    if (g->scratch_bytes == 0)
        return true;
    char *const scratch = atn_exec_reserve(&x->scratch, &x->scratch_bytes, g->scratch_bytes);
    if (!scratch)
        return false;
    run->base[ATN_TMP] = scratch + g->tmp_at;
    run->packed = scratch + g->packed_at;
    return true;
}

static int run_plan(atn_exec *x, atn_plan *plan, char *src, char *dst, MPI_Comm comm)
{
    atn_run run = {.x = x,
                   .plan = plan,
                   .program = &plan->program,
                   .unit = &plan->unit,
                   .comm = comm,
                   .shares = true,
                   .base = {src, dst, NULL}};
    int code;

    if (atomic_load_explicit(&x->nopen, memory_order_relaxed) > 0)
        atn_exec_settle(x);
    atn_exec_run_number(x, &run);
    if (!atn_exec_run_place(x, &run))
        return MPI_ERR_NO_MEM;
    x->running = plan;
    code = plan->program.chain ? atn_exec_run_chain(&run) : atn_exec_run_dag(&run, &plan->run);
    x->running = NULL;
    return code;
}

/* ---- sizes of gatherv, scatterv and alltoallv ---- */

static atn_plan *sizes_plan(atn_exec *x, const atn_problem *outer, int *code_p)
{
    const bool gathers = outer->op != ATN_SCATTERV;
    const atn_exec_unit bytes = {
        .stride = 1, .sent_type = MPI_BYTE, .sent_each = 1, .contiguous = true};
    const int64_t each = gathers ? 8 : 8 * (int64_t)x->p;
    const atn_problem q = {.op = gathers ? ATN_ALLGATHER : ATN_BCAST,
                           .p = x->p,
                           .r = x->r,
                           .root = gathers ? 0 : outer->root,
                           .in_place = gathers,
                           .segments = 1,
                           .bytes = each};
    atn_plan **kept = &x->sizes_plan[gathers];
    atn_choice choice = {
        .row = atn_algo_catalog_by_name(gathers ? "allgather/bruck" : "bcast/binomial")};

    *code_p = MPI_SUCCESS;
    if (*kept && (*kept)->q.root == q.root)
        return *kept;
    atn_exec_plan_free(*kept);
    atn_algo_params_default(choice.row, &choice.params);
    *kept = atn_exec_plan_new(&q, &choice, &bytes, each, code_p);
    return *kept;
}

static bool is_alltoall(const atn_call *call) { return atn_sched_is_padded(call->op); }

bool atn_exec_exchanges_sizes(const atn_row *row)
{
    return (row->algo->needs & ATN_NEEDS_SIZES) &&
           (row->op == ATN_GATHERV || row->op == ATN_SCATTERV || atn_sched_is_padded(row->op));
}

/* The sizes that this rank has: that of its own block; at the root of a scatterv, all; in an
 * alltoallv and on neighbours, the largest that it sends. */
static void own_sizes(atn_exec *x, const atn_call *call, int64_t *lens)
{
    const bool root = x->r == call->root, from_dst = call->in_place && (root || is_alltoall(call));
    const atn_user *u = from_dst ? &call->dst : &call->src;

    if (call->op == ATN_GATHERV)
        lens[x->r] = atn_exec_user_bytes(x, call, u, from_dst ? x->r : 0);
    if (is_alltoall(call))
        lens[x->r] = 0;
    for (int j = 0; is_alltoall(call) && j < atn_exec_call_blocks(x, call); j++) {
        if (atn_exec_user_missing(x, call, u, j))
            continue;
        const int64_t bytes = atn_exec_user_bytes(x, call, u, j);
        lens[x->r] = bytes > lens[x->r] ? bytes : lens[x->r];
    }
    for (int j = 0; j < x->p && call->op == ATN_SCATTERV && root; j++)
        lens[j] = atn_exec_user_bytes(x, call, &call->src, j);
}

/* All places are as large as the largest block of any rank.  If that needs too much memory, all
 * ranks detect it and leave the call to the library. */
static int level_sizes(atn_exec *x, const atn_problem *q, int64_t *lens)
{
    const int64_t places = (int64_t)x->p * (q->neighbourhood ? q->neighbourhood->most : 1);
    int64_t most = 0;

    for (int j = 0; j < x->p; j++)
        most = lens[j] > most ? lens[j] : most;
    for (int j = 0; j < x->p; j++)
        lens[j] = most;
    return places > 0 && most > relay_bytes / places ? ATN_DECLINED : MPI_SUCCESS;
}

static int exchange_sizes(atn_exec *x, const atn_plan *plan, const atn_call *call, MPI_Comm comm)
{
    int64_t *lens = atn_exec_vec_lens(x);
    int code;

    atn_plan *exchange = sizes_plan(x, &plan->q, &code);
    if (!lens || !exchange)
        return lens ? code : MPI_ERR_NO_MEM;
    own_sizes(x, call, lens);
    code = run_plan(x, exchange, NULL, (char *)lens, comm);
    return code == MPI_SUCCESS && is_alltoall(call) ? level_sizes(x, &plan->q, lens) : code;
}

/* ---- calls ---- */

static int64_t sum(const atn_blocks *z)
{
    int64_t total = 0;

    for (int j = 0; z->lens && j < z->n; j++)
        total += z->lens[j];
    return total;
}

static int run_bound(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm)
{
    atn_sides s;
    int code = MPI_SUCCESS;

    if (atn_exec_exchanges_sizes(plan->choice.row))
        code = exchange_sizes(x, plan, call, comm);
    if (code == MPI_SUCCESS)
        code = atn_exec_sides_bind(x, plan, call, &s);
    if (code == MPI_SUCCESS && atn_exec_is_varying(&plan->q)) {
        plan->program.chain =
            atn_sched_is_chain(plan->schedule) && !atn_sched_is_shared(plan->schedule);
        if (!bind_program(plan, &s.partition,
                          sum(&s.partition.src) + sum(&s.partition.dst) + sum(&s.partition.vec)))
            code = MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS)
        code = run_plan(x, plan, s.base[0], s.base[1], comm);
    return code == MPI_SUCCESS ? atn_exec_sides_unbind(x, plan, call, &s) : code;
}

/* Frees large buffers: a communicator must not keep memory that it needed once. */
static void drop_buffers(atn_exec *x)
{
    free(x->scratch);
    free(x->stage[0]);
    free(x->stage[1]);
    x->scratch = x->stage[0] = x->stage[1] = NULL;
    x->scratch_bytes = x->stage_bytes[0] = x->stage_bytes[1] = 0;
}

void atn_exec_buffers_free(atn_exec *x)
{
    drop_buffers(x);
    free(x->vectors);
}

int atn_exec_run(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm)
{
    const bool direct = x->direct && !atn_exec_one_buffer(call);
    const int code = direct ? run_plan(x, plan, call->src.buf, call->dst.buf, comm)
                            : run_bound(x, plan, call, comm);

    if (x->scratch_bytes + x->stage_bytes[0] + x->stage_bytes[1] > ATN_KEEP_BYTES)
        drop_buffers(x);
    return code;
}

int atn_exec_repeat(atn_exec *x, atn_plan *plan, const void *src, void *dst, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm)
{
    atn_exec_plan_handles(plan, type, op);
    return run_plan(x, plan, (char *)src, dst, comm);
}
