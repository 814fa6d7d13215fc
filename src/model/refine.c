/* refine.c - see refine.h. */
#include "model/refine.h"

#include <math.h>
#include <string.h>

static const double step = 0.01;         /* for gradients */
static const double farthest = 2.3;      /* limits knobs to a factor of ten */
static const double noise = 0.05;        /* assumed relative error of a prediction */
static const double most_variance = 1.0; /* with more, a single call would decide */

void atn_model_refiner_begin(atn_refiner *r, int n, double forget, double sigma)
{
    *r = (atn_refiner){.n = n, .forget = forget, .usual = 0.5};
    for (int i = 0; i < n; i++)
        r->covariance[i][i] = sigma * sigma;
}

/* ---- recursive least squares ---- */

/* The derivative of the logarithm of the prediction by each knob. */
static void gradient(const atn_refiner *r, atn_refine_fn predict, void *context, double at,
                     double *slope)
{
    double knobs[ATN_KNOBS];
    memcpy(knobs, r->knob, sizeof knobs);
    for (int i = 0; i < r->n; i++) {
        knobs[i] += step;
        const double there = predict(context, knobs);
        slope[i] = there > 0 ? log(there / at) / step : 0;
        knobs[i] = r->knob[i];
    }
}

/* Limits outliers; the usual error is a moving average. */
static double limited(atn_refiner *r, double error)
{
    const double limit = fmax(2 * r->usual, 2 * noise);
    const double cut = fmax(-limit, fmin(limit, error));
    r->usual += 0.1 * (fabs(cut) - r->usual);
    return cut;
}

static void forget(atn_refiner *r)
{
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < r->n; k++)
            if (r->covariance[i][i] < most_variance && r->covariance[k][k] < most_variance)
                r->covariance[i][k] /= r->forget;
}

/* One step for the equation slope . change = error. */
static void update(atn_refiner *r, const double *slope, double error)
{
    double gain[ATN_KNOBS] = {0}, spread = noise * noise;
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < r->n; k++)
            gain[i] += r->covariance[i][k] * slope[k];
    for (int i = 0; i < r->n; i++)
        spread += slope[i] * gain[i];
    for (int i = 0; i < r->n; i++) {
        const double knob = r->knob[i] + gain[i] / spread * error;
        r->knob[i] = fmax(-farthest, fmin(farthest, knob));
        for (int k = 0; k < r->n; k++)
            r->covariance[i][k] -= gain[i] * gain[k] / spread;
    }
    forget(r);
}

double atn_model_refiner_learn(atn_refiner *r, atn_refine_fn predict, void *context, double seconds)
{
    double slope[ATN_KNOBS];
    const double at = predict(context, r->knob);
    if (!(at > 0) || !(seconds > 0) || !isfinite(at) || !isfinite(seconds))
        return 0;
    const double error = log(seconds / at);
    gradient(r, predict, context, at, slope);
    update(r, slope, limited(r, error));
    return error;
}

/* ---- knobs of a machine ---- */

/* Two for each channel, and one. */
int atn_model_machine_knobs(const atn_machine *m)
{
    int n = 1;
    for (int c = -1; (c = atn_model_machine_next(m, c)) >= 0;)
        n += 2;
    return n;
}

void atn_model_machine_knob_name(const atn_machine *m, int knob, char *out, size_t size)
{
    const int channel = knob / 2 < m->nchannels ? knob / 2 : ATN_CHANNEL_SHARED;
    if (knob == atn_model_machine_knobs(m) - 1)
        snprintf(out, size, "reduce");
    else
        snprintf(out, size, "%s %s", m->channel[channel].name, knob % 2 ? "transfer" : "overhead");
}

static void scale(atn_cost_table *t, double factor)
{
    for (int i = 0; i < t->nsizes; i++)
        for (int k = 0; k < t->ntaus; k++)
            t->v[i][k] *= factor;
}

/* Costs per message. */
static void turn_overhead(atn_channel *c, double factor)
{
    double *const list[] = {&c->o_below,   &c->o_from,        &c->latency,   &c->hockney.alpha,
                            &c->loggp.o,   &c->loggp.latency, &c->loggp.gap, &c->plogp.latency,
                            &c->lmo.fixed, &c->cpu_message};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] *= factor;
    scale(&c->plogp.os, factor);
    scale(&c->plogp.or_, factor);
    scale(&c->expose, factor);
}

/* Costs per byte. */
static void turn_transfer(atn_channel *c, double factor)
{
    atn_cost_table *const list[] = {&c->transfer,       &c->sync,    &c->plogp.gap,
                                    &c->plogp.gap_many, &c->lognp.o, &c->lognp.mw,
                                    &c->lognp.net,      &c->single,  &c->exposed};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        scale(list[i], factor);
    c->hockney.beta *= factor;
    c->loggp.gap_byte *= factor;
    c->lmo.byte *= factor;
    c->lmo.rate /= factor;
    c->cpu_byte *= factor;
    c->rate /= factor;
}

void atn_model_machine_turn(atn_machine *m, const double *knobs)
{
    int knob = 0;
    for (int c = -1; (c = atn_model_machine_next(m, c)) >= 0;) {
        turn_overhead(&m->channel[c], exp(knobs[knob++]));
        turn_transfer(&m->channel[c], exp(knobs[knob++]));
    }
    for (int i = 0; i < m->ngammas; i++)
        scale(&m->gamma[i].cost, exp(knobs[knob]));
}
