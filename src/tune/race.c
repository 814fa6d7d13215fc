/* race.c - the usual procedure: duels within a budget, then watching.
 *
 * Baseline: what the tuner starts with is timed and is the winner for now.  Duels: the candidate of
 * which most is expected, if it may be faster by more than the margin, runs in blocks beside the
 * winner until the sign test (sign.h) adopts or drops it, or it is obvious that native is beaten; a
 * round is begun only when its expected regret is in the account.  Watching: looks at growing
 * distances at the winner, with the strongest rival beside it; when its time has changed twice in a
 * row, everything is open again.  While a duel waits for budget the winner is watched as well.
 *
 * The model may be wrong by a factor common to all candidates: what was measured corrects it. */
#include "tune/sign.h"
#include "tune/tuner_private.h"

static const int64_t block_ps = INT64_C(200000000); /* blocks are about so long */
enum { BLOCK_LEAST = 6, BLOCK_CALLS = 16 };
enum { EXPECTED = 3 };    /* blocks that tell what the next ones take */
enum { HOPELESS = 1500 }; /* per mille of the winner */
enum { OBVIOUS = 2 };     /* pairs that decide when all were won by as much */
enum { CERTAIN = 3000 };  /* the same: one such pair decides if it was foreseen */
enum { TRUSTED = 1000 };  /* errors of predictions, per mille, that let one be tried at once */
static const int64_t longest_window = INT64_C(1) << 20;

static int64_t winner_ps(const atn_tuner *t) { return atn_candidate_median(&t->runner[t->winner]); }

/* ---- what the model says, corrected ---- */

/* Measured over predicted, per mille, ascending; how many candidates have both. */
static int ratios(const atn_tuner *t, int64_t v[ATN_TUNE_CANDIDATES])
{
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        const atn_candidate_state *x = &t->runner[i];
        if (x->samples == 0 || x->is.predicted_ps <= 0 || i == t->native)
            continue;
        const int64_t ratio = atn_candidate_median(x) * 1000 / x->is.predicted_ps + 1;
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
    const int64_t elsewhere = atn_budget_ratio(t->account);
    if (n == 0 || (n == 1 && t->drifted))
        return (correction){elsewhere > 0 && !t->drifted ? elsewhere : 1000, 0};
    const int64_t middle = v[(n - 1) / 2];
    const int64_t above = v[n - 1] * 1000 / middle, below = middle * 1000 / v[0];
    return (correction){middle, (above > below ? above : below) - 1000};
}

/* Expected time of a candidate and how wrong that may be, per mille; 0: unknown. */
static int64_t expected(const atn_tuner *t, int i, int64_t *error_p)
{
    const atn_candidate_state *x = &t->runner[i];
    *error_p = 0;
    if (x->samples > 0)
        return atn_candidate_median(x);
    if (x->is.predicted_ps <= 0)
        return 0;
    /* Where others are slower than predicted native need not be: it is to be tried. */
    const correction c = i == t->native ? (correction){1000, 0} : corrected(t);
    *error_p = c.error > x->is.error ? c.error : x->is.error;
    return x->is.predicted_ps * c.factor / 1000 + 1;
}

/* Whether it may be faster by more than the margin; who is in a duel is judged by that. */
static bool worth_it(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error);
    return t->runner[i].samples > 0 || ps == 0 ||
           ps * 1000 / (1000 + error) < winner_ps(t) * (1000 - t->s.margin) / 1000;
}

/* Regret of one call that must be reckoned with, in picoseconds.  Native costs nobody anything that
 * the program would not have paid without us, but once it is beaten it is a rival like others. */
static int64_t regret(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error), usual = winner_ps(t);
    const int64_t worst = ps == 0 ? 2 * usual : ps * (1000 + error) / 1000;
    if (t->s.shadow) /* of both, if need be */
        return (i == t->incumbent ? 0 : worst) + (t->winner == t->incumbent ? 0 : usual);
    return (i == t->native && !t->watching) || worst < usual ? 0 : worst - usual;
}

/* Calls until the account can pay for a round with the candidate. */
static int64_t wait_for(const atn_tuner *t, int i, int calls)
{
    return atn_budget_wait(t->account, regret(t, i) * calls / 1000, t->agreement_ns);
}

/* ---- rounds ---- */

/* The end of a call may reach into the next one on other ranks, and what is fast alone may not be
 * so time after time: single calls tell little. */
static int block_calls(const atn_tuner *t, int64_t least)
{
    const int64_t ps = winner_ps(t);
    const int64_t calls = ps > 0 ? block_ps / ps + least : 1;
    return calls > BLOCK_CALLS ? BLOCK_CALLS : (int)calls;
}

