/* star.c - the procedure of STAR-MPI, for comparison: measure all, select, then monitor.
 *
 * Every candidate serves a number of calls and the one with the least average is selected; with
 * grouping, one member of each group first, then all of the best group.  Windows of doubling length
 * follow; when a window is slower than the second best by more than the drift, and its last calls
 * are, too, the fastest is selected again.  It has no budget. */
#include "tune/tuner_private.h"

static void add_block(atn_tuning_round *round, int candidate, int calls)
{
    round->block[round->n++] = (atn_block){.candidate = candidate, .calls = calls};
}

/* The latest average; candidates that never ran come last. */
static int64_t latest(const atn_tuner *t, int i)
{
    const atn_candidate_state *x = &t->candidate[i];
    return x->samples > 0 ? x->kept[(x->samples - 1) % ATN_TUNE_KEEP] : INT64_MAX;
}

static int fastest(const atn_tuner *t, int except)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (i != except && (best < 0 || latest(t, i) < latest(t, best)))
            best = i;
    return best;
}

static bool group_measured(const atn_tuner *t, int group)
{
    for (int i = 0; i < t->n; i++)
        if (t->candidate[i].is.group == group && t->candidate[i].samples > 0)
            return true;
    return false;
}

/* The next candidate to measure; -1: none. */
static int next_probe(const atn_tuner *t)
{
    const bool grouped = t->s.mode == ATN_TUNE_GROUPED;
    for (int i = 0; grouped && i < t->n; i++)
        if (t->candidate[i].samples == 0 && !group_measured(t, t->candidate[i].is.group))
            return i;
    const int group = grouped ? t->candidate[fastest(t, -1)].is.group : -1;
    for (int i = 0; i < t->n; i++)
        if (t->candidate[i].samples == 0 && (!grouped || t->candidate[i].is.group == group))
            return i;
    return -1;
}

static void plan_star(atn_tuner *t, atn_tuning_round *round)
{
    const int probe = next_probe(t), each = t->s.iterations;
    if (probe >= 0) {
        t->monitoring = false;
        add_block(round, probe, each);
        t->why = "measuring every candidate";
        return;
    }
    t->incumbent = t->winner = fastest(t, -1);
    t->monitoring = true;
    t->reference_ps = latest(t, t->incumbent);
    if (t->delta > 1)
        add_block(round, t->incumbent, (t->delta - 1) * each);
    add_block(round, t->incumbent, each);
    t->why = "monitoring the fastest";
}

/* `per_call_ps` of a window: all but the last calls, and those. */
static void judge_window(atn_tuner *t, const atn_tuning_round *round, const int64_t per_call_ps[2])
{
    const int second = fastest(t, t->incumbent);
    const int64_t calls[2] = {round->block[0].done, round->n > 1 ? round->block[1].done : 0};
    const int64_t average =
        (int64_t)(((__int128)per_call_ps[0] * calls[0] + (__int128)per_call_ps[1] * calls[1]) /
                  (calls[0] + calls[1]));
    const int64_t last = per_call_ps[round->n - 1];
    const int64_t limit = second >= 0 && latest(t, second) < INT64_MAX / 2000
                              ? latest(t, second) * (1000 + t->s.drift) / 1000
                              : INT64_MAX;
    if (average < limit) {
        /* The time that it was selected for is kept. */
        atn_tune_candidate_record(&t->candidate[t->incumbent], t->reference_ps);
        t->delta = t->delta < 1 << 20 ? 2 * t->delta : t->delta;
    } else if (last < limit) {
        atn_tune_candidate_record(&t->candidate[t->incumbent], t->reference_ps);
        t->delta = 2;
    } else {
        t->delta = 2;
    }
}

static void take_star(atn_tuner *t, const atn_tuning_round *round, const int64_t per_call_ps[2])
{
    if (t->monitoring)
        judge_window(t, round, per_call_ps);
}

/* There is no budget, so nothing has a cost. */
static atn_next_trial next_star(const atn_tuner *t)
{
    return (atn_next_trial){.candidate = next_probe(t)};
}

const atn_procedure atn_star = {plan_star, take_star, next_star};
