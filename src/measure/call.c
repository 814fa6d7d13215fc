/* call.c - see call.h. */
#include "measure/call.h"

#include <stdlib.h>
#include <string.h>

#include "algo/pattern.h"
#include "exec/oversubscribed.h"
#include "measure/coordinator.h"
#include "measure/native.h"
#include "plan/settings.h"

/* ---- begin and end ---- */

static const atn_place_mpi library = {MPI_Bcast, MPI_Allreduce};

void atn_measure_caller_begin(atn_caller *c, const atn_topo *topo)
{
    *c = (atn_caller){.topo = topo};
    MPI_Comm_size(MPI_COMM_WORLD, &c->p);
    MPI_Comm_rank(MPI_COMM_WORLD, &c->r);
    MPI_Comm_dup(MPI_COMM_WORLD, &c->comm);
    c->oversubscribed = atn_exec_ranks_oversubscribed(&library, MPI_COMM_WORLD);
    c->yield = c->oversubscribed && !atn_exec_library_yields();
    c->shared = atn_exec_shared_open(&library, c->comm,
                                     atn_plan_setting_own(ATN_SET_TRANSPORT) != ATN_TRANSPORT_MPI,
                                     c->oversubscribed, &c->sharing);
}

static void *get_buffer(const atn_caller *c, size_t bytes)
{
    return c->buffers != NULL ? c->buffers->get(bytes + 64) : malloc(bytes + 64);
}

static void free_buffer(const atn_caller *c, void *data)
{
    if (c->buffers == NULL)
        free(data);
    else if (data != NULL)
        c->buffers->release(data);
}

static void release(atn_caller *c)
{
    free_buffer(c, c->src);
    free_buffer(c, c->dst);
    free_buffer(c, c->right);
    free(c->room);
    free(c->types);
    c->src = c->dst = c->right = NULL;
    c->room = NULL;
    c->types = NULL;
}

void atn_measure_caller_end(atn_caller *c)
{
    release(c);
    free(c->imbalance.messages);
    atn_exec_shared_close(c->shared);
    MPI_Comm_free(&c->comm);
}

/* ---- the current call ---- */

/* Bytes of block i of a side. */
static int64_t block_bytes(const atn_caller *c, atn_side side, int i)
{
    if (c->sizes == NULL || side == ATN_SIDE_WHOLE)
        return c->q.bytes;
    switch (side) {
    case ATN_SIDE_ONE:
        return c->sizes[c->r];
    case ATN_SIDE_ROW:
        return c->sizes[(size_t)c->r * (size_t)c->p + (size_t)i];
    case ATN_SIDE_COL:
        return c->sizes[(size_t)i * (size_t)c->p + (size_t)c->r];
    default:
        return c->sizes[i];
    }
}

static size_t side_bytes(const atn_caller *c, atn_side side)
{
    int64_t sum = 0;
    for (int i = 0; i < atn_sched_side_blocks(side, c->p); i++)
        sum += block_bytes(c, side, i);
    return (size_t)sum;
}

static bool allocate(atn_caller *c)
{
    const atn_operation_info *o = atn_sched_operation_get(c->q.op);
    const size_t p = (size_t)c->p;
    c->src_bytes = side_bytes(c, o->source);
    c->dst_bytes = side_bytes(c, o->result);
    c->src = get_buffer(c, c->src_bytes);
    c->dst = get_buffer(c, c->dst_bytes);
    c->right = get_buffer(c, c->buffers == NULL ? c->dst_bytes : 0);
    c->room = malloc(6 * p * sizeof *c->room);
    c->types = malloc(p * sizeof(MPI_Datatype));
    return c->src && c->dst && c->right && c->room && c->types;
}

/* Small integers that differ between ranks and positions. */
static void fill_source(const atn_caller *c, char *buf, size_t bytes)
{
    const size_t words = bytes / sizeof(int64_t);
    for (size_t i = 0; i < words; i++) {
        const int64_t v = 1000 * (c->r + 1) + (int64_t)(i % 997);
        memcpy(buf + i * sizeof v, &v, sizeof v);
    }
    memset(buf + words * sizeof(int64_t), c->r % 3, bytes % sizeof(int64_t));
}

/* The buffers before a call: inputs, and no result yet. */
static void fill(const atn_caller *c)
{
    fill_source(c, c->src, c->src_bytes);
    memset(c->dst, 0, c->dst_bytes);
    if (c->q.op == ATN_BCAST && c->r == 0)
        fill_source(c, c->dst, c->dst_bytes);
}

