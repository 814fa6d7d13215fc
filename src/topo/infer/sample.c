/* sample.c - measurements, and the one question that all of inference is made of. */
#include <math.h>
#include <stdlib.h>

#include "topo/infer/private.h"

/* ---- chance ---- */

int atn_topo_infer_pick(atn_infer_state *s, int n)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (int)((s->random >> 11) % (uint64_t)n);
}

void atn_topo_infer_shuffle(atn_infer_state *s, int *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = atn_topo_infer_pick(s, i + 1), old = v[i];
        v[i] = v[j];
        v[j] = old;
    }
}

/* ---- measuring ---- */

/* A rate alone that was taken too low would hide that a link is shared. */
static void learn(atn_infer_state *s, const atn_infer_flow *f, double rate)
{
    double *known = &s->base[f->from * s->hosts + f->to];
    if (*known == 0 || rate < 1.15 * *known)
        return;
    *known = rate;
    s->out[f->from] = fmax(s->out[f->from], rate);
    s->in[f->to] = fmax(s->in[f->to], rate);
}

static bool record(atn_infer_state *s, const atn_infer_flow *flows, int n, const double *rates)
{
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = atn_push(&s->flows, flows[i]) && atn_push(&s->rates, rates[i]);
    return ok && atn_push(&s->ends, s->flows.n);
}

void atn_topo_infer_sample(atn_infer_state *s, const atn_infer_flow *flows, int n, double *rates)
{
    const atn_prober *p = s->prober;
    s->broken = s->broken || !p->rates(p->context, flows, n, rates);
    if (!s->broken && !record(s, flows, n, rates))
        s->broken = s->no_memory = true;
    for (int i = 0; i < n; i++) {
        rates[i] = s->broken ? 1 : fmax(rates[i], 1);
        learn(s, &flows[i], rates[i]);
    }
    if (!s->broken && p->progress)
        p->progress(p->context, fmin(1, s->ends.n / s->budget));
}

double atn_topo_infer_limit(const atn_infer_state *s, int from, int to)
{
    return fmin(s->out[from], s->in[to]);
}

/* Whatever disturbs a transfer that runs alone makes it slower, so the best ones count: the two
 * best must agree.  One is enough when it is as fast as both hosts are known to be. */
static double measure_alone(atn_infer_state *s, int from, int to)
{
    enum { TRIES = 5 };
    const double agree = 0.9, limit = atn_topo_infer_limit(s, from, to);
    double best = 0, second = 0;
    for (int i = 0; i < TRIES; i++) {
        double rate;
        atn_topo_infer_sample(s, &(atn_infer_flow){from, to}, 1, &rate);
        second = fmax(second, fmin(best, rate));
        best = fmax(best, rate);
        if (limit > 0 && rate >= agree * limit)
            return rate;
        if (second >= agree * best)
            break;
    }
    return 0.5 * (best + second);
}

double atn_topo_infer_base(atn_infer_state *s, int from, int to)
{
    double *known = &s->base[from * s->hosts + to];
    if (*known == 0) {
        *known = measure_alone(s, from, to);
        s->out[from] = fmax(s->out[from], *known);
        s->in[to] = fmax(s->in[to], *known);
    }
    return *known;
}

/* ---- do two transfers share a link? ---- */

/* The fourth highest of five: many may share links, few are too fast by chance. */
double atn_topo_infer_level(const double *part, int n)
{
    double copy[n];
    for (int i = 0; i < n; i++)
        copy[i] = part[i];
    atn_median(copy, n); /* sorts */
    return fmax(0.3, fmin(1, copy[n < 5 ? n - 1 : atn_min(n * 4 / 5, n - 2)]));
}

/* A link that is just fast enough for the faster of the two alone leaves max / (a + b) of the sum;
 * the border is half-way to 1, but so that links up to half as fast again are still found. */
double atn_topo_infer_threshold(double a, double b)
{
    const double half_way = 0.5 * (1 + fmax(a, b) / (a + b));
    return fmin(0.92, fmax(0.8, half_way));
}

/* Part of the sum of their separate rates that the two reach together.  The sum, because how two
 * transfers divide a link between them is a matter of luck. */
static double together(atn_infer_state *s, int z, int x, int a, int y)
{
    const atn_infer_flow flows[2] = {{z, x}, {a, y}};
    double rates[2];
    const double alone = atn_topo_infer_base(s, z, x) + atn_topo_infer_base(s, a, y);
    atn_topo_infer_sample(s, flows, 2, rates);
    return (rates[0] + rates[1]) / alone;
}

/* Part of its separate rate that z -> x reaches beside y -> a: the same hosts are as busy, but the
 * links of a -> y are used in the other direction.  A loss here is not caused by shared links. */
static double control(atn_infer_state *s, int z, int x, int a, int y)
{
    const atn_infer_flow flows[2] = {{z, x}, {y, a}};
    double rates[2];
    atn_topo_infer_sample(s, flows, 2, rates);
    return fmin(1, rates[0] / atn_topo_infer_base(s, z, x));
}

bool atn_topo_infer_share(atn_infer_state *s, int z, int a, int x, int y, int yes)
{
    enum { YES_LEAD = 3, NO_LEAD = 2, ROUNDS = 11 }; /* a link that is not there does more harm */
    const double border =
        atn_topo_infer_threshold(atn_topo_infer_base(s, z, x), atn_topo_infer_base(s, a, y));
    int no = 0;
    for (int i = 0; i < ROUNDS && yes - no < YES_LEAD && no - yes < NO_LEAD && !s->broken; i++) {
        const double part = together(s, z, x, a, y);
        if (part < border && part < border * control(s, z, x, a, y))
            yes++;
        else
            no++;
    }
    return yes > no;
}
