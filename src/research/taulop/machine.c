/* machine.c - see machine.h. */
#include "research/taulop/machine.h"

#include <string.h>

#include "model/machine.h"

/* Ranks beyond the last channel use the last one. */
static const atn_channel *channel_of(const atn_machine *m, int c)
{
    return &m->channel[atn_min(c, m->nchannels - 1)];
}

static double overhead(void *data, int channel, double bytes)
{
    return atn_model_channel_overhead(channel_of(data, channel), bytes);
}

static double transfer(void *data, int channel, double bytes, double tau)
{
    return atn_model_channel_transfer(channel_of(data, channel), bytes, tau);
}

static double copy(void *data, double bytes, double tau)
{
    const atn_machine *m = data;
    return bytes * atn_model_table_rate(&m->copy, bytes, tau);
}

static double gamma_of(void *data, double bytes, double tau)
{
    return bytes * atn_model_machine_reduce(data, NULL, NULL, bytes, tau);
}

static atn_status check(const atn_machine *m, atn_error *err)
{
    for (int c = 0; c < m->nchannels; c++)
        if (m->channel[c].transfer.nsizes == 0)
            return atn_fail(err, ATN_INPUT,
                            "%s: channel %s has no table transfer, which tau-Lop needs; measure it",
                            m->origin, m->channel[c].name);
    return ATN_OK;
}

atn_status atn_tau_machine_load(const char *path, atn_tau_costs *costs_p, atn_error *err)
{
    atn_machine *m = NULL;
    if (path && strcmp(path, "builtin") != 0) {
        const atn_status st = atn_model_machine_read(path, &m, err);
        if (st)
            return st;
    } else {
        m = atn_model_machine_builtin();
        if (!m)
            return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    const atn_status st = check(m, err);
    if (st) {
        atn_model_machine_free(m);
        return st;
    }
    *costs_p = (atn_tau_costs){m, overhead, transfer, copy, gamma_of};
    return ATN_OK;
}

void atn_tau_machine_free(atn_tau_costs *costs)
{
    atn_model_machine_free(costs->data);
    costs->data = NULL;
}