static void fill_counts(const atn_caller *c, atn_side side, int64_t unit, int *room,
                        atn_counts *list)
{
    int64_t at = 0;
    *list = (atn_counts){room, room + c->p, room + 2 * c->p};
    for (int i = 0; i < c->p; i++) {
        const int64_t bytes = i < atn_sched_side_blocks(side, c->p) ? block_bytes(c, side, i) : 0;
        list->counts[i] = (int)(bytes / unit);
        list->displs[i] = (int)(at / unit);
        list->bytes[i] = (int)at;
        at += bytes;
    }
}

static atn_user user_side(const atn_caller *c, char *buf, atn_side side, MPI_Datatype type,
                          const atn_counts *list)
{
    const bool reduces = c->q.op == ATN_REDUCE_SCATTER;
    const bool per_rank = side == ATN_SIDE_VEC || side == ATN_SIDE_ROW || side == ATN_SIDE_COL;
    atn_user u = {.buf = buf, .count = list->counts[0], .type = type};
    if (side == ATN_SIDE_NONE)
        return (atn_user){.type = type};
    if ((atn_sched_operation_get(c->q.op)->flags & ATN_VARYING) && (per_rank || reduces)) {
        u.counts = reduces ? c->from.counts : list->counts;
        u.displs = reduces ? NULL : list->displs;
    }
    if (c->q.op == ATN_ALLTOALLW) {
        u.displs = list->bytes;
        u.types = c->types;
    }
    return u;
}

/* Reductions add 64-bit integers where all sizes are multiples of eight. */
static int64_t unit_of(const atn_caller *c)
{
    const int64_t word = sizeof(int64_t);
    bool words = c->q.bytes % word == 0;
    for (int i = 0; i < c->p && c->sizes != NULL; i++)
        words = words && c->sizes[i] % word == 0;
    return (atn_sched_operation_get(c->q.op)->flags & ATN_TYPED) && words ? word : 1;
}

static bool prepare(atn_caller *c, atn_operation op, int64_t bytes, const int64_t *sizes)
{
    const atn_operation_info *o = atn_sched_operation_get(op);
    release(c);
    c->q = (atn_problem){.op = op,
                         .p = c->p,
                         .r = c->r,
                         .shared = c->sharing,
                         .segments = 1,
                         .topo = c->topo,
                         .bytes = bytes};
    c->sizes = sizes;
    if (!atn_measure_on_all_ranks(MPI_COMM_WORLD, allocate(c)))
        return false;
    const int64_t unit = unit_of(c);
    const MPI_Datatype type = !(o->flags & ATN_TYPED) ? MPI_BYTE
                              : unit > 1              ? MPI_INT64_T
                                                      : MPI_SIGNED_CHAR;
    fill_counts(c, o->source, unit, c->room, &c->from);
    fill_counts(c, o->result, unit, c->room + 3 * c->p, &c->to);
    for (int i = 0; i < c->p; i++)
        c->types[i] = type;
    c->call = (atn_call){.op = op,
                         .src = user_side(c, c->src, o->source, type, &c->from),
                         .dst = user_side(c, c->dst, o->result, type, &c->to),
                         .mpi_op = MPI_SUM};
    if (c->buffers == NULL)
        fill(c);
    return true;
}

bool atn_measure_caller_prepare(atn_caller *c, atn_operation op, int64_t bytes)
{
    return prepare(c, op, bytes, NULL);
}

bool atn_measure_caller_pattern(atn_caller *c, atn_operation op, const int64_t *sizes)
{
    const int64_t p = c->p, n = atn_algo_pattern_is_line(op) ? p : p * p;
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += sizes[i];
    return prepare(c, op, sum / n, sizes);
}

/* ---- executor ---- */

static bool give_choice(void *context, const atn_problem *q, atn_choice *choice_p)
{
    (void)q;
    *choice_p = *(const atn_choice *)context;
    return true;
}

static bool is_native(const atn_choice *choice)
{
    return choice->row == NULL || choice->row->algo->build == NULL;
}

/* ---- variants ---- */

static void end_job(const atn_caller *c, const atn_callee *callee, int code)
{
    fprintf(stderr, "attune: rank %d: %s/%s: MPI error %d\n", c->r,
            atn_sched_operation_get(c->q.op)->name,
            callee->exec != NULL ? callee->choice.row->algo->name : "native", code);
    MPI_Abort(MPI_COMM_WORLD, ATN_FINDING);
}

