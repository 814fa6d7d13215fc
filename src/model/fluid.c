/* fluid.c - see fluid.h: progressive filling of what is connected with a change. */
#include "model/fluid.h"

#include <math.h>
#include <stdlib.h>

bool atn_model_fluid_make(atn_fluid *f, int nresources, int max_uses)
{
    const size_t n = (size_t)nresources + 1;
    *f = (atn_fluid){.nresources = nresources, .max_uses = max_uses, .instant = 1e-10};
    f->capacity = calloc(n, sizeof *f->capacity);
    f->resource = calloc(n, sizeof *f->resource);
    for (int r = 0; f->resource && r < nresources; r++)
        f->resource[r].first = -1;
    return f->capacity && f->resource;
}

void atn_model_fluid_free(atn_fluid *f)
{
    free(f->capacity);
    free(f->resource);
    atn_vec_free(&f->v);
    atn_vec_free(&f->unused);
    atn_vec_free(&f->m);
    atn_vec_free(&f->queue);
    atn_vec_free(&f->stale);
    atn_vec_free(&f->open);
    atn_vec_free(&f->found);
}

/* ---- the queue: a heap ---- */

static void put_end(atn_fluid *f, int i, atn_fluid_end e)
{
    f->queue.v[i] = e;
    f->v.v[e.activity].queued = i;
}

static void move_up(atn_fluid *f, int i, atn_fluid_end e)
{
    for (; i > 0 && e.ends < f->queue.v[(i - 1) / 2].ends; i = (i - 1) / 2)
        put_end(f, i, f->queue.v[(i - 1) / 2]);
    put_end(f, i, e);
}

static void move_down(atn_fluid *f, int i, atn_fluid_end e)
{
    for (int c = 2 * i + 1; c < f->queue.n; c = 2 * i + 1) {
        if (c + 1 < f->queue.n && f->queue.v[c + 1].ends < f->queue.v[c].ends)
            c++;
        if (!(f->queue.v[c].ends < e.ends))
            break;
        put_end(f, i, f->queue.v[c]);
        i = c;
    }
    put_end(f, i, e);
}

static void move_end(atn_fluid *f, int i, atn_fluid_end e)
{
    if (e.ends < f->queue.v[i].ends)
        move_up(f, i, e);
    else
        move_down(f, i, e);
}

static double end_of(const atn_fluid *f, const atn_activity *a)
{
    return a->left <= 0 ? f->now : a->rate > 0 ? a->since + a->left / a->rate : INFINITY;
}

static void take_first_end(atn_fluid *f)
{
    const atn_fluid_end last = f->queue.v[--f->queue.n];
    if (f->queue.n > 0)
        move_down(f, 0, last);
}

/* ---- uses ---- */

static atn_fluid_member *members_of(const atn_fluid *f, int activity)
{
    return f->m.v + (ptrdiff_t)activity * f->max_uses;
}

/* What an activity would take at its cap; more than twice the capacity makes no difference. */
static double demand_of(const atn_fluid *f, const atn_activity *a, const atn_fluid_use *u)
{
    return fmin(u->weight * a->cap, 2 * f->capacity[u->resource]);
}

/* Whether it may limit its activities. */
static bool is_scarce(const atn_fluid *f, int resource)
{
    return f->resource[resource].demand > f->capacity[resource] * (1 + 1e-9);
}

static void make_stale(atn_fluid *f, int resource)
{
    atn_fluid_resource *const r = &f->resource[resource];
    if (r->stale)
        return;
    r->stale = true;
    f->no_memory = !atn_push(&f->stale, resource) || f->no_memory;
}

static void link_member(atn_fluid *f, int at)
{
    atn_fluid_member *const m = &f->m.v[at];
    atn_fluid_resource *const r = &f->resource[m->use.resource];
    m->before = -1;
    m->next = r->first;
    if (r->first >= 0)
        f->m.v[r->first].before = at;
    r->first = at;
    r->users++;
}

static void unlink_member(atn_fluid *f, const atn_fluid_member *m)
{
    atn_fluid_resource *const r = &f->resource[m->use.resource];
    if (m->before >= 0)
        f->m.v[m->before].next = m->next;
    else
        r->first = m->next;
    if (m->next >= 0)
        f->m.v[m->next].before = m->before;
    r->users--;
}

/* Rates do not change if the resource allows the new activity at its cap. */
static bool has_room(const atn_fluid *f, const atn_activity *a, const atn_fluid_use *u)
{
    const atn_fluid_resource *const r = &f->resource[u->resource];
    return !is_scarce(f, u->resource) ||
           (!r->limits && r->used + u->weight * a->cap <= f->capacity[u->resource]);
}

/* ---- activities ---- */

static int new_place(atn_fluid *f)
{
    if (f->unused.n > 0)
        return f->unused.v[--f->unused.n];
    const int uses = (f->v.n + 1) * f->max_uses;
    if (!atn_vec_room((void **)&f->m.v, &f->m.cap, uses, sizeof *f->m.v) ||
        !atn_push(&f->v, (atn_activity){.owner = 0}))
        return -1;
    return f->v.n - 1;
}

