/* planned.c - ATTUNE_SELECT=model: what no rule covers is planned by predicted time.
 *
 * Predictions are floating point and so never trusted to agree: rank 0 of a communicator plans, the
 * others hear of it.  Sizes are put into kinds, two for each doubling, so that few plans serve a
 * program; what was planned once is never forgotten.
 *
 * Nobody waits for a plan.  Calls of a new kind are native; rank 0 thinks after them, for a small
 * part of the time that they took.  After the calls 1, 2, 4, 8 ... of the kind all ranks begin a
 * nonblocking broadcast of the plan, or of the word that there is none yet, and receive it in the
 * call 2, 4, 8, 16 ...: the same calls on all ranks, because all see the same kinds.  Then a few
 * calls are timed and the slowest rank's times gathered the same way, so that rank 0 learns
 * (refined.c).
 *
 * Two things are planned at once, in the first call, while all ranks wait: calls that take far
 * longer than a plan, and reductions whose rounding depends on the algorithm, which must not change
 * it later. */
#include "pmpi/planned.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_KINDS = 512, MATTERS = 4, TIMES = 8, LESSONS = 8 };
static const double share = 0.1;        /* of the time of calls, for thinking */
static const double most_credit = 0.02; /* seconds: what may be thought at a time */
static const char thinking = '?';       /* instead of a plan */

typedef struct {
    atn_operation op;
    int root, size;
    bool ordered, rounds;
} kind;

/* UNHEARD: no room among the matters yet.  The last two serve by the choice. */
typedef enum { UNHEARD, PLANNING, TIMED, HEARING, SETTLED } stage;

typedef struct {
    kind of;
    stage stage;
    uint32_t calls; /* in this stage */
    int failed;     /* MPI error that every call of the kind raises */
    atn_choice choice;
} decision;

/* What is being talked about.  The buffers belong to MPI while the request is under way. */
typedef struct {
    decision *about; /* NULL: nothing */
    MPI_Request request;
    char said[ATN_NAME_ROOM], plan[ATN_NAME_ROOM];
    atn_planning *planning; /* on rank 0 */
    atn_machine *machine;   /* that it plans for */
    bool planned;
    atn_problem q;
    int n;
    double seconds[TIMES];
} matter;

typedef struct atn_planned {
    int n;
    decision v[MAX_KINDS];
    matter matters[MATTERS];
    decision *now; /* of the call at hand, when its end is to be seen */
    int64_t bytes;
    double start;
    double credit; /* seconds that may be spent with thinking */
    int nlessons;
    atn_timed lesson[LESSONS];
} planned;

double atn_now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- life ---- */

/* With room for all: a lack of memory later would not be shared by all ranks. */
bool atn_planned_start(atn_comm *c)
{
    if (!atn_rules_plan(atn_the_job.rules) || c->planned != NULL)
        return true;
    c->planned = calloc(1, sizeof *c->planned);
    if (c->planned == NULL)
        return false;
    for (int i = 0; i < MATTERS; i++)
        c->planned->matters[i].request = MPI_REQUEST_NULL;
    return true;
}

static void close_matter(matter *m)
{
    atn_planning_drop(m->planning);
    atn_machine_free(m->machine);
    *m = (matter){.request = MPI_REQUEST_NULL};
}

/* All ranks made the same calls before, so all have begun what is waited for. */
void atn_planned_stop(atn_comm *c)
{
    planned *const p = c->planned;
    if (p == NULL)
        return;
    for (int i = 0; i < MATTERS; i++) {
        PMPI_Wait(&p->matters[i].request, MPI_STATUS_IGNORE);
        close_matter(&p->matters[i]);
    }
    for (int i = 0; i < p->nlessons && atn_refined_kept(); i++)
        atn_refined_learn(&p->lesson[i]);
    p->nlessons = 0;
}

void atn_planned_free(planned *p) { free(p); }

/* ---- kinds ---- */

