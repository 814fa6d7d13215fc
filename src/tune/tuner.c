/* tuner.c - calls, blocks and rounds, and the measurements of candidates.  A procedure (race.c,
 * star.c) decides what to compare. */
#include "tune/tuner.h"

#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "tune/tuner_private.h"

const atn_tune_settings atn_tune_defaults = {
    .mode = ATN_TUNE_RACE,
    .margin = 30,
    .drift = 100,
    .iterations = 10,
    .agreement_ns = 20000,
};

/* ---- measurements of a candidate ---- */

void atn_tune_candidate_record(atn_candidate_state *x, int64_t per_call_ps)
{
    x->kept[x->samples++ % ATN_TUNE_KEEP] = per_call_ps;
}

void atn_tune_candidate_reset_pairs(atn_candidate_state *x) { x->wins = x->losses = x->clear = 0; }

void atn_tune_candidate_reset(atn_candidate_state *x)
{
    x->samples = 0;
    x->out = false;
    atn_tune_candidate_reset_pairs(x);
}

/* The kept times in ascending order; returns their number. */
static int sorted(const atn_candidate_state *x, int64_t v[ATN_TUNE_KEEP])
{
    const int n = x->samples < ATN_TUNE_KEEP ? (int)x->samples : ATN_TUNE_KEEP;
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && v[j - 1] > x->kept[i]; j--)
            v[j] = v[j - 1];
        v[j] = x->kept[i];
    }
    return n;
}

int64_t atn_tune_candidate_median(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v);
    return n == 0 ? 0 : v[(n - 1) / 2];
}

atn_time_range atn_tune_candidate_range(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v), off = n / 6;
    return n == 0 ? (atn_time_range){0, 0} : (atn_time_range){v[off], v[n - 1 - off]};
}

/* ---- begin and end ---- */

static const atn_procedure *const procedures[] = {
    [ATN_TUNE_RACE] = &atn_race,
    [ATN_TUNE_ALL] = &atn_star,
    [ATN_TUNE_GROUPED] = &atn_star,
    [ATN_TUNE_FIXED] = &atn_fixed,
};

static void plan(atn_tuner *t)
{
    t->round = (atn_tuning_round){.ratios = t->budget->ratios};
    t->procedure->plan(t, &t->round);
}

atn_tuner *atn_tune_tuner_new(const atn_tune_settings *s, atn_budget *budget,
                              const atn_candidate *candidates, int n, int native, int start,
                              atn_tune_start kind, int64_t wisdom_ps)
{
    atn_tuner *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->s = *s;
    t->procedure = procedures[s->mode];
    t->agreement_ns = s->agreement_ns;
    t->budget = budget;
    t->began = budget->calls;
    t->least_weight = ATN_TUNE_WEIGHT;
    t->n = atn_min(n, ATN_TUNE_CANDIDATES);
    for (int i = 0; i < t->n; i++)
        t->candidate[i].is = candidates[i];
    t->native = native;
    t->incumbent = t->winner = start;
    t->start = kind;
    t->challenger = -1;
    t->monitoring = kind == ATN_START_WISE && wisdom_ps > 0;
    t->reference_ps = t->monitoring ? wisdom_ps : 0;
    t->tolerance_ps = t->reference_ps * s->drift / 1000;
    t->window = 2 * s->iterations;
    t->delta = 2;
    plan(t);
    return t;
}

static void release(atn_tuner *t)
{
    if (!t->round.begun)
        return;
    t->budget->reserved_ns -= t->round.cost_ns;
    t->budget->first -= t->round.first;
}

void atn_tune_tuner_free(atn_tuner *t)
{
    if (t != NULL) {
        release(t);
        atn_tune_budget_withdraw(t->budget, t);
    }
    free(t);
}

void atn_tune_tuner_join(atn_tuner *t, const atn_candidate *candidate)
{
    if (t->n < ATN_TUNE_CANDIDATES)
        t->candidate[t->n++].is = *candidate;
}

/* ---- calls ---- */

