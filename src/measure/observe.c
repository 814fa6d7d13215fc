/* observe.c - see observe.h. */
#include "measure/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

enum { MAX_SAMPLES = 1000, FAIR_SAMPLES = 12, SHORT_SAMPLES = 48 };
static const double goal = 0.015;   /* half of the interval, relative: known well enough */
static const double block = 200e-6; /* a repetition takes that long at least: the clock is coarse */
/* Of many actors the one that took longest counts: short repetitions would tell of hiccups only. */
static const double long_block = 20e-3;
static const double short_enough = 10e-3; /* always done, however late it is */
static const double short_turn = 500e-6;  /* what disturbs it is as long as itself */

typedef struct {
    atn_theatre *t;
    const atn_experiment *e;
    atn_act act;
    double until;
} study;

static bool time_left(const study *s) { return MPI_Wtime() < s->until; }

static double once(const study *s, const atn_act *a)
{
    double time;
    atn_act one = *a;
    one.reps = one.loops = 1;
    atn_theatre_act(s->t, &one, &time);
    return time;
}

/* ---- samples ---- */

static double length_of(const study *s, double turn)
{
    const atn_act *a = &s->act;
    const bool many = a->pattern == ATN_ACT_TRAIN || a->pattern == ATN_ACT_BURST;
    return turn * a->loops * (many ? a->count : a->pattern == ATN_ACT_TOKEN ? a->n : 1) + a->delay;
}

/* One hiccup must not decide anything: medians, and what is far off is left out.  Short messages
 * suffer from everything else that the machine does, and never gain by it: the first quartile. */
static atn_estimate judge(const double *samples, int n, int *kept_p)
{
    double sorted[MAX_SAMPLES];
    memcpy(sorted, samples, (size_t)n * sizeof *sorted);
    *kept_p = atn_undisturbed(sorted, n);
    return sorted[n / 4] < short_turn ? atn_quartile(sorted, *kept_p) : atn_median(sorted, *kept_p);
}

static int fair_samples(atn_estimate e)
{
    return e.mid < short_turn ? SHORT_SAMPLES : FAIR_SAMPLES;
}

/* Batches until it is enough; `turn` is what the last turn took. */
static void repeat(study *s, double turn, atn_observation *o)
{
    double samples[MAX_SAMPLES] = {turn};
    int n = s->act.loops == 1;
    o->value = (atn_estimate){turn, turn, turn};
    o->samples = 1;
    while (n == 0 || (n < MAX_SAMPLES && time_left(s) &&
                      (n < fair_samples(o->value) || atn_spread(o->value) > goal))) {
        const double left = s->until - MPI_Wtime();
        const double fit = fmin(left / 3 / fmax(1e-7, length_of(s, turn)), ATN_REPETITIONS);
        s->act.reps = atn_max(1 + 2 * (s->act.loops > 1), (int)fit);
        s->act.reps = atn_min(s->act.reps, MAX_SAMPLES - n);
        atn_theatre_act(s->t, &s->act, samples + n);
        n += s->act.reps;
        o->value = judge(samples, n, &o->samples);
    }
}

/* The first turn makes connections and warms up, unless it is so long that this does not matter
 * and another one would take far more than the share; the second tells how long turns are. */
static void sample(study *s, atn_observation *o)
{
    const double share = s->until - MPI_Wtime(), first = once(s, &s->act);
    if (length_of(s, first) > fmax(short_enough, 2 * share)) {
        o->value = (atn_estimate){first, first, first};
        o->samples = 1;
        return;
    }
    const double turn = once(s, &s->act), length = length_of(s, fmin(first, turn));
    const double least = s->act.n > 2 && s->act.pattern == ATN_ACT_RING ? long_block : block;
    s->act.loops = (int)fmax(1, fmin(500, least / fmax(1e-8, length)));
    repeat(s, turn, o);
}

/* ---- special ones ---- */

/* Longer trains until the gap changes by less than one per cent: then latency is hidden. */
static void find_length(study *s)
{
    double gap = INFINITY;
    for (s->act.count = 8; s->act.count < 4096; s->act.count *= 2) {
        const double new_gap = fmin(once(s, &s->act), once(s, &s->act));
        const bool too_long = 8 * new_gap * s->act.count > s->until - MPI_Wtime();
        if (fabs(gap - new_gap) < 0.01 * new_gap || too_long)
            return;
        gap = new_gap;
    }
}

static double way_of(const study *s, int64_t bytes)
{
    atn_act ping = s->act;
    ping.pattern = ATN_ACT_PING;
    ping.bytes = bytes;
    return fmin(once(s, &ping), once(s, &ping)) / 2;
}