/* Two for each doubling: below and from one and a half times a power of two on. */
static int size_kind(int64_t bytes)
{
    int power = 0;
    while (power < 62 && bytes >> (power + 1) > 0)
        power++;
    return bytes <= 0 ? -1 : 2 * power + (power > 0 && (bytes >> (power - 1) & 1));
}

/* Whether the result depends on the algorithm; type and operator are the same on all ranks. */
static bool is_rounded(const atn_comm *c, const atn_problem *q)
{
    return atn_the_job.stable && (atn_operation_get(q->op)->flags & ATN_TYPED) &&
           !atn_op_is_exact(c->call->mpi_op, c->call->src.type);
}

static kind kind_of(const atn_comm *c, const atn_problem *q)
{
    return (kind){.op = q->op,
                  .root = q->root,
                  .size = size_kind(q->bytes),
                  .ordered = q->ordered,
                  .rounds = is_rounded(c, q)};
}

static bool same_kind(kind x, kind y)
{
    return x.op == y.op && x.root == y.root && x.size == y.size && x.ordered == y.ordered &&
           x.rounds == y.rounds;
}

/* NULL: there are more kinds than there is room for; the others are native for ever. */
static decision *find(planned *p, kind of)
{
    int i = 0;
    while (i < p->n && !same_kind(p->v[i].of, of))
        i++;
    if (i == MAX_KINDS)
        return NULL;
    if (i == p->n)
        p->v[p->n++] = (decision){.of = of, .choice = {.row = atn_catalog_native(of.op)}};
    return &p->v[i];
}

static matter *matter_of(planned *p, const decision *d)
{
    for (int i = 0; i < MATTERS; i++)
        if (p->matters[i].about == d)
            return &p->matters[i];
    return NULL;
}

static void enter(decision *d, stage stage)
{
    d->stage = stage;
    d->calls = 1;
}

/* ---- plans, on rank 0 ---- */

static atn_problem shared_problem(const atn_comm *c, const atn_problem *q)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = false;
    shared.topo = c->topo;
    return shared;
}

static bool begin_planning(const atn_comm *c, matter *m)
{
    m->machine = atn_refined_machine();
    if (m->machine != NULL)
        m->planning = atn_planning_begin(&m->q, m->machine, NULL, atn_plan_budget(c->p));
    return m->planning != NULL;
}

/* As text, because some parameters are numbers of this process; empty: native. */
static void end_planning(matter *m)
{
    atn_ranking r = {.n = 0};
    *m->plan = '\0';
    if (m->planning != NULL && atn_planning_end(m->planning, &r, NULL) == ATN_OK && r.n > 0) {
        char name[ATN_NAME_ROOM];
        atn_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
        snprintf(m->plan, sizeof m->plan, "%s", strchr(name, '/') + 1);
    }
    m->planning = NULL;
    m->planned = true;
    atn_ranking_free(&r);
}

static void plan_on(const atn_comm *c, matter *m)
{
    if ((m->planning == NULL && !begin_planning(c, m)) || !atn_planning_step(m->planning))
        end_planning(m);
}

static matter *unplanned(planned *p)
{
    for (int i = 0; i < MATTERS; i++)
        if (p->matters[i].about != NULL && p->matters[i].about->stage == PLANNING &&
            !p->matters[i].planned)
            return &p->matters[i];
    return NULL;
}

/* A step of a plan, or a lesson; false: there is nothing to think about. */
static bool think_once(atn_comm *c)
{
    planned *const p = c->planned;
    matter *const m = unplanned(p);
    if (m != NULL)
        plan_on(c, m);
    else if (p->nlessons > 0)
        atn_refined_learn(&p->lesson[--p->nlessons]);
    else
        return false;
    return true;
}

