/* model.c - see model.h.
 *
 * Predictions are floating point and need not agree between ranks: rank 0 of a communicator
 * plans, the others receive the plan.  Sizes form call classes, two for each doubling, so that
 * few plans serve a program; a plan is kept for the life of the communicator.
 *
 * No rank waits for a plan.  Calls of a new class are native; rank 0 plans after them, for a
 * small part of the time that they took.  After calls 1, 2, 4, 8 ... of the class all ranks
 * begin to distribute the plan, or that there is none yet, and complete that in call 2, 4, 8,
 * 16 ... (tune/drivers/request.h): the same calls on all ranks, because all have the same classes.
 * Then a few calls are timed and the times of the slowest rank are reduced the same way, so that
 * rank 0 can correct the machine (machine_update.h).
 *
 * Two cases are planned in the first call, while all ranks wait: calls that take far longer than
 * a plan, and reductions whose rounding depends on the algorithm, which must not change it
 * later. */
#include "pmpi/select/model.h"

#include <stdlib.h>

#include "plan/planner.h"
#include "plan/travel.h"
#include "pmpi/own.h"
#include "pmpi/select/machine_update.h"
#include "pmpi/select/problem.h"

/* Memory for classes doubles when it is full. */
enum { FIRST_CLASSES = 16, DOUBLINGS = 5, MAX_CLASSES = FIRST_CLASSES << DOUBLINGS };
enum { REQUESTS = 4, TIMES = 8, TIMED_CALLS = 8 };
enum { PLAN_BYTES = 2 * ATN_SET_LINE }; /* one candidate */
/* Planning may use a tenth of the time of calls, 20 ms at a time. */
static const atn_account tenth = {.share = 1, .of = 10, .most_ns = 20000000};

/* WAITING: all requests are in use.  From TIMING on the choice serves. */
typedef enum { WAITING, PLANNING, TIMING, REDUCING, SETTLED } plan_stage;

typedef struct {
    plan_stage stage;
    uint32_t calls; /* in this stage */
    int failed;     /* MPI error that every call of the class raises */
    atn_choice choice;
} decision;

typedef union {
    atn_advice_request request;
    char room[sizeof(atn_advice_request) + PLAN_BYTES];
} plan_answer;

/* A class for which communication is in progress. */
typedef struct {
    decision *about; /* NULL: nothing */
    atn_advice_request *request;
    atn_planning *planning;      /* on rank 0 */
    atn_shared_machine *machine; /* that the plan is for */
    bool planned;
    atn_choice plan;
    atn_problem q;
    int n;
    double seconds[TIMES];
} plan_request;

typedef struct atn_model_plans {
    int n, room, most; /* classes; for which there is memory; for which there may be */
    atn_class_key *keys;
    decision *v[DOUBLINGS + 1]; /* each as many as all before it: decisions keep their addresses */
    plan_request requests[REQUESTS];
    plan_answer answers[REQUESTS];
    decision *now; /* of the present call, if atn_select_model_end follows */
    int64_t bytes;
    int64_t start_ns;
    int64_t called_ns; /* in calls that were not settled: the clock of the account */
    atn_account account;
    int ntimed;
    atn_timed_call timed[TIMED_CALLS];
} model_plans;

/* ---- lifetime ---- */

static int blocks_of(const model_plans *p)
{
    return p->room > 0 ? atn_floor_log2(p->room / FIRST_CLASSES) + 1 : 0;
}

/* Twice as many classes; false: no memory. */
static bool widen(model_plans *p)
{
    const int more = p->room > 0 ? p->room : FIRST_CLASSES;
    atn_class_key *const keys = realloc(p->keys, (size_t)(p->room + more) * sizeof *keys);
    decision *const block = calloc((size_t)more, sizeof *block);
    if (keys != NULL)
        p->keys = keys;
    if (keys == NULL || block == NULL) {
        free(block);
        return false;
    }
    p->v[blocks_of(p)] = block;
    p->room += more;
    return true;
}

static void narrow(model_plans *p)
{
    p->room -= p->room / 2;
    free(p->v[blocks_of(p)]);
    p->v[blocks_of(p)] = NULL;
}

static plan_request no_request(model_plans *p, int i)
{
    p->answers[i].request.active = MPI_REQUEST_NULL;
    return (plan_request){.request = &p->answers[i].request};
}

