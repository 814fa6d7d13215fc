/* driver.c - see driver.h. */
#include "tune/drivers/driver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/wait.h"
#include "tune/drivers/driver_private.h"

static const int64_t fixed_bytes = 8192; /* whose transfer takes as long as the latency */
enum { PATIENCE = 4 };                   /* an agreement may delay a rank by this part of a call */
enum { LATER = 4 };                      /* factor of the delay, in calls, when it took longer */
enum { DEFERRED = 4 };                   /* calls that a due agreement may wait for a better one */
static const int64_t long_ps = INT64_C(1000000000); /* calls, compared with usual arrival skews */

/* ---- begin and end ---- */

static atn_call_class *new_block(const atn_driver *d)
{
    return calloc((size_t)(d->room > 0 ? d->room : ATN_CLASSES_FIRST), sizeof *d->kinds[0]);
}

/* Classes keep their addresses. */
static void add_block(atn_driver *d, atn_call_class *block)
{
    const int more = d->room > 0 ? d->room : ATN_CLASSES_FIRST;
    for (int i = 0; i < more; i++)
        d->kinds[d->room + i] = &block[i];
    d->room += more;
}

atn_driver *atn_tune_driver_new(const atn_driver_setup *setup)
{
    atn_driver *const d = calloc(1, sizeof *d);
    atn_call_class *const block = d != NULL ? new_block(d) : NULL;
    if (block == NULL) {
        free(d);
        return NULL;
    }
    d->s = *setup;
    d->most = ATN_TUNERS_MOST;
    add_block(d, block);
    atn_tune_costs_begin(d);
    atn_tune_tuners_open(&d->tuners, setup->budget, setup->tune.agreement_ns);
    return d;
}

void atn_tune_driver_free(atn_driver *d)
{
    if (d == NULL)
        return;
    atn_tune_costs_end();
    atn_tune_tuners_close(&d->tuners);
    for (int i = 0; i < d->n; i++) {
        free(d->kinds[i]->field);
        free(d->kinds[i]->stage);
    }
    for (int i = 0; i<d->room; i = i> 0 ? 2 * i : ATN_CLASSES_FIRST)
        free(d->kinds[i]);
    free(d->pending);
    free(d);
}

/* ---- call classes ---- */

/* What is tuned separately; roots are not, because a program may use all of them. */
static uint64_t kind_of(const atn_subject *s)
{
    const uint64_t parts[] = {(uint64_t)s->q.op, s->q.ordered, s->inexact,
                              s->probes,         s->context,   s->pattern};
    return atn_hash(parts, sizeof parts, 0);
}

static bool least_of_all(const atn_driver *d, int64_t *values, int n)
{
    return d->s.allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_MIN, d->s.comm) == MPI_SUCCESS;
}

int64_t atn_tune_driver_delay(atn_driver *d, int64_t ticks)
{
    int64_t ns = atn_ticks_ns(ticks);
    return least_of_all(d, &ns, 1) ? ns : 0;
}

/* Calls before the first request for advice: most classes of short calls are too rare to justify
 * one. */
static int64_t few_calls(const atn_driver *d, const atn_call_class *x)
{
    enum { ONE_OF_LONG = 1, OF_UNKNOWN = 3, OF_SHORT = 7, OF_WORTHY = 31 };
    const int64_t bytes = x->subject.q.bytes;
    if (bytes < 0)
        return OF_UNKNOWN;
    return bytes >= ATN_SHORT_BYTES ? ONE_OF_LONG : d->s.worth > 0 ? OF_WORTHY : OF_SHORT;
}

/* Most programs start without wisdom: then advice is requested later. */
static void expect(atn_driver *d, atn_call_class *x)
{
    const atn_advice advice = d->s.expect(d->s.context, x);
    if (advice == ATN_ADVICE_FIXED)
        x->quiet = INT64_MAX;
    else if (advice == ATN_ADVICE_LATER)
        x->quiet = x->calls = few_calls(d, x);
    if (advice == ATN_ADVICE_FIXED)
        d->s.advised(d->s.context, x, advice);
}

static void begin_class(atn_driver *d, const atn_subject *s, atn_call_class *x)
{
    x->subject = *s;
    x->native.row = atn_algo_catalog_native(s->q.op);
    x->recurrence = (atn_recurrence){.fixed = s->pattern != 0,
                                     .unsettled = s->pattern == 0,
                                     .left = d->s.recognise != NULL ? ATN_PATTERNS_MOST : 0};
    x->since = atn_ticks();
    expect(d, x);
}

