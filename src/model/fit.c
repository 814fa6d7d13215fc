/* fit.c - see fit.h.  Numbers in brackets are equations of Rico-Gallego's thesis on tau-Lop. */
#include "model/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/fit_private.h"

/* ---- least squares ---- */

atn_hockney atn_model_fit_hockney(const int64_t *bytes, const double *seconds, int n)
{
    double s0 = 0, s1 = 0, s2 = 0, y0 = 0, y1 = 0;
    for (int i = 0; i < n; i++) { /* weights 1 / t^2 */
        const double w = 1 / (seconds[i] * seconds[i]), x = (double)bytes[i];
        s0 += w;
        s1 += w * x;
        s2 += w * x * x;
        y0 += w * seconds[i];
        y1 += w * x * seconds[i];
    }
    const double d = s0 * s2 - s1 * s1;
    double beta = d > 0 ? (s0 * y1 - s1 * y0) / d : 0, alpha;
    beta = fmax(beta, 0);
    alpha = s0 > 0 ? (y0 - beta * s1) / s0 : 0;
    return (atn_hockney){.alpha = fmax(alpha, 1e-9), .beta = beta};
}

/* Gauss elimination of a positive definite system; rows of n + 1. */
static bool solve(double *rows, int n, double *x)
{
    const int w = n + 1;
    for (int k = 0; k < n; k++) {
        if (rows[k * w + k] < 1e-9)
            return false;
        for (int i = k + 1; i < n; i++) {
            const double f = rows[i * w + k] / rows[k * w + k];
            for (int j = k; j < w; j++)
                rows[i * w + j] -= f * rows[k * w + j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = rows[k * w + n];
        for (int j = k + 1; j < n; j++)
            x[k] -= rows[k * w + j] * x[j];
        x[k] /= rows[k * w + k];
    }
    return true;
}

bool atn_model_fit_hosts(int n, const int *a, const int *b, const double *trip, int m,
                         double *fixed)
{
    const int w = n + 1;
    double *rows = calloc((size_t)n * (size_t)w, sizeof *rows);
    for (int i = 0; rows && i < m; i++)
        for (int end = 0; end < 2; end++) {
            const int at = end ? b[i] : a[i];
            rows[at * w + a[i]]++;
            rows[at * w + b[i]]++;
            rows[at * w + n] += trip[i] / 2;
        }
    const bool ok = rows && solve(rows, n, fixed);
    free(rows);
    return ok;
}

/* ---- observations ---- */

typedef struct {
    const atn_survey *s;
    atn_machine *m;
    int c; /* the current channel */
    atn_channel *channel;
} fitter;

static double seen(const fitter *f, atn_obs_kind kind, int64_t bytes, int tau)
{
    return atn_model_survey_value(f->s, kind, f->c, bytes, tau, NULL);
}

int atn_model_fit_sizes(const atn_survey *s, atn_obs_kind kind, int channel, int tau,
                        const char *what, int64_t sizes[ATN_FIT_POINTS])
{
    int n = 0;
    for (int i = 0; i < s->seen.n; i++) {
        const atn_observation *o = &s->seen.v[i];
        if (o->kind != kind || o->channel != channel || o->tau != tau || n == ATN_FIT_POINTS ||
            (what != NULL && strcmp(what, o->what) != 0))
            continue;
        int at = n++;
        for (; at > 0 && sizes[at - 1] > o->bytes; at--)
            sizes[at] = sizes[at - 1];
        sizes[at] = o->bytes;
    }
    return n;
}

int atn_model_fit_taus(const atn_survey *s, const atn_obs_kind *kinds, int nkinds, int channel,
                       const char *what, int taus[ATN_TABLE_TAUS])
{
    int n = 1;
    taus[0] = 1;
    for (int tau = 2; tau <= s->ranks && n < ATN_TABLE_TAUS; tau++)
        for (int k = 0; k < nkinds; k++) {
            int64_t sizes[ATN_FIT_POINTS];
            const int points = atn_model_fit_sizes(s, kinds[k], channel, tau, what, sizes);
            if (points > 0 && sizes[points - 1] >= 4 << 10) { /* small sizes alone do not suffice */
                taus[n++] = tau;
                break;
            }
        }
    return n;
}

static double half_trip(const fitter *f, int64_t bytes)
{
    return seen(f, ATN_OBS_ROUND_TRIP, bytes, 1) / 2;
}

/* ---- tau-Lop ---- */

/* (7.2), (7.3); the overhead does not decrease at the eager limit. */
static void fit_overhead(const fitter *f)
{
    atn_channel *c = f->channel;
    c->eager = (int64_t)seen(f, ATN_OBS_EAGER, 0, 1);
    if (c->eager > 1 << 20) /* not found */
        c->eager = 0;
    c->o_below = half_trip(f, 0);
    c->o_from = fmax(c->o_below, seen(f, ATN_OBS_SYNCHRONOUS, 0, 1));
}

static double memory_transfer(const fitter *f, int64_t bytes, int tau)
{
    return atn_model_channel_transfer(&f->m->channel[0], (double)bytes, tau);
}

/* L(m, tau) from the pattern that was observed; negative: none. */
static double transfer_at(const fitter *f, int64_t bytes, int tau)
{
    const double o = atn_model_channel_overhead(f->channel, (double)bytes);
    const double ring = seen(f, ATN_OBS_RING, bytes, tau);
    const double cross = seen(f, ATN_OBS_CROSS, bytes, tau);
    const double fan = seen(f, ATN_OBS_FAN, bytes, tau);
    if (tau == 1 && f->c == 0)
        return fmax(0, (half_trip(f, bytes) - o) / 2); /* (3.1) */
    if (tau == 1)
        return fmax(0, half_trip(f, bytes) - o - 2 * memory_transfer(f, bytes, 1)); /* (3.3) */
    if (ring > 0)
        return fmax(0, (ring - o) / 2); /* (7.4) */
    if (cross > 0)
        return fmax(0, cross / 2 - o - 2 * memory_transfer(f, bytes, tau)); /* (7.6) */
    if (fan > 0) /* the request is an empty message */
        return fmax(0, fan - f->channel->o_below - o - 2 * memory_transfer(f, bytes, 1));
    return -1;
}

/* The slowdown of tau concurrent transfers where it was not observed: interpolated on a logarithmic
 * scale between the adjacent observed sizes, within the bounds of L. */
static double slowdown(const fitter *f, int64_t bytes, int tau)
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_ROUND_TRIP, f->c, 1, NULL, sizes);
    double below = 0, above = 0, at_below = 0, at_above = 0;
    for (int i = 0; i < n && above == 0; i++) {
        const double one = transfer_at(f, sizes[i], 1), many = transfer_at(f, sizes[i], tau);
        if (one <= 0 || many < 0)
            continue;
        double *ratio = sizes[i] <= bytes ? &below : &above;
        *ratio = many / one;
        *(sizes[i] <= bytes ? &at_below : &at_above) = (double)sizes[i];
    }
    const bool outside = below == 0 || above == 0;
    const double part = outside ? 0 : log((double)bytes / at_below) / log(at_above / at_below);
    const double ratio = outside ? fmax(below, above) : below + part * (above - below);
    return fmax(1, fmin(tau, ratio));
}