/* Whether a send waits for a receive that comes late; asked again until one answer leads by two. */
static bool waits(study *s, int64_t bytes)
{
    int lead = 0;
    s->act.bytes = bytes;
    s->act.delay = 2e-3 + 2 * way_of(s, bytes);
    for (int i = 0; i < 7 && abs(lead) < 2; i++)
        lead += once(s, &s->act) > s->act.delay / 2 ? 1 : -1;
    return lead > 0;
}

/* The eager limit: by octaves, then halving to 64 bytes. */
static bool find_eager(study *s, atn_observation *o)
{
    const int64_t most = 1 << 20;
    int64_t low = 0, high = 256;
    while (high <= most && !waits(s, high)) {
        low = high;
        high *= 2;
    }
    while (high <= most && high - low > 64) {
        const int64_t mid = (low + high) / 2;
        if (waits(s, mid))
            high = mid;
        else
            low = mid;
    }
    o->value = (atn_estimate){(double)high, (double)low, (double)high};
    o->samples = 2;
    return true;
}

static bool find_rate(study *s, atn_observation *o)
{
    enum { MOST = 15 };
    double seen[MOST], rates[2];
    const bool both = o->kind == ATN_OBS_BOTH_WAYS;
    const int chunk = 64 << 10, a = s->e->actor[0], b = s->e->actor[1];
    const atn_transfer list[2] = {{a, b, chunk}, {b, a, chunk}};
    int n = 0;
    do {
        atn_theatre_flow(s->t, list, 1 + both, rates);
        seen[n++] = (both ? (rates[0] + rates[1]) / 2 : rates[0]) / 8;
        double sorted[MOST];
        memcpy(sorted, seen, (size_t)n * sizeof *sorted);
        o->value = atn_median(sorted, n);
    } while (n < MOST && time_left(s) && (n < 3 || atn_spread(o->value) > goal));
    o->samples = n;
    return true;
}

/* ---- the experiment ---- */

static const atn_pattern pattern_of[ATN_OBS_KINDS] = {
    [ATN_OBS_ROUND_TRIP] = ATN_ACT_PING, [ATN_OBS_SYNCHRONOUS] = ATN_ACT_SSEND,
    [ATN_OBS_EAGER] = ATN_ACT_LATE,      [ATN_OBS_RING] = ATN_ACT_RING,
    [ATN_OBS_CROSS] = ATN_ACT_CROSS,     [ATN_OBS_FAN] = ATN_ACT_FAN,
    [ATN_OBS_EXCHANGE] = ATN_ACT_RING,   [ATN_OBS_TRAIN] = ATN_ACT_TRAIN,
    [ATN_OBS_BURST] = ATN_ACT_BURST,     [ATN_OBS_SEND] = ATN_ACT_SEND,
    [ATN_OBS_RECEIVE] = ATN_ACT_RECEIVE, [ATN_OBS_PAIR] = ATN_ACT_PING,
    [ATN_OBS_TOKEN] = ATN_ACT_TOKEN,     [ATN_OBS_CROWD] = ATN_ACT_RING,
    [ATN_OBS_BUSY] = ATN_ACT_BUSY,       [ATN_OBS_COPY] = ATN_ACT_COPY,
    [ATN_OBS_PACK] = ATN_ACT_PACK,       [ATN_OBS_REDUCE] = ATN_ACT_REDUCE,
};

bool atn_observe(atn_theatre *t, const atn_experiment *e, double seconds, atn_known *known,
                 atn_observation *o)
{
    if (known->length > fmax(short_enough, 2 * seconds))
        return false;
    study s = {.t = t,
               .e = e,
               .act = {.pattern = pattern_of[e->of.kind],
                       .n = e->nactors,
                       .reps = 1,
                       .loops = 1,
                       .bytes = e->of.bytes},
               .until = MPI_Wtime() + seconds};
    memcpy(s.act.actor, e->actor, (size_t)e->nactors * sizeof *e->actor);
    *o = e->of;
    switch (e->of.kind) {
    case ATN_OBS_EAGER:
        return find_eager(&s, o);
    case ATN_OBS_ONE_WAY:
    case ATN_OBS_BOTH_WAYS:
        return find_rate(&s, o);
    case ATN_OBS_TRAIN:
    case ATN_OBS_BURST:
        s.act.count = known->count;
        if (s.act.count == 0)
            find_length(&s);
        known->count = s.act.count;
        break;
    case ATN_OBS_RECEIVE:
        s.act.delay = 500e-6 + 3 * way_of(&s, e->of.bytes);
        break;
    case ATN_OBS_REDUCE:
        s.act.count = atn_operand_find(e->of.what);
        break;
    default:
        break;
    }
    sample(&s, o);
    known->length = length_of(&s, o->value.mid);
    return true;
}
