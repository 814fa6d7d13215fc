/* star.c - the procedure of STAR-MPI, for comparison: measure all, select, then monitor.
 *
 * Measure_Select: in one stage every candidate serves a number of calls; its time is that of its
 * shortest call, as a mean over ranks, and the fastest is selected.  With grouping, the first stage
 * has one member of each group, the second the others of the best group.
 * Monitor_Adapt: windows of doubling length follow; when a window is slower than the second best by
 * more than the drift, and its last calls are, too, its mean is recorded and the fastest is
 * selected again, after a stage for its group if that has members that never ran.  It has no
 * budget. */
#include "tune/tuner_private.h"

static void add_block(atn_tuning_round *round, int candidate, int calls)
{
    round->block[round->n++] = (atn_block){.candidate = candidate, .calls = calls};
}

/* The recorded time; candidates that never ran come last. */
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

static int group_of(const atn_tuner *t, int i) { return t->candidate[i].is.group; }

/* Whether a member of the group was measured, or will be in this stage. */
static bool has_member(const atn_tuner *t, const atn_tuning_round *round, int group)
{
    for (int i = 0; i < t->n; i++)
        if (group_of(t, i) == group && t->candidate[i].samples > 0)
            return true;
    for (int i = 0; i < round->n; i++)
        if (group_of(t, round->block[i].candidate) == group)
            return true;
    return false;
}

/* The candidates of the next stage; none: all that count were measured. */
static void add_stage(const atn_tuner *t, atn_tuning_round *round)
{
    const bool grouped = t->s.mode == ATN_TUNE_GROUPED;
    for (int i = 0; grouped && i < t->n; i++)
        if (!has_member(t, round, group_of(t, i)))
            add_block(round, i, t->s.iterations);
    if (round->n > 0)
        return;
    const int group = grouped ? group_of(t, fastest(t, -1)) : -1;
    for (int i = 0; i < t->n; i++)
        if (t->candidate[i].samples == 0 && (!grouped || group_of(t, i) == group))
            add_block(round, i, t->s.iterations);
}

static void plan_star(atn_tuner *t, atn_tuning_round *round)
{
    const int each = t->s.iterations;
    add_stage(t, round);
    round->stage = round->n > 0;
    t->monitoring = !round->stage;
    t->why = round->stage ? "measuring every candidate" : "monitoring the fastest";
    if (round->stage)
        return;
    t->incumbent = t->winner = fastest(t, -1);
    t->reference_ps = latest(t, t->incumbent);
    if (t->delta > 1)
        add_block(round, t->incumbent, (t->delta - 1) * each);
    add_block(round, t->incumbent, each);
}

/* `per_call_ps` of a window: all but the last calls, and those. */
static int64_t average_of(const atn_tuning_round *round, const int64_t *per_call_ps)
{
    __int128 sum = 0;
    int64_t calls = 0;
    for (int i = 0; i < round->n; i++) {
        sum += (__int128)per_call_ps[i] * round->block[i].done;
        calls += round->block[i].done;
    }
    return (int64_t)(sum / calls);
}

static void judge_window(atn_tuner *t, const atn_tuning_round *round, const int64_t *per_call_ps)
{
    enum { LONGEST = 1 << 20 };
    const int second = fastest(t, t->incumbent);
    const int64_t average = average_of(round, per_call_ps), last = per_call_ps[round->n - 1];
    const int64_t limit = second >= 0 && latest(t, second) < INT64_MAX / 2000
                              ? latest(t, second) * (1000 + t->s.drift) / 1000
                              : INT64_MAX;
    const bool good = average < limit, excused = last < limit;
    /* The time that it was selected for is kept, unless it is replaced. */
    atn_tune_candidate_record(&t->candidate[t->incumbent],
                              good || excused ? t->reference_ps : average);
    t->delta = !good ? 2 : t->delta < LONGEST ? 2 * t->delta : t->delta;
}

static void take_star(atn_tuner *t, const atn_tuning_round *round, const int64_t *per_call_ps)
{
    if (t->monitoring)
        judge_window(t, round, per_call_ps);
}

/* There is no budget, so nothing has a cost. */
static atn_next_trial next_star(const atn_tuner *t)
{
    const atn_tuning_round *const round = &t->round;
    return (atn_next_trial){.candidate = round->stage ? round->block[0].candidate : -1};
}

const atn_procedure atn_star = {plan_star, take_star, next_star};
