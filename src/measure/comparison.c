/* comparison.c - see comparison.h. */
#include "measure/comparison.h"

#include <stdlib.h>

#include "measure/coordinator.h"

typedef struct {
    atn_caller *c;
    atn_compared *variants;
    const atn_overlap_setup *overlap;
    atn_turns turns;
    atn_sample_fn sample;
    void *context;
} comparison;

static bool begin(comparison *x, int n, const atn_turns_budget *budget)
{
    atn_turns_entrant *const v = calloc((size_t)n, sizeof *v);
    for (int i = 0; v != NULL && i < n; i++)
        v[i] = (atn_turns_entrant){.keep = x->variants[i].keep,
                                   .predicted_s = x->variants[i].predicted_s};
    const bool ok = v != NULL && atn_plan_turns_begin(&x->turns, v, n, budget);
    x->turns.v = v;
    return atn_measure_on_all_ranks(MPI_COMM_WORLD, ok);
}

static int end(comparison *x, int outcome)
{
    atn_plan_turns_end(&x->turns);
    free(x->turns.v);
    return outcome;
}

static void report(const comparison *x, int round, int i, double seconds)
{
    if (x->c->r == 0)
        x->sample(x->context, round, i, seconds);
}

static double time_of(comparison *x, int i)
{
    atn_compared *const v = &x->variants[i];
    if (x->overlap == NULL)
        return atn_measure_call_time(x->c, &v->callee);
    atn_measure_overlap_time(x->c, &v->callee, x->overlap, &v->last);
    return v->last.pure_s;
}

/* Checks the first call of each variant; false: its result is wrong. */
static bool call(comparison *x, int i)
{
    const atn_callee *const callee = &x->variants[i].callee;
    const int round = x->turns.round;
    bool right = true;
    x->c->imbalance.pattern = atn_max(0, round - 1);
    double seconds = 0;
    if (round == 0)
        seconds = atn_measure_call_check(x->c, callee, &right);
    if (round > 0 || x->overlap != NULL) /* the first sample may remain the only one */
        seconds = time_of(x, i);
    atn_plan_turns_took(&x->turns, i, seconds);
    if (round > 0)
        report(x, round, i, seconds);
    return right;
}

static void close_dropped(comparison *x)
{
    for (int i = 0; i < x->turns.n; i++)
        if (x->turns.v[i].out)
            atn_measure_callee_close(&x->variants[i].callee);
}

/* Where there was no time for a second call, the first one counts. */
static void report_first_calls(const comparison *x)
{
    for (int i = 0; i < x->turns.n; i++) {
        const atn_turns_entrant *const e = &x->turns.v[i];
        if (e->samples == 0 && e->first_s > 0 && !e->out)
            report(x, 0, i, e->first_s);
    }
}

int atn_measure_compare(atn_caller *c, atn_compared *variants, int n,
                        const atn_overlap_setup *overlap, const atn_turns_budget *budget,
                        atn_sample_fn sample, void *context)
{
    comparison x = {
        .c = c, .variants = variants, .overlap = overlap, .sample = sample, .context = context};
    int i, round = 0;
    if (!begin(&x, n, budget))
        return end(&x, ATN_COMPARISON_MEMORY);
    c->elapsed_s = 0;
    while ((i = atn_plan_turns_next(&x.turns, c->elapsed_s)) >= 0) {
        if (x.turns.round != round)
            close_dropped(&x);
        round = x.turns.round;
        if (!call(&x, i))
            break;
    }
    if (i < 0)
        report_first_calls(&x);
    return end(&x, i < 0 ? ATN_COMPARISON_OK : i);
}