/* One call of the current block; true when the round ends with it. */
static bool advance(atn_tuning_round *round, int weight)
{
    atn_block *block = &round->block[round->at];
    block->weight += weight;
    if (++block->done == block->calls)
        round->at++;
    return round->at == round->n;
}

/* Since the round was planned, other sizes may have shown an error of the model, the credit may
 * have been used up, or it has waited so long that the winner is to be checked. */
static void plan_again(atn_tuner *t)
{
    const atn_tuning_round *round = &t->round;
    const bool changed = round->ratios != t->budget->ratios ||
                         (round->credit && atn_tune_budget_left(t->budget) < 0) ||
                         (round->patience > 0 && t->unchecked >= round->patience);
    if (round->untimed == 0 && !round->begun && changed)
        plan(t);
}

/* Calls of the communicator for each call of the class. */
static int64_t interval(const atn_tuner *t)
{
    return t->calls > 0 ? (t->budget->calls - t->began) / t->calls + 1 : 1;
}

/* Calls until the budget is examined again: rarely enough to cost nothing. */
static int64_t postponed(const atn_tuner *t)
{
    static const int64_t pause_ps = INT64_C(1000000000);
    const int64_t ps = atn_tune_candidate_median(&t->candidate[t->winner]);
    return ps > 0 ? pause_ps / ps : 0;
}

/* How much the class would gain for the cost of its next trial. */
static atn_bid bid_of(const atn_tuner *t)
{
    const __int128 gain = (__int128)t->round.saving_ps * 1000000 / interval(t);
    const int64_t cost = t->round.loss_ns + t->agreement_ns, absent = 4 + postponed(t);
    return (atn_bid){.of = t,
                     .priority = gain / cost > INT64_MAX ? INT64_MAX : (int64_t)(gain / cost),
                     .cost_ns = cost,
                     .until = t->budget->calls + absent * interval(t)};
}

/* First calls of candidates may be slower than expected: one at a time, unless much is left. */
static bool is_covered(atn_tuner *t)
{
    enum { CAREFUL = 8 };
    const atn_tuning_round *const round = &t->round;
    atn_budget *const b = t->budget;
    if (round->cost_ns == 0)
        return true;
    if (round->first && b->first && atn_tune_budget_left(b) < CAREFUL * round->cost_ns)
        return false;
    if (round->credit)
        return b->reserved_ns == 0 || atn_tune_budget_left(b) >= round->cost_ns;
    if (atn_tune_savings_wait(t, round->regret_ns) > 0)
        return false;
    int64_t others = 0;
    if (round->loss_ns > 0) {
        const atn_bid bid = bid_of(t);
        others = atn_tune_budget_bid(b, &bid);
    }
    return atn_tune_budget_wait(b, round->loss_ns, t->agreement_ns + others) == 0;
}

/* A round that the budget does not cover, possibly because of other rounds, is postponed: else a
 * program with many sizes would start trials of all of them at once. */
static bool may_begin(atn_tuner *t)
{
    if (t->round.begun)
        return true;
    if (!is_covered(t)) {
        t->round.untimed = postponed(t);
        return false;
    }
    atn_tune_budget_withdraw(t->budget, t);
    t->budget->reserved_ns += t->round.cost_ns;
    t->budget->first += t->round.first;
    t->round.begun = true;
    return true;
}

static void count_calls(atn_tuner *t, int64_t calls)
{
    t->budget->calls += calls;
    t->calls += calls;
    t->since += calls;
    t->unchecked += calls;
    t->compared += calls;
}

static void count_untimed(atn_tuner *t, int64_t calls)
{
    t->open_calls += t->s.shadow || t->incumbent == t->winner ? calls : 0;
}

atn_step atn_tune_tuner_step(atn_tuner *t, int weight)
{
    atn_tuning_round *round = &t->round;
    atn_step step = {.candidate = t->incumbent, .shadow = -1, .block = -1, .sample = -1};
    count_calls(t, 1);
    plan_again(t);
    if (round->untimed > 0) {
        round->untimed--;
    } else if (round->at < round->n && may_begin(t)) {
        const int candidate = round->block[round->at].candidate;
        step.block = round->stage ? 0 : round->at;
        if (round->stage)
            step.sample = round->at * t->s.iterations + round->block[round->at].done;
        if (atn_tune_on_scratch(t, candidate))
            step.shadow = candidate;
        else
            step.candidate = candidate;
        step.agree = advance(round, weight);
    }
    if (step.block < 0)
        count_untimed(t, 1);
    else /* other calls may not be steps on all ranks */
        t->least_weight = atn_min(t->least_weight, weight);
    return step;
}

