/* tuning.c - see tuning.h. */
#include "pmpi/nonblocking/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "exec/execution.h"
#include "pmpi/nonblocking/consult.h"
#include "pmpi/select/advice.h"
#include "pmpi/select/candidates.h"
#include "pmpi/select/explain.h"
#include "pmpi/select/problem.h"
#include "pmpi/select/serve.h"

enum { CLASSES = ATN_TUNERS_MOST };
/* Numbers of a consultation: maxima of block times and of timed calls that are open, sums of block
 * times. */
enum { MAX_TIME = 0, MAX_OPEN = 2, SUM_TIME = ATN_CONSULT_MAXIMA };
static const int64_t long_ps = INT64_C(1000000000); /* as in tune/drivers/driver.c */

struct atn_start_class {
    atn_comm *c;
    atn_call_class class; /* tuner and candidates: on rank 0 */
    atn_call_order order, next;
    int64_t number;   /* of the next call in the order */
    bool requested;   /* rank 0 has been, or is being, consulted about the next order */
    bool arrived;     /* the next order has */
    bool failed;      /* it cannot be followed */
    bool consulting;  /* messages of the last consultation are still being sent */
    unsigned era;     /* number of the order */
    int64_t ticks[2]; /* of the blocks, on this rank */
    int timed, ended; /* calls of the order */
    atn_consultation consultation;
    atn_start_class *after; /* in consultation */
};

typedef struct atn_start_tuning {
    atn_class_key keys[CLASSES];
    atn_start_class *of[CLASSES];
    int n;
    unsigned consulted; /* number of consultations */
    int64_t opened;     /* ticks */
    int64_t worked_ns;  /* of rank 0, for advice */
    atn_tuners tuners;  /* on rank 0 */
    bool reported;
} start_tuning;

static atn_start_class *in_consultation;

/* ---- rank 0 ---- */

/* A part of the budget: blocking calls have the rest (select/online.c). */
static int share(void) { return 10 * atn_job_current.budget / 4; }

static atn_tuner *make_tuner(start_tuning *t, const atn_start_class *x, const atn_candidate_set *f)
{
    atn_tune_settings tune = atn_tune_defaults;
    tune.mode = atn_job_current.procedure;
    return atn_tune_tuners_add(&t->tuners, t->keys[x->class.number], &tune, f->is, f->n,
                               ATN_SET_NATIVE, f->from_wisdom, f->wisdom_ps);
}

/* Before messages travel: planning takes milliseconds. */
static atn_advice find_candidates(start_tuning *t, atn_start_class *x)
{
    atn_deferral off = {0};
    atn_candidate_set f = {.from_wisdom = -1, .wisdom_ps = -1};
    const int64_t start = atn_clock_thread_ns();
    const atn_advice advice = atn_select_advice_give(x->c, &x->class, &f, &off);
    t->worked_ns += atn_clock_thread_ns() - start;
    atn_tune_budget_overhead(&t->tuners.budget, t->worked_ns);
    if (advice != ATN_ADVICE_RACE && advice != ATN_ADVICE_FIXED)
        return ATN_ADVICE_LATER;
    x->class.field = malloc(sizeof f);
    if (x->class.field == NULL)
        return ATN_ADVICE_LATER;
    *x->class.field = f;
    x->class.tuner = advice == ATN_ADVICE_RACE ? make_tuner(t, x, &f) : NULL;
    x->class.quiet = x->class.tuner == NULL ? INT64_MAX : 0;
    if (atn_job_current.explain)
        atn_select_explain_advice(x->c, &x->class, advice);
    return advice;
}

/* Long calls in which ranks wait for each other: as in tune/drivers/driver.c. */
static bool uses_means(const atn_start_class *x)
{
    atn_tuner_result result;
    atn_tune_tuner_result(x->class.tuner, &result);
    return atn_sched_is_mutual(x->class.subject.q.op) && result.best_ps > long_ps;
}

static void feed(start_tuning *t, atn_start_class *x, const int64_t numbers[ATN_CONSULT_NUMBERS])
{
    const int before = atn_tune_tuner_incumbent(x->class.tuner);
    int64_t times[2] = {numbers[MAX_TIME], numbers[MAX_TIME + 1]};
    for (int i = 0; i < 2 && uses_means(x); i++)
        times[i] = numbers[SUM_TIME + i] / x->c->p;
    atn_tune_tuner_feed(x->class.tuner, times, atn_ticks_ns(atn_ticks() - t->opened));
    atn_select_advice_times(x->c, &x->class, before);
}