/* A candidate that never ran is tried with one call, so that no more than one call can be worse
 * than foreseen.  Native, once it was beaten, is looked at in the same way. */
static int calls_of(const atn_tuner *t, int i)
{
    return t->runner[i].samples == 0 ? 1 : block_calls(t, i == t->native ? 1 : BLOCK_LEAST);
}

/* Whether the winner seems to be slower than another one by as much as makes that one hopeless. */
static bool far_behind(const atn_tuner *t, int other)
{
    const atn_candidate_state *const x = &t->runner[other];
    return x->samples > 0 && winner_ps(t) > atn_candidate_median(x) * HOPELESS / 1000;
}

/* As many calls as the other one has: the more there are, the less is each one's part in what ranks
 * wait for each other before the first.  Native is left as soon as possible where that matters
 * little. */
static int calls_beside(const atn_tuner *t, int other)
{
    return t->winner == t->native && far_behind(t, other) ? block_calls(t, 1) : calls_of(t, other);
}

static void add_block(atn_round *round, int candidate, int calls)
{
    round->block[round->n++] = (atn_block){.candidate = candidate, .calls = calls};
}

/* They take turns in who is first.  What never ran may be worse than foreseen, by a call or so. */
static void plan_pair(atn_tuner *t, int other, atn_round *round)
{
    const int64_t surprise = t->runner[other].samples == 0 ? winner_ps(t) : 0;
    round->cost_ns = t->agreement_ns + (regret(t, other) * calls_of(t, other) + surprise) / 1000;
    const bool first = t->runner[other].samples % 2 == 0;
    if (first)
        add_block(round, other, calls_of(t, other));
    add_block(round, t->winner, calls_beside(t, other));
    if (!first)
        add_block(round, other, calls_of(t, other));
}

/* How long it will take at most; 0: unknown. */
static int64_t feared(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = expected(t, i, &error);
    return ps * (1000 + error) / 1000;
}

/* a before b: what can be paid for at once, then what native must prove, then what will be fastest
 * even if predictions are wrong; those of which nothing is known come last. */
static bool goes_first(const atn_tuner *t, int a, int b)
{
    const bool checks = t->start == ATN_START_BORROWED;
    const int64_t wait_a = wait_for(t, a, calls_of(t, a)), wait_b = wait_for(t, b, calls_of(t, b));
    if (wait_a != wait_b && (wait_a == 0 || wait_b == 0))
        return wait_a == 0;
    if (checks && (a == t->native || b == t->native))
        return a == t->native;
    const int64_t x = feared(t, a), y = feared(t, b);
    return x > 0 && (y == 0 || x < y);
}

static int next_challenger(const atn_tuner *t)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && !t->runner[i].out && worth_it(t, i) &&
            (best < 0 || goes_first(t, i, best)))
            best = i;
    return best;
}

static void plan_baseline(atn_tuner *t, int64_t quiet, atn_round *round)
{
    const int64_t wait = atn_budget_wait(t->account, 0, t->agreement_ns);
    round->quiet = wait > quiet ? wait : quiet;
    if (round->quiet > longest_window)
        round->quiet = longest_window;
    round->cost_ns = t->agreement_ns;
    add_block(round, t->winner, block_calls(t, BLOCK_LEAST));
}

/* What looks at the winner shall find, and what is nothing unusual.  First blocks may be slow: they
 * are not enough to tell. */
static void expect(atn_tuner *t)
{
    const bool known = t->runner[t->winner].samples >= EXPECTED;
    const int64_t usual = winner_ps(t), spread = 2 * atn_candidate_spread(&t->runner[t->winner]);
    const int64_t least = usual * t->s.drift / 1000, most = usual / 2;
    t->reference_ps = known ? usual : 0;
    t->tolerance_ps = spread < least ? least : spread > most ? most : spread;
}

/* Looks cost some of the budget that is waited for: the first ones are rarer than others. */
static int64_t patience(const atn_tuner *t)
{
    const int64_t least = 8 * t->s.iterations;
    return t->window < least ? least : t->window;
}

static void plan_look(atn_tuner *t, atn_round *round)
{
    if (!t->suspicious)
        expect(t);
    plan_baseline(t, t->suspicious ? 0 : patience(t), round);
    t->why = "a duel must wait until there is budget for it";
}

static void plan_duel(atn_tuner *t, int challenger, atn_round *round)
{
    const int64_t wait = wait_for(t, challenger, calls_of(t, challenger));
    if (t->suspicious || wait > patience(t)) {
        plan_look(t, round);
        return;
    }
    round->quiet = wait;
    plan_pair(t, challenger, round);
    t->why = "a duel";
}