/* Ranks have the same classes, so all lack room at the same call.  If any rank is out of memory,
 * there is no further class on all of them. */
static bool widen(atn_driver *d)
{
    atn_call_class *const block = new_block(d);
    int64_t have = block != NULL;
    if (least_of_all(d, &have, 1) && have) {
        add_block(d, block);
        return true;
    }
    free(block);
    d->most = d->room;
    return false;
}

atn_call_class *atn_tune_driver_class(atn_driver *d, const atn_subject *s)
{
    const atn_class_key key = {kind_of(s), atn_tune_size_class(s->q.bytes)};
    const int before = d->n;
    int i = atn_tune_class_index(d->keys, &d->n, d->room, key);
    if (i < 0 && d->room < d->most && widen(d))
        i = atn_tune_class_index(d->keys, &d->n, d->room, key);
    if (i >= 0)
        d->kinds[i]->number = i;
    if (d->n > before)
        begin_class(d, s, d->kinds[i]);
    return i >= 0 ? d->kinds[i] : NULL;
}

/* ---- advice of rank 0 ---- */

/* Times refer to the typical size of the class, predictions to that of the first call. */
static int64_t usual_ps(const atn_call_class *x, int64_t ps)
{
    return atn_tune_size_usual_ps(x->subject.q.bytes, fixed_bytes, ps);
}

static atn_family family_of(const atn_call_class *x, const atn_candidate_set *f, int i)
{
    return atn_plan_family_of(&f->choice[i], &x->subject.q);
}

/* If results must not change, the family of the candidate that serves first: others of the family
 * may replace it. */
static atn_family first_family(const atn_call_class *x, const atn_candidate_set *f)
{
    return x->subject.stable && f->n > 0 ? family_of(x, f, atn_tune_candidate_set_start(f))
                                         : ATN_FAMILY_NONE;
}

static atn_tuner *make_tuner(atn_driver *d, const atn_call_class *x, const atn_candidate_set *f)
{
    atn_tune_settings tune = d->s.tune;
    atn_candidate is[ATN_TUNE_CANDIDATES];
    const atn_family family = first_family(x, f);
    for (int i = 0; i < f->n; i++) {
        is[i] = f->is[i];
        is[i].same_bits = family != ATN_FAMILY_NONE && family_of(x, f, i) == family;
        is[i].predicted_ps = usual_ps(x, f->is[i].predicted_ps);
    }
    tune.shadow = x->subject.stable;
    tune.seen_ps = usual_ps(x, x->seen_ps);
    return atn_tune_tuners_add(&d->tuners, d->keys[x->number], &tune, is, f->n, ATN_SET_NATIVE,
                               f->from_wisdom, f->wisdom_ps);
}

/* Memory for agreements, which the first tuner makes. */
static bool have_pending(atn_driver *d)
{
    if (d->pending == NULL)
        d->pending = calloc(ATN_DRIVER_PENDING, sizeof *d->pending);
    return d->pending != NULL;
}

static bool is_star(const atn_driver *d)
{
    return d->s.tune.mode == ATN_TUNE_ALL || d->s.tune.mode == ATN_TUNE_GROUPED;
}

/* Values of an agreement at the end of the longest stage. */
static size_t stage_values(const atn_driver *d)
{
    return ATN_DRIVER_SUMS + (size_t)(ATN_TUNE_CANDIDATES * d->s.tune.iterations);
}

static bool have_stage(const atn_driver *d, atn_call_class *x)
{
    if (is_star(d) && x->stage == NULL)
        x->stage = calloc(2 * stage_values(d), sizeof *x->stage);
    return !is_star(d) || x->stage != NULL;
}

static atn_candidate_set *copy_of(const atn_candidate_set *f)
{
    atn_candidate_set *const copy = f->n > 0 ? malloc(sizeof *copy) : NULL;
    if (copy != NULL)
        *copy = *f;
    return copy;
}

/* When any rank is out of memory the class stays native on all of them.  `start`: of the request;
 * *cost_p: see atn_tune_driver_delay. */
