/* driver.c - see driver.h. */
#include "tune/drivers/driver.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tune/drivers/advice.h"
#include "tune/drivers/driver_private.h"

/* Several communicators of a rank share its time, so each earns a part of the budget; what it costs
 * to set up tuning they pay together. */
static _Atomic int drivers;
static _Atomic int64_t first_opened, set_ups; /* ticks */
static _Atomic int64_t start_ns, fields;      /* what the start has cost; tuners set up */

static const int64_t fixed_bytes = 8192; /* that take as long as the latency of a call */
enum { PATIENCE = 4 };                   /* part of a call that may be waited for an agreement */
enum { LATER = 4 };                      /* times as many calls, when it was more */

/* ---- life ---- */

atn_driver *atn_driver_new(const atn_driver_setup *setup)
{
    atn_driver *const d = calloc(1, sizeof *d);
    if (d == NULL)
        return NULL;
    d->s = *setup;
    d->opened = atn_ticks();
    atomic_compare_exchange_strong(&first_opened, &(int64_t){0}, d->opened);
    if (setup->overhead_ns > 0)
        atomic_store(&start_ns, setup->overhead_ns);
    atn_tuners_open(&d->book, setup->budget, setup->tune.agreement_ns);
    atomic_fetch_add(&drivers, 1);
    return d;
}

void atn_driver_free(atn_driver *d)
{
    if (d == NULL)
        return;
    atomic_fetch_sub(&drivers, 1);
    atn_tuners_close(&d->book);
    free(d);
}

/* ---- kinds of calls ---- */

/* What must be tuned apart; roots are not, because a program may use them all in turn. */
static uint64_t kind_of(const atn_subject *s)
{
    const uint64_t parts[] = {(uint64_t)s->q.op, s->q.ordered, s->inexact, s->probes, s->context};
    return atn_hash(parts, sizeof parts, 0);
}

static atn_kind *find_kind(atn_driver *d, uint64_t kind, int size_class)
{
    for (int i = 0; i < d->n; i++)
        if (d->kinds[i].kind == kind && d->kinds[i].size_class == size_class)
            return &d->kinds[i];
    return NULL;
}

/* Whether every rank has room, so that none goes its own way. */
bool atn_driver_all(const atn_driver *d, bool mine)
{
    int all = mine;
    return d->s.allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, d->s.comm) == MPI_SUCCESS && all;
}

/* Calls before rank 0 is asked for the first time: most kinds of short ones do not come often
 * enough to be worth a question. */
static int64_t few_calls(const atn_kind *x)
{
    enum { ONE_OF_LONG = 1, OF_UNKNOWN = 3, OF_SHORT = 7 };
    const int64_t bytes = x->subject.q.bytes;
    return bytes < 0 ? OF_UNKNOWN : bytes >= ATN_SHORT_BYTES ? ONE_OF_LONG : OF_SHORT;
}

/* Most programs begin without wisdom: then nobody is asked at once. */
static void expect(atn_driver *d, atn_kind *x)
{
    const atn_advice advice = d->s.expect(d->s.context, x);
    if (advice == ATN_ADVICE_FIXED)
        x->quiet = INT64_MAX;
    else if (advice == ATN_ADVICE_LATER)
        x->quiet = x->calls = few_calls(x);
    if (advice == ATN_ADVICE_FIXED)
        d->s.heard(d->s.context, x, advice);
}

static atn_kind *add_kind(atn_driver *d, const atn_subject *s, uint64_t kind, int size_class)
{
    if (d->n == ATN_TUNERS_MOST)
        return NULL;
    atn_kind *const x = &d->kinds[d->n++];
    x->subject = *s;
    x->kind = kind;
    x->size_class = size_class;
    atn_candidate_set_make(s->q.op, NULL, 0, NULL, &x->field);
    x->native = x->field.choice[ATN_SET_NATIVE];
    x->since = atn_ticks();
    expect(d, x);
    return x;
}

atn_kind *atn_driver_kind(atn_driver *d, const atn_subject *s)
{
    const uint64_t kind = kind_of(s);
    const int size_class = atn_size_class(s->q.bytes);
    atn_kind *const last = d->last[s->q.op];
    if (last != NULL && last->kind == kind && last->size_class == size_class)
        return last;
    atn_kind *x = find_kind(d, kind, size_class);
    if (x == NULL)
        x = add_kind(d, s, kind, size_class);
    d->last[s->q.op] = x;
    return x;
}

/* ---- asking rank 0 ---- */

/* Times are those of the usual size of the class, predictions those of the first call's. */
static int64_t usual_ps(const atn_kind *x, int64_t ps)
{
    return atn_size_usual_ps(x->subject.q.bytes, fixed_bytes, ps);
}

static atn_tuner *make_tuner(atn_driver *d, const atn_kind *x, const atn_candidate_set *f)
{
    atn_tune_settings tune = d->s.tune;
    atn_candidate is[ATN_TUNE_CANDIDATES];
    for (int i = 0; i < f->n; i++) {
        is[i] = f->is[i];
        is[i].predicted_ps = usual_ps(x, f->is[i].predicted_ps);
    }
    tune.shadow = x->subject.stable;
    tune.seen_ps = usual_ps(x, x->seen_ps);
    return atn_tuners_add(&d->book, x->kind, x->subject.q.bytes, &tune, is, f->n, ATN_SET_NATIVE,
                          f->wise, f->wise_ps);
}