bool atn_select_model_start(atn_comm *c)
{
    if (!atn_plan_rules_plan(atn_job_current.rules) || c->model != NULL)
        return true;
    model_plans *const p = c->model = calloc(1, sizeof *p);
    if (p == NULL)
        return false;
    p->account = tenth;
    p->most = MAX_CLASSES;
    for (int i = 0; i < REQUESTS; i++)
        p->requests[i] = no_request(p, i);
    return widen(p);
}

static void close_request(plan_request *m)
{
    atn_plan_planning_drop(m->planning);
    atn_select_machine_give(m->machine);
    m->request->active = MPI_REQUEST_NULL;
    *m = (plan_request){.request = m->request};
}

/* All ranks made the same calls before, so all have begun the communication that is completed here.
 */
void atn_select_model_stop(atn_comm *c)
{
    model_plans *const p = c->model;
    if (p == NULL)
        return;
    for (int i = 0; i < REQUESTS; i++) {
        atn_tune_request_end(p->requests[i].request);
        close_request(&p->requests[i]);
    }
    for (int i = 0; i < p->ntimed && atn_select_machine_is_written(); i++)
        atn_select_machine_update(&p->timed[i]);
    p->ntimed = 0;
}

void atn_select_model_free(model_plans *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i <= DOUBLINGS; i++)
        free(p->v[i]);
    free(p->keys);
    free(p);
}

/* ---- call classes ---- */

/* Whether an algorithm must not be replaced later. */
static bool is_final(const atn_comm *c)
{
    return atn_job_current.stable && atn_select_call_is_inexact(c->call);
}

/* Collective: ranks have the same classes, so all lack room at the same call. */
static bool agree_on_room(atn_comm *c)
{
    const atn_place_mpi mpi = atn_pmpi_own_place();
    model_plans *const p = c->model;
    const bool have = widen(p);
    if (atn_exec_all_have(&mpi, c->user, have))
        return true;
    if (have)
        narrow(p);
    p->most = p->room;
    return false;
}

static atn_class_key key_of(const atn_comm *c, const atn_problem *q)
{
    const uint64_t parts[] = {(uint64_t)q->op, (uint64_t)q->root, q->ordered, is_final(c)};
    return (atn_class_key){atn_hash(parts, sizeof parts, 0), atn_tune_size_half_class(q->bytes)};
}

static decision *decision_at(const model_plans *p, int i)
{
    const int block = i < FIRST_CLASSES ? 0 : atn_floor_log2(i / FIRST_CLASSES) + 1;
    return &p->v[block][block > 0 ? i - (FIRST_CLASSES << (block - 1)) : i];
}

/* The decision for the class of a call; NULL: there is no room for another class, or ranks do not
 * share the size. */
static decision *find(const atn_comm *c, const atn_problem *q)
{
    model_plans *const p = c->model;
    const int i = p != NULL && q->bytes >= 0
                      ? atn_tune_class_index(p->keys, &p->n, p->room, key_of(c, q))
                      : -1;
    decision *const d = i >= 0 ? decision_at(p, i) : NULL;
    if (d != NULL && d->choice.row == NULL)
        d->choice.row = atn_algo_catalog_native(q->op);
    return d;
}

/* The same during a call on all ranks: makes room if necessary. */
static decision *find_or_add(atn_comm *c, const atn_problem *q)
{
    const model_plans *const p = c->model;
    decision *const d = find(c, q);
    const bool full = d == NULL && p != NULL && q->bytes >= 0 && p->room < p->most && c->p > 1;
    return full && agree_on_room(c) ? find(c, q) : d;
}

static plan_request *request_of(model_plans *p, const decision *d)
{
    for (int i = 0; i < REQUESTS; i++)
        if (p->requests[i].about == d)
            return &p->requests[i];
    return NULL;
}

static void enter(decision *d, plan_stage stage)
{
    d->stage = stage;
    d->calls = 1;
}

/* ---- plans, on rank 0 ---- */

static atn_problem shared_problem(const atn_comm *c, const atn_problem *q)
{
    atn_problem shared = atn_select_problem_shared(q);
    shared.topo = c->topo;
    return shared;
}

static bool begin_planning(const atn_comm *c, plan_request *m)
{
    m->machine = atn_select_machine_take();
    if (m->machine != NULL)
        m->planning =
            atn_plan_planning_begin(&m->q, m->machine->machine, NULL, atn_plan_budget(c->p));
    return m->planning != NULL;
}