/* The fastest other one that is known; native when nothing is known of it. */
static int rival(const atn_tuner *t)
{
    int best = -1;
    if (t->native != t->winner && t->runner[t->native].samples == 0)
        return t->native;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner && t->runner[i].samples > 0 &&
            (best < 0 ||
             atn_candidate_median(&t->runner[i]) < atn_candidate_median(&t->runner[best])))
            best = i;
    return best;
}

static void plan_watch(atn_tuner *t, atn_round *round)
{
    const int other = rival(t);
    const int64_t quiet = t->suspicious ? 0 : t->window;
    if (t->reference_ps == 0)
        expect(t);
    t->why = "watching";
    if (other >= 0 && !t->suspicious && wait_for(t, other, calls_of(t, other)) <= quiet) {
        round->quiet = quiet;
        plan_pair(t, other, round);
    } else {
        plan_baseline(t, quiet, round);
    }
}

static void begin_watch(atn_tuner *t)
{
    t->watching = true;
    t->suspicious = false;
    expect(t);
}

/* The best of those that are foreseen by measured parameters gets one call on credit beside the
 * first one of native, so that short jobs gain too: when it should be faster than what was seen so
 * far even if the prediction is wrong, but not in all sizes at once, and no longer when that has
 * cost too much. */
static int promising(const atn_tuner *t)
{
    int best = -1;
    for (int i = 0; i < t->n && t->start == ATN_START_NATIVE; i++) {
        const atn_candidate *is = &t->runner[i].is;
        if (i != t->winner && is->predicted_ps > 0 && is->error < TRUSTED &&
            (best < 0 || is->predicted_ps < t->runner[best].is.predicted_ps))
            best = i;
    }
    const bool sure = best >= 0 && (t->s.seen_ps == 0 || feared(t, best) < t->s.seen_ps);
    return t->s.shadow || !sure ? -1 : best;
}

static void plan_first(atn_tuner *t, atn_round *round)
{
    const int other = promising(t);
    plan_baseline(t, 0, round);
    t->why = "timing what it starts with";
    if (other < 0 || round->quiet > 0 || atn_budget_left(t->account) < 0)
        return;
    round->credit = true;
    round->cost_ns += feared(t, other) / 1000;
    add_block(round, other, 1);
}

/* The first call of what was only foreseen has to connect ranks: two more are not held against it
 * before native, which is foreseen to be slower, is tried. */
static bool plan_second(atn_tuner *t, atn_round *round)
{
    const bool foreseen =
        t->start == ATN_START_BORROWED && t->runner[t->native].is.predicted_ps > 0;
    if (!foreseen || t->winner == t->native || t->runner[t->winner].samples != 1)
        return false;
    round->cost_ns = t->agreement_ns;
    add_block(round, t->winner, 2);
    t->why = "timing what it starts with";
    return true;
}

static void plan_race(atn_tuner *t, atn_round *round)
{
    if (t->runner[t->winner].samples == 0) {
        plan_first(t, round);
        return;
    }
    if (plan_second(t, round))
        return;
    const int challenger = t->watching ? t->challenger : next_challenger(t);
    if (challenger >= 0) {
        plan_duel(t, challenger, round);
        return;
    }
    if (!t->watching)
        begin_watch(t);
    plan_watch(t, round);
}

/* ---- results ---- */

static bool beats(const atn_tuner *t, int64_t ps, int64_t other_ps)
{
    return ps * 1000 < other_ps * (1000 - t->s.margin);
}

static void adopt(atn_tuner *t, int winner)
{
    t->winner = winner;
    if (!t->s.shadow)
        t->incumbent = winner;
    for (int i = 0; i < t->n; i++)
        atn_candidate_reset_pairs(&t->runner[i]);
    t->challenger = -1;
    t->watching = t->suspicious = false;
    t->window = 2 * t->s.iterations;
}

static void drop(atn_tuner *t, int loser)
{
    t->runner[loser].out = true;
    atn_candidate_reset_pairs(&t->runner[loser]);
    t->challenger = -1;
}

/* So slow at first sight that it is dropped, unless the model promised the opposite. */
static bool is_hopeless(const atn_tuner *t, const atn_candidate_state *x, int64_t its_ps,
                        int64_t winners_ps)
{
    const int64_t promised = x->is.predicted_ps * (1000 + x->is.error) / 1000;
    const bool sure = x->is.predicted_ps > 0 && promised < winner_ps(t) && x->losses < 2;
    return x->wins == 0 && !sure && its_ps > winners_ps * HOPELESS / 1000;
}

/* As much faster than native, or native than what was only foreseen, as others would be hopeless,
 * time after time, or at first sight as predicted by measured parameters: every further pair would
 * cost more than a mistake, which watching finds out. */
