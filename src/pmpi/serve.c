/* serve.c - carries out a collective call on a communicator that is served. */
#include <pthread.h>
#include <string.h>

#include "pmpi/foresight.h"
#include "pmpi/planned.h"
#include "pmpi/tuned.h"
#include "pmpi/watch.h"

int atn_raise(atn_comm *c, int code)
{
    if (code != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(c->user, code);
    return code;
}

/* A rule that does not apply is mentioned once, by the first rank of the communicator. */
static bool is_news(int rule)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t told[16];
    const unsigned at = (unsigned)rule % (64 * sizeof told / sizeof *told);
    pthread_mutex_lock(&lock);
    const bool news = (told[at / 64] & UINT64_C(1) << at % 64) == 0;
    told[at / 64] |= UINT64_C(1) << at % 64;
    pthread_mutex_unlock(&lock);
    return news;
}

/* Rules of wisdom that do not apply are passed over in silence: nobody wrote them. */
static bool choose_wisely(const atn_comm *c, const atn_problem *q, atn_choice *choice_p)
{
    atn_reason reason;
    atn_choice choice;
    atn_rules_choose(c->wisdom, q, 0, &choice, &reason);
    if (reason.rule >= 0)
        *choice_p = choice;
    return reason.rule >= 0;
}

bool atn_choose(void *context, const atn_problem *q, atn_choice *choice_p)
{
    atn_comm *const c = context;
    const atn_job *const job = &atn_the_job;
    atn_reason reason;
    char text[512];
    atn_rules_choose(job->rules, q, c->calls, choice_p, &reason);
    bool ruled = reason.rule >= 0 || atn_rules_per_call(job->rules);
    if (!ruled && c->wisdom != NULL)
        ruled = choose_wisely(c, q, choice_p);
    const bool plans = !ruled && atn_rules_plan(job->rules) && (!job->learns || q->canonical);
    const bool lasting = plans ? atn_planned_choose(c, q, choice_p) : job->lasting;
    const bool expected = q->canonical && reason.refused >= 0 && /* of rules made without it */
                          !atn_rules_at(job->rules, reason.refused)->forced;
    if (c->r == 0 && reason.refused >= 0 && !expected && is_news(reason.refused)) {
        atn_reason_print(job->rules, &reason, q, choice_p, text, sizeof text);
        atn_say("%s", text);
    }
    if (c->r == 0 && job->verbose > 1 && lasting == job->lasting) {
        atn_params_print(choice_p->row, &choice_p->params, text, sizeof text);
        atn_say("%s on %d ranks, %lld bytes", text, q->p, (long long)q->bytes);
    }
    return lasting;
}

static bool have_wire(atn_comm *c)
{
    return c->wire != MPI_COMM_NULL || c->p == 1 || atn_comm_wire(c);
}

bool atn_serve_plan(atn_comm *c, atn_plan *plan, const atn_call *call, int *code_p)
{
    if (!have_wire(c))
        return false;
    const int code = atn_exec_run(c->exec, plan, call, c->wire);
    if (code == ATN_DECLINED)
        return false;
    *code_p = atn_raise(c, code);
    return true;
}

/* Plans that made room for this one may be among those that are known. */
static void forget_evicted(atn_comm *c)
{
    const unsigned evictions = atn_exec_evictions(c->exec);
    if (c->evictions != evictions)
        atn_comm_forget(c);
    c->evictions = evictions;
}

/* A plan, or NULL; the code is then MPI_SUCCESS when the native routine shall serve.  What must be
 * reproducible is not tuned: rules, wisdom or predictions choose among what gives the same bits. */
static atn_plan *pick_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    if (!atn_call_canonical(c->exec, call))
        return atn_pick(c, call, turn, code_p);
    turn->of = NULL;
    atn_plan *const plan = atn_exec_plan(c->exec, call, code_p);
    if (plan == NULL && *code_p == MPI_SUCCESS && !atn_exec_settled(c->exec))
        atn_irreproducible(ATN_LOST_ARGUMENTS, c->user);
    return plan;
}

/* The same; a rank that cannot follow the choice of the others has an error. */
static atn_plan *find_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    c->call = call;
    c->failed = MPI_SUCCESS;
    atn_plan *const plan = pick_plan(c, call, turn, code_p);
    c->call = NULL;
    if (c->failed == MPI_SUCCESS)
        return plan;
    *code_p = c->failed;
    return NULL;
}

