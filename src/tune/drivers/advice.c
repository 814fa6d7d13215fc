/* advice.c - rank 0 determines the candidates of a call class and when they are due. */
#include <string.h>

#include "base/clock.h"
#include "tune/drivers/driver_private.h"

/* Or of sizes that ranks do not share. */
static bool is_short(const atn_call_class *x) { return x->subject.q.bytes < ATN_SHORT_BYTES; }

/* The same on all ranks. */
static bool is_weighed(const atn_driver *d, const atn_call_class *x)
{
    return d->s.worth > 0 && is_short(x) && x->calls > 0 && !x->times_arrivals;
}

/* Time from call to call so far, computation included. */
static int64_t seen_ps(const atn_call_class *x)
{
    return x->calls > 0 ? atn_ticks_ns(atn_ticks() - x->since) / x->calls * 1000 : 0;
}

/* Calls of the class in this time, at least one. */
static int64_t calls_during(const atn_call_class *x, int64_t ns)
{
    static const int64_t most = INT32_MAX;
    const int64_t calls = ns / (seen_ps(x) / 1000 + 1) + 1;
    return calls < most ? calls : most;
}

/* Calls until the next request: before the first call one, of a class that is too rare twice as
 * many as so far, else when the account covers a tuner, which savings of other classes may
 * advance. */
static int64_t pause_of(const atn_call_class *x, const atn_deferral *off)
{
    enum { PART = 8 };
    if (x->calls == 0)
        return 1;
    const int64_t calls = calls_during(x, atn_tune_costs_of_tuner(is_short(x)).wait_ns),
                  least = off->costs && !is_short(x) ? x->calls / PART : x->calls;
    return calls > least ? calls : least;
}

/* Wisdom is consulted in any case: results that must not change cannot follow it later.  The
 * measurement of arrival times has already paid for a plan. */
static void write_advice(atn_driver *d, const atn_call_class *x, atn_advice_request *y)
{
    const int64_t start = atn_clock_thread_ns();
    atn_answer *const a = &y->answer;
    atn_candidate_set f = {.from_wisdom = -1, .wisdom_ps = -1};
    const atn_advice before =
        d->s.prepare != NULL ? d->s.prepare(d->s.context, x, &a->off) : ATN_ADVICE_RACE;
    if (x->calls > 0 && !x->times_arrivals && before == ATN_ADVICE_RACE)
        a->off = atn_tune_costs_of_tuner(is_short(x));
    if (before != ATN_ADVICE_RACE)
        a->advice = before;
    else if (!a->off.costs)
        a->advice = d->s.advise(d->s.context, x, &f, &a->off);
    d->worked_ns = atn_clock_thread_ns() - start + (is_weighed(d, x) ? d->weighed_ns : 0);
    a->off.at = x->calls;
    a->seen_ps = seen_ps(x);
    a->passed_ns = atn_tune_driver_passed(d);
    a->overhead_ns = atn_tune_driver_overhead(d) + d->worked_ns;
    if (before == ATN_ADVICE_LATER)
        a->pause = calls_during(x, a->off.wait_ns);
    else if (a->advice == ATN_ADVICE_LATER)
        a->pause = pause_of(x, &a->off);
    else if (a->advice != ATN_ADVICE_ARRIVALS && a->advice != ATN_ADVICE_SKETCH)
        atn_tune_request_answer(y, (atn_advice)a->advice, &f);
}

/* ---- what the calls of all ranks take ---- */

/* Sums over ranks, and values of rank 0. */
enum {
    SUM_VOLUME,
    SUM_LEAST,
    SUM_HASH,
    SUM_RECUR,
    OF_COST,
    OF_WEIGHED,
    OF_SEEN,
    OF_PASSED,
    OF_OVERHEAD,
    OF_MEANS, /* the budget covers a tuner */
    SUMS
};

/* Ranks may arrive late, so the shortest one shows what it costs. */
static bool add_up(atn_driver *d, const atn_call_class *x, int64_t sums[SUMS])
{
    memset(sums, 0, SUMS * sizeof *sums);
    sums[SUM_VOLUME] = x->volume;
    sums[SUM_LEAST] = atn_ticks_ns(x->least);
    sums[SUM_HASH] = atn_tune_patterns_part(x);
    sums[SUM_RECUR] = atn_tune_patterns_recur(x);
    if (d->s.r == 0) {
        sums[OF_COST] = atn_tune_costs_of_tuner(true).cost_ns;
        sums[OF_WEIGHED] = d->weighed_ns;
        sums[OF_SEEN] = seen_ps(x);
        sums[OF_PASSED] = atn_tune_driver_passed(d);
        sums[OF_OVERHEAD] = atn_tune_driver_overhead(d);
        sums[OF_MEANS] = !atn_tune_costs_of_tuner(is_short(x)).costs;
    }
    const int64_t start = atn_ticks();
    const int code = d->s.allreduce(MPI_IN_PLACE, sums, SUMS, MPI_INT64_T, MPI_SUM, d->s.comm);
    const int64_t ns = atn_ticks_ns(atn_ticks() - start);
    if (d->weighed_ns == 0 || ns < d->weighed_ns)
        d->weighed_ns = ns;
    d->shortest_ns = sums[OF_WEIGHED];
    return code == MPI_SUCCESS;
}

