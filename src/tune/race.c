/* race.c - the default procedure: races within a budget, then monitoring.
 *
 * Baseline: the first candidate of the tuner is timed and is the winner for now.  Races: the most
 * promising candidate, if it may be faster by more than the margin, runs in blocks interleaved with
 * the winner until the sign test (sign.h) adopts or drops it, or until native is obviously slower;
 * a round begins only when the budget covers what it may lose against native.  Monitoring: checks
 * of the winner at growing intervals, at some of them together with its strongest rival; when its
 * time has changed twice in a row, the races start again.  While a race waits for budget the winner
 * is monitored as well.  A winner that seems to have become slower than native does not serve until
 * the next round has compared both: native never loses. */
#include "tune/sign.h"
#include "tune/tuner_private.h"

static const int64_t block_ps = INT64_C(200000000);  /* approximate length of a block */
static const int64_t long_ps = INT64_C(20000000000); /* calls: more than usual arrival skews */
enum { BLOCK_LEAST = 6, BLOCK_LONG = 2, BLOCK_CALLS = 16 };
enum { HOPELESS = 1500 }; /* per mille of the winner */
enum { OBVIOUS = 2 };     /* pairs that decide when all were won by that factor */
enum { CERTAIN = 3000 };  /* per mille: one such pair decides if it was predicted */
enum { BEHIND = 1250 };   /* per mille of native: the winner does not serve for now */
enum { VAIN = 4 };        /* measured candidates that halve the promise of others */
enum { CHECKS = 16 };     /* a winner is checked after one part of the calls so far */
enum { AGREED = 32 };     /* its calls take this many times as long as the agreement at least */
enum { TRUSTED = 1000 };  /* error of a prediction, per mille, below which a trial starts at once */
static const int64_t longest_window = INT64_C(1) << 20;

/* From calls on the communicator to calls of the class. */
static int64_t own_calls(const atn_tuner *t, int64_t calls)
{
    const int64_t all = t->budget->calls - t->began;
    if (calls == INT64_MAX || all <= t->calls)
        return calls;
    return (int64_t)((__int128)calls * t->calls / all) + (calls > 0);
}

/* Calls until the budget covers a round with the candidate. */
static int64_t wait_for(const atn_tuner *t, int i, int calls)
{
    const int64_t budget =
        atn_tune_budget_wait(t->budget, atn_tune_expect_loss(t, i) * calls / 1000, t->agreement_ns);
    const int64_t own = own_calls(t, budget),
                  worth = atn_tune_savings_wait(t, atn_tune_expect_regret(t, i) * calls / 1000);
    return own > worth ? own : worth;
}

/* ---- rounds ---- */

/* A call may overlap with the next one on other ranks, and an algorithm that is fast once may be
 * slow when repeated: single calls are not representative. */
static int block_calls(const atn_tuner *t, int64_t least)
{
    const int64_t ps = atn_tune_expect_winner(t);
    if (ps > long_ps && least > BLOCK_LONG)
        least = BLOCK_LONG;
    const int64_t calls = ps > 0 ? block_ps / ps + least : 1;
    return calls > BLOCK_CALLS ? BLOCK_CALLS : (int)calls;
}

/* The first trial of a candidate is one call, so that at most one call can be slower than
 * predicted.  Native, once it was beaten, gets short blocks, too. */
static int calls_of(const atn_tuner *t, int i)
{
    return t->candidate[i].samples == 0 ? 1 : block_calls(t, i == t->native ? 1 : BLOCK_LEAST);
}

/* Whether the winner seems to be slower than another one by the factor that makes it hopeless. */
static bool far_behind(const atn_tuner *t, int other)
{
    const atn_candidate_state *const x = &t->candidate[other];
    return x->samples > 0 &&
           atn_tune_expect_winner(t) > atn_tune_candidate_median(x) * HOPELESS / 1000;
}

/* As many calls as the other one has: the more calls, the smaller the share of the initial arrival
 * skew in each.  Fewer calls of native where it is far behind. */
static int calls_beside(const atn_tuner *t, int other)
{
    return t->winner == t->native && far_behind(t, other) ? block_calls(t, 1) : calls_of(t, other);
}

static void add_block(atn_tuning_round *round, int candidate, int calls)
{
    round->block[round->n++] = (atn_block){.candidate = candidate, .calls = calls};
}