/* When any rank has no memory the kind stays native on all of them. */
static atn_advice take_advice(atn_driver *d, atn_kind *x, atn_advice advice,
                              const atn_candidate_set *f)
{
    const bool tuned = advice == ATN_ADVICE_FIELD;
    atn_tuner *const tuner = tuned && f->n > 0 ? make_tuner(d, x, f) : NULL;
    if (!atn_driver_all(d, tuned ? tuner != NULL : f->n > 0)) {
        if (tuner != NULL)
            atn_tuners_drop(&d->book, tuner);
        return ATN_ADVICE_FIXED;
    }
    x->tuner = tuner;
    x->field = *f;
    fields += tuned;
    return advice;
}

static void ask(atn_driver *d, atn_kind *x)
{
    const int64_t start = atn_ticks();
    atn_candidate_set field;
    atn_advice advice = atn_driver_ask(d, x, &field);
    if (x->quiet == 0)
        advice = take_advice(d, x, advice, &field);
    x->meets = advice == ATN_ADVICE_MEET || (x->tuner != NULL && x->field.at_once);
    x->calls += x->quiet;
    x->promise.era++;
    if (advice == ATN_ADVICE_FIXED)
        x->quiet = INT64_MAX;
    d->s.heard(d->s.context, x, advice);
    atn_driver_cost(d, atn_ticks() - start);
}

void atn_driver_cost(atn_driver *d, int64_t ticks)
{
    d->overhead += ticks;
    atomic_fetch_add(&set_ups, ticks);
}

/* Before there was one it takes a plan and about as many collectives as the start. */
int64_t atn_next_set_up_ns(void)
{
    static const int64_t plan_ns = 3000000;
    const int64_t so_far = atn_ticks_ns(atomic_load(&set_ups)), n = atomic_load(&fields);
    return n > 0 ? so_far / n : start_ns + plan_ns;
}

/* What the job has paid, its start and the next one included. */
int64_t atn_set_ups_ns(void)
{
    return start_ns + atn_ticks_ns(atomic_load(&set_ups)) + atn_next_set_up_ns();
}

int64_t atn_set_ups_since(void) { return atn_ticks_ns(atn_ticks() - atomic_load(&first_opened)); }

/* ---- calls that need no turn ---- */

static int64_t quiet_of(const atn_kind *x)
{
    return x->tuner != NULL ? atn_tuner_untimed(x->tuner) : x->quiet;
}

static void tell(atn_kind *x)
{
    const int64_t calls = x->promise.granted - x->promise.left;
    assert(calls <= quiet_of(x));
    x->promise.granted = x->promise.left;
    if (x->tuner != NULL)
        atn_tuner_skip(x->tuner, calls);
    else if (x->quiet < INT64_MAX)
        x->quiet -= calls;
}

static void tell_all(atn_driver *d)
{
    for (int i = 0; i < d->n; i++)
        tell(&d->kinds[i]);
}

static void promise(atn_kind *x) { x->promise.left = x->promise.granted = quiet_of(x); }

/* ---- turns ---- */

static bool asks(const atn_kind *x) { return x->tuner == NULL && x->quiet == 0; }

bool atn_driver_meets(atn_kind *x)
{
    tell(x);
    return x->meets && quiet_of(x) == 0;
}

void atn_driver_join(atn_kind *x, int from)
{
    x->meets = x->tuner == NULL; /* who is asked again says whether there is another one */
    for (int i = from; i < x->field.n && x->tuner != NULL; i++)
        atn_tuner_join(x->tuner, &x->field.is[i]);
}

static void turn_without_tuner(atn_kind *x, atn_turn *turn_p)
{
    if (x->quiet < INT64_MAX)
        x->quiet--;
    *turn_p = (atn_turn){.of = x, .use = &x->field.choice[0], .block = -1};
}

static void turn_with_tuner(atn_kind *x, int64_t bytes, atn_turn *turn_p)
{
    const atn_step step = atn_tuner_step(x->tuner, atn_size_weight(bytes, fixed_bytes));
    *turn_p = (atn_turn){
        .of = x,
        .use = &x->field.choice[step.candidate],
        .shadow = step.shadow >= 0 ? &x->field.choice[step.shadow] : NULL,
        .block = step.block,
        .agree = step.agree,
    };
}

/* A call that needed no turn decides nothing, so others' calls may wait to be told. */
void atn_driver_turn(atn_driver *d, atn_kind *x, int64_t bytes, atn_turn *turn_p)
{
    tell(x);
    if (quiet_of(x) == 0)
        tell_all(d);
    if (asks(x))
        ask(d, x);
    if (x->tuner != NULL)
        turn_with_tuner(x, bytes, turn_p);
    else
        turn_without_tuner(x, turn_p);
    promise(x);
}

