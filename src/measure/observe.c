/* observe.c - see observe.h. */
#include "measure/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "exec/host.h"

enum { MAX_SAMPLES = 1000, FAIR_SAMPLES = 12, SHORT_SAMPLES = 48 };
static const double goal = 0.015; /* half of the interval, relative: accurate enough */
static const double block =
    200e-6; /* minimum of a repetition: the resolution of the clock is low */
/* With many participants the slowest one counts: short repetitions would show only disturbances. */
static const double long_block = 20e-3;
static const double short_enough = 10e-3; /* measured even when the time is used up */
static const double short_time = 500e-6;  /* disturbances are as long as the measurement */

typedef struct {
    atn_testbed *t;
    const atn_experiment *e;
    atn_microbench bench;
    double until;
    bool brief; /* microseconds: whatever takes longer was disturbed */
} experiment;

static bool time_left(const experiment *s) { return MPI_Wtime() < s->until; }

static double once(const experiment *s, const atn_microbench *a)
{
    double time;
    atn_microbench one = *a;
    one.reps = one.loops = 1;
    atn_measure_testbed_run(s->t, &one, &time);
    return time;
}

/* ---- samples ---- */

static double length_of(const experiment *s, double seconds)
{
    const atn_microbench *a = &s->bench;
    const bool many = a->pattern == ATN_MB_TRAIN || a->pattern == ATN_MB_BURST;
    return seconds * a->loops *
               (many                         ? a->count
                : a->pattern == ATN_MB_TOKEN ? a->n
                                             : 1) +
           a->delay;
}

/* Medians without outliers, so that a single disturbance has no effect.  Other activity of the
 * machine delays short messages and never accelerates them: for these, the first quartile. */
static atn_estimate estimate(const double *samples, int n, int *kept_p)
{
    double sorted[MAX_SAMPLES];
    memcpy(sorted, samples, (size_t)n * sizeof *sorted);
    *kept_p = atn_undisturbed(sorted, n);
    return sorted[n / 4] < short_time ? atn_quartile(sorted, *kept_p) : atn_median(sorted, *kept_p);
}

static int enough_samples(atn_estimate e)
{
    return e.mid < short_time ? SHORT_SAMPLES : FAIR_SAMPLES;
}

/* Batches until the estimate is accurate enough; `last`: seconds of the last execution. */
static void repeat(experiment *s, double last, atn_observation *o)
{
    double samples[MAX_SAMPLES] = {last};
    int n = s->bench.loops == 1;
    o->value = (atn_estimate){last, last, last};
    o->samples = 1;
    while (n == 0 || (n < MAX_SAMPLES && time_left(s) &&
                      (n < enough_samples(o->value) || atn_spread(o->value) > goal))) {
        const double left = s->until - MPI_Wtime();
        const double fit = fmin(left / 3 / fmax(1e-7, length_of(s, last)), ATN_REPETITIONS);
        s->bench.reps = atn_max(1 + 2 * (s->bench.loops > 1), (int)fit);
        s->bench.reps = atn_min(s->bench.reps, MAX_SAMPLES - n);
        atn_measure_testbed_run(s->t, &s->bench, samples + n);
        n += s->bench.reps;
        o->value = estimate(samples, n, &o->samples);
    }
}

static bool is_ring(atn_mb_pattern p)
{
    return p == ATN_MB_RING || p == ATN_MB_SHARED_RING_COPY || p == ATN_MB_SHARED_RING_SINGLE ||
           p == ATN_MB_EXPOSED_RING;
}

/* The first execution is a warm-up, unless it is so long that this does not matter and another one
 * would take far more than the share; the second determines the number of loops. */
static void sample(experiment *s, atn_observation *o)
{
    const double share = s->until - MPI_Wtime(), first = once(s, &s->bench);
    if (!s->brief && length_of(s, first) > fmax(short_enough, 2 * share)) {
        o->value = (atn_estimate){first, first, first};
        o->samples = 1;
        return;
    }
    const double second = once(s, &s->bench), length = length_of(s, fmin(first, second));
    if (ATN_SIMULATED) { /* every repetition would take as long */
        o->value = (atn_estimate){second, second, second};
        o->samples = 1;
        return;
    }
    const double least = s->bench.n > 2 && is_ring(s->bench.pattern) ? long_block : block;
    s->bench.loops = (int)fmax(1, fmin(500, least / fmax(1e-8, length)));
    repeat(s, second, o);
}

/* ---- experiments with a procedure of their own ---- */

/* Doubles the train until the gap changes by less than one per cent: then latency is hidden. */
static void find_length(experiment *s)
{
    double gap = INFINITY;
    for (s->bench.count = 8; s->bench.count < 4096; s->bench.count *= 2) {
        const double new_gap = fmin(once(s, &s->bench), once(s, &s->bench));
        const bool too_long = 8 * new_gap * s->bench.count > s->until - MPI_Wtime();
        if (fabs(gap - new_gap) < 0.01 * new_gap || too_long)
            return;
        gap = new_gap;
    }
}

static double one_way(const experiment *s, int64_t bytes)
{
    atn_microbench ping = s->bench;
    ping.pattern = ATN_MB_PING;
    ping.bytes = bytes;
    return fmin(once(s, &ping), once(s, &ping)) / 2;
}

/* Whether a send waits for a late receive; repeated until one outcome leads by two.  The receive is
 * late by more than two time slices of a scheduler, because a rank without a core looks like one
 * that waits. */