/* Calls until the next check of a winner that is not safe: what it costs is little, and what a
 * change may cost before it is detected is little of what was saved before. */
static int64_t check_pause(const atn_tuner *t)
{
    const int64_t ps = atn_tune_expect_winner(t), part = t->calls / CHECKS;
    const int64_t least = ps > 0 ? AGREED * 1000 * t->agreement_ns / ps + 2 : 2;
    return part > least ? part : least;
}

/* Checks use some of the budget that the race waits for: the first ones are rarer than others. */
static int64_t check_interval(const atn_tuner *t)
{
    const int64_t least = 8 * t->s.iterations;
    return !atn_tune_expect_safe(t) ? check_pause(t) : t->window < least ? least : t->window;
}

/* Whether a first trial needs no block of the winner beside it. */
static bool is_known(const atn_tuner *t)
{
    return !t->s.shadow && t->candidate[t->winner].samples >= ATN_TUNE_ENOUGH &&
           (atn_tune_expect_safe(t) || t->unchecked < check_interval(t));
}

/* The order of both blocks alternates.  A first trial may be slower than predicted by a call; it
 * needs no block of a winner that is well known. */
static void plan_pair(atn_tuner *t, int other, atn_tuning_round *round)
{
    const bool new = t->candidate[other].samples == 0;
    const int calls = calls_of(t, other);
    round->loss_ns = atn_tune_expect_loss(t, other) * calls / 1000;
    round->regret_ns = atn_tune_expect_regret(t, other) * calls / 1000;
    round->saving_ps =
        atn_tune_expect_saving(t, other) * VAIN / (VAIN + atn_tune_expect_measured(t));
    round->cost_ns =
        t->agreement_ns + round->loss_ns + (new ? atn_tune_expect_winner(t) / 1000 : 0);
    round->first = new &&other != t->native;
    const bool first = t->candidate[other].samples % 2 == 0;
    if (first)
        add_block(round, other, calls);
    if (!round->first || !is_known(t))
        add_block(round, t->winner, calls_beside(t, other));
    if (!first)
        add_block(round, other, calls);
}

/* What a trial promises for its cost: the saving of one later call, per million.  Its calls count
 * as a cost, because others could run in their place. */
static int64_t promise_of(const atn_tuner *t, int i)
{
    const int64_t calls = calls_of(t, i), agreement_ps = 1000 * (t->agreement_ns + 1);
    const int64_t cost =
        (atn_tune_expect_loss(t, i) + atn_tune_expect_regret(t, i) + atn_tune_expect_winner(t)) *
            calls +
        agreement_ps;
    return (int64_t)((__int128)atn_tune_expect_saving(t, i) * 1000000 / cost);
}

/* Where results must not change but several candidates may serve, these come first, because only
 * they help this run; and native once, for comparison. */
static bool comes_later(const atn_tuner *t, int i)
{
    return t->candidate[t->incumbent].is.same_bits && atn_tune_on_scratch(t, i) &&
           (i != t->native || t->candidate[i].samples > 0);
}

/* a before b: native if the start was not measured, then what promises most. */
static bool goes_first(const atn_tuner *t, int a, int b)
{
    if (comes_later(t, a) != comes_later(t, b))
        return comes_later(t, b);
    if (t->start == ATN_START_BORROWED && (a == t->native || b == t->native))
        return a == t->native;
    return promise_of(t, a) > promise_of(t, b);
}

/* The first one; `free`: of those that lose nothing and need not wait. */
static int first_challenger(const atn_tuner *t, bool free)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && !t->candidate[i].out && atn_tune_expect_worth(t, i) &&
            (!free || (atn_tune_expect_loss(t, i) == 0 && wait_for(t, i, calls_of(t, i)) == 0)) &&
            (best < 0 || goes_first(t, i, best)))
            best = i;
    return best;
}

static int next_challenger(const atn_tuner *t)
{
    const int best = first_challenger(t, false);
    if (best < 0 || wait_for(t, best, calls_of(t, best)) == 0)
        return best;
    const int meanwhile = first_challenger(t, true);
    return meanwhile >= 0 ? meanwhile : best;
}

