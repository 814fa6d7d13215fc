/* expect.c - what the calls of a candidate are expected to take, to lose and to save.
 *
 * Measurements count; before there are any, predictions, or ratios at neighbouring sizes.  The
 * model may be wrong by a factor common to all candidates: measurements correct it. */
#include "tune/tuner_private.h"

enum { NEIGHBOUR = 500 }; /* error, per mille, of a ratio that was measured at another size */
enum { VAGUE = 100 };     /* error, per mille, of few blocks */

int64_t atn_tune_expect_winner(const atn_tuner *t)
{
    return atn_tune_candidate_median(&t->candidate[t->winner]);
}

/* Native cannot become slower than itself; another winner can: it is checked more often. */
bool atn_tune_expect_safe(const atn_tuner *t) { return t->winner == t->native || t->s.shadow; }

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

int64_t atn_tune_expect_time(const atn_tuner *t, int i, int64_t *error_p)
{
    const atn_candidate_state *x = &t->candidate[i];
    *error_p = 0;
    if (x->samples > 0)
        return atn_tune_candidate_median(x);
    if (x->is.predicted_ps <= 0 && x->is.ratio > 0) {
        *error_p = NEIGHBOUR;
        return (int64_t)((__int128)atn_tune_savings_native(t) * x->is.ratio / 1000);
    }
    if (x->is.predicted_ps <= 0)
        return 0;
    /* Where others are slower than predicted, native need not be: it must be measured. */
    const correction c = i == t->native ? (correction){1000, 0} : corrected(t);
    *error_p = c.error > x->is.error ? c.error : x->is.error;
    return x->is.predicted_ps * c.factor / 1000 + 1;
}

/* Candidates in a race are judged by the race. */
bool atn_tune_expect_worth(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = atn_tune_expect_time(t, i, &error);
    return t->candidate[i].samples > 0 || ps == 0 ||
           ps * 1000 / (1000 + error) < atn_tune_expect_winner(t) * (1000 - t->s.margin) / 1000;
}

/* Few blocks may have been fast by chance.  Without prediction, and where predictions are very
 * uncertain, as slow as others were in their first call. */
int64_t atn_tune_expect_worst(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = atn_tune_expect_time(t, i, &error);
    const bool vague = t->candidate[i].samples > 0 && t->candidate[i].samples < ATN_TUNE_ENOUGH;
    const int64_t worst = ps * (1000 + (vague ? VAGUE : error)) / 1000;
    const int64_t slow = atn_tune_savings_native(t) * atn_tune_budget_slowdown(t->budget) / 1000;
    if (ps == 0 || slow == 0)
        return ps == 0 ? slow : worst;
    const int64_t most = ps > slow ? ps : slow;
    return worst < most ? worst : most;
}

/* On scratch data all of its time, and that of the winner, if both need it. */
int64_t atn_tune_expect_loss(const atn_tuner *t, int i)
{
    const int64_t worst = atn_tune_expect_worst(t, i), native = atn_tune_savings_native(t);
    const int64_t beside = atn_tune_on_scratch(t, t->winner) ? atn_tune_expect_winner(t) : 0;
    if (atn_tune_on_scratch(t, i))
        return beside + worst;
    return beside + (i == t->native || worst < native ? 0 : worst - native);
}

/* Native has none before it is beaten: the program would run it without Attune.  On scratch data it
 * is all of the time, twice, because only later jobs benefit. */
int64_t atn_tune_expect_regret(const atn_tuner *t, int i)
{
    int64_t error;
    const int64_t ps = atn_tune_expect_time(t, i, &error), usual = atn_tune_expect_winner(t);
    const int64_t likely = ps > 0 ? ps : atn_tune_savings_native(t);
    if (atn_tune_on_scratch(t, i))
        return ATN_TUNE_SCRATCH * likely;
    return (i == t->native && !t->monitoring) || likely < usual ? 0 : likely - usual;
}

int atn_tune_expect_measured(const atn_tuner *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += i != t->native && t->candidate[i].samples > 0;
    return n;
}

/* Without prediction a part of their time, a smaller one if a candidate has replaced native. */
int64_t atn_tune_expect_saving(const atn_tuner *t, int i)
{
    enum { OF_NATIVE = 2, OF_OTHERS = 8 };
    int64_t error;
    const int64_t ps = atn_tune_expect_time(t, i, &error), usual = atn_tune_expect_winner(t);
    if (ps == 0)
        return usual / (t->winner == t->native ? OF_NATIVE : OF_OTHERS);
    const int64_t least = usual * t->s.margin / 1000;
    return usual - ps > least ? usual - ps : least;
}
