/* savings.c - what calls have cost or saved against native: income and expenses of the account.
 *
 * An expense is what was measured: the time of a trial beyond that of native.  Income is a lower
 * bound: the calls since the last round, each as short as the smallest so far, times the difference
 * between the fastest blocks of native and the slowest of the winner, or its mean over all timed
 * calls, if that is longer.  Both need several blocks, so a slow call of native is no income,
 * and calls count only after a later round has confirmed the time of the winner.  If it has become
 * slower than native, all calls since the last round are charged.
 *
 * Trials beside a winner that is faster than native lose nothing against native, but cost part of
 * what is saved: they are limited to a sixteenth of the time of the class, those on scratch data,
 * which help only later jobs, to half of that. */
#include "tune/tuner_private.h"

enum { WHOLE = 1000 };   /* share, per mille, of jobs that only tune */
enum { NOISE = 8 };      /* one part more is charged, because the time of native is uncertain */
enum { EXPLORING = 16 }; /* one part of the time of a class */

/* Total time of calls with this total weight. */
static int64_t all_ns(int64_t per_call_ps, int64_t weight)
{
    return (int64_t)((__int128)per_call_ps * weight / ATN_TUNE_WEIGHT / 1000);
}

/* The block of a candidate in the round; -1: none. */
static int block_of(const atn_tuner *t, int candidate)
{
    for (int i = 0; i < t->round.n; i++)
        if (t->round.block[i].candidate == candidate)
            return i;
    return -1;
}

/* The candidate whose calls cost or save: in doubt the winner, although native serves. */
static int served(const atn_tuner *t) { return t->s.shadow ? t->incumbent : t->winner; }

/* In this round, because the machine may have changed, else before. */
static int64_t winner_time(const atn_tuner *t, const int64_t *per_call_ps)
{
    const int i = block_of(t, t->winner);
    return i >= 0 ? per_call_ps[i] : atn_tune_candidate_median(&t->candidate[t->winner]);
}

int64_t atn_tune_savings_native(const atn_tuner *t)
{
    const atn_candidate_state *const native = &t->candidate[t->native];
    const int64_t winner_ps = atn_tune_candidate_median(&t->candidate[t->winner]);
    if (native->samples > 0)
        return atn_tune_candidate_median(native);
    const int64_t predicted_ps = native->is.predicted_ps;
    return predicted_ps > 0 && predicted_ps < winner_ps ? predicted_ps : winner_ps;
}

/* ---- rounds ---- */

/* Less than the time of native in any usual block; 0: there are too few. */
static int64_t native_low(const atn_tuner *t)
{
    const atn_candidate_state *const native = &t->candidate[t->native];
    return native->samples >= ATN_TUNE_ENOUGH ? atn_tune_candidate_range(native).low : 0;
}

static void charge_trial(atn_tuner *t, const atn_block *block, int64_t ns, int64_t native_ps,
                         int64_t winner_ps)
{
    const int64_t regret_ns = ns - all_ns(winner_ps, block->weight);
    if (winner_ps == 0)
        return;
    if (block->candidate != t->native) {
        const int64_t lost_ns = ns - all_ns(native_ps, block->weight);
        atn_tune_budget_lose(t->budget, lost_ns + lost_ns / NOISE);
        atn_tune_budget_earn(t->budget, all_ns(native_low(t), block->weight) - ns);
    }
    t->explored_ns += regret_ns > 0 ? regret_ns : 0;
}

/* Time of native, rather too short than too long: in this round, because the machine may have
 * changed, else before. */
static int64_t native_at_least(const atn_tuner *t, const int64_t *per_call_ps)
{
    const int beside = block_of(t, t->native);
    const atn_candidate_state *const native = &t->candidate[t->native];
    const int64_t usual_ps = atn_tune_savings_native(t),
                  doubt_ps =
                      native->samples > 0 ? usual_ps - atn_tune_candidate_range(native).low : 0,
                  ps = beside >= 0 ? per_call_ps[beside] : usual_ps;
    return ps > 0 ? ps - doubt_ps : winner_time(t, per_call_ps);
}

static void charge_scratch(atn_tuner *t, int64_t ns)
{
    atn_tune_budget_spend(t->budget, ns);
    t->explored_ns += ATN_TUNE_SCRATCH * ns;
}

/* Shadows cost all of their time. */
void atn_tune_savings_charge(atn_tuner *t, const int64_t *block_ns, const int64_t *per_call_ps)
{
    const int64_t winner_ps = winner_time(t, per_call_ps),
                  native_ps = native_at_least(t, per_call_ps);
    atn_tune_budget_spend(t->budget, t->agreement_ns);
    for (int i = 0; i < t->round.n; i++) {
        const atn_block *const block = &t->round.block[i];
        if (atn_tune_on_scratch(t, block->candidate))
            charge_scratch(t, block_ns[i]);
        else if (block->candidate != t->winner && block->candidate != t->incumbent)
            charge_trial(t, block, block_ns[i], native_ps, winner_ps);
    }
}