/* A winner that may have become slower than native is timed whatever is left of the budget. */
static void plan_baseline(atn_tuner *t, int64_t untimed, atn_tuning_round *round)
{
    const int64_t wait = own_calls(t, atn_tune_budget_wait(t->budget, 0, t->agreement_ns));
    const bool must = !atn_tune_expect_safe(t) && t->candidate[t->winner].samples > 0;
    round->untimed = wait > untimed && !must ? wait : untimed;
    if (round->untimed > longest_window)
        round->untimed = longest_window;
    round->cost_ns = must ? 0 : t->agreement_ns;
    add_block(round, t->winner, block_calls(t, BLOCK_LEAST));
}

/* Expected time of the winner and its normal deviation.  First blocks may be slow and are not
 * enough for that. */
static void set_reference(atn_tuner *t)
{
    const bool enough = t->candidate[t->winner].samples >= ATN_TUNE_ENOUGH;
    const atn_time_range range = atn_tune_candidate_range(&t->candidate[t->winner]);
    const int64_t usual = atn_tune_expect_winner(t), spread = range.high - range.low;
    const int64_t least = usual * t->s.drift / 1000, most = usual / 2;
    t->reference_ps = enough ? usual : 0;
    t->tolerance_ps = spread < least ? least : spread > most ? most : spread;
}

/* Whether no change so far can have made the winner slower than another one. */
static bool is_out_of_reach(const atn_tuner *t, int other)
{
    const atn_time_range own = atn_tune_candidate_range(&t->candidate[t->winner]),
                         its = atn_tune_candidate_range(&t->candidate[other]);
    return own.high > 0 && its.low > own.high * HOPELESS / 1000;
}

/* The winner seems to have changed.  A short block of native beside it shows which one is to serve;
 * it begins whatever is left of the budget. */
static bool plan_doubt(atn_tuner *t, atn_tuning_round *round)
{
    const int calls = block_calls(t, 1);
    if (!t->suspicious || atn_tune_expect_safe(t) || is_out_of_reach(t, t->native))
        return false;
    add_block(round, t->native, calls);
    add_block(round, t->winner, calls);
    t->why = "the time of the winner has changed";
    return true;
}

static void plan_check(atn_tuner *t, atn_tuning_round *round)
{
    if (!t->suspicious)
        set_reference(t);
    if (!plan_doubt(t, round))
        plan_baseline(t, 0, round);
    t->why = "a race waits for budget";
}

/* The budget may cover it sooner than expected, because of what is saved meanwhile. */
static void plan_race(atn_tuner *t, int challenger, atn_tuning_round *round)
{
    const int64_t interval = check_interval(t),
                  wait = wait_for(t, challenger, calls_of(t, challenger));
    if (t->suspicious || (t->unchecked >= interval && wait > 0)) {
        plan_check(t, round);
        return;
    }
    if (atn_tune_expect_loss(t, challenger) > 0 &&
        t->candidate[t->winner].samples < ATN_TUNE_ENOUGH && !t->s.shadow) {
        plan_baseline(t, 0, round); /* what a trial loses must be known */
        t->why = "timing the first candidate";
        return;
    }
    plan_pair(t, challenger, round);
    round->patience = interval;
    t->why = wait > interval ? "a race waits for budget" : "a race";
}

/* The fastest other one that was measured, unless it is out of reach; native if it was not measured
 * yet. */
static int rival(const atn_tuner *t)
{
    int best = -1;
    if (t->native != t->winner && t->candidate[t->native].samples == 0)
        return t->native;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && t->candidate[i].samples > 0 && !is_out_of_reach(t, i) &&
            (best < 0 || atn_tune_candidate_median(&t->candidate[i]) <
                             atn_tune_candidate_median(&t->candidate[best])))
            best = i;
    return best;
}

static void plan_monitoring(atn_tuner *t, atn_tuning_round *round)
{
    const int other = rival(t);
    const int64_t left = t->window > t->compared ? t->window - t->compared : 0,
                  pause = atn_tune_expect_safe(t) ? left : check_pause(t);
    if (t->reference_ps == 0)
        set_reference(t);
    t->why = "monitoring";
    if (plan_doubt(t, round))
        return;
    if (other >= 0 && !t->suspicious && left <= pause &&
        wait_for(t, other, calls_of(t, other)) <= left) {
        round->untimed = left;
        plan_pair(t, other, round);
    } else {
        plan_baseline(t, t->suspicious ? 0 : pause, round);
    }
}

static void begin_monitoring(atn_tuner *t)
{
    t->monitoring = true;
    t->suspicious = false;
    set_reference(t);
}