/* The last step may overdraw the credit, which then has to be earned first. */
static void think(atn_comm *c, double seconds)
{
    planned *const p = c->planned;
    p->credit += share * seconds;
    p->credit = p->credit < most_credit ? p->credit : most_credit;
    while (p->credit > 0) {
        const double start = atn_now_seconds();
        if (!think_once(c))
            break;
        p->credit -= atn_now_seconds() - start;
    }
}

/* ---- hearing of plans ---- */

/* A text that does not parse here does on other ranks: this one must not go its own way. */
static void take_plan(decision *d, char *text)
{
    if (*text == '\0')
        return;
    if (atn_choice_read(d->of.op, text, &d->choice, NULL) != ATN_OK)
        d->failed = MPI_ERR_INTERN;
}

static void plan_at_once(atn_comm *c, decision *d, const atn_problem *q)
{
    matter m = {.q = shared_problem(c, q)};
    while (c->r == 0 && !m.planned)
        plan_on(c, &m);
    memcpy(m.said, m.plan, sizeof m.said);
    atn_machine_free(m.machine);
    d->failed = atn_real.Bcast(m.said, sizeof m.said, MPI_CHAR, 0, c->user);
    if (d->failed == MPI_SUCCESS)
        take_plan(d, m.said);
}

atn_status atn_planned_ranking(const atn_comm *c, const atn_problem *q, atn_ranking *ranking_p,
                               atn_error *err)
{
    const atn_problem shared = shared_problem(c, q);
    atn_machine *const m = atn_refined_machine();
    if (m == NULL)
        return atn_fail(err, ATN_MEMORY, "no machine to plan for");
    const atn_status status =
        atn_planner_rank(&shared, m, NULL, atn_plan_budget(c->p), ranking_p, err);
    atn_machine_free(m);
    return status;
}

static bool is_due(uint32_t calls) { return (calls & (calls - 1)) == 0; }

static void say_plan(atn_comm *c, decision *d, matter *m)
{
    if (c->r == 0 && m->planned)
        memcpy(m->said, m->plan, sizeof m->said);
    else
        *m->said = thinking;
    d->failed = PMPI_Ibcast(m->said, sizeof m->said, MPI_CHAR, 0, c->user, &m->request);
}

static void hear_plan(decision *d, matter *m)
{
    d->failed = PMPI_Wait(&m->request, MPI_STATUS_IGNORE);
    if (d->failed != MPI_SUCCESS || *m->said == thinking)
        return;
    take_plan(d, m->said);
    if (d->choice.row->algo->build == NULL)
        close_matter(m);
    enter(d, d->choice.row->algo->build ? TIMED : SETTLED);
}

/* ---- hearing of times ---- */

static void say_times(atn_comm *c, decision *d, matter *m)
{
    d->failed = atn_real.Iallreduce(MPI_IN_PLACE, m->seconds, TIMES, MPI_DOUBLE, MPI_MAX, c->user,
                                    &m->request);
    enter(d, HEARING);
}

/* Ranks come late and are interrupted, which makes calls longer, never shorter: the shortest. */
static void note_lesson(planned *p, const decision *d, const matter *m)
{
    double least = m->seconds[0];
    for (int i = 1; i < m->n; i++)
        least = m->seconds[i] < least ? m->seconds[i] : least;
    if (p->nlessons < LESSONS)
        p->lesson[p->nlessons++] = (atn_timed){m->q, d->choice, least};
}

static void hear_times(atn_comm *c, decision *d, matter *m)
{
    d->failed = PMPI_Wait(&m->request, MPI_STATUS_IGNORE);
    if (d->failed == MPI_SUCCESS && c->r == 0)
        note_lesson(c->planned, d, m);
    close_matter(m);
    enter(d, SETTLED);
}

/* ---- calls ---- */

/* Ten times as long as a plan. */
static bool is_slow(const atn_comm *c, const atn_problem *q)
{
    const atn_problem shared = shared_problem(c, q);
    return atn_takes_long(&shared, 50);
}

