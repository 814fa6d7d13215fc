/* fit_machine.c - see fit_machine.h.
 *
 * Confidence intervals: the machine is fitted again with each observation at the ends of its
 * interval, all others unchanged.  The shifts of a parameter, squared and summed over all
 * observations, give the square of half its interval: first-order error propagation that does not
 * depend on how a parameter is derived. */
#include "model/fit_machine.h"

#include <math.h>
#include <string.h>

#include "model/fit.h"
#include "model/machine_private.h"

static double square(double x) { return x * x; }

/* The machines with an observation at the lower and at the upper end of its interval. */
typedef struct {
    const void *low, *high;
} ends;

static ends inside(ends e, size_t at)
{
    return (ends){(const char *)e.low + at, (const char *)e.high + at};
}

static double moved_by(double v, double low, double high)
{
    return square(fmax(fabs(low - v), fabs(high - v)));
}

static void add_fields(const atn_machine_field *list, int n, const void *base, ends moved,
                       double *half)
{
    for (int i = 0; i < n; i++) {
        const ends e = inside(moved, list[i].at);
        if (list[i].unit < ATN_UNIT_SIZE && strcmp(list[i].line, "quality") != 0)
            half[i] += moved_by(*(const double *)(const void *)((const char *)base + list[i].at),
                                *(const double *)e.low, *(const double *)e.high);
    }
}

static void add_table(atn_cost_table *t, ends moved)
{
    const atn_cost_table *low = moved.low, *high = moved.high;
    for (int i = 0; i < t->nsizes; i++)
        for (int k = 0; k < t->ntaus; k++)
            t->half[i][k] += moved_by(t->v[i][k], low->v[i][k], high->v[i][k]);
}

static void add_tables(const atn_machine_table *list, int n, void *base, ends moved)
{
    for (int i = 0; i < n; i++)
        add_table((atn_cost_table *)(void *)((char *)base + list[i].at), inside(moved, list[i].at));
}

/* All three machines have the same shape: it depends only on the set of observations. */
static void add(atn_machine *m, const atn_machine *low, const atn_machine *high)
{
    const ends all = {low, high};
    add_fields(atn_model_global_fields, atn_nglobal_fields, m, all, m->half);
    add_tables(atn_model_global_tables, atn_nglobal_tables, m, all);
    for (int i = 0; i < m->ngammas; i++)
        add_table(&m->gamma[i].cost, (ends){&low->gamma[i].cost, &high->gamma[i].cost});
    for (int i = -1; (i = atn_model_machine_next(m, i)) >= 0;) {
        const ends own = {&low->channel[i], &high->channel[i]};
        atn_channel *c = &m->channel[i];
        add_fields(atn_channel_fields, atn_nchannel_fields, c, own, c->half);
        add_tables(atn_channel_tables, atn_nchannel_tables, c, own);
    }
}

static void root_of_fields(double half[ATN_MACHINE_FIELDS])
{
    for (int i = 0; i < ATN_MACHINE_FIELDS; i++)
        half[i] = sqrt(half[i]);
}

static void root_of_table(atn_cost_table *t)
{
    for (int i = 0; i < t->nsizes; i++)
        for (int k = 0; k < t->ntaus; k++)
            t->half[i][k] = sqrt(t->half[i][k]);
}

static void root_of_tables(const atn_machine_table *list, int n, void *base)
{
    for (int i = 0; i < n; i++)
        root_of_table((atn_cost_table *)(void *)((char *)base + list[i].at));
}

static void take_roots(atn_machine *m)
{
    root_of_fields(m->half);
    root_of_tables(atn_model_global_tables, atn_nglobal_tables, m);
    for (int i = 0; i < m->ngammas; i++)
        root_of_table(&m->gamma[i].cost);
    for (int i = -1; (i = atn_model_machine_next(m, i)) >= 0;) {
        root_of_fields(m->channel[i].half);
        root_of_tables(atn_channel_tables, atn_nchannel_tables, &m->channel[i]);
    }
}

/* Fits with another value of observation i. */
static bool fit_at(atn_survey *s, int i, double v, atn_machine *m)
{
    double *mid = &s->seen.v[i].value.mid;
    const double before = *mid;
    *mid = v;
    const bool ok = atn_model_fit_parameters(s, m);
    *mid = before;
    return ok;
}

/* Computes the intervals of all parameters; false: out of memory. */
static bool fit_intervals(atn_survey *s, atn_machine *m)
{
    atn_machine *low = atn_model_machine_new(), *high = atn_model_machine_new();
    bool ok = low != NULL && high != NULL;
    for (int i = 0; i < s->seen.n && ok; i++) {
        const atn_estimate e = s->seen.v[i].value;
        if (s->seen.v[i].kind == ATN_OBS_EAGER || e.hi <= e.lo) /* a limit, not a time */
            continue;
        ok = fit_at(s, i, e.lo, low) && fit_at(s, i, e.hi, high);
        if (ok)
            add(m, low, high);
    }
    atn_model_machine_free(low);
    atn_model_machine_free(high);
    take_roots(m);
    return ok;
}

atn_status atn_model_fit_machine(atn_survey *s, atn_machine **machine_p, atn_error *err)
{
    atn_machine *m = atn_model_machine_new();
    if (m == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const bool ok = atn_model_fit_parameters(s, m) && fit_intervals(s, m);
    const atn_status status =
        ok ? atn_model_machine_check(m, err)
           : atn_fail(err, ATN_ENVIRONMENT, "too many observations for a machine file");
    if (status == ATN_OK)
        *machine_p = m;
    else
        atn_model_machine_free(m);
    return status;
}
