/* machine_check.c - rejects invalid machines and warns about suspicious ones. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine_private.h"

/* ---- invalid values ---- */

static const char *origin(const atn_machine *m) { return m->origin[0] ? m->origin : "machine"; }

static atn_status check_table(const atn_machine *m, const char *where, const char *name,
                              const atn_cost_table *t, atn_error *err)
{
    for (int i = 0; i < t->nsizes; i++) {
        if (t->size[i] < 0 || (i > 0 && t->size[i] <= t->size[i - 1]))
            return atn_fail(err, ATN_INPUT,
                            "%s:%d: %s: table %s: sizes must ascend from 0; sort its rows",
                            origin(m), t->line[i], where, name);
        for (int k = 0; k < t->ntaus; k++)
            if (!isfinite(t->v[i][k]) || t->v[i][k] < 0)
                return atn_fail(err, ATN_INPUT,
                                "%s:%d: %s: table %s has the invalid cost %g; measure again",
                                origin(m), t->line[i], where, name, t->v[i][k]);
    }
    for (int k = 0; k < t->ntaus; k++)
        if (t->tau[k] < 1 || (k > 0 && t->tau[k] <= t->tau[k - 1]))
            return atn_fail(err, ATN_INPUT,
                            "%s: %s: table %s: numbers of concurrent ranks must ascend from 1",
                            origin(m), where, name);
    return ATN_OK;
}

static atn_status check_tables(const atn_machine *m, const char *where, const void *base,
                               const atn_machine_table *list, int n, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = check_table(
            m, where, list[i].name,
            (const atn_cost_table *)(const void *)((const char *)base + list[i].at), err);
    return status;
}

static atn_status check_fields(const atn_machine *m, const char *where, const void *base,
                               const atn_machine_field *list, int n, atn_error *err)
{
    for (int i = 0; i < n; i++) {
        const void *at = (const char *)base + list[i].at;
        double v = 0;
        if (list[i].unit == ATN_UNIT_FINGERPRINT)
            continue;
        if (list[i].unit >= ATN_UNIT_SIZE)
            v = (double)*(const int64_t *)at;
        else
            v = *(const double *)at;
        if (!isfinite(v) || v < list[i].min || v > list[i].max)
            return atn_fail(
                err, ATN_INPUT, "%s: %s: %s %s is %g, but must be from %g to %g; measure again",
                origin(m), where, list[i].line, list[i].key, v, list[i].min, list[i].max);
    }
    return ATN_OK;
}

/* A channel without any time of a message. */
static bool is_empty(const atn_channel *c)
{
    return c->transfer.nsizes == 0 && c->plogp.gap.nsizes == 0 && c->loggp.gap_byte <= 0 &&
           c->hockney.beta <= 0;
}

static atn_status check_channel(const atn_machine *m, int i, atn_error *err)
{
    const atn_channel *c = &m->channel[i];
    for (int k = -1; (k = atn_model_machine_next(m, k)) != i;)
        if (strcmp(m->channel[k].name, c->name) == 0)
            return atn_fail(err, ATN_INPUT, "%s: duplicate channel %s; remove one", origin(m),
                            c->name);
    if (is_empty(c))
        return atn_fail(err, ATN_INPUT,
                        "%s:%d: channel %s has no time of a message; add a table transfer or "
                        "plogp-gap, or a line loggp or hockney",
                        origin(m), c->line, c->name);
    if (i != ATN_CHANNEL_SHARED && (c->single.nsizes || c->expose.nsizes || c->exposed.nsizes))
        return atn_fail(err, ATN_INPUT,
                        "%s:%d: channel %s has a table single, expose or exposed; only channel "
                        "shared may have these, remove them",
                        origin(m), c->line, c->name);
    atn_status status = check_fields(m, c->name, c, atn_channel_fields, atn_nchannel_fields, err);
    if (status == ATN_OK)
        status = check_tables(m, c->name, c, atn_channel_tables, atn_nchannel_tables, err);
    return status;
}

atn_status atn_model_machine_check(const atn_machine *m, atn_error *err)
{
    if (m->nchannels == 0)
        return atn_fail(err, ATN_INPUT, "%s: no channel; add at least channel memory", origin(m));
    atn_status status =
        check_fields(m, "machine", m, atn_model_global_fields, atn_nglobal_fields, err);
    if (status == ATN_OK)
        status = check_tables(m, "machine", m, atn_model_global_tables, atn_nglobal_tables, err);
    for (int i = 0; i < m->ngammas && status == ATN_OK; i++)
        status = check_table(m, m->gamma[i].op, m->gamma[i].type, &m->gamma[i].cost, err);
    for (int i = -1; status == ATN_OK && (i = atn_model_machine_next(m, i)) >= 0;)
        status = check_channel(m, i, err);
    return status;
}

/* ---- machines of other clusters ---- */

static int hosts_of(const atn_topo *t)
{
    int *below = malloc(sizeof *below * (size_t)t->nnodes), n = 0;
    if (below)
        atn_topo_below(t, below);
    for (int v = 0; below && v < t->nnodes; v++)
        n += t->nodes[v].kind == ATN_TOPO_HOST && below[v] > 0;
    free(below);
    return n;
}

/* Whether the topologies are comparable: the numbers of hosts (in older files: ranks) agree. */
static bool is_as_large(const atn_machine *m, const atn_topo *t)
{
    return m->hosts > 0 ? m->hosts == hosts_of(t) : m->ranks == t->p;
}

