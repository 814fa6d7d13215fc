/* race.c - the default procedure: races within a budget, then monitoring.
 *
 * Baseline: the first candidate of the tuner is timed and is the winner for now.  Races: the most
 * promising candidate, if it may be faster by more than the margin, runs in blocks interleaved with
 * the winner until the sign test (sign.h) adopts or drops it, or until native is obviously slower;
 * a round begins only when the budget covers its expected regret.  Monitoring: checks of the winner
 * at growing intervals, together with its strongest rival; when its time has changed twice in a
 * row, the races start again.  While a race waits for budget the winner is monitored as well.
 *
 * The model may be wrong by a factor common to all candidates: measurements correct it. */
#include "tune/sign.h"
#include "tune/tuner_private.h"

static const int64_t block_ps = INT64_C(200000000); /* approximate length of a block */
enum { BLOCK_LEAST = 6, BLOCK_CALLS = 16 };
enum { EXPECTED = 3 };    /* blocks that predict the next ones */
enum { HOPELESS = 1500 }; /* per mille of the winner */
enum { OBVIOUS = 2 };     /* pairs that decide when all were won by that factor */
enum { CERTAIN = 3000 };  /* per mille: one such pair decides if it was predicted */
enum { TRUSTED = 1000 };  /* error of a prediction, per mille, below which a trial starts at once */
static const int64_t longest_window = INT64_C(1) << 20;

static int64_t winner_ps(const atn_tuner *t)
{
    return atn_tune_candidate_median(&t->candidate[t->winner]);
}

/* ---- corrected predictions ---- */

/* Measured over predicted, per mille, ascending; returns how many candidates have both. */
static int ratios(const atn_tuner *t, int64_t v[ATN_TUNE_CANDIDATES])
{
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        const atn_candidate_state *x = &t->candidate[i];
        if (x->samples == 0 || x->is.predicted_ps <= 0 || i == t->native)
            continue;
        const int64_t ratio = atn_tune_candidate_median(x) * 1000 / x->is.predicted_ps + 1;
        int j = n++;
        for (; j > 0 && v[j - 1] > ratio; j--)
            v[j] = v[j - 1];
        v[j] = ratio;
    }
    return n;
}

typedef struct {
    int64_t factor; /* per mille, on every prediction */
    int64_t error;  /* per mille, at least */
} correction;

static correction corrected(const atn_tuner *t)
{
    int64_t v[ATN_TUNE_CANDIDATES];
    const int n = ratios(t, v);
    const int64_t elsewhere = atn_tune_budget_ratio(t->budget);
    if (n == 0 || (n == 1 && t->drifted))
        return (correction){elsewhere > 0 && !t->drifted ? elsewhere : 1000, 0};
    const int64_t middle = v[(n - 1) / 2];
    const int64_t above = v[n - 1] * 1000 / middle, below = middle * 1000 / v[0];
    return (correction){middle, (above > below ? above : below) - 1000};
}

/* Expected time of a candidate and how wrong that may be, per mille; 0: unknown. */
static int64_t expected(const atn_tuner *t, int i, int64_t *error_p)
{
    const atn_candidate_state *x = &t->candidate[i];
    *error_p = 0;
    if (x->samples > 0)
        return atn_tune_candidate_median(x);
    if (x->is.predicted_ps <= 0)
        return 0;
    /* Where others are slower than predicted, native need not be: it must be measured. */
    const correction c = i == t->native ? (correction){1000, 0} : corrected(t);
    *error_p = c.error > x->is.error ? c.error : x->is.error;
    return x->is.predicted_ps * c.factor / 1000 + 1;
}

/* Whether it may be faster by more than the margin; candidates in a race are judged by the race. */
static bool worth_it(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error);
    return t->candidate[i].samples > 0 || ps == 0 ||
           ps * 1000 / (1000 + error) < winner_ps(t) * (1000 - t->s.margin) / 1000;
}

/* Expected regret of one call at most, in picoseconds.  Native has none, because the program would
 * run it without Attune; once it is beaten it is a rival like others. */
static int64_t regret(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error), best = winner_ps(t);
    const int64_t worst = ps == 0 ? 2 * best : ps * (1000 + error) / 1000;
    const int64_t beside = atn_tune_on_scratch(t, t->winner) ? best : 0;
    const int64_t usual = atn_tune_candidate_median(&t->candidate[t->incumbent]);
    if (atn_tune_on_scratch(t, i)) /* of both, if both need scratch data */
        return beside + worst;
    return beside + ((i == t->native && !t->monitoring) || worst < usual ? 0 : worst - usual);
}

/* Calls until the budget covers a round with the candidate. */
static int64_t wait_for(const atn_tuner *t, int i, int calls)
{
    return atn_tune_budget_wait(t->budget, regret(t, i) * calls / 1000, t->agreement_ns);
}

