/* links_cost.c - what messages of a channel cost in the model of links. */
#include <math.h>

#include "model/links_private.h"
#include "model/model.h"

atn_links_cost atn_model_links_cost(const atn_machine *m, int channel)
{
    const atn_channel *c = &m->channel[channel];
    const double empty = c->o_below > 0 ? c->o_below : atn_model_channel_message(m, channel, 1);
    double cpu = c->cpu_message;
    if (cpu <= 0 && c->plogp.os.nsizes > 0)
        cpu = atn_model_table_time(&c->plogp.os, 1, 1);
    else if (cpu <= 0)
        cpu = empty / 4;
    const double latency = fmax(0.0, empty - 2 * cpu);
    double more = c->cpu_more;
    if (more <= 0 && c->plogp.gap_many.nsizes > 0)
        more = atn_model_table_time(&c->plogp.gap_many, 1, 1);
    return (atn_links_cost){.cpu = cpu,
                            .more = more > 0 && m->processors == 0 ? fmin(more, cpu) : cpu,
                            .empty = empty,
                            .latency = latency + (m->processors > 0 ? m->idle : 0.0),
                            .handshake = c->o_from > empty ? c->o_from - empty : 2 * latency + cpu,
                            .eager = (double)c->eager,
                            .rate = atn_model_channel_rate(m, channel),
                            .duplex = c->duplex > 0 ? c->duplex : 1.0,
                            .cpu_byte = c->cpu_byte};
}

atn_links_message atn_model_links_message(const atn_machine *m, int channel)
{
    const atn_links_cost c = atn_model_links_cost(m, channel);
    return (atn_links_message){c.empty, c.handshake, c.cpu + c.more, c.eager};
}

double atn_model_duplex_weight(double duplex, bool is_long, bool pair, int flows)
{
    const double part = !is_long ? 1.0 / 3 : pair ? 1.0 : 0.5;
    return 1 / (1 - (1 - duplex) * part / pow(flows, 2.0 / 3));
}