/* Payload rate of the link of a rank's host; 0: unknown. */
static double host_link(const atn_machine *m, const atn_topo *t, int r)
{
    return m->framing * (double)t->nodes[atn_model_host_node(t, r)].rate / 8;
}

/* A measured rate does not exceed that of the links, and is seldom much lower. */
static const char *other_speed(const atn_machine *m, const atn_topo *t)
{
    static const double slack = 1.25, lazy = 5;
    for (int r = 0; r < t->p && m->nchannels > 1; r++) {
        const double rate = m->channel[1].rate, link = host_link(m, t, r);
        if (rate > 0 && link > 0 && rate > slack * link)
            return "its hosts are faster than the links of this topology; it was measured on "
                   "another cluster: measure this one";
        if (rate > 0 && lazy * rate < link)
            return "its hosts have less than a fifth of the rate of the links of this topology; it "
                   "was measured on another cluster: measure this one";
    }
    return NULL;
}

const char *atn_model_machine_refuses(const atn_machine *m, const atn_topo *t)
{
    if (m->topology == 0 || t == NULL || t->p == 0)
        return NULL;
    if (!is_as_large(m, t)) /* perhaps a part of this topology, or the reverse */
        return other_speed(m, t);
    if (m->topology == atn_topo_wires(t) || m->topology == atn_topo_fingerprint(t))
        return NULL;
    return "it was measured on the same number of hosts with another topology; measure this "
           "cluster";
}

/* ---- suspicious values ---- */

typedef struct {
    const atn_machine *m;
    const char *where;
    double floor; /* smaller differences are no transfers */
    void (*warn)(void *to, int line, const char *text);
    void *to;
    int n;
} checker;

__attribute__((format(printf, 3, 4))) static void warn_about(checker *c, int line,
                                                             const char *format, ...)
{
    char text[400];
    const int n = snprintf(text, sizeof text, "%s: ", c->where);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    c->n++;
    if (c->warn)
        c->warn(c->to, line, text);
}

static const double slack = 1.02; /* tolerated ratio of two equal medians */

/* a < b by more than their intervals. */
static bool significantly_less(double a, double half_a, double b, double half_b)
{
    return a * slack + half_a + half_b < b;
}

/* L(m, tau) <= L(m, A tau) <= A L(m, tau) */
static void check_taus(checker *c, const char *name, const atn_cost_table *t, int row)
{
    for (int k = 1; k < t->ntaus; k++) {
        const double one = t->v[row][k - 1], more = t->v[row][k];
        const double half = t->half[row][k - 1], half_more = t->half[row][k];
        const double factor = (double)t->tau[k] / t->tau[k - 1];
        if (significantly_less(more, half_more, one, half))
            warn_about(c, t->line[row],
                       "table %s: %" PRId64 " bytes take %.4g us at concurrency %d but %.4g at %d: "
                       "more concurrency cannot be faster; measure again on an idle machine",
                       name, t->size[row], one * 1e6, t->tau[k - 1], more * 1e6, t->tau[k]);
        else if (significantly_less(factor * one + c->floor, factor * half, more, half_more))
            warn_about(c, t->line[row],
                       "table %s: %" PRId64 " bytes take %.4g us at concurrency %d but %.4g at %d: "
                       "serialization would be faster; measure again on an idle machine",
                       name, t->size[row], one * 1e6, t->tau[k - 1], more * 1e6, t->tau[k]);
    }
}

static void check_times(checker *c, const char *name, const atn_cost_table *t)
{
    for (int i = 0; i < t->nsizes; i++) {
        check_taus(c, name, t, i);
        for (int k = 0; i > 0 && k < t->ntaus; k++)
            if (significantly_less(t->v[i][k], t->half[i][k], t->v[i - 1][k], t->half[i - 1][k]))
                warn_about(
                    c, t->line[i],
                    "table %s: %" PRId64 " bytes take %.4g us, less than the %.4g of %" PRId64
                    " bytes; measure again",
                    name, t->size[i], t->v[i][k] * 1e6, t->v[i - 1][k] * 1e6, t->size[i - 1]);
    }
}

static void warn_about_channel(checker *c, const atn_channel *h)
{
    c->where = h->name;
    /* An empty message contains the synchronisation that small transfers then lack. */
    c->floor = h == &c->m->channel[ATN_CHANNEL_SHARED] ? h->o_below : 0;
    if (h->eager > 0 && h->o_from * slack < h->o_below)
        warn_about(c, 0,
                   "overhead decreases from %.4g to %.4g us at the eager limit; measure again",
                   h->o_below * 1e6, h->o_from * 1e6);
    for (int i = 0; i < atn_nchannel_tables; i++)
        check_times(
            c, atn_channel_tables[i].name,
            (const atn_cost_table *)(const void *)((const char *)h + atn_channel_tables[i].at));
    if (h->spread > 0.1)
        warn_about(c, 0, "the confidence interval of a median is +/- %.0f %%; measure longer",
                   h->spread * 100);
}

int atn_model_machine_warnings(const atn_machine *m,
                               void (*warn)(void *to, int line, const char *text), void *to)
{
    checker c = {.m = m, .warn = warn, .to = to};
    for (int i = -1; (i = atn_model_machine_next(m, i)) >= 0;)
        warn_about_channel(&c, &m->channel[i]);
    return c.n;
}