static double transfer_of(const fitter *f, int64_t bytes, int tau)
{
    const double direct = transfer_at(f, bytes, tau);
    return direct >= 0 ? direct : transfer_at(f, bytes, 1) * slowdown(f, bytes, tau);
}

static bool fit_transfer(const fitter *f)
{
    static const atn_obs_kind kinds[] = {ATN_OBS_RING, ATN_OBS_CROSS, ATN_OBS_FAN};
    int64_t sizes[ATN_FIT_POINTS];
    int taus[ATN_TABLE_TAUS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_ROUND_TRIP, f->c, 1, NULL, sizes);
    const int ntaus = atn_model_fit_taus(f->s, kinds, 3, f->c, NULL, taus);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        for (int k = 0; k < ntaus && ok && sizes[i] > 0; k++)
            ok = atn_model_table_put(&f->channel->transfer, sizes[i], taus[k],
                                     transfer_of(f, sizes[i], taus[k]));
    for (int k = 0; k < ntaus && ok && n > 1; k++) /* y: a message of one byte */
        ok = atn_model_table_put(&f->channel->sync, 0, taus[k], transfer_of(f, 1, taus[k]));
    return ok;
}

/* ---- pLogP, LogGP, log_nP, Hockney, LMO ---- */

static bool fit_table(const fitter *f, atn_obs_kind kind, atn_cost_table *t)
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, kind, f->c, 1, NULL, sizes);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = atn_model_table_put(t, sizes[i], 1, seen(f, kind, sizes[i], 1));
    return ok;
}