/* It starts at its cap if all its resources have room, else when rates are computed. */
static void join(atn_fluid *f, int place, const atn_fluid_use *uses)
{
    atn_activity *const a = &f->v.v[place];
    atn_fluid_member *const m = members_of(f, place);
    bool room = isfinite(a->cap);
    for (int i = 0; i < a->nuses; i++) {
        m[i] = (atn_fluid_member){.use = uses[i], .activity = place};
        f->resource[uses[i].resource].demand += demand_of(f, a, &uses[i]);
        room = room && has_room(f, a, &uses[i]);
        link_member(f, place * f->max_uses + i);
    }
    a->rate = room || a->nuses == 0 ? fmin(a->cap, 1e300) : 0;
    for (int i = 0; i < a->nuses; i++)
        if (room)
            f->resource[uses[i].resource].used += uses[i].weight * a->rate;
        else
            make_stale(f, uses[i].resource);
}

bool atn_model_fluid_add(atn_fluid *f, int owner, double amount, double share, double cap,
                         const atn_fluid_use *uses, int n)
{
    const int place = new_place(f);
    if (place < 0)
        return false;
    f->v.v[place] = (atn_activity){.left = amount,
                                   .since = f->now,
                                   .share = share,
                                   .cap = cap > 0 ? cap : INFINITY,
                                   .owner = owner,
                                   .nuses = n};
    join(f, place, uses);
    const atn_fluid_end end = {end_of(f, &f->v.v[place]), place};
    if (f->no_memory || !atn_push(&f->queue, end))
        return false;
    move_up(f, f->queue.n - 1, end);
    return true;
}

/* Other rates change only if the removed activity used a resource that limits them. */
static void leave(atn_fluid *f, int place)
{
    const atn_activity *const a = &f->v.v[place];
    atn_fluid_member *const m = members_of(f, place);
    for (int i = 0; i < a->nuses; i++) {
        const atn_fluid_use *const u = &m[i].use;
        atn_fluid_resource *const r = &f->resource[u->resource];
        unlink_member(f, &m[i]);
        if (r->users == 0) {
            r->demand = r->used = 0;
            r->limits = false;
            continue;
        }
        r->demand -= demand_of(f, a, u);
        r->used = fmax(0, r->used - u->weight * a->rate);
        if (r->limits)
            make_stale(f, u->resource);
    }
}

void atn_model_fluid_weigh(atn_fluid *f, int activity, int end, double weight)
{
    const atn_activity *const a = &f->v.v[activity];
    atn_fluid_member *const m = members_of(f, activity);
    for (int i = 0; i < a->nuses; i++) {
        atn_fluid_use *const u = &m[i].use;
        atn_fluid_resource *const r = &f->resource[u->resource];
        if (u->resource >= end || !(u->weight < weight || weight < u->weight))
            continue;
        r->demand -= demand_of(f, a, u);
        r->used += (weight - u->weight) * a->rate;
        u->weight = weight;
        r->demand += demand_of(f, a, u);
        make_stale(f, u->resource);
    }
}

/* ---- rates ---- */

static void find_resource(atn_fluid *f, int resource)
{
    atn_fluid_resource *const r = &f->resource[resource];
    if (r->found || !is_scarce(f, resource))
        return;
    r->found = true;
    r->room = f->capacity[resource];
    r->weight = 0;
    r->limits = false;
    f->no_memory = !atn_push(&f->found, resource) || f->no_memory;
}

static void find_activity(atn_fluid *f, int activity)
{
    atn_activity *const a = &f->v.v[activity];
    const atn_fluid_member *const m = members_of(f, activity);
    if (a->found)
        return;
    a->found = true;
    a->fixed = false;
    a->next_rate = 1e300; /* unless something limits it */
    f->no_memory = !atn_push(&f->open, activity) || f->no_memory;
    for (int i = 0; i < a->nuses; i++)
        find_resource(f, m[i].use.resource);
}

static void find_users(atn_fluid *f, int resource)
{
    for (int at = f->resource[resource].first; at >= 0; at = f->m.v[at].next)
        find_activity(f, f->m.v[at].activity);
}

/* All that is connected with a stale resource. */
static void find_connected(atn_fluid *f)
{
    f->open.n = f->found.n = 0;
    for (int i = 0; i < f->stale.n; i++) {
        f->resource[f->stale.v[i]].stale = f->resource[f->stale.v[i]].limits = false;
        find_users(f, f->stale.v[i]);
    }
    for (int i = 0; i < f->found.n; i++)
        find_users(f, f->found.v[i]);
    f->stale.n = 0;
    for (int k = 0; k < f->open.n; k++) {
        const atn_activity *const a = &f->v.v[f->open.v[k]];
        const atn_fluid_member *const m = members_of(f, f->open.v[k]);
        for (int i = 0; i < a->nuses; i++)
            f->resource[m[i].use.resource].weight += a->share * m[i].use.weight;
    }
}

