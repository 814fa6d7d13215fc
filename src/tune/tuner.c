/* tuner.c - calls, blocks and rounds: when what runs and what is known of it.  What to compare is
 * decided by a procedure: race.c, star.c. */
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

/* ---- what is known of a candidate ---- */

void atn_candidate_record(atn_candidate_state *x, int64_t per_call_ps)
{
    x->kept[x->samples++ % ATN_TUNE_KEEP] = per_call_ps;
}

void atn_candidate_reset_pairs(atn_candidate_state *x) { x->wins = x->losses = x->clear = 0; }

void atn_candidate_reset(atn_candidate_state *x)
{
    x->samples = 0;
    x->out = false;
    atn_candidate_reset_pairs(x);
}

/* The kept times in order; how many. */
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

int64_t atn_candidate_median(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v);
    return n == 0 ? 0 : v[(n - 1) / 2];
}

int64_t atn_candidate_spread(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v), off = n / 6;
    return n == 0 ? 0 : (v[n - 1 - off] - v[off]) / 2;
}

/* ---- life ---- */

static const atn_procedure *const procedures[] = {
    [ATN_TUNE_RACE] = &atn_race,
    [ATN_TUNE_ALL] = &atn_star,
    [ATN_TUNE_GROUPED] = &atn_star,
    [ATN_TUNE_FIXED] = &atn_fixed,
};

static void plan(atn_tuner *t)
{
    t->round = (atn_round){.ratios = t->account->ratios};
    t->procedure->plan(t, &t->round);
}

atn_tuner *atn_tuner_new(const atn_tune_settings *s, atn_budget *account,
                         const atn_candidate *candidates, int n, int native, int start,
                         atn_tune_start kind, int64_t wise_ps)
{
    atn_tuner *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->s = *s;
    t->procedure = procedures[s->mode];
    t->agreement_ns = s->agreement_ns;
    t->account = account;
    t->n = atn_min(n, ATN_TUNE_CANDIDATES);
    for (int i = 0; i < t->n; i++)
        t->runner[i].is = candidates[i];
    t->native = native;
    t->incumbent = t->winner = start;
    t->start = kind;
    t->challenger = -1;
    t->watching = kind == ATN_START_WISE && wise_ps > 0;
    t->reference_ps = t->watching ? wise_ps : 0;
    t->tolerance_ps = t->reference_ps * s->drift / 1000;
    t->window = 2 * s->iterations;
    t->delta = 2;
    plan(t);
    return t;
}

static void release(atn_tuner *t)
{
    if (t->round.begun)
        t->account->reserved_ns -= t->round.cost_ns;
}

void atn_tuner_free(atn_tuner *t)
{
    if (t != NULL)
        release(t);
    free(t);
}

void atn_tuner_join(atn_tuner *t, const atn_candidate *candidate)
{
    if (t->n < ATN_TUNE_CANDIDATES)
        t->runner[t->n++].is = *candidate;
}

/* ---- calls ---- */

/* One call of the present block; true when the round ends with it. */
static bool advance(atn_round *round, int weight)
{
    atn_block *block = &round->block[round->at];
    block->weight += weight;
    if (++block->done == block->calls)
        round->at++;
    return round->at == round->n;
}

/* The model may have been found wrong elsewhere since the round was planned, and the credit be used
 * up. */
static void plan_again(atn_tuner *t)
{
    const atn_round *round = &t->round;
    const bool changed =
        round->ratios != t->account->ratios || (round->credit && atn_budget_left(t->account) < 0);
    if (round->quiet == 0 && !round->begun && changed)
        plan(t);
}

/* A round that others' rounds have made too expensive is put off call by call: else a program with
 * many sizes would try something new in all of them at once. */
static bool may_begin(atn_tuner *t)
{
    atn_budget *a = t->account;
    if (t->round.begun)
        return true;
    if (a->reserved_ns > 0 && atn_budget_left(a) < t->round.cost_ns)
        return false;
    a->reserved_ns += t->round.cost_ns;
    t->round.begun = true;
    return true;
}

