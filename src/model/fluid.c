/* fluid.c - see fluid.h: progressive filling. */
#include "model/fluid.h"

#include <math.h>
#include <stdlib.h>

static const double instant = 1e-10; /* seconds that count as none */

bool atn_fluid_make(atn_fluid *f, int nresources, int max_uses)
{
    const size_t n = (size_t)nresources + 1;
    *f = (atn_fluid){.nresources = nresources, .max_uses = max_uses};
    f->capacity = calloc(3 * n, sizeof *f->capacity);
    f->touched = malloc(sizeof *f->touched * n);
    if (!f->capacity || !f->touched)
        return false;
    f->room = f->capacity + n;
    f->weight = f->room + n;
    return true;
}

void atn_fluid_free(atn_fluid *f)
{
    free(f->capacity);
    free(f->touched);
    atn_vec_free(&f->list);
    atn_vec_free(&f->uses);
}

bool atn_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                   const atn_use *uses, int n)
{
    const int at = f->list.n * f->max_uses;
    if (!atn_vec_room((void **)&f->uses.v, &f->uses.cap, at + f->max_uses, sizeof *f->uses.v))
        return false;
    for (int i = 0; i < n; i++)
        f->uses.v[at + i] = uses[i];
    f->stale = true;
    return atn_push(&f->list, (atn_activity){.left = amount,
                                             .share = share,
                                             .cap = cap > 0 ? cap : INFINITY,
                                             .owner = owner,
                                             .use = at,
                                             .nuses = n});
}

/* ---- rates ---- */

static void fix(atn_fluid *f, atn_activity *a, double rate)
{
    a->rate = rate;
    a->fixed = true;
    for (int i = 0; i < a->nuses; i++) {
        const atn_use *u = &f->uses.v[a->use + i];
        f->room[u->resource] -= rate * u->weight;
        f->weight[u->resource] -= a->share * u->weight;
    }
}

/* Resources in use, their room and the weight on them. */
static int survey(atn_fluid *f)
{
    int n = 0;
    for (int k = 0; k < f->list.n; k++) {
        atn_activity *a = &f->list.v[k];
        a->fixed = false;
        for (int i = 0; i < a->nuses; i++)
            f->weight[f->uses.v[a->use + i].resource] = -1;
    }
    for (int k = 0; k < f->list.n; k++) {
        const atn_activity *a = &f->list.v[k];
        for (int i = 0; i < a->nuses; i++) {
            const atn_use *u = &f->uses.v[a->use + i];
            if (f->weight[u->resource] < 0) {
                f->touched[n++] = u->resource;
                f->weight[u->resource] = 0;
                f->room[u->resource] = f->capacity[u->resource];
            }
            f->weight[u->resource] += a->share * u->weight;
        }
    }
    return n;
}

/* The level at which a resource is full. */
static double full(const atn_fluid *f, int r)
{
    const double w = f->weight[r];
    if (f->capacity[r] <= 0 || w <= 1e-12 * f->capacity[r])
        return INFINITY;
    return fmax(f->room[r], 0.0) / w;
}

static double lowest(const atn_fluid *f, int n)
{
    double level = INFINITY;
    for (int i = 0; i < n; i++)
        level = fmin(level, full(f, f->touched[i]));
    for (int k = 0; k < f->list.n; k++)
        if (!f->list.v[k].fixed)
            level = fmin(level, f->list.v[k].cap / f->list.v[k].share);
    return level;
}

static bool stops(const atn_fluid *f, const atn_activity *a, double level)
{
    if (a->cap / a->share <= level)
        return true;
    for (int i = 0; i < a->nuses; i++)
        if (full(f, f->uses.v[a->use + i].resource) <= level)
            return true;
    return false;
}

static void find_rates(atn_fluid *f)
{
    const int n = survey(f);
    int open = f->list.n;
    f->stale = false;
    while (open > 0) {
        const double level = lowest(f, n) * (1 + 1e-9);
        const int before = open;
        for (int k = 0; k < f->list.n; k++) {
            atn_activity *a = &f->list.v[k];
            if (!a->fixed && (isinf(level) || stops(f, a, level))) {
                fix(f, a, fmin(a->cap, isinf(level) ? 1e300 : level * a->share));
                open--;
            }
        }
        if (open == before)
            break;
    }
}

/* ---- time ---- */

static double takes(const atn_activity *a)
{
    return a->left <= 0 ? 0.0 : a->rate > 0 ? a->left / a->rate : INFINITY;
}

double atn_fluid_next(atn_fluid *f)
{
    double soonest = INFINITY;
    if (f->stale)
        find_rates(f);
    for (int k = 0; k < f->list.n; k++)
        soonest = fmin(soonest, takes(&f->list.v[k]));
    return f->now + soonest;
}

/* The last of the list takes the place of what is gone. */
static void take_out(atn_fluid *f, int k)
{
    const int last = --f->list.n;
    const int use = f->list.v[k].use;
    if (k == last)
        return;
    f->list.v[k] = f->list.v[last];
    f->list.v[k].use = use;
    for (int i = 0; i < f->list.v[k].nuses; i++)
        f->uses.v[use + i] = f->uses.v[last * f->max_uses + i];
}

int atn_fluid_advance(atn_fluid *f, double time, int *done)
{
    const double passed = time - f->now;
    int n = 0;
    for (int k = f->list.n - 1; k >= 0; k--) {
        atn_activity *a = &f->list.v[k];
        if (takes(a) <= passed + instant) {
            done[n++] = a->owner;
            take_out(f, k);
            f->stale = true;
        } else {
            a->left -= a->rate * passed;
        }
    }
    f->now = time;
    return n;
}