/* The lowest level at which a resource is full or one of the first `open` reaches its cap. */
static double lowest(const atn_fluid *f, int open)
{
    double level = INFINITY;
    for (int i = 0; i < f->found.n; i++) {
        const atn_fluid_resource *const r = &f->resource[f->found.v[i]];
        if (r->weight > 1e-12 * f->capacity[f->found.v[i]] && r->room < level * r->weight)
            level = fmax(r->room, 0.0) / r->weight;
    }
    for (int k = 0; k < open; k++) {
        const atn_activity *const a = &f->v.v[f->open.v[k]];
        if (a->cap < level * a->share)
            level = a->cap / a->share;
    }
    return level;
}

static void fix(atn_fluid *f, int activity, double rate)
{
    atn_activity *const a = &f->v.v[activity];
    const atn_fluid_member *const m = members_of(f, activity);
    a->next_rate = rate;
    a->fixed = true;
    for (int i = 0; i < a->nuses; i++) {
        atn_fluid_resource *const r = &f->resource[m[i].use.resource];
        r->room -= rate * m[i].use.weight;
        r->weight -= a->share * m[i].use.weight;
    }
}

static bool is_full(const atn_fluid *f, int resource, double level)
{
    const atn_fluid_resource *const r = &f->resource[resource];
    return r->weight > 1e-12 * f->capacity[resource] && r->room <= level * r->weight;
}

/* Fixes the rates of those that the level limits. */
static void stop_at(atn_fluid *f, int open, double level)
{
    for (int k = 0; k < open; k++) {
        const atn_activity *const a = &f->v.v[f->open.v[k]];
        if (a->cap <= level * a->share)
            fix(f, f->open.v[k], a->cap);
    }
    for (int i = 0; i < f->found.n; i++) {
        atn_fluid_resource *const r = &f->resource[f->found.v[i]];
        if (!r->limits || r->weight <= 0)
            continue;
        for (int at = r->first; at >= 0; at = f->m.v[at].next) {
            const atn_activity *const a = &f->v.v[f->m.v[at].activity];
            if (!a->fixed)
                fix(f, f->m.v[at].activity, fmin(a->cap, level * a->share));
        }
    }
}

/* Those without a fixed rate come first; their number. */
static int keep_open(atn_fluid *f, int open)
{
    for (int k = open - 1; k >= 0; k--)
        if (f->v.v[f->open.v[k]].fixed) {
            const int last = f->open.v[--open];
            f->open.v[open] = f->open.v[k];
            f->open.v[k] = last;
        }
    return open;
}

static void fill(atn_fluid *f)
{
    int open = f->open.n;
    while (open > 0) {
        const double level = lowest(f, open) * (1 + 1e-9);
        const int before = open;
        if (isinf(level))
            return;
        for (int i = 0; i < f->found.n; i++)
            if (is_full(f, f->found.v[i], level))
                f->resource[f->found.v[i]].limits = true;
        stop_at(f, open, level);
        f->work += open + f->found.n;
        open = keep_open(f, open);
        if (open == before)
            return;
    }
}

static void change_rate(atn_fluid *f, int activity)
{
    atn_activity *const a = &f->v.v[activity];
    const atn_fluid_member *const m = members_of(f, activity);
    a->found = false;
    if (!(a->next_rate < a->rate || a->rate < a->next_rate))
        return;
    for (int i = 0; i < a->nuses; i++)
        f->resource[m[i].use.resource].used += (a->next_rate - a->rate) * m[i].use.weight;
    a->left -= a->rate * (f->now - a->since);
    a->since = f->now;
    a->rate = a->next_rate;
    move_end(f, a->queued, (atn_fluid_end){end_of(f, a), activity});
}

static void find_rates(atn_fluid *f)
{
    find_connected(f);
    fill(f);
    for (int k = 0; k < f->open.n; k++)
        change_rate(f, f->open.v[k]);
    for (int i = 0; i < f->found.n; i++) {
        atn_fluid_resource *const r = &f->resource[f->found.v[i]];
        r->found = false;
        r->used = f->capacity[f->found.v[i]] - r->room;
    }
    f->work += f->open.n;
}

/* ---- time ---- */

double atn_model_fluid_next(atn_fluid *f)
{
    if (f->stale.n > 0)
        find_rates(f);
    return f->queue.n > 0 ? f->queue.v[0].ends : INFINITY;
}

int atn_model_fluid_advance(atn_fluid *f, double time, int *done)
{
    int n = 0;
    f->now = time;
    while (f->queue.n > 0 && f->queue.v[0].ends <= time + f->instant) {
        const int place = f->queue.v[0].activity;
        done[n++] = f->v.v[place].owner;
        take_first_end(f);
        leave(f, place);
        f->no_memory = !atn_push(&f->unused, place) || f->no_memory;
    }
    return n;
}