/* ---- rounds ---- */

/* A call may overlap with the next one on other ranks, and an algorithm that is fast once may be
 * slow when repeated: single calls are not representative. */
static int block_calls(const atn_tuner *t, int64_t least)
{
    const int64_t ps = winner_ps(t);
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
    return x->samples > 0 && winner_ps(t) > atn_tune_candidate_median(x) * HOPELESS / 1000;
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

/* The order of both blocks alternates.  A first trial may be slower than predicted by a call. */
static void plan_pair(atn_tuner *t, int other, atn_tuning_round *round)
{
    const int64_t surprise = t->candidate[other].samples == 0 ? winner_ps(t) : 0;
    round->cost_ns = t->agreement_ns + (regret(t, other) * calls_of(t, other) + surprise) / 1000;
    const bool first = t->candidate[other].samples % 2 == 0;
    if (first)
        add_block(round, other, calls_of(t, other));
    add_block(round, t->winner, calls_beside(t, other));
    if (!first)
        add_block(round, other, calls_of(t, other));
}

/* Maximum expected time; 0: unknown. */
static int64_t worst_case(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error);
    return ps * (1000 + error) / 1000;
}

/* Where results must not change but several candidates may serve, these come first, because only
 * they help this run; and native once, for comparison. */
static bool comes_later(const atn_tuner *t, int i)
{
    return t->candidate[t->incumbent].is.same_bits && atn_tune_on_scratch(t, i) &&
           (i != t->native || t->candidate[i].samples > 0);
}

/* a before b: candidates that the budget covers now, then native if the start was not measured,
 * then the best worst case; candidates without prediction come last. */
static bool goes_first(const atn_tuner *t, int a, int b)
{
    const bool unproven = t->start == ATN_START_BORROWED;
    if (comes_later(t, a) != comes_later(t, b))
        return comes_later(t, b);
    const int64_t wait_a = wait_for(t, a, calls_of(t, a)), wait_b = wait_for(t, b, calls_of(t, b));
    if (wait_a != wait_b && (wait_a == 0 || wait_b == 0))
        return wait_a == 0;
    if (unproven && (a == t->native || b == t->native))
        return a == t->native;
    const int64_t x = worst_case(t, a), y = worst_case(t, b);
    return x > 0 && (y == 0 || x < y);
}

static int next_challenger(const atn_tuner *t)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && !t->candidate[i].out && worth_it(t, i) &&
            (best < 0 || goes_first(t, i, best)))
            best = i;
    return best;
}

static void plan_baseline(atn_tuner *t, int64_t untimed, atn_tuning_round *round)
{
    const int64_t wait = atn_tune_budget_wait(t->budget, 0, t->agreement_ns);
    round->untimed = wait > untimed ? wait : untimed;
    if (round->untimed > longest_window)
        round->untimed = longest_window;
    round->cost_ns = t->agreement_ns;
    add_block(round, t->winner, block_calls(t, BLOCK_LEAST));
}

/* Expected time of the winner and its normal deviation.  First blocks may be slow and are not
 * enough for that. */
static void set_reference(atn_tuner *t)
{
    const bool enough = t->candidate[t->winner].samples >= EXPECTED;
    const int64_t usual = winner_ps(t),
                  spread = 2 * atn_tune_candidate_spread(&t->candidate[t->winner]);
    const int64_t least = usual * t->s.drift / 1000, most = usual / 2;
    t->reference_ps = enough ? usual : 0;
    t->tolerance_ps = spread < least ? least : spread > most ? most : spread;
}

/* Checks use some of the budget that the race waits for: the first ones are rarer than others. */
static int64_t check_interval(const atn_tuner *t)
{
    const int64_t least = 8 * t->s.iterations;
    return t->window < least ? least : t->window;
}

static void plan_check(atn_tuner *t, atn_tuning_round *round)
{
    if (!t->suspicious)
        set_reference(t);
    plan_baseline(t, t->suspicious ? 0 : check_interval(t), round);
    t->why = "a race waits for budget";
}

static void plan_race(atn_tuner *t, int challenger, atn_tuning_round *round)
{
    const int64_t wait = wait_for(t, challenger, calls_of(t, challenger));
    if (t->suspicious || wait > check_interval(t)) {
        plan_check(t, round);
        return;
    }
    round->untimed = wait;
    plan_pair(t, challenger, round);
    t->why = "a race";
}

/* The fastest other one that was measured; native if it was not measured yet. */
static int rival(const atn_tuner *t)
{
    int best = -1;
    if (t->native != t->winner && t->candidate[t->native].samples == 0)
        return t->native;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && t->candidate[i].samples > 0 &&
            (best < 0 || atn_tune_candidate_median(&t->candidate[i]) <
                             atn_tune_candidate_median(&t->candidate[best])))
            best = i;
    return best;
}