/* The first call of what wisdom selected sets up connections, as no call of the program before. */
static bool starts_cold(const atn_tuner *t)
{
    return t->start != ATN_START_NATIVE && t->calls == 0 &&
           t->candidate[t->native].is.predicted_ps <= 0;
}

/* The best candidate with a prediction from measured parameters gets one call on credit next to the
 * first one of native, so that short jobs gain, too: only if its worst case is faster than the
 * calls so far, not for all sizes at once, and no longer when the credit is used up. */
static int promising(const atn_tuner *t)
{
    int best = -1;
    for (int i = 0; i < t->n && t->start == ATN_START_NATIVE; i++) {
        const atn_candidate *is = &t->candidate[i].is;
        if (i != t->winner && is->predicted_ps > 0 && is->error < TRUSTED &&
            (best < 0 || is->predicted_ps < t->candidate[best].is.predicted_ps))
            best = i;
    }
    const bool safe =
        best >= 0 && (t->s.seen_ps == 0 || atn_tune_expect_worst(t, best) < t->s.seen_ps);
    return t->s.shadow || !safe ? -1 : best;
}

static void plan_first(atn_tuner *t, atn_tuning_round *round)
{
    const int other = promising(t);
    plan_baseline(t, starts_cold(t) ? 1 : 0, round);
    t->why = "timing the first candidate";
    if (other < 0 || round->untimed > 0 || atn_tune_budget_left(t->budget) < 0)
        return;
    round->credit = round->first = true;
    round->cost_ns += atn_tune_expect_worst(t, other) / 1000;
    add_block(round, other, 1);
}

/* The first call of a candidate that only the model selected sets up connections: two more calls
 * run before native, which is predicted to be slower, is measured. */
static bool plan_second(atn_tuner *t, atn_tuning_round *round)
{
    const bool predicted =
        t->start == ATN_START_BORROWED && t->candidate[t->native].is.predicted_ps > 0;
    if (!predicted || t->winner == t->native || t->candidate[t->winner].samples != 1)
        return false;
    round->cost_ns = t->agreement_ns;
    add_block(round, t->winner, 2);
    t->why = "timing the first candidate";
    return true;
}

/* Whether the class began with another candidate and native takes far longer: another measurement
 * of native would cost more than it could show. */
static bool is_plain(const atn_tuner *t)
{
    enum { FAR = 2 };
    return t->start == ATN_START_BORROWED &&
           atn_tune_candidate_median(&t->candidate[t->native]) > FAR * atn_tune_expect_winner(t);
}

/* Savings are measured against several blocks of native (savings.c). */
static bool plan_native(atn_tuner *t, atn_tuning_round *round)
{
    const int64_t samples = t->candidate[t->native].samples;
    if (atn_tune_expect_safe(t) || t->suspicious || t->start == ATN_START_WISE || samples == 0 ||
        samples >= ATN_TUNE_ENOUGH || is_plain(t))
        return false;
    plan_pair(t, t->native, round);
    t->why = "timing native";
    return true;
}

static void plan_round(atn_tuner *t, atn_tuning_round *round)
{
    if (t->candidate[t->winner].samples == 0) {
        plan_first(t, round);
        return;
    }
    if (plan_second(t, round) || plan_native(t, round))
        return;
    const int challenger = t->monitoring ? t->challenger : next_challenger(t);
    if (challenger >= 0) {
        plan_race(t, challenger, round);
        return;
    }
    if (!t->monitoring)
        begin_monitoring(t);
    plan_monitoring(t, round);
}

/* ---- results ---- */

static bool beats(const atn_tuner *t, int64_t ps, int64_t other_ps)
{
    return ps * 1000 < other_ps * (1000 - t->s.margin);
}

static void adopt(atn_tuner *t, int winner)
{
    atn_tune_savings_replace(t, winner);
    t->winner = winner;
    if (!atn_tune_on_scratch(t, winner))
        t->incumbent = winner;
    for (int i = 0; i < t->n; i++)
        atn_tune_candidate_reset_pairs(&t->candidate[i]);
    t->challenger = -1;
    t->monitoring = t->suspicious = false;
    t->reference_ps = 0;
    t->window = 2 * t->s.iterations;
    t->compared = 0;
}