/* Again, and later: some calls of the blocks had not been completed. */
static atn_call_order repeat(const atn_start_class *x)
{
    atn_call_order o = x->order;
    o.pause = 0;
    o.grace = 2 * o.grace;
    return o.grace <= ATN_ORDER_GRACE_MOST ? o : atn_tune_order_of(&x->order.serve, ATN_ORDER_MOST);
}

/* Without candidates yet, or for good. */
static atn_call_order without_tuner(const atn_start_class *x)
{
    const atn_candidate_set *const f = x->class.field;
    return f == NULL ? atn_tune_order_of(&x->order.serve, x->class.calls)
                     : atn_tune_order_of(&f->choice[0], ATN_ORDER_MOST);
}

static void write_order(void *context, const int64_t numbers[ATN_CONSULT_NUMBERS], char *text)
{
    atn_start_class *const x = context;
    const bool timed = x->order.calls[0] + x->order.calls[1] > 0;
    atn_call_order o;
    if (x->class.tuner == NULL) {
        o = without_tuner(x);
    } else if (timed && numbers[MAX_OPEN] > 0) {
        o = repeat(x);
    } else {
        if (timed)
            feed(x->c->starts, x, numbers);
        o = atn_tune_order_next(x->class.tuner, x->class.field,
                                timed ? x->order.grace : ATN_ORDER_GRACE);
    }
    atn_tune_order_print(&o, text);
}

/* ---- consultations ---- */

/* The topology of the communicator may have been measured meanwhile. */
static void request_order(atn_start_class *x, const atn_problem *q)
{
    start_tuning *const t = x->c->starts;
    atn_consultation *const y = &x->consultation;
    x->class.subject.q = atn_select_problem_shared(q);
    if (x->c->r == 0 && x->class.field == NULL)
        find_candidates(t, x);
    y->comm = x->c->private_comm;
    y->p = x->c->p;
    y->r = x->c->r;
    y->tag = atn_exec_spare_tag(x->c->exec, t->consulted++);
    y->answer = write_order;
    y->context = x;
    for (int i = 0; i < 2; i++)
        y->numbers[MAX_TIME + i] = y->numbers[SUM_TIME + i] = atn_ticks_ns(x->ticks[i]);
    y->numbers[MAX_OPEN] = x->timed - x->ended;
    x->requested = x->consulting = true;
    x->after = in_consultation;
    in_consultation = x;
    atomic_fetch_add(&atn_exec_all_open, 1);
    atn_nonblocking_consult(y);
}

/* Once: the order may be in use while its text is still being sent. */
static void take_answer(atn_start_class *x)
{
    const atn_consultation *const y = &x->consultation;
    char text[ATN_ORDER_TEXT]; /* other ranks have yet to receive that of the consultation */
    if (!x->requested || x->arrived || x->failed || (y->code == MPI_SUCCESS && !y->answered))
        return;
    memcpy(text, y->text, sizeof text);
    x->failed =
        y->code != MPI_SUCCESS || !atn_tune_order_read(x->class.subject.q.op, text, &x->next);
    x->arrived = !x->failed;
}

void atn_nonblocking_tuning_advance(void)
{
    for (atn_start_class **at = &in_consultation; *at != NULL;) {
        atn_start_class *const x = *at;
        const bool ended = atn_nonblocking_consult_advance(&x->consultation);
        take_answer(x);
        if (ended || x->failed) {
            *at = x->after;
            x->consulting = false;
            atomic_fetch_sub(&atn_exec_all_open, 1);
        } else {
            at = &x->after;
        }
    }
}

bool atn_nonblocking_tuning_busy(const atn_comm *c)
{
    for (const atn_start_class *x = in_consultation; x != NULL; x = x->after)
        if (x->c == c)
            return true;
    return false;
}

/* ---- classes ---- */

static start_tuning *tuning_of(atn_comm *c)
{
    if (c->starts == NULL && (c->starts = calloc(1, sizeof *c->starts)) != NULL) {
        c->starts->opened = atn_ticks();
        atn_tune_tuners_open(&c->starts->tuners, share(), atn_tune_defaults.agreement_ns);
    }
    return c->starts;
}

static atn_class_key key_of(const atn_subject *s)
{
    const uint64_t parts[] = {(uint64_t)s->q.op, s->q.ordered, s->inexact};
    return (atn_class_key){atn_hash(parts, sizeof parts, 0), atn_tune_size_class(s->q.bytes)};
}

/* Calls before candidates are requested from rank 0. */
static int64_t first_pause(const atn_comm *c, const atn_start_class *x)
{
    enum { OF_LONG = 2, OF_SHORT = 31 };
    if (x->class.subject.stable ||
        atn_select_advice_expect((void *)c, &x->class) == ATN_ADVICE_FIXED)
        return ATN_ORDER_MOST;
    return x->class.subject.q.bytes >= ATN_SHORT_BYTES ? OF_LONG : OF_SHORT;
}