void atn_driver_note(const atn_turn *turn, int64_t ticks)
{
    if (ticks > 0)
        turn->of->ticks[turn->block] += ticks;
}

/* ---- agreements ---- */

static int ahead(const atn_driver *d, const atn_kind *x)
{
    atn_learned learned;
    if (x->ahead > 0)
        return x->ahead;
    atn_tuner_learned(x->tuner, &learned);
    if (learned.samples == 0)
        learned.best_ps = x->seen_ps;
    return atn_budget_agreement_delay(&d->book.account, learned.best_ps);
}

/* Ranks may run apart by more than a call, as the root of a pipelined broadcast does; then it waits
 * for the last one, and the others afterwards for what it would have sent meanwhile: about a call.
 * Such agreements are awaited later and are paid for.  Else they cost what the last one waited. */
static void weigh(const atn_driver *d, atn_kind *x, int64_t most_ns, int64_t least_ns)
{
    atn_learned learned;
    atn_tuner_learned(x->tuner, &learned);
    const int64_t call_ns = learned.best_ps / 1000;
    const bool apart = most_ns > call_ns / PATIENCE;
    if (apart)
        x->ahead = atn_min(LATER * ahead(d, x), ATN_DRIVER_MOST);
    atn_tuner_agreement(x->tuner, apart ? call_ns : least_ns);
}

int64_t atn_driver_overhead(const atn_driver *d)
{
    return d->s.overhead_ns + atn_ticks_ns(d->overhead);
}

int64_t atn_driver_passed(const atn_driver *d)
{
    const int sharers = atomic_load(&drivers);
    return atn_ticks_ns(atn_ticks() - d->opened) / (sharers > 0 ? sharers : 1);
}

/* Agreements are heard in the order in which they began. */
static uint64_t next_due(const atn_driver *d, uint64_t due)
{
    const uint64_t last =
        d->heard == d->posted ? 0 : d->pending[(d->posted - 1) % ATN_DRIVER_PENDING].due;
    return due > last ? due : last;
}

void atn_driver_apart(atn_driver *d) { d->apart = true; }

/* The largest block times, the least time that any rank can give to this communicator, the longest
 * and the shortest time that the last agreement was waited for, and the overhead of rank 0, for
 * whom others wait.  Where ranks come apart somebody always waits for the last, so the means tell
 * more. */
int atn_driver_agree(atn_driver *d, atn_kind *x, uint64_t call, MPI_Comm wire)
{
    atn_pending *const a = &d->pending[d->posted % ATN_DRIVER_PENDING];
    a->of = x;
    a->due = next_due(d, call + (uint64_t)ahead(d, x));
    d->posted++;
    a->mine[0] = atn_ticks_ns(x->ticks[0]);
    a->mine[1] = atn_ticks_ns(x->ticks[1]);
    a->mine[ATN_SUM_PASSED] = -atn_driver_passed(d);
    a->mine[ATN_SUM_MOST] = x->waited;
    a->mine[ATN_SUM_LEAST] = -x->waited;
    a->mine[ATN_SUM_OVERHEAD] = d->s.r == 0 ? atn_driver_overhead(d) : 0;
    x->ticks[0] = x->ticks[1] = 0;
    for (int i = 0; i < ATN_SUM_OVERHEAD && d->apart; i++)
        a->mine[i] /= d->s.p;
    return d->s.iallreduce(a->mine, a->all, ATN_DRIVER_SUMS, MPI_INT64_T,
                           d->apart ? MPI_SUM : MPI_MAX, wire, &a->request);
}

uint64_t atn_driver_due(const atn_driver *d)
{
    return d->heard == d->posted ? UINT64_MAX : d->pending[d->heard % ATN_DRIVER_PENDING].due;
}

static void hear(atn_driver *d, const atn_pending *a)
{
    atn_kind *const x = a->of;
    const int before = atn_tuner_incumbent(x->tuner);
    atn_budget_overhead(&d->book.account, a->all[ATN_SUM_OVERHEAD]);
    atn_tuner_feed(x->tuner, a->all, -a->all[ATN_SUM_PASSED]);
    weigh(d, x, a->all[ATN_SUM_MOST], -a->all[ATN_SUM_LEAST]);
    x->promise.era += atn_tuner_incumbent(x->tuner) != before;
    promise(x);
    d->s.learned(d->s.context, x, before);
}

int atn_driver_await(atn_driver *d, uint64_t call)
{
    tell_all(d);
    while (atn_driver_due(d) <= call) {
        atn_pending *const a = &d->pending[d->heard++ % ATN_DRIVER_PENDING];
        const int64_t start = atn_ticks();
        const int code = PMPI_Wait(&a->request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        a->of->waited = atn_ticks_ns(atn_ticks() - start);
        hear(d, a);
    }
    return MPI_SUCCESS;
}

void atn_driver_stop(atn_driver *d)
{
    for (; d->heard != d->posted; d->heard++)
        PMPI_Wait(&d->pending[d->heard % ATN_DRIVER_PENDING].request, MPI_STATUS_IGNORE);
}