static bool is_obvious(const atn_tuner *t, atn_candidate_state *x, int64_t its_ps,
                       int64_t winners_ps)
{
    const int64_t most_ps = x->is.predicted_ps * (1000 + x->is.error) / 1000;
    const bool foreseen = most_ps > 0 && most_ps < winners_ps && x->is.error < TRUSTED;
    if (foreseen && winners_ps > its_ps * CERTAIN / 1000)
        x->clear += OBVIOUS;
    else if (winners_ps > its_ps * HOPELESS / 1000)
        x->clear++;
    const bool between = t->winner == t->native || x == &t->runner[t->native];
    return between && x->losses == 0 && x->clear >= OBVIOUS;
}

static void judge_duel(atn_tuner *t, int challenger, int64_t its_ps, int64_t winners_ps)
{
    atn_candidate_state *x = &t->runner[challenger];
    if (beats(t, its_ps, winners_ps))
        x->wins++;
    else
        x->losses++;
    const atn_sign sign = atn_sign_test(x->wins, x->losses);
    if (sign == ATN_SIGN_ADOPT || is_obvious(t, x, its_ps, winners_ps))
        adopt(t, challenger);
    else if (sign == ATN_SIGN_DROP || is_hopeless(t, x, its_ps, winners_ps))
        drop(t, challenger);
}

/* What was measured before is a better prediction than the model's, but may be as wrong as that of
 * the winner has become. */
static void open_again(atn_candidate_state *x, int64_t change)
{
    if (x->samples > 0)
        x->is.predicted_ps = atn_candidate_median(x);
    if (x->is.error < change)
        x->is.error = (int)change;
    atn_candidate_reset(x);
}

static void begin_anew(atn_tuner *t, int64_t winners_ps)
{
    const int64_t before = t->reference_ps;
    const int64_t ratio =
        winners_ps > before ? winners_ps * 1000 / before : before * 1000 / (winners_ps + 1);
    const int64_t change = ratio > 5000 ? 4000 : ratio - 1000;
    for (int i = 0; i < t->n; i++)
        if (i != t->winner)
            open_again(&t->runner[i], change);
    atn_candidate_reset(&t->runner[t->winner]);
    atn_candidate_record(&t->runner[t->winner], winners_ps);
    t->challenger = -1;
    t->watching = t->suspicious = false;
    t->drifted = true;
    t->window = 2 * t->s.iterations;
}

/* False: the machine has changed. */
static bool judge_watch(atn_tuner *t, int64_t winners_ps)
{
    const int64_t apart =
        winners_ps > t->reference_ps ? winners_ps - t->reference_ps : t->reference_ps - winners_ps;
    const bool changed = t->reference_ps > 0 && apart > t->tolerance_ps;
    if (changed && t->suspicious) {
        begin_anew(t, winners_ps);
        return false;
    }
    if (!changed && t->window < longest_window)
        t->window *= 2;
    t->suspicious = changed;
    return true;
}

/* A rival that won a pair while being watched may challenge the winner. */
static void judge_rival(atn_tuner *t, int rival, int64_t its_ps, int64_t winners_ps)
{
    atn_candidate_state *x = &t->runner[rival];
    if (t->suspicious || !beats(t, its_ps, winners_ps))
        return;
    x->out = false;
    x->wins = 1;
    x->losses = 0;
    t->challenger = rival;
}

static void take_race(atn_tuner *t, const atn_round *round, const int64_t per_call_ps[2])
{
    const int own = round->block[0].candidate == t->winner ? 0 : 1, other = 1 - own;
    const int candidate = round->n == 2 ? round->block[other].candidate : -1;
    const bool watching = t->watching && t->challenger < 0, look = watching || candidate < 0;
    if (look && !judge_watch(t, per_call_ps[own]))
        return;
    if (candidate < 0)
        return;
    if (watching)
        judge_rival(t, candidate, per_call_ps[other], per_call_ps[own]);
    else
        judge_duel(t, candidate, per_call_ps[other], per_call_ps[own]);
}

/* The first round times what it starts with, which costs no regret. */
static atn_trial next_race(const atn_tuner *t)
{
    if (t->runner[t->winner].samples == 0)
        return (atn_trial){.candidate = t->watching ? -1 : t->winner};
    const int challenger = t->watching ? t->challenger : next_challenger(t);
    if (challenger < 0)
        return (atn_trial){.candidate = -1};
    return (atn_trial){challenger, regret(t, challenger) * calls_of(t, challenger) / 1000};
}

const atn_procedure atn_race = {plan_race, take_race, next_race};
