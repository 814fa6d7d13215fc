/* online.c - see online.h.
 *
 * Calls that the call cache executes are only counted in the promise of their call class: the
 * driver passes them to the tuners before anything is decided, so it does not matter that the
 * caches of the ranks may hold different calls. */
#include "pmpi/select/online.h"

#include "pmpi/comm/private.h"
#include "pmpi/own.h"
#include "pmpi/select/advice.h"
#include "pmpi/select/arrivals.h"
#include "pmpi/select/candidates.h"
#include "pmpi/select/patterns.h"
#include "pmpi/select/prediction.h"
#include "pmpi/select/probe.h"
#include "pmpi/select/problem.h"

static const int64_t probe_bytes = (int64_t)16 << 20; /* larger calls are not executed twice */

/* ---- lifetime ---- */

/* Per mille.  A quarter is reserved for costs that are not measured: evicted caches, additional
 * connections, and the start. */
static int spendable(int percent) { return 10 * percent * 3 / 4; }

/* Unless the job is run to produce wisdom for others, or calls are predicted. */
static int worth_of(const atn_job *job)
{
    enum { TIMES = 10, WHOLE = 100 };
    return atn_select_is_star() || job->budget > WHOLE || job->predicts ? 0 : TIMES;
}

bool atn_select_online_start(atn_comm *c)
{
    const atn_job *const job = &atn_job_current;
    c->wake = UINT64_MAX;
    if (job->tunable == 0 || c->p == 1)
        return true;
    atn_driver_setup setup = {
        .p = c->p,
        .r = c->r,
        .comm = c->user,
        .bcast = atn_pmpi_own_bcast,
        .allreduce = atn_pmpi_own_allreduce,
        .iallreduce = atn_pmpi_own_iallreduce,
        .tune = atn_tune_defaults,
        .budget = spendable(job->budget),
        .worth = worth_of(job),
        .overhead_ns =
            c->user == MPI_COMM_WORLD ? atn_clock_kernel_ns() - atn_job_current.began_ns : 0,
        .expect = atn_select_advice_expect,
        .prepare = atn_select_advice_prepare,
        .advise = atn_select_advice_give,
        .advised = atn_select_advice_received,
        .recognise = atn_select_is_star() ? NULL : atn_select_patterns_recognise,
        .agreed = atn_select_advice_times,
        .context = c,
    };
    setup.tune.mode = job->procedure;
    c->driver = atn_tune_driver_new(&setup);
    if (c->driver != NULL && job->predicts && c->r == 0)
        atn_select_prediction_start(c);
    return c->driver != NULL && atn_select_arrivals_start(c);
}

void atn_select_online_stop(atn_comm *c)
{
    if (c->driver == NULL)
        return;
    atn_select_arrivals_stop(c);
    atn_tune_driver_stop(c->driver);
    atn_comm_calls_clear(c);
    atn_tune_driver_free(c->driver);
    c->driver = NULL;
    c->wake = UINT64_MAX;
}

/* Wisdom for any rank mapping: an unnecessary agreement is better than an algorithm that
 * changes. */
bool atn_select_online_is_urgent(const atn_comm *c, atn_operation op)
{
    const atn_job *const job = &atn_job_current;
    const bool typed = (atn_sched_operation_get(op)->flags & ATN_TYPED) != 0;
    if (!typed || !job->stable || (job->tunable & 1u << op) == 0)
        return false;
    for (int i = 0; i < atn_plan_rules_count(job->wisdom); i++) {
        const atn_rule *const rule = atn_plan_rules_at(job->wisdom, i);
        if (rule->op == op && rule->use.row->algo->build != NULL && rule->ranks.lo <= c->p &&
            c->p < rule->ranks.hi)
            return true;
    }
    return false;
}

/* ---- calls ---- */

void atn_select_online_set_context(atn_comm *c, uint64_t context)
{
    atn_comm_calls_clear(c);
    c->context = context;
}

static void set_wake(atn_comm *c)
{
    const uint64_t due = atn_tune_driver_due(c->driver);
    c->wake = due > c->calls ? due : c->calls + 1;
    if (c->wake != UINT64_MAX)
        atn_pmpi_next_epoch();
}

void atn_select_online_wake(atn_comm *c, atn_operation op)
{
    const int code = atn_tune_driver_await(c->driver, c->calls, op);
    set_wake(c);
    atn_comm_raise(c, code);
}

/* The two preceding calls on the communicator distinguish call sites; ranks share nothing else
 * about the program. */
static uint64_t context_by_history(atn_comm *c, const atn_problem *q)
{
    const uint64_t named = atn_comm_context_of(c), two = c->history & UINT32_MAX;
    const unsigned this = (unsigned)q->op << 8 | (unsigned char)atn_tune_size_class(q->bytes);
    const uint64_t parts[] = {named, two};
    c->history = c->history << 16 | (this & 0xffff);
    return atn_hash(parts, sizeof parts, 0) | 1;
}

/* The part of the call that all ranks share, and that determines its call class. */
static atn_subject subject_of(atn_comm *c, const atn_call *call, const atn_problem *q)
{
    const uint64_t context =
        atn_job_current.by_history ? context_by_history(c, q) : atn_comm_context_of(c);
    atn_subject s = {.q = atn_select_problem_shared(q),
                     .context = context,
                     .pattern = atn_select_patterns_of_call(c, call)};
    s.inexact = atn_select_call_is_inexact(call);
    s.stable = s.inexact && atn_job_current.stable;
    s.probes = s.stable && atn_exec_op_is_known(call->mpi_op) && q->bytes <= probe_bytes;
    return s;
}