static atn_advice take_advice(atn_driver *d, atn_call_class *x, atn_advice advice,
                              const atn_candidate_set *f, int64_t start, int64_t *cost_p)
{
    const bool tuned = advice == ATN_ADVICE_RACE;
    atn_candidate_set *const field = copy_of(f);
    const bool room = tuned && field != NULL && have_pending(d) && have_stage(d, x);
    atn_tuner *const tuner = room ? make_tuner(d, x, f) : NULL;
    int64_t least[] = {tuned ? tuner != NULL : field != NULL, atn_ticks_ns(atn_ticks() - start)};
    const bool agreed = least_of_all(d, least, 2) && least[0];
    *cost_p = least[1];
    if (!agreed) {
        if (tuner != NULL)
            atn_tune_tuners_drop(&d->tuners, tuner);
        free(field);
        return ATN_ADVICE_FIXED;
    }
    free(x->field);
    x->tuner = tuner;
    x->field = field;
    atn_tune_patterns_follow(x, &field->choice[atn_tune_candidate_set_start(field)]);
    if (tuned && x->family == ATN_FAMILY_NONE)
        x->family = first_family(x, f);
    if (tuned)
        atn_tune_costs_count_tuner();
    return advice;
}

static void request_advice(atn_driver *d, atn_call_class *x)
{
    const int64_t start = atn_ticks();
    const bool first = x->calls == 0;
    atn_candidate_set field;
    atn_advice advice = atn_tune_driver_advice(d, x, &field);
    int64_t cost_ns = d->worked_ns;
    if (x->quiet == 0)
        advice = take_advice(d, x, advice, &field, start, &cost_ns);
    x->times_arrivals = advice == ATN_ADVICE_ARRIVALS || (x->tuner != NULL && x->field->at_once);
    x->calls += x->quiet;
    x->promise.era++;
    if (advice == ATN_ADVICE_FIXED)
        x->quiet = INT64_MAX;
    d->s.advised(d->s.context, x, advice);
    /* The start credit covers a sketch.  In the first call ranks wait for connections, with or
     * without a request. */
    if (advice != ATN_ADVICE_SKETCH)
        atn_tune_driver_cost(d, first ? d->worked_ns : cost_ns);
}

/* ---- calls that need no turn ---- */

static int64_t untimed_calls(const atn_call_class *x)
{
    return x->tuner != NULL ? atn_tune_tuner_untimed(x->tuner) : x->quiet;
}

static void report_calls(atn_call_class *x)
{
    const int64_t calls = x->promise.granted - x->promise.left;
    assert(calls <= untimed_calls(x));
    x->promise.granted = x->promise.left;
    if (x->tuner != NULL)
        atn_tune_tuner_skip(x->tuner, calls);
    else if (x->quiet < INT64_MAX)
        x->quiet -= calls;
}

static void report_all_calls(atn_driver *d)
{
    for (int i = 0; i < d->n; i++)
        report_calls(d->kinds[i]);
}

static void grant(atn_call_class *x) { x->promise.left = x->promise.granted = untimed_calls(x); }

/* ---- turns ---- */

static bool needs_advice(const atn_call_class *x) { return x->tuner == NULL && x->quiet == 0; }

bool atn_tune_driver_times_arrivals(atn_call_class *x)
{
    report_calls(x);
    return x->times_arrivals && untimed_calls(x) == 0;
}

void atn_tune_driver_join(atn_call_class *x, int from)
{
    x->times_arrivals = x->tuner == NULL; /* the next advice decides whether there is another one */
    for (int i = from; x->tuner != NULL && i < x->field->n; i++)
        atn_tune_tuner_join(x->tuner, &x->field->is[i]);
}

static void turn_without_tuner(atn_call_class *x, atn_turn *turn_p)
{
    if (x->quiet < INT64_MAX)
        x->quiet--;
    *turn_p = (atn_turn){.of = x, .use = atn_tune_class_choice(x, 0), .block = -1};
}

static void turn_with_tuner(atn_call_class *x, int64_t bytes, atn_turn *turn_p)
{
    const atn_step step = atn_tune_tuner_step(x->tuner, atn_tune_size_weight(bytes, fixed_bytes));
    *turn_p = (atn_turn){
        .of = x,
        .use = &x->field->choice[step.candidate],
        .shadow = step.shadow >= 0 ? &x->field->choice[step.shadow] : NULL,
        .block = step.block,
        .sample = step.sample,
        .agree = step.agree,
    };
}

/* A call that needed no turn decides nothing, so calls of other classes need not be reported. */
void atn_tune_driver_turn(atn_driver *d, atn_call_class *x, int64_t bytes, atn_turn *turn_p)
{
    report_calls(x);
    if (untimed_calls(x) == 0)
        report_all_calls(d);
    if (needs_advice(x))
        request_advice(d, x);
    if (x->tuner != NULL)
        turn_with_tuner(x, bytes, turn_p);
    else
        turn_without_tuner(x, turn_p);
    grant(x);
}