static void drop(atn_tuner *t, int loser)
{
    t->candidate[loser].out = true;
    atn_tune_candidate_reset_pairs(&t->candidate[loser]);
    t->challenger = -1;
}

/* So slow in its first pair that it is dropped, unless the model predicted the opposite. */
static bool is_hopeless(const atn_tuner *t, const atn_candidate_state *x, int64_t challenger_ps,
                        int64_t winner_now_ps)
{
    const int64_t worst_ps = x->is.predicted_ps * (1000 + x->is.error) / 1000;
    const bool predicted =
        x->is.predicted_ps > 0 && worst_ps < atn_tune_expect_winner(t) && x->losses < 2;
    return x->wins == 0 && !predicted && challenger_ps > winner_now_ps * HOPELESS / 1000;
}

/* Faster than native, or native faster than the choice of the model, by the factor that makes
 * others hopeless: in several pairs, or in the first one as predicted from measured parameters.
 * Further pairs would cost more than a wrong decision, which monitoring would detect. */
static bool is_obvious(const atn_tuner *t, atn_candidate_state *x, int64_t challenger_ps,
                       int64_t winner_now_ps)
{
    const int64_t most_ps = x->is.predicted_ps * (1000 + x->is.error) / 1000;
    const bool predicted = most_ps > 0 && most_ps < winner_now_ps && x->is.error < TRUSTED;
    if (predicted && winner_now_ps > challenger_ps * CERTAIN / 1000)
        x->clear += OBVIOUS;
    else if (winner_now_ps > challenger_ps * HOPELESS / 1000)
        x->clear++;
    const bool between = t->winner == t->native || x == &t->candidate[t->native];
    return between && x->losses == 0 && x->clear >= OBVIOUS;
}

/* Whether a candidate that may serve has yet to race against the incumbent: until then one that may
 * not must not become the winner, which others would have to beat. */
static bool is_too_early(const atn_tuner *t, int challenger)
{
    if (!t->candidate[t->incumbent].is.same_bits || !atn_tune_on_scratch(t, challenger))
        return false;
    const int next = next_challenger(t);
    return next >= 0 && !atn_tune_on_scratch(t, next);
}

static void judge_pair(atn_tuner *t, int challenger, int64_t challenger_ps, int64_t winner_now_ps)
{
    atn_candidate_state *x = &t->candidate[challenger];
    if (beats(t, challenger_ps, winner_now_ps))
        x->wins++;
    else
        x->losses++;
    if (is_too_early(t, challenger))
        return;
    const atn_sign sign = atn_tune_sign_test(x->wins, x->losses);
    if (sign == ATN_SIGN_ADOPT || is_obvious(t, x, challenger_ps, winner_now_ps))
        adopt(t, challenger);
    else if (sign == ATN_SIGN_DROP || is_hopeless(t, x, challenger_ps, winner_now_ps))
        drop(t, challenger);
}

/* Old measurements are better predictions than the model's, but may be as wrong as that of the
 * winner has become. */