static void check_choice(const atn_call_class *x, const atn_subject *s, const atn_choice **use)
{
    if (!atn_select_choice_applies(*use, &s->q))
        *use = &x->native;
}

/* The class began with a family, so no other algorithm, and not native, may ever serve it. */
static void check_family(atn_call_class *x, const atn_subject *s, const atn_choice **use)
{
    if (atn_plan_family_of(*use, &s->q) == x->family)
        return;
    x->spare = atn_plan_family_default(x->family, &s->q);
    *use = &x->spare;
}

/* Before the clock runs: the private communicator, which agreements need too. */
static bool have_private(atn_comm *c, const atn_turn *turn, const atn_plan *plan)
{
    const bool needed = plan != NULL || turn->shadow != NULL || turn->agree;
    if (!needed || c->private_comm != MPI_COMM_NULL)
        return true;
    const int64_t start = atn_ticks();
    const bool made = atn_comm_private_make(c);
    if (made)
        atn_tune_driver_cost_once(c->driver, atn_tune_driver_delay(c->driver, atn_ticks() - start));
    return made;
}

/* A class that began with a plan has its candidates already. */
static void measure_arrivals(atn_comm *c, atn_call_class *x, int64_t entered)
{
    const int before = x->tuner != NULL ? x->field->n : 0;
    const int64_t all_entered = atn_select_arrivals_measure(c, x, entered);
    if (all_entered > 0)
        atn_tune_driver_cost(c->driver, atn_ticks_ns(atn_ticks() - all_entered));
    if (x->tuner != NULL)
        atn_select_arrivals_add(c, x, x->field);
    atn_tune_driver_join(x, before);
}

static atn_plan *pick_tuned(atn_comm *c, const atn_call *call, const atn_subject *s,
                            atn_call_class *x, atn_turn *turn, int *code_p)
{
    const int64_t entered = atn_ticks();
    atn_problem q = s->q;
    q.r = c->r;
    q.in_place = call->in_place &&
                 atn_sched_operation_place(call->op, call->root == c->r) != ATN_PLACE_STAGED;
    if (q.bytes < 0)
        x->volume = atn_exec_call_volume(c->exec, call);
    atn_select_patterns_note(c, call, x);
    if (atn_tune_driver_times_arrivals(x))
        measure_arrivals(c, x, entered);
    q.lateness = atn_select_arrivals_of(c, x);
    atn_tune_driver_turn(c->driver, x, s->q.bytes, turn);
    if (x->family != ATN_FAMILY_NONE)
        check_family(x, s, &turn->use);
    else
        check_choice(x, s, &turn->use);
    if (turn->shadow != NULL) {
        check_choice(x, s, &turn->shadow);
        if (!have_private(c, turn, NULL))
            return NULL;
        *code_p = atn_select_probe(c, call, &q, turn);
        if (*code_p != MPI_SUCCESS)
            return NULL;
    }
    q = atn_plan_family_problem(x->family, &q);
    atn_plan *const plan = atn_exec_plan_as(c->exec, call, &q, turn->use, code_p);
    if (!have_private(c, turn, plan))
        return NULL;
    turn->plan = plan;
    turn->start = atn_ticks();
    return plan;
}

atn_plan *atn_select_online_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    atn_problem q;
    turn->of = NULL;
    if (c->driver == NULL || (atn_job_current.tunable & 1u << call->op) == 0)
        return atn_exec_plan(c->exec, call, code_p);
    *code_p = MPI_SUCCESS;
    if (atn_exec_call_aliased(call) || !atn_exec_call_problem(c->exec, call, &q))
        return NULL;
    atn_subject s = subject_of(c, call, &q);
    atn_call_class *x = atn_tune_driver_class(c->driver, &s);
    if (x == NULL && s.context != 0) {
        s.context = 0; /* too many contexts: share one class */
        x = atn_tune_driver_class(c->driver, &s);
    }
    return x != NULL ? pick_tuned(c, call, &s, x, turn, code_p) : NULL;
}

int atn_select_online_done(atn_comm *c, const atn_turn *turn, int code)
{
    if (turn->of == NULL)
        return code;
    if (turn->shadow == NULL)
        atn_tune_driver_note(turn, atn_ticks() - turn->start);
    if (!turn->agree || c->stage != ATN_COMM_SERVED)
        return code;
    const int agreed = atn_tune_driver_agree(c->driver, turn->of, c->calls, c->private_comm);
    set_wake(c);
    return code != MPI_SUCCESS ? code : atn_comm_raise(c, agreed);
}

/* Whether the plan of the call may execute equal calls. */
static bool may_repeat(const atn_comm *c, const atn_call *call, const atn_call_key *k,
                       const atn_turn *turn, bool whole)
{
    if (k->count < 0 || turn->block >= 0 || c->stage != ATN_COMM_SERVED ||
        atn_job_current.by_history || !atn_tune_class_is_watched(turn->of))
        return false;
    if (turn->use->row->algo->build == NULL)
        return true;
    return turn->plan != NULL && whole && atn_exec_repeats(c->exec, turn->plan, call);
}

void atn_select_online_remember(atn_comm *c, const atn_call *call, atn_call_key k,
                                const atn_turn *turn, bool whole)
{
    const atn_cached_call *entry = NULL;
    if (may_repeat(c, call, &k, turn, whole))
        entry = atn_comm_call_put(c, call, &k, turn->plan, &turn->of->promise);
    if (c->prediction != NULL)
        atn_select_prediction_add(c, call, entry);
}