/* ---- the calls between rounds ---- */

/* At least as long as any usual block, the mean, and the time in this round. */
static int64_t served_high(const atn_tuner *t, int64_t now_ps)
{
    const int64_t high = atn_tune_candidate_range(&t->candidate[served(t)]).high;
    const int64_t mean =
        t->timed_weight > 0
            ? (int64_t)((__int128)t->timed_ns * 1000 * ATN_TUNE_WEIGHT / t->timed_weight)
            : 0;
    const int64_t most = high > mean ? high : mean;
    return most > now_ps ? most : now_ps;
}

/* A reduction whose result must not change cannot retreat to native: refraining from trials would
 * not help it. */
static void lose(atn_tuner *t, int64_t per_call_ps, int64_t weight)
{
    if (!t->s.shadow)
        atn_tune_budget_lose(t->budget, all_ns(per_call_ps, weight));
}

/* A single slow round does not decide: the next one compares the winner with native. */
static void settle_calls(atn_tuner *t, int64_t now_ps, int64_t native_now_ps)
{
    const atn_time_range usual = atn_tune_candidate_range(&t->candidate[t->native]),
                         own = atn_tune_candidate_range(&t->candidate[served(t)]);
    const int64_t high_ps = served_high(t, now_ps), weight = t->open_calls * t->least_weight;
    if (now_ps > usual.high && (!t->suspicious || native_now_ps == 0))
        return;
    if (now_ps > usual.high)
        lose(t, now_ps - native_now_ps, weight);
    else if (usual.low > high_ps)
        atn_tune_budget_earn(t->budget, all_ns(usual.low - high_ps, weight));
    else if (own.low > usual.high)
        lose(t, own.low - usual.low, weight);
    t->open_calls = 0;
}

/* Its time was measured. */
static void settle_block(atn_tuner *t, const atn_block *block, int64_t ns, int64_t native_now_ps)
{
    const int64_t high_ps = atn_tune_candidate_range(&t->candidate[t->native]).high,
                  native_ps = native_now_ps > 0 ? native_now_ps : high_ps;
    atn_tune_budget_earn(t->budget, all_ns(native_low(t), block->weight) - ns);
    if (native_ps > 0 && !t->s.shadow)
        atn_tune_budget_lose(t->budget, ns - all_ns(native_ps, block->weight));
}

void atn_tune_savings_settle(atn_tuner *t, const int64_t *block_ns, const int64_t *per_call_ps)
{
    const int own = block_of(t, served(t)), beside = block_of(t, t->native);
    t->unchecked = block_of(t, t->winner) >= 0 ? 0 : t->unchecked;
    t->worked_ns += all_ns(winner_time(t, per_call_ps), t->since * t->least_weight);
    if (own < 0 || served(t) == t->native) {
        t->open_calls = served(t) == t->native ? 0 : t->open_calls;
        return;
    }
    t->timed_ns += block_ns[own];
    t->timed_weight += t->round.block[own].weight;
    settle_block(t, &t->round.block[own], block_ns[own], beside >= 0 ? per_call_ps[beside] : 0);
    if (t->candidate[t->native].samples >= ATN_TUNE_ENOUGH &&
        t->candidate[served(t)].samples >= ATN_TUNE_ENOUGH)
        settle_calls(t, per_call_ps[own], beside >= 0 ? per_call_ps[beside] : 0);
}

void atn_tune_savings_replace(atn_tuner *t, int winner)
{
    const int64_t before_ps = atn_tune_candidate_median(&t->candidate[t->winner]),
                  now_ps = atn_tune_candidate_median(&t->candidate[winner]);
    if (winner == t->native && !t->s.shadow)
        atn_tune_budget_lose(t->budget,
                             all_ns(before_ps - now_ps, t->open_calls * t->least_weight));
    t->timed_ns = t->timed_weight = t->open_calls = 0;
}

int64_t atn_tune_savings_wait(const atn_tuner *t, int64_t regret_ns)
{
    const int64_t winner_ps = atn_tune_candidate_median(&t->candidate[t->winner]);
    if (regret_ns <= 0 || winner_ps <= 0 || t->budget->share >= WHOLE)
        return 0;
    const int64_t needed_ns = (t->explored_ns + regret_ns) * EXPLORING;
    const int64_t missing_ns =
        needed_ns - t->worked_ns - all_ns(winner_ps, t->since * ATN_TUNE_WEIGHT);
    return missing_ns > 0 ? (int64_t)((__int128)missing_ns * 1000 / winner_ps) + 1 : 0;
}