int64_t atn_tune_tuner_untimed(const atn_tuner *t) { return t->round.untimed; }

void atn_tune_tuner_skip(atn_tuner *t, int64_t calls)
{
    count_calls(t, calls);
    count_untimed(t, calls);
    t->round.untimed -= calls;
}

/* The prediction of native is that of other algorithms: it does not measure the model. */
static void note(atn_tuner *t, atn_candidate_state *x, int64_t per_call_ps)
{
    const bool first = x->samples == 0 && x != &t->candidate[t->native];
    if (first && x->is.predicted_ps > 0)
        atn_tune_budget_add_ratio(t->budget, per_call_ps, x->is.predicted_ps);
    else if (first)
        atn_tune_budget_add_slowdown(t->budget, per_call_ps, atn_tune_savings_native(t));
    atn_tune_candidate_record(x, per_call_ps);
}

/* The time of `calls` calls of a block as that of one with weight 1. */
static int64_t per_call(const atn_block *block, int64_t ns, int calls)
{
    const __int128 ps = (__int128)ns * 1000 * ATN_TUNE_WEIGHT * block->calls;
    return block->weight > 0 ? (int64_t)(ps / block->weight / calls) : 0;
}

static void end_round(atn_tuner *t, const int64_t *block_ns, const int64_t *per_call_ps,
                      int64_t elapsed_ns)
{
    const atn_tuning_round round = t->round;
    release(t);
    atn_tune_savings_charge(t, block_ns, per_call_ps);
    atn_tune_budget_elapsed(t->budget, elapsed_ns);
    for (int i = 0; i < round.n; i++)
        note(t, &t->candidate[round.block[i].candidate], per_call_ps[i]);
    atn_tune_savings_settle(t, block_ns, per_call_ps);
    t->since = 0;
    t->procedure->take(t, &round, per_call_ps);
    plan(t);
}

void atn_tune_tuner_feed(atn_tuner *t, const int64_t block_ns[2], int64_t elapsed_ns)
{
    int64_t per_call_ps[2] = {0, 0};
    for (int i = 0; i < t->round.n; i++)
        per_call_ps[i] = per_call(&t->round.block[i], block_ns[i], t->round.block[i].calls);
    end_round(t, block_ns, per_call_ps, elapsed_ns);
}

int atn_tune_tuner_stage(const atn_tuner *t)
{
    return t->round.stage ? t->round.n * t->s.iterations : 0;
}

/* Of each candidate the shortest call counts. */
void atn_tune_tuner_feed_stage(atn_tuner *t, const int64_t *sample_ns, int64_t elapsed_ns)
{
    int64_t block_ns[ATN_TUNE_CANDIDATES] = {0}, per_call_ps[ATN_TUNE_CANDIDATES] = {0};
    for (int i = 0; i < t->round.n; i++) {
        const int64_t *const of = sample_ns + i * t->s.iterations;
        int64_t least_ns = of[0];
        for (int k = 0; k < t->s.iterations; k++) {
            block_ns[i] += of[k];
            least_ns = of[k] < least_ns ? of[k] : least_ns;
        }
        per_call_ps[i] = per_call(&t->round.block[i], least_ns, 1);
    }
    end_round(t, block_ns, per_call_ps, elapsed_ns);
}

void atn_tune_tuner_agreement(atn_tuner *t, int64_t ns)
{
    t->agreement_ns = ns > t->s.agreement_ns ? ns : t->s.agreement_ns;
}

/* ---- queries ---- */

int atn_tune_tuner_incumbent(const atn_tuner *t) { return t->incumbent; }
const char *atn_tune_tuner_why(const atn_tuner *t) { return t->why; }
uint64_t atn_tune_tuner_id(const atn_tuner *t, int candidate)
{
    return t->candidate[candidate].is.id;
}