static bool waits(experiment *s, int64_t bytes)
{
    const double late = ATN_SIMULATED ? 2e-3 : 8e-3;
    int lead = 0;
    s->bench.bytes = bytes;
    s->bench.delay = late + 2 * one_way(s, bytes);
    for (int i = 0; i < 7 && abs(lead) < 2; i++)
        lead += once(s, &s->bench) > s->bench.delay / 2 ? 1 : -1;
    return lead > 0;
}

/* The eager limit: by octaves, then by bisection down to 64 bytes. */
static bool find_eager(experiment *s, atn_observation *o)
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

static bool find_rate(experiment *s, atn_observation *o)
{
    enum { MOST = 15 };
    double seen[MOST], rates[2];
    atn_arrivals arrivals[2];
    const bool both = o->kind == ATN_OBS_BOTH_WAYS;
    const int chunk = 64 << 10, a = s->e->actor[0], b = s->e->actor[1];
    const atn_bulk_transfer list[2] = {{a, b, chunk}, {b, a, chunk}};
    int n = 0;
    do {
        atn_measure_testbed_transfer(s->t, list, 1 + both, arrivals);
        atn_measure_transfer_rates(list, 1 + both, arrivals, rates);
        seen[n++] = (both ? (rates[0] + rates[1]) / 2 : rates[0]) / 8;
        double sorted[MOST];
        memcpy(sorted, seen, (size_t)n * sizeof *sorted);
        o->value = atn_median(sorted, n);
    } while (n < MOST && time_left(s) && (n < 3 || atn_spread(o->value) > goal));
    o->samples = n;
    return true;
}

/* ---- the experiment ---- */

static const atn_mb_pattern pattern_of[ATN_OBS_KINDS] = {
    [ATN_OBS_ROUND_TRIP] = ATN_MB_PING,
    [ATN_OBS_SYNCHRONOUS] = ATN_MB_SSEND,
    [ATN_OBS_EAGER] = ATN_MB_LATE,
    [ATN_OBS_RING] = ATN_MB_RING,
    [ATN_OBS_CROSS] = ATN_MB_CROSS,
    [ATN_OBS_FAN] = ATN_MB_FAN,
    [ATN_OBS_EXCHANGE] = ATN_MB_RING,
    [ATN_OBS_TRAIN] = ATN_MB_TRAIN,
    [ATN_OBS_BURST] = ATN_MB_BURST,
    [ATN_OBS_SEND] = ATN_MB_SEND,
    [ATN_OBS_RECEIVE] = ATN_MB_RECEIVE,
    [ATN_OBS_PAIR] = ATN_MB_PING,
    [ATN_OBS_TOKEN] = ATN_MB_TOKEN,
    [ATN_OBS_ALL_RANKS] = ATN_MB_RING,
    [ATN_OBS_BUSY] = ATN_MB_BUSY,
    [ATN_OBS_COPY] = ATN_MB_COPY,
    [ATN_OBS_PACK] = ATN_MB_PACK,
    [ATN_OBS_REDUCE] = ATN_MB_REDUCE,
    [ATN_OBS_EXPOSE] = ATN_MB_EXPOSE,
    [ATN_OBS_EXPOSED] = ATN_MB_EXPOSED,
    [ATN_OBS_EXPOSED_RING] = ATN_MB_EXPOSED_RING,
    [ATN_OBS_SHARED_COPY] = ATN_MB_SHARED_COPY,
    [ATN_OBS_SHARED_SINGLE] = ATN_MB_SHARED_SINGLE,
    [ATN_OBS_SHARED_RING_COPY] = ATN_MB_SHARED_RING_COPY,
    [ATN_OBS_SHARED_RING_SINGLE] = ATN_MB_SHARED_RING_SINGLE,
};

bool atn_measure_observe(atn_testbed *t, const atn_experiment *e, double seconds,
                         atn_observe_state *state, atn_observation *o)
{
    const bool brief = atn_model_obs_is_shared(e->of.kind);
    if (!brief && state->length > fmax(short_enough, 2 * seconds))
        return false;
    experiment s = {.t = t,
                    .e = e,
                    .bench = {.pattern = pattern_of[e->of.kind],
                              .n = e->nactors,
                              .reps = 1,
                              .loops = 1,
                              .bytes = e->of.bytes},
                    .until = MPI_Wtime() + seconds,
                    .brief = brief};
    memcpy(s.bench.rank, e->actor, (size_t)e->nactors * sizeof *e->actor);
    *o = e->of;
    switch (e->of.kind) {
    case ATN_OBS_EAGER:
        return find_eager(&s, o);
    case ATN_OBS_ONE_WAY:
    case ATN_OBS_BOTH_WAYS:
        return find_rate(&s, o);
    case ATN_OBS_TRAIN:
    case ATN_OBS_BURST:
        s.bench.count = state->count;
        if (s.bench.count == 0)
            find_length(&s);
        state->count = s.bench.count;
        break;
    case ATN_OBS_RECEIVE:
        s.bench.delay = 500e-6 + 3 * one_way(&s, e->of.bytes);
        break;
    case ATN_OBS_REDUCE:
        s.bench.count = atn_measure_operand_find(e->of.what);
        break;
    default:
        break;
    }
    sample(&s, o);
    state->length = length_of(&s, o->value.mid);
    return true;
}