static void end_planning(const atn_comm *c, plan_request *m)
{
    atn_ranking r = {.n = 0};
    if (m->planning != NULL && atn_plan_planning_end(m->planning, &r, NULL) == ATN_OK && r.n > 0) {
        atn_plan_travel_apply(c->wisdom, &m->q, m->machine->machine, &r);
        m->plan = r.v[0].choice;
    }
    m->planning = NULL;
    m->planned = true;
    atn_plan_ranking_free(&r);
}

static void plan_on(const atn_comm *c, plan_request *m)
{
    if ((m->planning == NULL && !begin_planning(c, m)) || !atn_plan_planning_step(m->planning))
        end_planning(c, m);
}

static plan_request *unplanned(model_plans *p)
{
    for (int i = 0; i < REQUESTS; i++)
        if (p->requests[i].about != NULL && p->requests[i].about->stage == PLANNING &&
            !p->requests[i].planned)
            return &p->requests[i];
    return NULL;
}

/* A step of a plan, or a correction of the machine; false: nothing to do. */
static bool work_once(atn_comm *c)
{
    model_plans *const p = c->model;
    plan_request *const m = unplanned(p);
    if (m != NULL)
        plan_on(c, m);
    else if (p->ntimed > 0)
        atn_select_machine_update(&p->timed[--p->ntimed]);
    else
        return false;
    return true;
}

/* The last step may overdraw the account, which later calls then pay back first. */
static void work(atn_comm *c, int64_t called_ns)
{
    model_plans *const p = c->model;
    p->called_ns += called_ns;
    while (!atn_tune_account_check(&p->account, p->called_ns, 1).costs) {
        const int64_t start = atn_clock_kernel_ns();
        if (!work_once(c))
            break;
        atn_tune_account_spend(&p->account, atn_clock_kernel_ns() - start);
    }
}

/* ---- distribution of plans ---- */

static plan_request new_request(const atn_comm *c, decision *d, const atn_problem *q,
                                atn_advice_request *request)
{
    request->active = MPI_REQUEST_NULL;
    return (plan_request){
        .about = d, .request = request, .plan = d->choice, .q = shared_problem(c, q)};
}

static void answer(const atn_comm *c, plan_request *m)
{
    atn_candidate_set set = {.n = 0};
    if (c->r != 0)
        return;
    atn_tune_candidate_set_add(&set, &m->plan, -1, 0);
    atn_tune_request_answer(m->request, m->planned ? ATN_ADVICE_FIXED : ATN_ADVICE_LATER, &set);
}

/* Other ranks can parse the text, so a rank that cannot must not choose differently: it fails. */
static void take_plan(decision *d, plan_request *m)
{
    atn_candidate_set set;
    if (atn_tune_candidate_set_read(m->q.op, m->request->text, &set))
        d->choice = set.choice[0];
    else
        d->failed = MPI_ERR_INTERN;
}

static void plan_at_once(atn_comm *c, decision *d, const atn_problem *q)
{
    plan_answer answered;
    plan_request m = new_request(c, d, q, &answered.request);
    while (c->r == 0 && !m.planned)
        plan_on(c, &m);
    answer(c, &m);
    d->failed = atn_tune_request_wait(m.request, PLAN_BYTES, c->user);
    if (d->failed == MPI_SUCCESS)
        take_plan(d, &m);
    close_request(&m);
}

static void begin_broadcast(atn_comm *c, decision *d, plan_request *m)
{
    answer(c, m);
    d->failed = atn_tune_request_begin(m->request, PLAN_BYTES, c->user);
}

static void end_broadcast(decision *d, plan_request *m)
{
    d->failed = atn_tune_request_end(m->request);
    if (d->failed != MPI_SUCCESS || m->request->answer.advice == ATN_ADVICE_LATER)
        return;
    take_plan(d, m);
    if (d->choice.row->algo->build == NULL)
        close_request(m);
    enter(d, d->choice.row->algo->build ? TIMING : SETTLED);
}

/* ---- reduction of times ---- */

static void begin_reduction(atn_comm *c, decision *d, plan_request *m)
{
    d->failed = atn_pmpi_own_iallreduce(MPI_IN_PLACE, m->seconds, TIMES, MPI_DOUBLE, MPI_MAX,
                                        c->user, &m->request->active);
    enter(d, REDUCING);
}