static void watch(atn_call_class *x, int64_t ticks)
{
    if (x->watched++ == 0 || ticks < x->least)
        x->least = ticks;
}

/* A clock may stand still during a call, in a simulation for example. */
void atn_tune_driver_note(const atn_turn *turn, int64_t ticks)
{
    const int64_t passed = ticks > 0 ? ticks : 0;
    if (turn->block >= 0 && turn->sample >= 0)
        turn->of->stage[ATN_DRIVER_SUMS + turn->sample] = atn_ticks_ns(passed);
    else if (turn->block >= 0)
        turn->of->ticks[turn->block] += passed;
    else if (turn->of->tuner == NULL)
        watch(turn->of, passed);
}

/* Of a call so far, the same on all ranks. */
static int64_t time_of_call(const atn_call_class *x)
{
    atn_tuner_result result = {.samples = 0};
    if (x->tuner != NULL)
        atn_tune_tuner_result(x->tuner, &result);
    return result.samples > 0 ? result.best_ps : x->seen_ps;
}

/* ---- agreements ---- */

static int ahead(const atn_driver *d, const atn_call_class *x)
{
    return x->ahead > 0 ? x->ahead
                        : atn_tune_budget_agreement_delay(&d->tuners.budget, time_of_call(x));
}

/* Ranks may drift apart by more than a call, as the root of a pipelined broadcast does; then it
 * waits for the last rank, and afterwards the others wait for it: about a call.  Such agreements
 * are awaited later and their cost is a call.  Else, and where ranks wait for each other in any
 * case, the cost is the waiting time of the last rank. */
static void charge_agreement(const atn_driver *d, atn_call_class *x, int64_t most_ns,
                             int64_t least_ns)
{
    atn_tuner_result result;
    atn_tune_tuner_result(x->tuner, &result);
    const int64_t call_ns = result.best_ps / 1000;
    const bool apart = !x->mutual && most_ns > call_ns / PATIENCE;
    if (apart)
        x->ahead = atn_min(LATER * ahead(d, x), ATN_DRIVER_MOST);
    const int64_t ns = apart ? call_ns : least_ns;
    atn_tune_tuner_agreement(x->tuner, ns > d->shortest_ns ? ns : d->shortest_ns);
}

/* Agreements complete in the order in which they began. */
static uint64_t next_due(const atn_driver *d, uint64_t due)
{
    const uint64_t last =
        d->completed == d->posted ? 0 : d->pending[(d->posted - 1) % ATN_DRIVER_PENDING].due;
    return due > last ? due : last;
}

void atn_tune_driver_apart(atn_driver *d) { d->apart = true; }

/* Where ranks arrive at different times some rank always waits, so means are more meaningful.  They
 * also are for long calls in which ranks wait for each other: after a broadcast the root is early
 * by a whole call, and its time would hide what algorithms differ in.  Times of other calls are
 * those of the last rank, because the others may wait for it later. */
static bool uses_means(const atn_driver *d, const atn_call_class *x)
{
    return d->apart || is_star(d) ||
           (atn_sched_is_mutual(x->subject.q.op) && time_of_call(x) > long_ps);
}

/* The maximum block times, the minimum over ranks of the time of this communicator, the longest and
 * the shortest time that a rank waited for the last agreement, or means of them, and the overhead
 * of rank 0, because others wait for it. */
int atn_tune_driver_agree(atn_driver *d, atn_call_class *x, uint64_t call, MPI_Comm comm)
{
    atn_pending *const a = &d->pending[d->posted % ATN_DRIVER_PENDING];
    const bool means = uses_means(d, x);
    a->of = x;
    a->samples = atn_tune_tuner_stage(x->tuner);
    a->due = next_due(d, call + (uint64_t)ahead(d, x));
    d->posted++;
    a->mine[0] = atn_ticks_ns(x->ticks[0]);
    a->mine[1] = atn_ticks_ns(x->ticks[1]);
    a->mine[ATN_SUM_PASSED] = -atn_tune_driver_passed(d);
    a->mine[ATN_SUM_MOST] = x->waited;
    a->mine[ATN_SUM_LEAST] = -x->waited;
    a->mine[ATN_SUM_OVERHEAD] = d->s.r == 0 ? atn_tune_driver_overhead(d) : 0;
    atn_tune_patterns_state(x, a->mine);
    x->ticks[0] = x->ticks[1] = 0;
    for (int i = 0; i < ATN_SUM_OVERHEAD && means; i++)
        a->mine[i] /= d->s.p;
    if (a->samples > 0)
        memcpy(x->stage, a->mine, sizeof a->mine);
    return d->s.iallreduce(
        a->samples > 0 ? x->stage : a->mine, a->samples > 0 ? x->stage + stage_values(d) : a->all,
        ATN_DRIVER_SUMS + a->samples, MPI_INT64_T, means ? MPI_SUM : MPI_MAX, comm, &a->request);
}