atn_step atn_tuner_step(atn_tuner *t, int weight)
{
    atn_round *round = &t->round;
    atn_step step = {.candidate = t->incumbent, .shadow = -1, .block = -1};
    t->account->calls++;
    plan_again(t);
    if (round->quiet > 0) {
        round->quiet--;
    } else if (round->at < round->n && may_begin(t)) {
        const int candidate = round->block[round->at].candidate;
        step.block = round->at;
        if (!t->s.shadow)
            step.candidate = candidate;
        else if (candidate != t->incumbent) /* whose calls can be timed as they are */
            step.shadow = candidate;
        step.agree = advance(round, weight);
    }
    return step;
}

int64_t atn_tuner_untimed(const atn_tuner *t) { return t->round.quiet; }

void atn_tuner_skip(atn_tuner *t, int64_t calls)
{
    t->account->calls += calls;
    t->round.quiet -= calls;
}

/* What the winner takes: in this round, because the machine may have changed, else before. */
static int64_t usual(const atn_tuner *t, const int64_t per_call_ps[2])
{
    for (int i = 0; i < t->round.n; i++)
        if (t->round.block[i].candidate == t->winner)
            return per_call_ps[i];
    return atn_candidate_median(&t->runner[t->winner]);
}

/* Calls of so much weight together. */
static int64_t all_ns(int64_t per_call_ps, int64_t weight)
{
    return (int64_t)((__int128)per_call_ps * weight / ATN_TUNE_WEIGHT / 1000);
}

/* Regret: time beyond what the incumbent would have taken; shadows cost all of their time. */
static void charge(atn_tuner *t, const int64_t block_ns[2], const int64_t per_call_ps[2])
{
    const int64_t usual_ps = usual(t, per_call_ps);
    atn_budget_spend(t->account, t->agreement_ns);
    for (int i = 0; i < t->round.n; i++) {
        const atn_block *block = &t->round.block[i];
        if (t->s.shadow && block->candidate != t->incumbent)
            atn_budget_spend(t->account, block_ns[i]);
        else if (!t->s.shadow && block->candidate != t->winner && usual_ps > 0)
            atn_budget_spend(t->account, block_ns[i] - all_ns(usual_ps, block->weight));
    }
}

/* What is foreseen of native is what others would take: it does not tell how good the model is. */
static void note(atn_tuner *t, atn_candidate_state *x, int64_t per_call_ps)
{
    if (x->samples == 0 && x->is.predicted_ps > 0 && x != &t->runner[t->native])
        atn_budget_add_ratio(t->account, per_call_ps, x->is.predicted_ps);
    atn_candidate_record(x, per_call_ps);
}

void atn_tuner_feed(atn_tuner *t, const int64_t block_ns[2], int64_t elapsed_ns)
{
    int64_t per_call_ps[2] = {0, 0};
    const atn_round round = t->round;
    for (int i = 0; i < round.n; i++)
        if (round.block[i].weight > 0)
            per_call_ps[i] =
                (int64_t)((__int128)block_ns[i] * 1000 * ATN_TUNE_WEIGHT / round.block[i].weight);
    release(t);
    charge(t, block_ns, per_call_ps);
    atn_budget_elapsed(t->account, elapsed_ns);
    for (int i = 0; i < round.n; i++)
        note(t, &t->runner[round.block[i].candidate], per_call_ps[i]);
    t->procedure->take(t, &round, per_call_ps);
    plan(t);
}

void atn_tuner_agreement(atn_tuner *t, int64_t ns)
{
    t->agreement_ns = ns > t->s.agreement_ns ? ns : t->s.agreement_ns;
}

/* ---- looking ---- */

int atn_tuner_incumbent(const atn_tuner *t) { return t->incumbent; }
const char *atn_tuner_why(const atn_tuner *t) { return t->why; }
uint64_t atn_tuner_id(const atn_tuner *t, int candidate) { return t->runner[candidate].is.id; }