/* Late ranks and interrupts make calls longer, never shorter, so the minimum counts. */
static void keep_time(model_plans *p, const decision *d, const plan_request *m)
{
    double least = m->seconds[0];
    for (int i = 1; i < m->n; i++)
        least = m->seconds[i] < least ? m->seconds[i] : least;
    if (p->ntimed < TIMED_CALLS)
        p->timed[p->ntimed++] = (atn_timed_call){m->q, d->choice, least};
}

static void end_reduction(atn_comm *c, decision *d, plan_request *m)
{
    d->failed = atn_tune_request_end(m->request);
    if (d->failed == MPI_SUCCESS && c->r == 0)
        keep_time(c->model, d, m);
    close_request(m);
    enter(d, SETTLED);
}

/* ---- calls ---- */

/* Ten times as long as planning. */
static bool is_slow(const atn_comm *c, const atn_problem *q)
{
    const atn_problem shared = shared_problem(c, q);
    return atn_plan_takes_long(&shared, 50);
}

static void begin(atn_comm *c, decision *d, const atn_problem *q)
{
    plan_request *const m = request_of(c->model, NULL);
    if (c->p == 1) {
        enter(d, SETTLED);
    } else if (d->calls == 1 && (is_slow(c, q) || is_final(c))) {
        plan_at_once(c, d, q);
        enter(d, SETTLED);
    } else if (m != NULL) {
        *m = new_request(c, d, q, m->request);
        enter(d, PLANNING);
    }
}

static void go_on(atn_comm *c, decision *d, const atn_problem *q)
{
    plan_request *const m = request_of(c->model, d);
    d->calls++;
    if (d->stage == WAITING)
        begin(c, d, q);
    else if (d->stage == PLANNING && atn_is_pow2((int)d->calls))
        end_broadcast(d, m);
    else if (d->stage == REDUCING && d->calls > TIMES)
        end_reduction(c, d, m);
}

bool atn_select_model_choose(atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    model_plans *const p = c->model;
    decision *const d = find_or_add(c, q);
    if (d == NULL)
        return true;
    if (d->failed == MPI_SUCCESS && d->stage != SETTLED)
        go_on(c, d, q);
    c->failed = d->failed;
    const atn_problem shared = atn_select_problem_shared(q);
    *choice_p = atn_select_choice_applies(&d->choice, &shared)
                    ? d->choice
                    : (atn_choice){.row = atn_algo_catalog_native(q->op)};
    if (d->stage == SETTLED)
        return d->failed == MPI_SUCCESS;
    c->ending = true;
    p->now = d;
    p->bytes = q->bytes;
    p->start_ns = atn_clock_kernel_ns();
    return false;
}

/* The plan arrives at the next power of two. */
void atn_select_model_reason(atn_comm *c, const atn_call *call, const atn_problem *q,
                             atn_job_reason *reason_p)
{
    c->call = call;
    const decision *const d = find(c, q);
    c->call = NULL;
    if (d == NULL) {
        reason_p->why = q->bytes < 0 ? ATN_WHY_UNSHARED : ATN_WHY_CLASSES;
        return;
    }
    const bool planning = d->stage == WAITING || d->stage == PLANNING;
    reason_p->why = planning ? ATN_WHY_PLANNING : ATN_WHY_NOTHING;
    reason_p->n[0] = d->calls;
    for (reason_p->n[1] = 2; reason_p->n[1] <= d->calls;)
        reason_p->n[1] *= 2;
}

static void time_call(atn_comm *c, decision *d, plan_request *m, double seconds)
{
    model_plans *const p = c->model;
    if (m->n == 0)
        m->q.bytes = p->bytes;
    if (m->n < TIMES && p->bytes == m->q.bytes)
        m->seconds[m->n++] = seconds;
    if (m->n == TIMES || d->calls == 4 * TIMES)
        begin_reduction(c, d, m);
}

int atn_select_model_end(atn_comm *c, int code)
{
    model_plans *const p = c->model;
    decision *const d = p->now;
    plan_request *const m = request_of(p, d);
    const int64_t ns = atn_clock_kernel_ns() - p->start_ns;
    c->ending = false;
    if (d->failed != MPI_SUCCESS)
        return code;
    if (c->r == 0)
        work(c, ns);
    if (m != NULL && d->stage == PLANNING && atn_is_pow2((int)d->calls))
        begin_broadcast(c, d, m);
    else if (m != NULL && d->stage == TIMING)
        time_call(c, d, m, 1e-9 * (double)ns);
    return code == MPI_SUCCESS ? d->failed : code;
}
