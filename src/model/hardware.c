/* hardware.c - models with a cost per message: Hockney, LogGP(H), pLogP, log_nP, mlog_nP, LMO.
 * They differ in the costs of sender, network and receiver; all use the graph walk of ports.h. */
#include <math.h>

#include "model/model.h"
#include "model/ports.h"

typedef struct {
    const atn_model_case *c;
    bool one;  /* all messages have the cost of the slowest channel in use */
    int worst; /* that channel */
    union {
        atn_hockney hockney[ATN_CHANNEL_SLOTS];
        atn_loggp loggp[ATN_CHANNEL_SLOTS];
        atn_lmo lmo[ATN_CHANNEL_SLOTS];
        double latency[ATN_CHANNEL_SLOTS];
    } of;
    struct { /* the last cost computed: most messages of a collective are equal */
        double bytes;
        atn_message_cost cost;
    } last[ATN_CHANNEL_SLOTS];
} context;

typedef void (*message_fn)(const context *x, int channel, double bytes, atn_message_cost *cost);

static int channel_of(const context *x, const atn_op_graph *g, const atn_op_node *send)
{
    if (x->one)
        return x->worst;
    return atn_model_machine_channel_of(x->c->m, x->c->t, send->rank, g->nodes[send->other].rank);
}

static void find_worst(context *x)
{
    const atn_op_graph *g = x->c->g;
    for (int i = 0; i < g->n; i++)
        if (g->nodes[i].kind == ATN_OP_SEND)
            x->worst = atn_model_channel_farther(x->worst, channel_of(x, g, &g->nodes[i]));
    x->one = true;
}

static double cost_of(context *x, const atn_op_graph *g, int id, atn_message_cost *cost,
                      message_fn fn)
{
    const atn_op_node *n = &g->nodes[id];
    if (n->other < 0)
        return atn_model_local_cost(x->c, n, 1);
    const int channel = channel_of(x, g, n);
    const double bytes = (double)n->bytes;
    if (!(x->last[channel].bytes == bytes)) {
        fn(x, channel, bytes, &x->last[channel].cost);
        x->last[channel].bytes = bytes;
    }
    *cost = x->last[channel].cost;
    return 0.0;
}

static atn_status by_ports(const atn_op_graph *g, atn_cost_fn cost, void *x, double *seconds_p,
                           atn_error *err)
{
    return atn_model_ports_time(g, cost, x, NULL, seconds_p, err);
}

/* One callback and one entry per model; the last arguments fill in x.of for every channel i. */
#define MODEL(name, walk, ...)                                                                     \
    static double name##_cost(void *x, const atn_op_graph *g, int id, atn_message_cost *cost)      \
    {                                                                                              \
        return cost_of(x, g, id, cost, cost_##name);                                               \
    }                                                                                              \
    atn_status atn_model_##name(const atn_model_case *c, double *seconds_p, atn_error *err)        \
    {                                                                                              \
        context x = {.c = c};                                                                      \
        for (int i = -1; (i = atn_model_machine_next(c->m, i)) >= 0;) {                            \
            x.last[i].bytes = -1;                                                                  \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return walk(c->g, name##_cost, &x, seconds_p, err);                                        \
    }

static void cost_alpha_beta(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const atn_hockney *h = &x->of.hockney[channel];
    const double t = h->alpha + h->beta * bytes;
    *cost = (atn_message_cost){.sync = true, .send = t, .send_port = t, .recv = t, .recv_port = t};
}
MODEL(alpha_beta, by_ports, x.of.hockney[i] = atn_model_channel_hockney(c->m, i))

/* (2.1) and (2.2): a second message follows g + (m-1)G later.  LogGPH counts both messages of a
 * send-receive, (5.8) and (6.7); LogGP one, (4.16). */
static void cost_loggph(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const atn_loggp *p = &x->of.loggp[channel];
    const double stream = fmax(0.0, bytes - 1) * p->gap_byte;
    *cost = (atn_message_cost){.send = p->o + stream,
                               .send_port = p->gap + stream,
                               .lead = p->o + p->latency,
                               .recv = stream + p->o,
                               .recv_port = p->gap + stream,
                               .whole = 2 * p->o + p->latency + stream};
}
MODEL(loggph, atn_model_ports_turns, x.of.loggp[i] = atn_model_channel_loggp(c->m, i))

static void cost_loggp(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    cost_loggph(x, channel, bytes, cost);
}
MODEL(loggp, by_ports, {
    if (i == 0)
        find_worst(&x);
    x.of.loggp[i] = atn_model_channel_loggp(c->m, i);
})

/* L + g(m).  From the eager limit on, a handshake of two small messages adds 2 g(1) + 2 L. */
static void cost_plogp(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const atn_machine *m = x->c->m;
    const atn_channel *c = &m->channel[channel];
    const double gap = atn_model_plogp_gap(m, channel, bytes), latency = x->of.latency[channel];
    const bool rendezvous = c->eager > 0 && bytes >= (double)c->eager;
    *cost = (atn_message_cost){
        .sync = rendezvous,
        .handshake = rendezvous ? 2 * (atn_model_plogp_gap(m, channel, 1) + latency) : 0.0,
        .send = gap,
        .send_port = gap,
        .lead = latency,
        .recv = gap,
        .recv_port = gap,
    };
}
MODEL(plogp, by_ports, x.of.latency[i] = atn_model_plogp_latency(c->m, i))

/* The first transfer belongs to the sender, the last one to the receiver. */
static void transfers(double first, double between, double last, atn_message_cost *cost)
{
    *cost = (atn_message_cost){.send = first,
                               .send_port = first,
                               .lead = first + between,
                               .recv = last,
                               .recv_port = last};
}

/* o(m) = T(m) / n where it was not measured. */
static void cost_lognp(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const atn_machine *m = x->c->m;
    const atn_channel *c = &m->channel[channel];
    const double n = (double)c->hops;
    const double o = c->lognp.o.nsizes > 0 ? atn_model_table_time(&c->lognp.o, bytes, 1)
                                           : atn_model_channel_message(m, channel, bytes) / n;
    transfers(o, fmax(0.0, n - 2) * o, n > 1 ? o : 0.0, cost);
}
MODEL(lognp, by_ports, {
    if (i == 0)
        find_worst(&x);
})

/* (5.2) and (5.3); if not measured, the network part is the bytes at the rate of a link. */
static double mlognp_message(const atn_machine *m, int channel, double bytes)
{
    const atn_lognp *p = &m->channel[channel].lognp;
    if (p->mw.nsizes > 0)
        return atn_model_table_time(&p->mw, bytes, 1) + atn_model_table_time(&p->net, bytes, 1);
    return atn_model_channel_message(m, channel, bytes);
}

/* All transfers occupy both ranks, also that of the network: (5.9) and (6.9) add them up. */
static void cost_mlognp(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const double t = mlognp_message(x->c->m, channel, bytes);
    *cost = (atn_message_cost){.send = t, .send_port = t, .recv = t, .recv_port = t, .whole = t};
}
MODEL(mlognp, atn_model_ports_turns, {})

static void cost_lmo(const context *x, int channel, double bytes, atn_message_cost *cost)
{
    const atn_lmo *p = &x->of.lmo[channel];
    const double end = p->fixed + bytes * p->byte;
    transfers(end, bytes / p->rate, end, cost);
}
MODEL(lmo, by_ports, x.of.lmo[i] = atn_model_channel_lmo(c->m, i))
