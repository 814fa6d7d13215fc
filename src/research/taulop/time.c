/* time.c - the steps of a traffic with the parameters of a machine. */
#include <math.h>

#include "research/taulop/steps.h"

typedef struct {
    const atn_tau_costs *costs;
    double byte; /* bytes per unit of size */
    double seconds;
} meter;

static double cost(const meter *c, atn_tau_kind kind, int channel, int64_t size, int tau)
{
    const atn_tau_costs *m = c->costs;
    const double bytes = (double)size * c->byte;
    return kind == ATN_TAU_L   ? m->L(m->data, channel, bytes, tau)
           : kind == ATN_TAU_G ? m->gamma(m->data, bytes, tau)
                               : m->copy(m->data, bytes, tau);
}

/* Sizes ascend: all uses until the shortest ends, and so on. */
static double together(const meter *c, atn_tau_kind kind, const atn_tau_use *u, int n)
{
    double sum = cost(c, kind, u->channel, u->size, n);
    for (int i = 1; i < n; i++)
        if (u[i].size > u[i - 1].size)
            sum += fmax(0, cost(c, kind, u->channel, u[i].size, n - i) -
                               cost(c, kind, u->channel, u[i - 1].size, n - i));
    return sum;
}

static bool step(void *to, atn_tau_kind kind, const atn_tau_use *uses, int n)
{
    meter *c = to;
    double most = 0;
    for (int i = 0, end; i < n; i = end) {
        end = atn_tau_uses_end(uses, n, i);
        most = fmax(most, together(c, kind, &uses[i], end - i));
    }
    c->seconds += most;
    return true;
}

static bool stage(void *to, const atn_tau_flow *flows, int n, int channel, int64_t size)
{
    meter *c = to;
    (void)flows, (void)n;
    c->seconds += c->costs->o(c->costs->data, channel, (double)size * c->byte);
    return true;
}

double atn_tau_time(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                    const atn_tau_costs *costs, double bytes)
{
    meter c = {.costs = costs, .byte = bytes / (double)t->parts};
    const atn_step_visitor v = {.to = &c, .step = step, .stage = stage};
    return atn_tau_walk(t, m, contention, &v) ? c.seconds : -1;
}
