/* model.c - the table of models, and their shared functions. */
#include "model/model.h"
#include "shm/board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const atn_model models[] = {
    {"alpha-beta", "Hockney: a + b m, one message at a time per direction, synchronous", true,
     false, atn_model_alpha_beta},
    {"loggp", "LogGP: 2o + L + (m-1)G with the parameters of the slowest channel", true, false,
     atn_model_loggp},
    {"loggph", "LogGPH: LogGP with the parameters of each message's channel", true, false,
     atn_model_loggph},
    {"plogp", "parametrised LogP: L + g(m), with a handshake from the eager limit on", true, false,
     atn_model_plogp},
    {"lognp", "log_nP: n transfers of o(m) on the slowest channel", true, false, atn_model_lognp},
    {"mlognp", "mlog_nP: transfers on each message's channel, network and copies separate", true,
     false, atn_model_mlognp},
    {"lmo", "LMO: processors and links separate, C + m t at both ends, m / rate", true, false,
     atn_model_lmo},
    {"taulop", "tau-Lop: stages of transfers in lock-step, L(m, tau) under contention", true, false,
     atn_model_taulop},
    {"taulop-links", "tau-Lop, with the time of the busiest link in each stage", true, false,
     atn_model_taulop_links},
    {"ron-a", "RON, ports reconfigured as early as possible: start + m byte + exposed delay", true,
     true, atn_model_ron_a},
    {"ron-b", "RON, a circuit for every message: delay + start + m byte", true, true,
     atn_model_ron_b},
    {"links", "simulated flows that share links and processors fairly", false, false,
     atn_model_links},
};

int atn_models(void) { return (int)(sizeof models / sizeof models[0]); }
const atn_model *atn_model_at(int i) { return &models[i]; }

const atn_model *atn_model_find(const char *name)
{
    for (int i = 0; i < atn_models(); i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

atn_status atn_model_unknown_model(const char *option, const char *name, atn_error *err)
{
    const char *names[sizeof models / sizeof *models];
    char offer[ATN_ERROR_ROOM];
    for (int i = 0; i < atn_models(); i++)
        names[i] = models[i].name;
    return atn_fail(err, ATN_USAGE, "--%s %s: unknown model; %s", option, name,
                    atn_offer(name, names, atn_models(), offer));
}

bool atn_model_fits(const atn_model *model, const atn_machine *m)
{
    return !model->circuits || m->ports > 0;
}

/* ---- shared memory ---- */

/* Data that are copied when they are exposed need no reader to remain valid. */
static bool is_copied(double bytes) { return bytes <= ATN_SHM_EXPOSED; }

/* Not measured: an empty message of the MPI library. */
static double expose_cost(const atn_model_case *c, double bytes)
{
    const atn_channel *const s = &c->m->channel[ATN_CHANNEL_SHARED];
    if (!atn_model_machine_shares(c->m))
        return atn_model_channel_overhead(&c->m->channel[0], 0);
    return atn_model_table_time(&s->expose, is_copied(bytes) ? bytes : 0, 1);
}

static double close_cost(const atn_model_case *c, double bytes)
{
    const atn_channel *const s = &c->m->channel[ATN_CHANNEL_SHARED];
    if (!atn_model_machine_shares(c->m))
        return atn_model_channel_overhead(&c->m->channel[0], 0);
    return is_copied(bytes) ? 0 : atn_model_table_time(&s->exposed, 0, 1);
}

/* Not measured: as long as a message from the exposing rank. */
static double read_cost(const atn_model_case *c, const atn_op_node *x, double tau)
{
    const int from = c->g->nodes[x->source].rank;
    const int channel = atn_model_machine_channel_of(c->m, c->t, x->rank, from);
    const atn_cost_table *const t = &c->m->channel[channel].exposed;
    return t->nsizes > 0 ? atn_model_table_time(t, (double)x->bytes, tau)
                         : atn_model_channel_message(c->m, channel, (double)x->bytes);
}

/* The time in which the operand of a reduction is moved by the reduction itself. */
static double moved_meanwhile(const atn_model_case *c, const atn_op_node *x, double tau)
{
    const atn_channel *const s = &c->m->channel[ATN_CHANNEL_SHARED];
    const double bytes = (double)x->bytes;
    if (!atn_model_machine_shares(c->m))
        return 0;
    if (x->kind == ATN_OP_READ_REDUCE)
        return is_copied(bytes) ? atn_model_table_time(&s->exposed, bytes, tau) -
                                      atn_model_table_time(&s->exposed, 0, tau)
                                : 0;
    if (x->fused < 0)
        return 0;
    const atn_op_node *const recv = &c->g->nodes[x->fused];
    if (atn_model_channel_is_single(s, bytes) && !c->g->nodes[recv->other].alone)
        return 0;
    return atn_model_machine_channel_of(c->m, c->t, recv->rank, c->g->nodes[recv->other].rank) ==
                   ATN_CHANNEL_SHARED
               ? atn_model_channel_transfer(s, bytes, tau)
               : 0;
}

double atn_model_reduce_cost(const atn_model_case *c, const atn_op_node *x, double tau)
{
    const double bytes = (double)x->bytes;
    const double whole = bytes * atn_model_machine_reduce(c->m, c->op, c->type, bytes, tau);
    return fmax(0, whole - moved_meanwhile(c, x, tau));
}

double atn_model_local_cost(const atn_model_case *c, const atn_op_node *x, double tau)
{
    const double bytes = (double)x->bytes;
    switch (x->kind) {
    case ATN_OP_REDUCE:
        return atn_model_reduce_cost(c, x, tau);
    case ATN_OP_EXPOSE:
        return expose_cost(c, bytes);
    case ATN_OP_CLOSE:
        return close_cost(c, bytes);
    case ATN_OP_READ:
        return read_cost(c, x, tau);
    case ATN_OP_READ_REDUCE:
        return read_cost(c, x, tau) + atn_model_reduce_cost(c, x, tau);
    default:
        return bytes * atn_model_table_rate(&c->m->copy, bytes, tau);
    }
}

int atn_model_hosts(const atn_machine *m, const atn_topo *t, int p, int *host)
{
    int n = 0;
    for (int r = 0; r < p; r++) {
        if (t == NULL) {
            host[r] = m->nchannels > 1 ? r : 0;
        } else {
            const int v = atn_model_host_node(t, r);
            host[r] = -1;
            for (int q = r - 1; q >= 0 && host[r] < 0; q--)
                if (atn_model_host_node(t, q) == v)
                    host[r] = host[q];
            host[r] = host[r] < 0 ? n : host[r];
        }
        n = atn_max(n, host[r] + 1);
    }
    return n;
}

/* Levels of links below a node; hosts have none. */
static int height(const atn_topo *t, int v)
{
    int most = 0;
    for (int u = v + 1; u < t->nnodes && t->nodes[u].depth > t->nodes[v].depth; u++)
        if (t->nodes[u].kind != ATN_TOPO_PART)
            most = atn_max(most, t->nodes[u].depth - t->nodes[v].depth);
    return most;
}

double atn_model_edge_rate(const atn_machine *m, const atn_topo *t, int edge)
{
    const int64_t rate = atn_topo_rate(t, edge);
    const int v = edge / 2 - t->p;
    if (rate > 0)
        return (double)rate / 8 * m->framing;
    if (v < 0 || (v < t->nnodes && t->nodes[v].kind == ATN_TOPO_PART) || m->nchannels < 2)
        return 0.0;
    const int levels = v < t->nnodes ? height(t, v) : atn_topo_link_height(t, edge);
    return atn_model_channel_rate(m, atn_min(levels + 1, m->nchannels - 1));
}