static bool fit_plogp(const fitter *f)
{
    atn_plogp *p = &f->channel->plogp;
    const bool ok = fit_table(f, ATN_OBS_TRAIN, &p->gap) &&
                    fit_table(f, ATN_OBS_BURST, &p->gap_many) &&
                    fit_table(f, ATN_OBS_SEND, &p->os) && fit_table(f, ATN_OBS_RECEIVE, &p->or_);
    if (p->gap.nsizes == 0)
        return ok;
    p->latency = fmax(0, half_trip(f, 0) - p->gap.v[0][0]); /* (7.1) */
    const int64_t large = p->gap.size[p->gap.nsizes - 1];
    f->channel->loggp = atn_model_loggp_from_plogp(p, large); /* table 7.1 */
    f->channel->loggp.latency = fmax(0, f->channel->loggp.latency);
    f->channel->latency = fmax(0, half_trip(f, 0) - atn_model_table_time(&p->os, 1, 1) -
                                      atn_model_table_time(&p->or_, 1, 1));
    return ok;
}

/* (2.5), (5.2), (5.3): the gap of a train of messages is the network part, the rest is copying. */
static bool fit_lognp(const fitter *f)
{
    atn_lognp *l = &f->channel->lognp;
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_ROUND_TRIP, f->c, 1, NULL, sizes);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const double whole = half_trip(f, sizes[i]), gap = seen(f, ATN_OBS_TRAIN, sizes[i], 1);
        ok = atn_model_table_put(&l->o, sizes[i], 1, whole / (double)f->channel->hops);
        if (ok && f->c == 0)
            ok = atn_model_table_put(&l->mw, sizes[i], 1, whole);
        else if (ok && gap > 0)
            ok = atn_model_table_put(&l->mw, sizes[i], 1, fmax(0, whole - gap)) &&
                 atn_model_table_put(&l->net, sizes[i], 1, fmin(whole, gap));
    }
    return ok;
}

static void fit_line(const fitter *f)
{
    int64_t sizes[ATN_FIT_POINTS];
    double times[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_ROUND_TRIP, f->c, 1, NULL, sizes);
    for (int i = 0; i < n; i++)
        times[i] = half_trip(f, sizes[i]);
    f->channel->hockney = atn_model_fit_hockney(sizes, times, n);
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double middle(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    return n == 0 ? 0 : n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* Half of a message for each end; per byte, the time of the sending call for eager messages. */
static void fit_lmo(const fitter *f)
{
    const atn_channel *c = f->channel;
    double trips[256];
    int n = 0;
    for (int i = 0; i < f->s->seen.n && n < 256; i++) {
        const atn_observation *o = &f->s->seen.v[i];
        if (o->kind == ATN_OBS_PAIR && o->channel == f->c && o->bytes == 0)
            trips[n++] = o->value.mid;
    }
    const double trip = n > 0 ? middle(trips, n) : 2 * half_trip(f, 0);
    const double less = seen(f, ATN_OBS_SEND, 1, 1), more = seen(f, ATN_OBS_SEND, 1 << 10, 1);
    const double byte = fmin(fmax(0, (more - less) / 1023), 0.4 * c->hockney.beta);
    if (c->hockney.beta > 0)
        f->channel->lmo = (atn_lmo){trip / 4, byte, 1 / (c->hockney.beta - 2 * byte)};
}

/* ---- links ---- */

/* The remaining fraction of the rate of large messages under opposite traffic, ascending. */
static int duplex_fractions(const fitter *f, double parts[ATN_FIT_POINTS])
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_EXCHANGE, f->c, 1, NULL, sizes);
    int found = 0;
    for (int i = 0; i < n; i++) {
        const double o = atn_model_channel_overhead(f->channel, (double)sizes[i]);
        const double alone = half_trip(f, sizes[i]) - o;
        const double both = seen(f, ATN_OBS_EXCHANGE, sizes[i], 1) - o;
        if (sizes[i] >= f->channel->eager && alone > 0 && both > 0)
            parts[found++] = fmin(1, alone / both);
    }
    qsort(parts, (size_t)found, sizeof *parts, ascending);
    return found;
}

/* Opposite messages slow each other down or not by chance, so the sizes of one channel may
 * disagree.  The effect depends on hosts and protocol; in this case the median of all channels is
 * used. */