int atn_tune_tuner_ratio(const atn_tuner *t, uint64_t id)
{
    const int64_t native_ps = atn_tune_candidate_median(&t->candidate[t->native]);
    for (int i = 0; i < t->n && native_ps > 0; i++) {
        const __int128 ps = atn_tune_candidate_median(&t->candidate[i]);
        if (t->candidate[i].is.id == id && ps < (__int128)native_ps * 1000)
            return (int)(ps * 1000 / native_ps);
    }
    return 0;
}

/* Order statistics: the range of five values; of nine, without the first and the last. */
static int64_t half_interval(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v), off = n / ATN_TUNE_KEEP;
    return n < ATN_INTERVAL_SAMPLES ? -1 : (v[n - 1 - off] - v[off]) / 2;
}

static int best_other(const atn_tuner *t, int best)
{
    int other = -1;
    for (int i = 0; i < t->n; i++)
        if (i != best && t->candidate[i].samples > 0 &&
            (other < 0 || atn_tune_candidate_median(&t->candidate[i]) <
                              atn_tune_candidate_median(&t->candidate[other])))
            other = i;
    return other;
}

void atn_tune_tuner_result(const atn_tuner *t, atn_tuner_result *result_p)
{
    const int best = t->winner, next = best_other(t, best);
    const atn_candidate_state *x = &t->candidate[best];
    *result_p = (atn_tuner_result){
        .best = best,
        .next = next,
        .best_ps = atn_tune_candidate_median(x),
        .best_ci_ps = half_interval(x),
        .next_ps = next >= 0 ? atn_tune_candidate_median(&t->candidate[next]) : 0,
        .samples = x->samples,
        .settled = t->monitoring,
    };
}

/* No trial follows. */
static atn_decision_is decision_without_trial(const atn_tuner *t)
{
    return atn_tune_expect_measured(t) > 0 ? ATN_DECISION_SLOWER : ATN_DECISION_PREDICTED;
}

static atn_decision_is decision_of(const atn_tuner *t, const atn_next_trial *next)
{
    if (t->incumbent != t->native)
        return ATN_DECISION_SERVES;
    if (t->winner != t->native)
        return ATN_DECISION_HELD;
    if (next->candidate < 0)
        return decision_without_trial(t);
    const bool begun = t->round.begun && t->round.n == 2;
    const bool waits = atn_tune_budget_wait(t->budget, next->loss_ns, t->agreement_ns) > 0;
    return waits && !begun && !t->round.credit ? ATN_DECISION_WAITING : ATN_DECISION_TRYING;
}

atn_decision atn_tune_tuner_decision(const atn_tuner *t)
{
    const atn_next_trial next = t->procedure->next(t);
    atn_decision d = {
        .is = decision_of(t, &next), .tried = atn_tune_expect_measured(t), .of = t->n - 1};
    d.other = t->incumbent != t->native ? t->incumbent
              : t->winner != t->native  ? t->winner
                                        : best_other(t, t->native);
    d.other_ps = d.other >= 0 ? atn_tune_candidate_median(&t->candidate[d.other]) : 0;
    d.native_ps = atn_tune_candidate_median(&t->candidate[t->native]);
    d.cost_ns = next.loss_ns + t->agreement_ns;
    d.left_ns = atn_tune_budget_left(t->budget) - (next.loss_ns > 0 ? t->budget->overhead_ns : 0);
    return d;
}

/* ---- the procedure without tuning ---- */

static void plan_nothing(atn_tuner *t, atn_tuning_round *round)
{
    round->untimed = INT64_MAX;
    t->why = "fixed";
}

static void take_nothing(atn_tuner *t, const atn_tuning_round *round, const int64_t *per_call_ps)
{
    (void)t;
    (void)round;
    (void)per_call_ps;
}

static atn_next_trial next_nothing(const atn_tuner *t)
{
    (void)t;
    return (atn_next_trial){.candidate = -1};
}

const atn_procedure atn_fixed = {plan_nothing, take_nothing, next_nothing};