static void begin(atn_comm *c, decision *d, const atn_problem *q)
{
    matter *const m = matter_of(c->planned, NULL);
    if (c->p == 1) {
        enter(d, SETTLED);
    } else if (d->calls == 1 && (is_slow(c, q) || d->of.rounds)) {
        plan_at_once(c, d, q);
        enter(d, SETTLED);
    } else if (m != NULL) {
        *m = (matter){.about = d, .request = MPI_REQUEST_NULL, .q = shared_problem(c, q)};
        enter(d, PLANNING);
    }
}

static void go_on(atn_comm *c, decision *d, const atn_problem *q)
{
    matter *const m = matter_of(c->planned, d);
    d->calls++;
    if (d->stage == UNHEARD)
        begin(c, d, q);
    else if (d->stage == PLANNING && is_due(d->calls))
        hear_plan(d, m);
    else if (d->stage == HEARING && d->calls > TIMES)
        hear_times(c, d, m);
}

/* Sizes of a kind may differ in what applies to them. */
static void check_choice(const atn_problem *q, atn_choice *choice_p)
{
    atn_problem shared = *q;
    shared.r = 0;
    shared.in_place = false;
    shared.segments = atn_segments(choice_p->row, &shared, &choice_p->params);
    if (choice_p->row->algo->build && atn_refuses(choice_p->row, &shared, &choice_p->params))
        *choice_p = (atn_choice){.row = atn_catalog_native(q->op)};
}

bool atn_planned_choose(atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    planned *const p = c->planned;
    decision *const d = p != NULL && q->bytes >= 0 ? find(p, kind_of(c, q)) : NULL;
    if (d == NULL)
        return true;
    if (d->failed == MPI_SUCCESS && d->stage != SETTLED)
        go_on(c, d, q);
    c->failed = d->failed;
    *choice_p = d->choice;
    check_choice(q, choice_p);
    if (d->stage == SETTLED)
        return d->failed == MPI_SUCCESS;
    c->ending = true;
    p->now = d;
    p->bytes = q->bytes;
    p->start = atn_now_seconds();
    return false;
}

/* The plan is heard of at the next power of two. */
void atn_planned_reason(atn_comm *c, const atn_call *call, const atn_problem *q,
                        atn_job_reason *reason_p)
{
    c->call = call;
    const decision *const d =
        c->planned != NULL && q->bytes >= 0 ? find(c->planned, kind_of(c, q)) : NULL;
    c->call = NULL;
    if (d == NULL) {
        reason_p->why = q->bytes < 0 ? ATN_WHY_UNSHARED : ATN_WHY_KINDS;
        return;
    }
    const bool planning = d->stage == UNHEARD || d->stage == PLANNING;
    reason_p->why = planning ? ATN_WHY_PLANNING : ATN_WHY_NOTHING;
    reason_p->n[0] = d->calls;
    for (reason_p->n[1] = 2; reason_p->n[1] <= d->calls;)
        reason_p->n[1] *= 2;
}

static void time_call(atn_comm *c, decision *d, matter *m, double seconds)
{
    planned *const p = c->planned;
    if (m->n == 0)
        m->q.bytes = p->bytes;
    if (m->n < TIMES && p->bytes == m->q.bytes)
        m->seconds[m->n++] = seconds;
    if (m->n == TIMES || d->calls == 4 * TIMES)
        say_times(c, d, m);
}

int atn_planned_end(atn_comm *c, int code)
{
    planned *const p = c->planned;
    decision *const d = p->now;
    matter *const m = matter_of(p, d);
    const double seconds = atn_now_seconds() - p->start;
    c->ending = false;
    if (d->failed != MPI_SUCCESS)
        return code;
    if (c->r == 0)
        think(c, seconds);
    if (m != NULL && d->stage == PLANNING && is_due(d->calls))
        say_plan(c, d, m);
    else if (m != NULL && d->stage == TIMED)
        time_call(c, d, m, seconds);
    return code == MPI_SUCCESS ? d->failed : code;
}