static void fit_duplex(fitter *f, const bool *measured)
{
    double all[ATN_MACHINE_CHANNELS * ATN_FIT_POINTS], own[ATN_FIT_POINTS];
    int n = 0;
    for (f->c = 1; f->c < f->m->nchannels; f->c++) {
        f->channel = &f->m->channel[f->c];
        n += measured[f->c] ? duplex_fractions(f, all + n) : 0;
    }
    qsort(all, (size_t)n, sizeof *all, ascending);
    for (f->c = 1; f->c < f->m->nchannels; f->c++) {
        f->channel = &f->m->channel[f->c];
        const int k = measured[f->c] ? duplex_fractions(f, own) : 0;
        if (k > 0)
            f->channel->duplex =
                fmax(0.05, own[k - 1] - own[0] < 0.1 ? middle(own, k) : all[(n - 1) / 2]);
    }
}

static void fit_links(const fitter *f)
{
    const int all = atn_min(f->s->ranks, 64), last = f->s->channels.n - 1;
    const double small = atn_model_survey_value(f->s, ATN_OBS_BUSY, last, 1, all, NULL);
    const double large = atn_model_survey_value(f->s, ATN_OBS_BUSY, last, 64 << 10, all, NULL);
    const double shared = atn_model_survey_value(f->s, ATN_OBS_ALL_RANKS, last, 1, all, NULL);
    f->channel->rate = seen(f, ATN_OBS_ONE_WAY, 0, 1);
    if (f->c == 0 && last > 0)
        return;
    f->channel->cpu_message = small / 2; /* each rank sends one and receives one */
    if (f->s->processors > 0 && all > f->s->processors && shared > 0) /* oversubscribed */
        f->channel->cpu_message = shared * f->s->processors / (2 * all);
    f->channel->cpu_byte = fmax(0, (large - small) / 2 / (64 << 10));
}

void atn_model_fit_quality(const atn_survey *s, int channel, bool shared, atn_channel *c)
{
    for (int i = 0; i < s->seen.n; i++) {
        const atn_observation *o = &s->seen.v[i];
        if (o->channel != channel || o->kind == ATN_OBS_EAGER ||
            atn_model_obs_is_shared(o->kind) != shared)
            continue;
        c->samples += o->samples;
        c->spread = fmax(c->spread, atn_spread(o->value));
    }
}

/* ---- channels ---- */

static bool fit_channel(const fitter *f)
{
    fit_overhead(f);
    const bool ok = fit_transfer(f) && fit_plogp(f) && fit_lognp(f);
    fit_line(f);
    fit_lmo(f);
    fit_links(f);
    atn_model_fit_quality(f->s, f->c, false, f->channel);
    return ok;
}

/* One rank per host: memory transfers are derived from local copies. */
static bool assume_memory(const fitter *f)
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(f->s, ATN_OBS_COPY, -1, 1, NULL, sizes);
    bool ok =
        atn_model_machine_note(f->m, "memory", "no host has two ranks; derived from local copies");
    for (int i = 0; i < n && ok; i++)
        ok = atn_model_table_put(&f->channel->transfer, sizes[i], 1,
                                 atn_model_survey_value(f->s, ATN_OBS_COPY, -1, sizes[i], 1, NULL));
    return ok;
}

/* No pair of hosts has this distance: copied from the nearest channel. */
static bool assume_network(const fitter *f, const bool *measured)
{
    int from = 0, n = f->m->nchannels;
    for (int far = 1; far < n && from == 0; far++)
        from = f->c - far > 0 && measured[f->c - far]   ? f->c - far
               : f->c + far < n && measured[f->c + far] ? f->c + far
                                                        : 0;
    char name[32];
    snprintf(name, sizeof name, "%s", f->channel->name);
    *f->channel = f->m->channel[from];
    snprintf(f->channel->name, sizeof f->channel->name, "%s", name);
    return atn_model_machine_note(
        f->m, name, "no two hosts are connected at this level; copied from another level");
}

static bool fit_channels(fitter *f)
{
    bool measured[ATN_MACHINE_CHANNELS] = {false}, ok = true;
    for (f->c = 0; f->c < f->s->channels.n && ok; f->c++) {
        f->channel = atn_model_machine_add_channel(f->m, f->s->channels.v[f->c].name);
        if (f->channel == NULL) /* the last channel serves larger distances */
            break;
        measured[f->c] = half_trip(f, 1) > 0;
        if (measured[f->c])
            ok = fit_channel(f);
        else if (f->c == 0)
            ok = assume_memory(f);
    }
    fit_duplex(f, measured);
    for (f->c = 1; f->c < f->m->nchannels && ok; f->c++) {
        f->channel = &f->m->channel[f->c];
        ok = measured[f->c] || assume_network(f, measured);
    }
    return ok;
}