/* Sizes that ranks do not share: the sizes of the current call represent the class. */
static int64_t mean_size(const atn_driver *d, const atn_call_class *x, int64_t sum)
{
    const bool row = atn_sched_operation_get(x->subject.q.op)->source == ATN_SIDE_ROW;
    return sum / ((int64_t)d->s.p * (row ? d->s.p : 1));
}

/* Calls until those so far, and probably as many that follow, justify a tuner; not positive: they
 * do.  The shortest ones count: a tuner cannot avoid that ranks wait for the last one. */
static int64_t calls_missing(const atn_driver *d, const atn_call_class *x, const int64_t sums[SUMS])
{
    const int64_t call_ns = sums[SUM_LEAST] / d->s.p + 1;
    return d->s.worth * sums[OF_COST] / call_ns - x->calls;
}

/* Answered by all ranks from what they share, without a further message. */
static void defer(const atn_call_class *x, int64_t missing, const int64_t sums[SUMS], atn_answer *a)
{
    static const int64_t most = INT32_MAX;
    const int64_t pause = missing > x->calls ? missing : x->calls;
    a->pause = pause < most ? pause : most;
    a->off.at = x->calls;
    a->seen_ps = sums[OF_SEEN];
    a->passed_ns = sums[OF_PASSED];
    a->overhead_ns = sums[OF_OVERHEAD];
}

/* Sizes of all ranks need an exchange, which must be long enough to gain from it; without it ranks
 * share the sizes. */
static void recognise(atn_driver *d, atn_call_class *x, const int64_t sums[SUMS])
{
    if (x->subject.q.bytes >= 0)
        atn_tune_patterns_recognise(d, x, atn_tune_patterns_recur(x), atn_tune_patterns_part(x));
    else if (sums[OF_MEANS] != 0 && sums[SUM_VOLUME] / d->s.p >= ATN_SHORT_BYTES)
        atn_tune_patterns_recognise(d, x, sums[SUM_RECUR] == d->s.p, sums[SUM_HASH]);
    else
        atn_tune_patterns_none(x);
}

/* False: there is no text, because sums failed or the class must wait. */
static bool weigh(atn_driver *d, atn_call_class *x, atn_answer *a)
{
    int64_t sums[SUMS];
    const bool weighed = is_weighed(d, x);
    if (!weighed && x->subject.q.bytes >= 0) {
        recognise(d, x, NULL);
        return true;
    }
    if (!add_up(d, x, sums))
        return false;
    d->worked_ns = d->weighed_ns;
    x->mean = mean_size(d, x, sums[SUM_VOLUME]);
    const int64_t missing = weighed ? calls_missing(d, x, sums) : 0;
    if (missing > 0)
        defer(x, missing, sums, a);
    else
        recognise(d, x, sums);
    return missing <= 0;
}

/* ---- the exchange ---- */

/* Collective; false: there is no text. */
static bool exchange(atn_driver *d, atn_call_class *x, atn_advice_request *y)
{
    y->answer = (atn_answer){.advice = ATN_ADVICE_LATER, .pause = 1};
    if (!weigh(d, x, &y->answer))
        return false;
    if (d->s.r == 0)
        write_advice(d, x, y);
    if (atn_tune_request_wait(y, 0, d->s.comm) != MPI_SUCCESS || y->answer.bytes == 0)
        return false;
    d->s.bcast(y->text, (int)y->answer.bytes, MPI_CHAR, 0, d->s.comm);
    return true;
}

atn_advice atn_tune_driver_advice(atn_driver *d, atn_call_class *x, atn_candidate_set *set_p)
{
    atn_large_request y;
    const bool received = exchange(d, x, &y.request);
    const atn_answer *const a = &y.request.answer;
    set_p->n = 0;
    if (received)
        atn_tune_candidate_set_read(x->subject.q.op, y.request.text, set_p);
    atn_tune_budget_elapsed(&d->tuners.budget, a->passed_ns);
    atn_tune_budget_overhead(&d->tuners.budget, a->overhead_ns);
    x->off = a->off;
    x->seen_ps = a->seen_ps;
    x->quiet = received ? 0 : a->pause;
    return (atn_advice)a->advice;
}
