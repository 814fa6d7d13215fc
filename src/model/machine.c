/* machine.c - construction and look-up. */
#include "model/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ethernet_tcp = 1460.0 / 1538.0;

atn_machine *atn_model_machine_new(void)
{
    atn_machine *m = malloc(sizeof *m);
    if (m)
        atn_model_machine_clear(m);
    return m;
}

void atn_model_machine_clear(atn_machine *m)
{
    memset(m, 0, sizeof *m);
    m->framing = ethernet_tcp;
}

void atn_model_machine_free(atn_machine *m) { free(m); }

static bool has_shared(const atn_machine *m)
{
    return m->channel[ATN_CHANNEL_SHARED].name[0] != '\0';
}

atn_channel *atn_model_machine_add_channel(atn_machine *m, const char *name)
{
    const bool shared = strcmp(name, "shared") == 0;
    const int i = shared ? ATN_CHANNEL_SHARED : m->nchannels;
    if (shared ? has_shared(m) : i == ATN_MACHINE_CHANNELS)
        return NULL;
    atn_channel *c = &m->channel[i];
    *c = (atn_channel){.hops = shared || i == 0 ? 2 : 3, .duplex = 1.0};
    snprintf(c->name, sizeof c->name, "%s", name);
    m->nchannels += !shared;
    return c;
}

bool atn_model_machine_shares(const atn_machine *m) { return has_shared(m) && !m->unshared; }

int64_t atn_model_machine_direct(const atn_machine *m)
{
    return atn_model_machine_shares(m) ? m->channel[ATN_CHANNEL_SHARED].eager : 0;
}

int atn_model_machine_next(const atn_machine *m, int channel)
{
    if (channel + 1 < m->nchannels)
        return channel + 1;
    return channel < ATN_CHANNEL_SHARED && has_shared(m) ? ATN_CHANNEL_SHARED : -1;
}

bool atn_model_machine_note(atn_machine *m, const char *key, const char *value)
{
    int i = 0;
    while (i < m->nnotes && strcmp(m->note[i].key, key) != 0)
        i++;
    if (i == ATN_MACHINE_NOTES)
        return false;
    snprintf(m->note[i].key, sizeof m->note[i].key, "%s", key);
    snprintf(m->note[i].value, sizeof m->note[i].value, "%s", value);
    m->nnotes = atn_max(m->nnotes, i + 1);
    return true;
}

atn_cost_table *atn_model_machine_gamma(atn_machine *m, const char *op, const char *type)
{
    for (int i = 0; i < m->ngammas; i++)
        if (strcmp(m->gamma[i].op, op) == 0 && strcmp(m->gamma[i].type, type) == 0)
            return &m->gamma[i].cost;
    if (m->ngammas == ATN_MACHINE_GAMMAS)
        return NULL;
    atn_gamma *g = &m->gamma[m->ngammas++];
    snprintf(g->op, sizeof g->op, "%s", op);
    snprintf(g->type, sizeof g->type, "%s", type);
    return &g->cost;
}

/* The first size defines the taus; all others must have the same ones. */
bool atn_model_table_put(atn_cost_table *t, int64_t size, int tau, double v)
{
    int row = t->nsizes - 1, column = 0;
    if (row < 0 || size > t->size[row]) {
        if (++row == ATN_TABLE_SIZES)
            return false;
        t->nsizes = row + 1;
        t->size[row] = size;
    } else if (size < t->size[row]) {
        return false;
    }
    while (column < t->ntaus && t->tau[column] != tau)
        column++;
    if (column == t->ntaus) {
        if (row > 0 || column == ATN_TABLE_TAUS || (column > 0 && tau < t->tau[column - 1]))
            return false;
        t->tau[t->ntaus++] = tau;
    }
    t->v[row][column] = v;
    return true;
}

/* ---- tables ---- */

/* One row at tau: linear between columns; above the last one linear, at most proportional. */
static double in_row(const atn_cost_table *t, int row, double tau)
{
    const double *v = t->v[row];
    const int last = t->ntaus - 1;
    int i = 0;
    if (tau <= t->tau[0])
        return v[0];
    while (i < last && t->tau[i + 1] < tau)
        i++;
    if (i < last) {
        const double part = (tau - t->tau[i]) / (t->tau[i + 1] - t->tau[i]);
        return v[i] + part * (v[i + 1] - v[i]);
    }
    const double most = v[last] * tau / t->tau[last];
    const double slope =
        last > 0 ? (v[last] - v[last - 1]) / (t->tau[last] - t->tau[last - 1]) : 0.0;
    return fmin(most, v[last] + fmax(0.0, slope) * (tau - t->tau[last]));
}

static double between(const atn_cost_table *t, int i, double bytes, double tau)
{
    const double low = in_row(t, i, tau), high = in_row(t, i + 1, tau);
    return low +
           (high - low) * (bytes - (double)t->size[i]) / (double)(t->size[i + 1] - t->size[i]);
}

static int row_below(const atn_cost_table *t, double bytes)
{
    int i = 0;
    while (i < t->nsizes - 1 && (double)t->size[i + 1] <= bytes)
        i++;
    return i;
}