/* The plan of the current call; a choice that cannot serve it ends the job: no fallback, because it
 * would time another algorithm. */
static atn_plan *plan_of(const atn_caller *c, const atn_callee *callee)
{
    int code = MPI_SUCCESS;
    atn_plan *const plan = atn_exec_plan(callee->exec, &c->call, &code);
    if (plan == NULL)
        end_job(c, callee, code != MPI_SUCCESS ? code : MPI_ERR_OTHER);
    return plan;
}

static atn_execution *prepare_execution(const atn_caller *c, const atn_callee *callee)
{
    int code;
    atn_execution *const e =
        atn_exec_prepare(callee->exec, plan_of(c, callee), &c->call, c->comm, &code);
    if (e == NULL)
        end_job(c, callee, code);
    return e;
}

bool atn_measure_callee_open(const atn_caller *c, const atn_choice *choice, atn_callee *callee)
{
    *callee = (atn_callee){.choice = *choice, .form = c->form, .persistent = MPI_REQUEST_NULL};
    if (is_native(choice)) {
        const int code = c->form == ATN_CALL_PERSISTENT
                             ? atn_measure_native_init(c, &callee->persistent)
                             : MPI_SUCCESS;
        if (code != MPI_SUCCESS)
            end_job(c, callee, code);
        return true;
    }
    callee->exec = atn_exec_new(c->p, c->r, c->yield, give_choice, &callee->choice);
    if (callee->exec == NULL)
        return false;
    atn_exec_set_topo(callee->exec, c->topo);
    atn_exec_set_shared(callee->exec, c->shared);
    atn_exec_set_sharing(callee->exec, c->sharing);
    if (c->q.lateness != NULL && !atn_exec_set_lateness(callee->exec, c->q.lateness->late))
        return false;
    return c->form != ATN_CALL_PERSISTENT ||
           (callee->prepared = prepare_execution(c, callee)) != NULL;
}

void atn_measure_callee_close(atn_callee *callee)
{
    if (callee->prepared != NULL)
        atn_exec_dismiss(callee->prepared);
    callee->prepared = NULL;
    if (callee->exec != NULL)
        atn_exec_free(callee->exec);
    callee->exec = NULL;
    if (callee->form == ATN_CALL_PERSISTENT && callee->persistent != MPI_REQUEST_NULL)
        MPI_Request_free(&callee->persistent);
}

const char *atn_measure_form_refuses(const atn_caller *c, const atn_choice *choice)
{
    if (c->form == ATN_CALL_BLOCKING)
        return NULL;
    if (is_native(choice))
        return c->form == ATN_CALL_NONBLOCKING || atn_measure_native_persists(c->q.op)
                   ? NULL
                   : "the MPI library has no persistent form of this operation";
    atn_exec *const x = atn_exec_new(c->p, c->r, c->yield, NULL, NULL);
    const bool starts = x == NULL || atn_exec_can_start(x, choice); /* opening it will fail */
    if (x != NULL)
        atn_exec_free(x);
    return starts ? NULL : "its ranks exchange sizes before they start";
}

/* ---- calls ---- */

static void note_end(void *context, int code)
{
    atn_started_call *const s = context;
    s->code = code;
    s->ended = true;
}

static void start_execution(const atn_caller *c, atn_started_call *s)
{
    const atn_callee *const callee = s->callee;
    s->execution =
        callee->form == ATN_CALL_PERSISTENT ? callee->prepared : prepare_execution(c, callee);
    atn_exec_launch(s->execution, note_end, s);
}

static int start_native(const atn_caller *c, atn_started_call *s)
{
    if (s->callee->form == ATN_CALL_NONBLOCKING)
        return atn_measure_native_start(c, &s->request);
    s->request = s->callee->persistent;
    return MPI_Start(&s->request);
}

void atn_measure_call_start(atn_caller *c, const atn_callee *callee, atn_started_call *s_p)
{
    int code = MPI_SUCCESS;
    *s_p = (atn_started_call){.callee = callee, .request = MPI_REQUEST_NULL};
    if (callee->exec != NULL)
        start_execution(c, s_p);
    else
        code = start_native(c, s_p);
    if (code != MPI_SUCCESS)
        end_job(c, callee, code);
}

static bool test_execution(const atn_caller *c, const atn_started_call *s)
{
    if (!s->ended)
        atn_exec_progress();
    if (s->ended && s->code != MPI_SUCCESS)
        end_job(c, s->callee, s->code);
    return s->ended;
}