/* Order statistics: of five values all, of nine those without the first and the last. */
static int64_t interval(const atn_candidate_state *x)
{
    int64_t v[ATN_TUNE_KEEP] = {0};
    const int n = sorted(x, v), off = n / ATN_TUNE_KEEP;
    return n < ATN_INTERVAL_SAMPLES ? -1 : (v[n - 1 - off] - v[off]) / 2;
}

int64_t atn_tuner_time(const atn_tuner *t, int candidate, int64_t *ci_ps_p)
{
    const atn_candidate_state *const x = &t->runner[candidate];
    *ci_ps_p = interval(x);
    return *ci_ps_p >= 0 ? atn_candidate_median(x) : -1;
}

static int best_other(const atn_tuner *t, int best)
{
    int other = -1;
    for (int i = 0; i < t->n; i++)
        if (i != best && t->runner[i].samples > 0 &&
            (other < 0 ||
             atn_candidate_median(&t->runner[i]) < atn_candidate_median(&t->runner[other])))
            other = i;
    return other;
}

void atn_tuner_learned(const atn_tuner *t, atn_learned *learned_p)
{
    const int best = t->winner, next = best_other(t, best);
    const atn_candidate_state *x = &t->runner[best];
    *learned_p = (atn_learned){
        .best = best,
        .next = next,
        .best_ps = atn_candidate_median(x),
        .best_ci_ps = interval(x),
        .next_ps = next >= 0 ? atn_candidate_median(&t->runner[next]) : 0,
        .samples = x->samples,
        .settled = t->watching,
    };
}

static int tried(const atn_tuner *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += i != t->native && t->runner[i].samples > 0;
    return n;
}

/* Nothing is tried any more, or what was tried has to do. */
static atn_decision_is verdict_without(const atn_tuner *t)
{
    return tried(t) > 0 ? ATN_DECISION_SLOWER : ATN_DECISION_PREDICTED;
}

static atn_decision_is verdict_of(const atn_tuner *t, const atn_trial *next)
{
    if (t->incumbent != t->native)
        return ATN_DECISION_SERVES;
    if (t->winner != t->native)
        return ATN_DECISION_HELD;
    if (next->candidate < 0)
        return verdict_without(t);
    const bool begun = t->round.begun && t->round.n == 2;
    const bool waits = atn_budget_wait(t->account, next->regret_ns, t->agreement_ns) > 0;
    return waits && !begun && !t->round.credit ? ATN_DECISION_WAITING : ATN_DECISION_TRYING;
}

atn_decision atn_tuner_decision(const atn_tuner *t)
{
    const atn_trial next = t->procedure->next(t);
    atn_decision v = {.is = verdict_of(t, &next), .tried = tried(t), .of = t->n - 1};
    v.other = t->incumbent != t->native ? t->incumbent
              : t->winner != t->native  ? t->winner
                                        : best_other(t, t->native);
    v.other_ps = v.other >= 0 ? atn_candidate_median(&t->runner[v.other]) : 0;
    v.native_ps = atn_candidate_median(&t->runner[t->native]);
    v.cost_ns = next.regret_ns + t->agreement_ns;
    v.left_ns = atn_budget_left(t->account) - (next.regret_ns > 0 ? t->account->overhead_ns : 0);
    return v;
}

/* ---- the procedure that learns nothing ---- */

static void plan_nothing(atn_tuner *t, atn_round *round)
{
    round->quiet = INT64_MAX;
    t->why = "fixed";
}

static void take_nothing(atn_tuner *t, const atn_round *round, const int64_t per_call_ps[2])
{
    (void)t;
    (void)round;
    (void)per_call_ps;
}

static atn_trial next_nothing(const atn_tuner *t)
{
    (void)t;
    return (atn_trial){.candidate = -1};
}

const atn_procedure atn_fixed = {plan_nothing, take_nothing, next_nothing};