double atn_model_table_time(const atn_cost_table *t, double bytes, double tau)
{
    if (t->nsizes == 0 || tau <= 0)
        return 0.0;
    const int i = row_below(t, bytes), last = t->nsizes - 1;
    if (bytes <= (double)t->size[i])
        return in_row(t, i, tau);
    if (i < last)
        return between(t, i, bytes, tau);
    const double end = in_row(t, last, tau);
    if (last == 0)
        return t->size[0] > 0 ? end * bytes / (double)t->size[0] : end;
    return fmax(end, between(t, last - 1, bytes, tau));
}

double atn_model_table_rate(const atn_cost_table *t, double bytes, double tau)
{
    if (t->nsizes == 0)
        return 0.0;
    const int i = row_below(t, bytes);
    const bool outside = bytes <= (double)t->size[i] || i == t->nsizes - 1;
    return outside ? in_row(t, i, tau) : between(t, i, bytes, tau);
}

/* ---- channels ---- */

int atn_model_host_node(const atn_topo *t, int rank)
{
    int v = t->node_of[rank];
    while (t->nodes[v].kind == ATN_TOPO_PART && t->nodes[v].parent >= 0)
        v = t->nodes[v].parent;
    return v;
}

/* Levels between u and the switch that connects it with v. */
static int climb(const atn_topo *t, int u, int v)
{
    int a = atn_model_host_node(t, u), b = atn_model_host_node(t, v);
    int up = 0, down = 0;
    while (a != b) {
        if (t->nodes[a].depth >= t->nodes[b].depth) {
            a = t->nodes[a].parent;
            up++;
        } else {
            b = t->nodes[b].parent;
            down++;
        }
    }
    return atn_max(up, down);
}

int atn_model_machine_channel_of(const atn_machine *m, const atn_topo *t, int u, int v)
{
    const int levels = t ? climb(t, u, v) : atn_min(1, m->nchannels - 1);
    return levels == 0 && atn_model_machine_shares(m) ? ATN_CHANNEL_SHARED
                                                      : atn_min(levels, m->nchannels - 1);
}

/* The cost of one byte where transfers were not measured. */
static double byte_cost(const atn_channel *c)
{
    const atn_cost_table *gap = &c->plogp.gap;
    if (c->hockney.beta > 0 || gap->nsizes < 2)
        return c->hockney.beta > 0 ? c->hockney.beta : c->loggp.gap_byte;
    return fmax(0.0, gap->v[gap->nsizes - 1][0] - gap->v[0][0]) /
           (double)(gap->size[gap->nsizes - 1] - gap->size[0]);
}

static double empty_message(const atn_channel *c)
{
    if (c->hockney.beta > 0)
        return c->hockney.alpha;
    return c->loggp.gap_byte > 0 ? c->loggp.latency + 2 * c->loggp.o
                                 : c->plogp.latency + atn_model_table_time(&c->plogp.gap, 1, 1);
}

bool atn_model_channel_is_single(const atn_channel *c, double bytes)
{
    return c->single.nsizes > 0 && c->eager > 0 && bytes >= (double)c->eager;
}

double atn_model_channel_overhead(const atn_channel *c, double bytes)
{
    if (c->transfer.nsizes == 0 && c->o_below <= 0)
        return empty_message(c);
    return c->eager > 0 && bytes >= (double)c->eager ? c->o_from : c->o_below;
}

double atn_model_channel_cell(const atn_channel *c)
{
    const int n = c->transfer.nsizes;
    return n > 0 && c->transfer.size[n - 1] > c->segment ? 0.0 : (double)c->segment;
}

/* Not measured: sequential transfers, in memory two per message. */
double atn_model_channel_transfer(const atn_channel *c, double bytes, double tau)
{
    if (c->transfer.nsizes == 0)
        return bytes * byte_cost(c) * tau / (c->hops == 2 ? 2.0 : 1.0);
    if (bytes <= 0 && c->sync.nsizes > 0)
        return atn_model_table_time(&c->sync, 0, tau);
    const double cell = atn_model_channel_cell(c);
    if (cell <= 0 || bytes <= cell)
        return atn_model_table_time(&c->transfer, bytes, tau);
    return bytes / cell * atn_model_table_time(&c->transfer, cell, tau);
}

static int find_gamma(const atn_machine *m, const char *op, const char *type)
{
    for (int i = 0; i < m->ngammas; i++)
        if ((op == NULL || strcmp(m->gamma[i].op, op) == 0) &&
            (type == NULL || strcmp(m->gamma[i].type, type) == 0))
            return i;
    return -1;
}

double atn_model_machine_reduce(const atn_machine *m, const char *op, const char *type,
                                double bytes, double tau)
{
    int i = find_gamma(m, op ? op : "sum", type ? type : "f64");
    i = i >= 0 ? i : find_gamma(m, op, NULL);
    i = i >= 0 ? i : find_gamma(m, NULL, type);
    i = i >= 0 ? i : m->ngammas - 1;
    return i >= 0 ? atn_model_table_rate(&m->gamma[i].cost, bytes, tau) : 0.0;
}