static void begin_class(atn_start_class *x, atn_comm *c, const atn_subject *s, int number)
{
    atn_choice first;
    x->c = c;
    x->class.subject = *s;
    x->class.number = number;
    x->class.native.row = atn_algo_catalog_native(s->q.op);
    x->class.since = atn_ticks();
    atn_select_started_first(c, s, &first);
    x->order = atn_tune_order_of(&first, first_pause(c, x));
    x->class.quiet = x->order.pause == ATN_ORDER_MOST ? INT64_MAX : 0;
}

/* NULL: no memory, *full_p: no room, on all ranks. */
static atn_start_class *class_of(atn_comm *c, const atn_subject *s, bool *full_p)
{
    start_tuning *const t = tuning_of(c);
    *full_p = false;
    if (t == NULL)
        return NULL;
    const int before = t->n, i = atn_tune_class_index(t->keys, &t->n, CLASSES, key_of(s));
    *full_p = i < 0;
    if (i >= 0 && t->n > before) {
        t->of[i] = calloc(1, sizeof *t->of[i]);
        if (t->of[i] != NULL)
            begin_class(t->of[i], c, s, i);
        else
            t->n--;
    }
    return i >= 0 && i < t->n ? t->of[i] : NULL;
}

/* ---- calls ---- */

static void follow_next(atn_start_class *x)
{
    x->order = x->next;
    x->number = 0;
    x->requested = x->arrived = false;
    x->era++;
    x->ticks[0] = x->ticks[1] = 0;
    x->timed = x->ended = 0;
}

static void take_turn(atn_start_class *x, const atn_problem *q, atn_start_turn *turn_p)
{
    turn_p->of = x;
    turn_p->era = x->era;
    turn_p->use = *atn_tune_order_choice(&x->order, x->number++, &turn_p->block);
    x->timed += turn_p->block >= 0;
    x->class.calls++;
    const atn_problem shared = atn_select_problem_shared(q);
    if (!atn_select_choice_applies(&turn_p->use, &shared))
        turn_p->use = x->class.native;
}

atn_turn_is atn_nonblocking_turn(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_start_turn *turn_p)
{
    const atn_subject s = atn_select_started_subject(call, q);
    bool full;
    atn_start_class *const x = class_of(c, &s, &full);
    *turn_p = (atn_start_turn){
        .use.row = atn_algo_catalog_native(q->op), .block = -1, .why = ATN_WHY_CLASSES};
    if (x == NULL)
        return full ? ATN_TURN_NOW : ATN_TURN_FAILED;
    const bool requests = x->number == atn_tune_order_sums_at(&x->order) && !x->requested,
               follows = x->number == atn_tune_order_end(&x->order);
    if (requests || follows)
        atn_nonblocking_tuning_advance();
    if ((requests && x->consulting) || (follows && !x->arrived))
        return x->failed ? ATN_TURN_FAILED : ATN_TURN_LATER;
    if (requests)
        request_order(x, q);
    if (follows)
        follow_next(x);
    take_turn(x, q, turn_p);
    return ATN_TURN_NOW;
}

void atn_nonblocking_tuning_note(const atn_timed_start *y)
{
    atn_start_class *const x = y->turn.of;
    if (y->turn.block < 0 || x->era != y->turn.era || x->requested)
        return;
    x->ticks[y->turn.block] += y->ticks;
    x->ended++;
}

/* ---- end, and reports ---- */

void atn_nonblocking_tuning_free(atn_comm *c)
{
    start_tuning *const t = c->starts;
    if (t == NULL)
        return;
    atn_nonblocking_time_forget(c);
    atn_tune_tuners_close(&t->tuners);
    for (int i = 0; i < t->n; i++) {
        free(t->of[i]->class.field);
        free(t->of[i]);
    }
    free(t);
    c->starts = NULL;
}

int atn_nonblocking_classes_end(atn_comm *c)
{
    const int n = c->starts->reported ? 0 : c->starts->n;
    c->starts->reported = true;
    return n;
}

int64_t atn_nonblocking_tuning_spent(const atn_comm *c, int64_t *lost_p)
{
    const start_tuning *const t = c->starts;
    *lost_p = t->tuners.budget.lost_ns;
    return t->tuners.budget.spent_ns + t->worked_ns;
}

const atn_call_class *atn_nonblocking_class_at(const atn_comm *c, int i)
{
    return &c->starts->of[i]->class;
}

const void *atn_nonblocking_class_of(const atn_start_turn *turn)
{
    return turn->of != NULL ? &turn->of->class : NULL;
}