static bool test_native(const atn_caller *c, atn_started_call *s)
{
    int done = 0;
    const int code = MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        end_job(c, s->callee, code);
    return done != 0;
}

bool atn_measure_call_test(atn_caller *c, atn_started_call *s)
{
    return s->execution != NULL ? test_execution(c, s) : test_native(c, s);
}

static void wait_execution(const atn_caller *c, atn_started_call *s)
{
    atn_exec_drain(s->callee->exec);
    test_execution(c, s);
    if (s->callee->form == ATN_CALL_NONBLOCKING)
        atn_exec_dismiss(s->execution);
}

static void wait_native(const atn_caller *c, atn_started_call *s)
{
    const int code = MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        end_job(c, s->callee, code);
}

void atn_measure_call_wait(atn_caller *c, atn_started_call *s)
{
    if (s->execution != NULL)
        wait_execution(c, s);
    else
        wait_native(c, s);
}

static void start_and_wait(atn_caller *c, const atn_callee *callee)
{
    atn_started_call s;
    atn_measure_call_start(c, callee, &s);
    atn_measure_call_wait(c, &s);
}

static void call_blocking(const atn_caller *c, const atn_callee *callee)
{
    const int code = callee->exec != NULL
                         ? atn_exec_run(callee->exec, plan_of(c, callee), &c->call, c->comm)
                         : atn_measure_native_call(c);
    if (code != MPI_SUCCESS)
        end_job(c, callee, code);
}

void atn_measure_call_once(atn_caller *c, const atn_callee *callee)
{
    if (callee->form == ATN_CALL_BLOCKING)
        call_blocking(c, callee);
    else
        start_and_wait(c, callee);
}

/* ---- timing ---- */

void atn_measure_reduce_times(atn_caller *c, double *v, int n, MPI_Op op)
{
    double all[ATN_TIMES + 1];
    memcpy(all, v, (size_t)n * sizeof *v);
    all[n] = c->r == 0 ? MPI_Wtime() - c->began : 0;
    MPI_Allreduce(MPI_IN_PLACE, all, n + 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    c->elapsed_s = all[n];
    for (int i = 0; i < n; i++)
        v[i] = all[i] > 1e-9 ? all[i] : 1e-9; /* the resolution of the clock may be too low */
}

double atn_measure_reduce_time(atn_caller *c, double own, MPI_Op op)
{
    atn_measure_reduce_times(c, &own, 1, op);
    return own;
}

double atn_measure_call_time(atn_caller *c, const atn_callee *callee)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = atn_measure_imbalance_arrive(c);
    atn_measure_call_once(c, callee);
    const double own = MPI_Wtime() - began;
    if (c->imbalance.factor > 0 && !c->imbalance.since_last)
        return atn_measure_reduce_time(c, own, MPI_SUM) / c->p;
    return atn_measure_reduce_time(c, own, MPI_MAX);
}

/* The blocking native call defines the result, because other forms may be wrong: MPI_Gather_init of
 * MPICH 4.0.2 is. */
static void define_result(atn_caller *c, const atn_callee *native)
{
    const atn_callee blocking = {.choice = native->choice};
    fill(c);
    call_blocking(c, &blocking);
    memcpy(c->right, c->dst, c->dst_bytes);
}

static bool is_right(const atn_caller *c)
{
    const bool defined = atn_sched_has_dst(&c->q) && !(c->q.op == ATN_EXSCAN && c->r == 0);
    const bool right = !defined || memcmp(c->right, c->dst, c->dst_bytes) == 0;
    return atn_measure_on_all_ranks(MPI_COMM_WORLD, right);
}

static void report_wrong_form(const atn_caller *c)
{
    if (c->r == 0)
        fprintf(stderr, "attune: note: %s %lld: this form of the MPI library's call is wrong\n",
                atn_sched_operation_get(c->q.op)->name, (long long)c->q.bytes);
}

double atn_measure_call_check(atn_caller *c, const atn_callee *callee, bool *right_p)
{
    const bool native = callee->exec == NULL, blocking = callee->form == ATN_CALL_BLOCKING;
    if (native && !blocking)
        define_result(c, callee);
    fill(c);
    const double t = atn_measure_call_time(c, callee);
    if (native && blocking)
        memcpy(c->right, c->dst, c->dst_bytes);
    const bool right = is_right(c);
    if (native && !right)
        report_wrong_form(c);
    *right_p = right || native;
    return t;
}