static void plan_monitoring(atn_tuner *t, atn_tuning_round *round)
{
    const int other = rival(t);
    const int64_t untimed = t->suspicious ? 0 : t->window;
    if (t->reference_ps == 0)
        set_reference(t);
    t->why = "monitoring";
    if (other >= 0 && !t->suspicious && wait_for(t, other, calls_of(t, other)) <= untimed) {
        round->untimed = untimed;
        plan_pair(t, other, round);
    } else {
        plan_baseline(t, untimed, round);
    }
}

static void begin_monitoring(atn_tuner *t)
{
    t->monitoring = true;
    t->suspicious = false;
    set_reference(t);
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
    const bool safe = best >= 0 && (t->s.seen_ps == 0 || worst_case(t, best) < t->s.seen_ps);
    return t->s.shadow || !safe ? -1 : best;
}

static void plan_first(atn_tuner *t, atn_tuning_round *round)
{
    const int other = promising(t);
    plan_baseline(t, 0, round);
    t->why = "timing the first candidate";
    if (other < 0 || round->untimed > 0 || atn_tune_budget_left(t->budget) < 0)
        return;
    round->credit = true;
    round->cost_ns += worst_case(t, other) / 1000;
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

static void plan_round(atn_tuner *t, atn_tuning_round *round)
{
    if (t->candidate[t->winner].samples == 0) {
        plan_first(t, round);
        return;
    }
    if (plan_second(t, round))
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
    t->winner = winner;
    if (!atn_tune_on_scratch(t, winner))
        t->incumbent = winner;
    for (int i = 0; i < t->n; i++)
        atn_tune_candidate_reset_pairs(&t->candidate[i]);
    t->challenger = -1;
    t->monitoring = t->suspicious = false;
    t->window = 2 * t->s.iterations;
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
    const bool predicted = x->is.predicted_ps > 0 && worst_ps < winner_ps(t) && x->losses < 2;
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

static void restart(atn_tuner *t, int64_t winner_now_ps)
{
    const int64_t before = t->reference_ps;
    const int64_t ratio = winner_now_ps > before ? winner_now_ps * 1000 / before
                                                 : before * 1000 / (winner_now_ps + 1);
    const int64_t change = ratio > 5000 ? 4000 : ratio - 1000;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner)
            reopen(&t->candidate[i], change);
    atn_tune_candidate_reset(&t->candidate[t->winner]);
    if (t->winner != t->incumbent && t->candidate[t->incumbent].is.same_bits) {
        t->winner = t->incumbent; /* another one that may serve can be the best of them now */
        t->reference_ps = 0;
    } else {
        atn_tune_candidate_record(&t->candidate[t->winner], winner_now_ps);
    }
    t->challenger = -1;
    t->monitoring = t->suspicious = false;
    t->drifted = true;
    t->window = 2 * t->s.iterations;
}

/* False: the time of the winner has changed. */
static bool judge_check(atn_tuner *t, int64_t winner_now_ps)
{
    const int64_t apart = winner_now_ps > t->reference_ps ? winner_now_ps - t->reference_ps
                                                          : t->reference_ps - winner_now_ps;
    const bool changed = t->reference_ps > 0 && apart > t->tolerance_ps;
    if (changed && t->suspicious) {
        restart(t, winner_now_ps);
        return false;
    }
    if (!changed && t->window < longest_window)
        t->window *= 2;
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

static void take_round(atn_tuner *t, const atn_tuning_round *round, const int64_t per_call_ps[2])
{
    const int own = round->block[0].candidate == t->winner ? 0 : 1, other = 1 - own;
    const int candidate = round->n == 2 ? round->block[other].candidate : -1;
    const bool monitoring = t->monitoring && t->challenger < 0;
    if ((monitoring || candidate < 0) && !judge_check(t, per_call_ps[own]))
        return;
    if (candidate < 0)
        return;
    if (monitoring)
        judge_rival(t, candidate, per_call_ps[other], per_call_ps[own]);
    else
        judge_pair(t, candidate, per_call_ps[other], per_call_ps[own]);
}

/* The first round times the first candidate, which has no regret. */
static atn_next_trial next_trial(const atn_tuner *t)
{
    if (t->candidate[t->winner].samples == 0)
        return (atn_next_trial){.candidate = t->monitoring ? -1 : t->winner};
    const int challenger = t->monitoring ? t->challenger : next_challenger(t);
    if (challenger < 0)
        return (atn_next_trial){.candidate = -1};
    return (atn_next_trial){challenger, regret(t, challenger) * calls_of(t, challenger) / 1000};
}

const atn_procedure atn_race = {plan_round, take_round, next_trial};