uint64_t atn_tune_driver_due(const atn_driver *d)
{
    return d->completed == d->posted ? UINT64_MAX
                                     : d->pending[d->completed % ATN_DRIVER_PENDING].due;
}

/* The mean over ranks of every timed call. */
static void end_stage(const atn_driver *d, atn_pending *a)
{
    int64_t *const all = a->of->stage + stage_values(d), *const times = all + ATN_DRIVER_SUMS;
    memcpy(a->all, all, sizeof a->all);
    for (int i = 0; i < a->samples; i++)
        times[i] /= d->s.p;
    atn_tune_tuner_feed_stage(a->of->tuner, times, -a->all[ATN_SUM_PASSED]);
}

static void drop_tuner(atn_driver *d, atn_call_class *x)
{
    atn_tune_tuners_drop(&d->tuners, x->tuner);
    free(x->field);
    x->tuner = NULL;
    x->field = NULL;
}

/* No round is open: this was its agreement. */
static void restart_for_sizes(atn_driver *d, atn_call_class *x)
{
    drop_tuner(d, x);
    x->quiet = 0;
    x->calls += x->calls == 0;
    x->promise.era++;
    grant(x);
}

static void complete(atn_driver *d, atn_pending *a)
{
    atn_call_class *const x = a->of;
    const int before = atn_tune_tuner_incumbent(x->tuner);
    const int64_t *const sums = a->samples > 0 ? x->stage + stage_values(d) : a->all;
    atn_tune_budget_overhead(&d->tuners.budget, sums[ATN_SUM_OVERHEAD]);
    if (a->samples > 0)
        end_stage(d, a);
    else
        atn_tune_tuner_feed(x->tuner, a->all, -a->all[ATN_SUM_PASSED]);
    charge_agreement(d, x, a->all[ATN_SUM_MOST], -a->all[ATN_SUM_LEAST]);
    atn_tune_costs_earn(d);
    x->promise.era += atn_tune_tuner_incumbent(x->tuner) != before;
    grant(x);
    d->s.agreed(d->s.context, x, before);
    if (atn_tune_patterns_changed(x, sums))
        restart_for_sizes(d, x);
}

/* `mutual`: ranks wait for each other in any case. */
static int await(atn_driver *d, uint64_t call, bool mutual)
{
    report_all_calls(d);
    while (atn_tune_driver_due(d) <= call) {
        atn_pending *const a = &d->pending[d->completed++ % ATN_DRIVER_PENDING];
        const int64_t start = atn_ticks();
        const int code = atn_real_complete.wait(&a->request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        a->of->waited = atn_ticks_ns(atn_ticks() - start);
        complete(d, a);
        a->of->mutual = mutual; /* of the next agreement, which has this waiting time */
    }
    return MPI_SUCCESS;
}

int atn_tune_driver_await(atn_driver *d, uint64_t call, atn_operation op)
{
    if (atn_sched_is_mutual(op))
        return await(d, call, true);
    return call > DEFERRED ? await(d, call - DEFERRED, false) : MPI_SUCCESS;
}

int atn_tune_driver_await_all(atn_driver *d) { return await(d, UINT64_MAX - 1, false); }

/* Classes that wait for advice need not wait any longer, except for the current call. */
static void restart_class(atn_driver *d, atn_call_class *x)
{
    const bool waits = x->quiet > 1 && x->quiet < INT64_MAX;
    if (x->tuner == NULL ? !waits : x->subject.stable && x->family == ATN_FAMILY_NONE)
        return;
    if (x->tuner != NULL)
        drop_tuner(d, x);
    x->calls -= x->quiet;
    x->quiet = 0;
    x->promise.era++;
    grant(x);
}

void atn_tune_driver_restart(atn_driver *d, const struct atn_topo *topo)
{
    for (int i = 0; i < d->n; i++) {
        d->kinds[i]->subject.q.topo = topo;
        restart_class(d, d->kinds[i]);
    }
}

void atn_tune_driver_stop(atn_driver *d)
{
    for (; d->completed != d->posted; d->completed++)
        atn_real_complete.wait(&d->pending[d->completed % ATN_DRIVER_PENDING].request,
                               MPI_STATUS_IGNORE);
}