bool atn_serve(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p)
{
    int code = MPI_SUCCESS;
    atn_plan *const plan = find_plan(c, call, turn, &code);
    forget_evicted(c);
    if (plan != NULL)
        return atn_serve_plan(c, plan, call, code_p);
    *code_p = atn_raise(c, code);
    return code != MPI_SUCCESS;
}

atn_known *atn_comm_note(atn_comm *c, const atn_call *call, const atn_key *k, atn_plan *plan,
                         atn_promise *promise)
{
    atn_known *const known = atn_known_place(c, call->op, k);
    *known = (atn_known){.key = *k,
                         .context = atn_context,
                         .freed = atomic_load_explicit(&atn_freed, memory_order_relaxed),
                         .era = promise->era,
                         .operation = (uint8_t)call->op,
                         .named = atn_exec_named(c->exec, k->type, k->op),
                         .promise = promise,
                         .plan = plan};
    return known;
}

void atn_comm_know(atn_comm *c, const atn_call *call, atn_key k, bool served, bool whole)
{
    atn_plan *const plan = served && whole ? atn_exec_repeatable(c->exec, call) : NULL;
    const bool tuned = c->driver != NULL && (atn_the_job.tunable & 1u << call->op) != 0;
    const atn_known *known = NULL;
    c->always.left = INT64_MAX;
    if (!tuned && k.count >= 0 && /* else it is no answer of the executor's */
        (served ? plan != NULL : atn_the_job.lasting && atn_exec_settled(c->exec)))
        known = atn_comm_note(c, call, &k, plan, &c->always);
    if (c->foreseeing != NULL)
        atn_foresight_saw(c, call, known);
}

/* ---- with somebody looking on ---- */

/* Choosing, planning and trials beside the call are Attune's own time (account.h), whoever carries
 * out the call then. */
static void start_clock(atn_observed *o)
{
    if (atn_the_job.report != NULL)
        o->start = atn_now_seconds();
}

static bool serve_observed(atn_observed *o, int *code_p)
{
    atn_comm *const c = o->c;
    int code = MPI_SUCCESS;
    if (c->stage != ATN_STAGE_SERVED)
        return false;
    atn_plan *const plan = find_plan(c, o->call, &o->turn, &code);
    forget_evicted(c);
    if (plan == NULL) {
        *code_p = atn_raise(c, code);
        return code != MPI_SUCCESS;
    }
    o->choice = *atn_plan_choice(plan);
    atomic_store(&c->row, o->choice.row);
    const bool ready = have_wire(c);
    start_clock(o);
    if (ready && atn_serve_plan(c, plan, o->call, code_p))
        return true;
    o->choice.row = atn_catalog_native(o->call->op);
    o->declined = true;
    return false;
}

bool atn_observed_begin(atn_observed *o, atn_comm *c, const atn_call *call, int *code_p)
{
    *o = (atn_observed){.c = c, .call = call, .choice = {.row = atn_catalog_native(call->op)}};
    atn_beat_begin(c, call->op, call->root);
    if (atn_the_job.check && c->stage == ATN_STAGE_SERVED && !atn_check(c, call, code_p)) {
        atn_beat_end(c);
        atn_raise(c, *code_p);
        return true;
    }
    if (atn_the_job.record != NULL)
        atn_record_add(c, call);
    if (!serve_observed(o, code_p)) {
        start_clock(o);
        return false;
    }
    *code_p = atn_observed_end(o, *code_p);
    return true;
}

int atn_observed_end(atn_observed *o, int code)
{
    const double seconds = atn_the_job.report != NULL ? atn_now_seconds() - o->start : 0;
    const int done = atn_turn_done(o->c, &o->turn, code);
    if (atn_the_job.report != NULL)
        atn_report_call(o, code, seconds);
    code = atn_end(o->c, done);
    atn_beat_end(o->c);
    if (o->c->foreseeing != NULL)
        atn_foresight_saw(o->c, o->call, NULL);
    return code;
}

void atn_watch_start(void)
{
    atn_report_start();
    if (atn_the_job.watchdog > 0)
        atn_watchdog_start(atn_the_job.watchdog);
}

void atn_watch_stop(void)
{
    if (atn_the_job.watchdog > 0)
        atn_watchdog_stop();
    if (atn_the_job.report != NULL)
        atn_report_print();
    if (atn_the_job.record != NULL)
        atn_record_write(atn_the_job.record);
}
