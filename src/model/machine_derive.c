/* machine_derive.c - derives missing parameter sets, so that every model runs on every machine. */
#include <math.h>

#include "model/machine.h"

static const double small = 1024, large = 1048576;

/* (3.4): o + the transfers of all hops; the first and the last hop of a network are memory. */
static double taulop_message(const atn_machine *m, int channel, double bytes)
{
    const atn_channel *c = &m->channel[channel];
    const double o = atn_model_channel_overhead(c, bytes),
                 own = atn_model_channel_transfer(c, bytes, 1);
    if (atn_model_channel_is_single(c, bytes))
        return o + atn_model_table_time(&c->single, bytes, 1);
    if (atn_model_channel_inside(channel)) {
        const double size = atn_model_channel_cell(c);
        const double k = size > 0 ? fmax(1.0, ceil(bytes / size)) : 1.0;
        const double cell = atn_model_channel_transfer(c, bytes / k, 1);
        return k > 1 ? o + (double)c->hops * cell +
                           (k - 1) * atn_model_channel_transfer(c, bytes / k, (double)c->hops)
                     : o + (double)c->hops * own;
    }
    return o + own + (double)(c->hops - 1) * atn_model_channel_transfer(&m->channel[0], bytes, 1);
}

double atn_model_channel_message(const atn_machine *m, int channel, double bytes)
{
    const atn_channel *c = &m->channel[channel];
    const atn_loggp *g = &c->loggp;
    if (c->transfer.nsizes > 0)
        return taulop_message(m, channel, bytes);
    if (c->plogp.gap.nsizes > 0)
        return c->plogp.latency + atn_model_table_time(&c->plogp.gap, bytes, 1);
    if (g->gap_byte > 0)
        return 2 * g->o + g->latency + fmax(0.0, bytes - 1) * g->gap_byte;
    return c->hockney.alpha + bytes * c->hockney.beta;
}

atn_hockney atn_model_channel_hockney(const atn_machine *m, int channel)
{
    if (m->channel[channel].hockney.beta > 0)
        return m->channel[channel].hockney;
    const double one = atn_model_channel_message(m, channel, 1);
    const double beta = (atn_model_channel_message(m, channel, large) - one) / (large - 1);
    return (atn_hockney){.alpha = one, .beta = fmax(beta, 0.0)};
}

atn_loggp atn_model_loggp_from_plogp(const atn_plogp *p, int64_t bytes)
{
    const double gap = atn_model_table_time(&p->gap, 1, 1);
    const double os = atn_model_table_time(&p->os, 1, 1), or_ = atn_model_table_time(&p->or_, 1, 1);
    return (atn_loggp){.latency = p->latency + gap - os - or_,
                       .o = (os + or_) / 2,
                       .gap = gap,
                       .gap_byte = atn_model_table_time(&p->gap, (double)bytes, 1) / (double)bytes};
}

atn_loggp atn_model_channel_loggp(const atn_machine *m, int channel)
{
    const atn_channel *c = &m->channel[channel];
    if (c->loggp.gap_byte > 0)
        return c->loggp;
    if (c->plogp.gap.nsizes > 0)
        return atn_model_loggp_from_plogp(&c->plogp, (int64_t)large);
    const atn_hockney h = atn_model_channel_hockney(m, channel);
    const double o = fmin(c->o_below, h.alpha / 2);
    return (atn_loggp){.latency = h.alpha - 2 * o, .o = o, .gap = o, .gap_byte = h.beta};
}

double atn_model_plogp_latency(const atn_machine *m, int channel)
{
    const atn_channel *c = &m->channel[channel];
    if (c->plogp.gap.nsizes > 0)
        return c->plogp.latency;
    const atn_loggp g = atn_model_channel_loggp(m, channel);
    return fmax(0.0, g.latency + 2 * g.o - g.gap);
}

double atn_model_plogp_gap(const atn_machine *m, int channel, double bytes)
{
    const atn_channel *c = &m->channel[channel];
    if (c->plogp.gap.nsizes > 0)
        return atn_model_table_time(&c->plogp.gap, bytes, 1);
    return fmax(0.0,
                atn_model_channel_message(m, channel, bytes) - atn_model_plogp_latency(m, channel));
}

atn_lmo atn_model_channel_lmo(const atn_machine *m, int channel)
{
    if (m->channel[channel].lmo.rate > 0)
        return m->channel[channel].lmo;
    const atn_hockney h = atn_model_channel_hockney(m, channel);
    const double byte = fmin(m->channel[channel].cpu_byte, h.beta / 4);
    return (atn_lmo){.fixed = h.alpha / 2, .byte = byte, .rate = 1.0 / (h.beta - 2 * byte + 1e-18)};
}

double atn_model_channel_rate(const atn_machine *m, int channel)
{
    const atn_channel *c = &m->channel[channel];
    if (c->rate > 0)
        return c->rate;
    const double more = atn_model_channel_message(m, channel, large);
    const double slope = (more - atn_model_channel_message(m, channel, large / 4)) / (large * 0.75);
    return slope > 0 ? 1.0 / slope : large / fmax(more, small * 1e-12);
}

/* ---- memory of a host ---- */

static double table_rate(const atn_cost_table *t, double transfers)
{
    const int last = t->ntaus - 1, row = t->nsizes - 1;
    if (row < 0 || t->v[row][last] <= 0)
        return 0;
    return t->tau[last] * (double)t->size[row] / t->v[row][last] / transfers;
}

double atn_model_machine_memory(const atn_machine *m)
{
    const atn_channel *const c = m->channel;
    const double rate =
        fmax(atn_model_channel_rate(m, 0), table_rate(&c->transfer, (double)c->hops));
    if (!atn_model_machine_shares(m))
        return rate;
    return fmax(fmax(rate, atn_model_channel_rate(m, ATN_CHANNEL_SHARED)),
                table_rate(&c[ATN_CHANNEL_SHARED].single, 1));
}