static void reopen(atn_candidate_state *x, int64_t change)
{
    if (x->samples > 0)
        x->is.predicted_ps = atn_tune_candidate_median(x);
    if (x->is.error < change)
        x->is.error = (int)change;
    atn_tune_candidate_reset(x);
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* `native_now_ps`: 0 if native was not timed beside the winner. */
static void restart(atn_tuner *t, int64_t winner_now_ps, int64_t native_now_ps)
{
    const int64_t before = (t->reference_ps > 0 ? t->reference_ps : atn_tune_expect_winner(t)) + 1,
                  now = winner_now_ps + 1;
    const int64_t ratio = now > before ? now * 1000 / before : before * 1000 / now;
    const int64_t change = ratio > 5000 ? 4000 : ratio - 1000;
    const bool retreat = native_now_ps > 0 && beats(t, native_now_ps, winner_now_ps);
    for (int i = 0; i < t->n; i++)
        if (i != t->winner)
            reopen(&t->candidate[i], change);
    atn_tune_candidate_reset(&t->candidate[t->winner]);
    atn_tune_candidate_record(&t->candidate[t->winner], winner_now_ps);
    if (native_now_ps > 0)
        atn_tune_candidate_record(&t->candidate[t->native], native_now_ps);
    if (retreat)
        reopen(&t->candidate[t->winner], change);
    if (t->winner != t->incumbent && t->candidate[t->incumbent].is.same_bits) {
        atn_tune_candidate_reset(&t->candidate[t->winner]); /* others that may serve race first */
        t->winner = t->incumbent;
    }
    adopt(t, retreat ? t->native : t->winner);
    t->drifted = true;
}

static bool has_changed(const atn_tuner *t, int64_t winner_now_ps)
{
    return t->reference_ps > 0 && distance(winner_now_ps, t->reference_ps) > t->tolerance_ps;
}

/* Whether the winner seems to be much slower than native. */
static bool is_behind(const atn_tuner *t, int64_t winner_now_ps)
{
    const atn_candidate_state *const native = &t->candidate[t->native];
    return !atn_tune_expect_safe(t) && native->samples > 0 &&
           winner_now_ps > atn_tune_candidate_range(native).high &&
           winner_now_ps > atn_tune_candidate_median(native) * BEHIND / 1000;
}

/* The winner does not serve before it was compared with native. */
static void doubt_winner(atn_tuner *t)
{
    t->suspicious = true;
    t->incumbent = t->native;
}

/* After a comparison with native because of doubt. */
static void judge_doubt(atn_tuner *t, int64_t winner_now_ps, int64_t native_now_ps)
{
    if (beats(t, native_now_ps, winner_now_ps) || has_changed(t, winner_now_ps)) {
        restart(t, winner_now_ps, native_now_ps);
        return;
    }
    t->suspicious = false;
    t->incumbent = t->winner;
}

/* False: the time of the winner has changed. */
static bool judge_check(atn_tuner *t, int64_t winner_now_ps, bool compared)
{
    const bool changed = has_changed(t, winner_now_ps);
    if (changed && t->suspicious) {
        restart(t, winner_now_ps, 0);
        return false;
    }
    if (!changed && t->compared >= t->window && (compared || atn_tune_expect_safe(t))) {
        t->window = t->window < longest_window ? 2 * t->window : t->window;
        t->compared = 0;
    }
    t->suspicious = changed;
    return true;
}

/* A rival that won a pair while monitoring may race against the winner. */
static void judge_rival(atn_tuner *t, int rival, int64_t challenger_ps, int64_t winner_now_ps)
{
    atn_candidate_state *x = &t->candidate[rival];
    if (t->suspicious || !beats(t, challenger_ps, winner_now_ps))
        return;
    x->out = false;
    x->wins = 1;
    x->losses = 0;
    t->challenger = rival;
}

/* A block of the winner, of native or a rival beside it, or of a new candidate alone. */
static void take_round(atn_tuner *t, const atn_tuning_round *round, const int64_t *per_call_ps)
{
    const int own = round->block[0].candidate == t->winner ? 0 : 1, other = 1 - own;
    const int candidate = round->n == 2 ? round->block[other].candidate : -1;
    const bool monitoring = t->monitoring && t->challenger < 0;
    if (round->n == 1 && own == 1)
        judge_pair(t, round->block[0].candidate, per_call_ps[0], atn_tune_expect_winner(t));
    else if (t->suspicious && candidate == t->native)
        judge_doubt(t, per_call_ps[own], per_call_ps[other]);
    else if (candidate != t->native && is_behind(t, per_call_ps[own]))
        doubt_winner(t);
    else if ((monitoring || candidate < 0) && !judge_check(t, per_call_ps[own], candidate >= 0))
        return;
    else if (monitoring && candidate >= 0)
        judge_rival(t, candidate, per_call_ps[other], per_call_ps[own]);
    else if (candidate >= 0)
        judge_pair(t, candidate, per_call_ps[other], per_call_ps[own]);
    if (candidate == t->native && !t->s.shadow)
        t->incumbent = is_behind(t, per_call_ps[own]) ? t->native : t->winner;
}

/* The first round times the first candidate, which has no regret. */
static atn_next_trial next_trial(const atn_tuner *t)
{
    if (t->candidate[t->winner].samples == 0)
        return (atn_next_trial){.candidate = t->monitoring ? -1 : t->winner};
    const int challenger = t->monitoring ? t->challenger : next_challenger(t);
    if (challenger < 0)
        return (atn_next_trial){.candidate = -1};
    return (atn_next_trial){challenger,
                            atn_tune_expect_loss(t, challenger) * calls_of(t, challenger) / 1000};
}

const atn_procedure atn_race = {plan_round, take_round, next_trial};