/* ---- the machine ---- */

/* A table of costs per byte. */
static bool fit_bytes(const atn_survey *s, atn_obs_kind kind, const char *what, atn_cost_table *t)
{
    int64_t sizes[ATN_FIT_POINTS];
    int taus[ATN_TABLE_TAUS];
    const int n = atn_model_fit_sizes(s, kind, -1, 1, what, sizes);
    const int ntaus = atn_model_fit_taus(s, &kind, 1, -1, what, taus);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        for (int k = 0; k < ntaus && ok; k++) {
            const double one = atn_model_survey_value(s, kind, -1, sizes[i], 1, what);
            const double many = atn_model_survey_value(s, kind, -1, sizes[i], taus[k], what);
            ok = atn_model_table_put(t, sizes[i], taus[k],
                                     (many > 0 ? many : one) / (double)sizes[i]);
        }
    return ok;
}

static bool fit_local(const fitter *f)
{
    bool ok = fit_bytes(f->s, ATN_OBS_COPY, NULL, &f->m->copy) &&
              fit_bytes(f->s, ATN_OBS_PACK, NULL, &f->m->pack);
    for (int i = 0; i < f->s->seen.n && ok; i++) {
        const atn_observation *o = &f->s->seen.v[i];
        char op[16], type[16];
        if (o->kind != ATN_OBS_REDUCE || sscanf(o->what, "%15[^.].%15s", op, type) != 2)
            continue;
        atn_cost_table *t = atn_model_machine_gamma(f->m, op, type);
        if (t != NULL && t->nsizes == 0)
            ok = fit_bytes(f->s, ATN_OBS_REDUCE, o->what, t);
    }
    return ok;
}

/* Adds a note about a host that is much slower than the others. */
static bool note_slow_host(const fitter *f)
{
    int a[256], b[256], m = 0;
    double trip[256], fixed[256], sorted[256];
    const int n = f->s->hosts;
    for (int i = 0; i < f->s->seen.n && m < 256; i++) {
        const atn_observation *o = &f->s->seen.v[i];
        if (o->kind == ATN_OBS_PAIR && o->bytes == 0 &&
            sscanf(o->what, "%d-%d", &a[m], &b[m]) == 2 && a[m] < n && b[m] < n)
            trip[m++] = o->value.mid;
    }
    if (n < 3 || n > 32 || !atn_model_fit_hosts(n, a, b, trip, m, fixed))
        return true;
    memcpy(sorted, fixed, sizeof *fixed * (size_t)n);
    const double usual = middle(sorted, n);
    int slowest = 0;
    for (int h = 1; h < n; h++)
        slowest = fixed[h] > fixed[slowest] ? h : slowest;
    if (fixed[slowest] < 1.5 * usual)
        return true;
    char text[160];
    snprintf(text, sizeof text, "host %d takes %.1f times as long for a message as the median host",
             slowest, fixed[slowest] / usual);
    return atn_model_machine_note(f->m, "slow", text);
}

static void fit_idle(const fitter *f)
{
    const int last = f->s->channels.n - 1, all = atn_min(f->s->ranks, 64);
    const double token = atn_model_survey_value(f->s, ATN_OBS_TOKEN, last, 1, all, NULL);
    const double alone = atn_model_survey_value(f->s, ATN_OBS_ROUND_TRIP, last, 1, 1, NULL) / 2;
    f->m->processors = f->s->processors;
    if (f->s->processors > 0 && token > 0)
        f->m->idle = fmax(0, token - alone);
}

bool atn_model_fit_parameters(const atn_survey *s, atn_machine *m)
{
    fitter f = {.s = s, .m = m};
    atn_model_machine_clear(m);
    m->ranks = s->ranks;
    m->topology = s->topology;
    m->hosts = s->hosts;
    fit_idle(&f);
    return atn_model_machine_note(m, "mpi", s->mpi) && fit_local(&f) && fit_channels(&f) &&
           atn_model_fit_shared(s, m) && note_slow_host(&f);
}
