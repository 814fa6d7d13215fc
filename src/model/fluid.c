/* fluid.c - see fluid.h: progressive filling. */
#include "model/fluid.h"

#include <math.h>
#include <stdlib.h>

bool atn_model_fluid_make(atn_fluid *f, int nresources, int max_uses)
{
    const size_t n = (size_t)nresources + 1;
    *f = (atn_fluid){.nresources = nresources, .max_uses = max_uses, .instant = 1e-10};
    f->capacity = calloc(4 * n, sizeof *f->capacity);
    f->touched = calloc(2 * n, sizeof *f->touched);
    f->full = calloc(2 * n, sizeof *f->full);
    if (!f->capacity || !f->touched || !f->full)
        return false;
    f->users = f->touched + n;
    f->room = f->capacity + n;
    f->limits = f->full + n;
    f->weight = f->room + n;
    f->used = f->weight + n;
    return true;
}

void atn_model_fluid_free(atn_fluid *f)
{
    free(f->capacity);
    free(f->touched);
    free(f->full);
    free(f->open);
    atn_vec_free(&f->list);
    atn_vec_free(&f->uses);
}

/* Rates do not change if the resources allow the new activity at its cap. */
static bool has_room(const atn_fluid *f, double cap, const atn_fluid_use *uses, int n)
{
    for (int i = 0; i < n; i++) {
        const int r = uses[i].resource;
        if (f->limits[r] || f->used[r] + uses[i].weight * cap > f->capacity[r])
            return false;
    }
    return cap > 0;
}

bool atn_model_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                         const atn_fluid_use *uses, int n)
{
    const int at = f->list.n * f->max_uses;
    if (!atn_vec_room((void **)&f->uses.v, &f->uses.cap, at + f->max_uses, sizeof *f->uses.v) ||
        !atn_vec_room((void **)&f->open, &f->open_cap, f->list.n + 1, sizeof *f->open))
        return false;
    f->stale = f->stale || !has_room(f, cap, uses, n);
    for (int i = 0; i < n; i++) {
        f->uses.v[at + i] = uses[i];
        f->used[uses[i].resource] += uses[i].weight * cap;
        f->users[uses[i].resource]++;
    }
    return atn_push(&f->list, (atn_activity){.left = amount,
                                             .rate = cap,
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
        const atn_fluid_use *u = &f->uses.v[a->use + i];
        f->room[u->resource] -= rate * u->weight;
        f->weight[u->resource] -= a->share * u->weight;
    }
}

/* Resources in use, their free capacity and total weight. */
static int collect(atn_fluid *f)
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
            const atn_fluid_use *u = &f->uses.v[a->use + i];
            if (f->weight[u->resource] < 0) {
                f->limits[u->resource] = false;
                f->touched[n++] = u->resource;
                f->weight[u->resource] = 0;
                f->room[u->resource] = f->capacity[u->resource];
            }
            f->weight[u->resource] += a->share * u->weight;
        }
    }
    return n;
}

/* The lowest level at which a resource is full or an activity reaches its cap. */
static double lowest(const atn_fluid *f, int n)
{
    double level = INFINITY;
    for (int i = 0; i < n; i++) {
        const int r = f->touched[i];
        if (f->weight[r] > 1e-12 * f->capacity[r] && f->room[r] < level * f->weight[r])
            level = fmax(f->room[r], 0.0) / f->weight[r];
    }
    for (int k = 0; k < f->list.n; k++)
        if (!f->list.v[k].fixed && f->list.v[k].cap < level * f->list.v[k].share)
            level = f->list.v[k].cap / f->list.v[k].share;
    return level;
}

static void mark_full(atn_fluid *f, int n, double level)
{
    for (int i = 0; i < n; i++) {
        const int r = f->touched[i];
        f->full[r] = f->weight[r] > 1e-12 * f->capacity[r] && f->room[r] <= level * f->weight[r];
        f->limits[r] = f->limits[r] || f->full[r];
    }
}

static bool stops(const atn_fluid *f, const atn_activity *a, double level)
{
    if (a->cap <= level * a->share)
        return true;
    for (int i = 0; i < a->nuses; i++)
        if (f->full[f->uses.v[a->use + i].resource])
            return true;
    return false;
}

/* Activities without a fixed rate come first in f->open. */
static void find_rates(atn_fluid *f)
{
    const int n = collect(f);
    int open = f->list.n;
    f->stale = false;
    for (int k = 0; k < open; k++)
        f->open[k] = k;
    while (open > 0) {
        const double level = lowest(f, n) * (1 + 1e-9);
        const int before = open;
        if (isinf(level))
            break;
        mark_full(f, n, level);
        for (int i = open - 1; i >= 0; i--) {
            atn_activity *a = &f->list.v[f->open[i]];
            if (stops(f, a, level)) {
                fix(f, a, fmin(a->cap, level * a->share));
                f->open[i] = f->open[--open];
            }
        }
        if (open == before)
            break;
    }
    for (int i = 0; i < open; i++) /* nothing limits them */
        f->list.v[f->open[i]].rate = 1e300;
    for (int i = 0; i < n; i++)
        f->used[f->touched[i]] = f->capacity[f->touched[i]] - f->room[f->touched[i]];
}

/* ---- time ---- */

static double takes(const atn_activity *a)
{
    return a->left <= 0 ? 0.0 : a->rate > 0 ? a->left / a->rate : INFINITY;
}

double atn_model_fluid_next(atn_fluid *f)
{
    double soonest = INFINITY;
    if (f->stale)
        find_rates(f);
    for (int k = 0; k < f->list.n; k++)
        soonest = fmin(soonest, takes(&f->list.v[k]));
    return f->now + soonest;
}

/* Other rates change only if the removed activity used a resource that limits them. */
static void leave(atn_fluid *f, const atn_fluid_use *u, double rate)
{
    const bool alone = --f->users[u->resource] == 0;
    f->stale = f->stale || (f->limits[u->resource] && !alone);
    f->limits[u->resource] = f->limits[u->resource] && !alone;
    f->used[u->resource] = alone ? 0.0 : fmax(0.0, f->used[u->resource] - u->weight * rate);
}

/* Moves the last activity into the gap. */
static void take_out(atn_fluid *f, int k)
{
    const int last = --f->list.n;
    const int use = f->list.v[k].use;
    for (int i = 0; i < f->list.v[k].nuses; i++)
        leave(f, &f->uses.v[use + i], f->list.v[k].rate);
    if (k == last)
        return;
    f->list.v[k] = f->list.v[last];
    f->list.v[k].use = use;
    for (int i = 0; i < f->list.v[k].nuses; i++)
        f->uses.v[use + i] = f->uses.v[last * f->max_uses + i];
}

int atn_model_fluid_advance(atn_fluid *f, double time, int *done)
{
    const double passed = time - f->now;
    int n = 0;
    for (int k = f->list.n - 1; k >= 0; k--) {
        atn_activity *a = &f->list.v[k];
        if (takes(a) <= passed + f->instant) {
            done[n++] = a->owner;
            take_out(f, k);
        } else {
            a->left -= a->rate * passed;
        }
    }
    f->now = time;
    return n;
}
