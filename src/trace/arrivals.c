/* arrivals.c - see arrivals.h. */
#include "trace/arrivals.h"

#include <math.h>
#include <stdlib.h>

void atn_trace_arrivals_free(atn_trace_arrivals *a)
{
    atn_vec_free(&a->calls);
    free(a->ranks);
    a->ranks = NULL;
}

/* ---- the collectives of each rank, by communicator ---- */

typedef struct {
    int event;
    double computed_s; /* since the previous collective */
} item;

typedef ATN_VEC(item) items;

static bool is_collective(const atn_trace_event *e)
{
    return e->depth == 0 && e->comm >= 0 && atn_trace_class_of(e) == ATN_TRACE_IS_COLL;
}

/* lists[comm * p + rank] */
static bool list_rank(const atn_trace *t, int r, items *lists)
{
    const atn_trace_rank *const rank = &t->ranks[r];
    double computed = 0;
    int64_t last = -1;
    for (int i = 0; i < rank->events.n; i++) {
        const atn_trace_event *const e = &rank->events.v[i];
        if (e->depth > 0 || atn_trace_is_part(e))
            continue;
        if (last >= 0)
            computed += 1e-9 * fmax(0, (double)(e->enter - last) - rank->around_ns);
        last = e->exit;
        if (!is_collective(e))
            continue;
        items *const list = &lists[(size_t)e->comm * (size_t)t->p + (size_t)r];
        if (!atn_push(list, (item){i, computed}))
            return false;
        computed = 0;
    }
    return true;
}

/* ---- one call ---- */

typedef struct {
    const atn_trace *t;
    const items *lists; /* of the communicator, by rank */
    const int *members;
    int n;
} group;

static const atn_trace_event *event_of(const group *g, int i, int index)
{
    const int r = g->members[i];
    return &g->t->ranks[r].events.v[g->lists[r].v[index].event];
}

static bool all_alike(const group *g, int index)
{
    for (int i = 1; i < g->n; i++)
        if (event_of(g, i, index)->op != event_of(g, 0, index)->op)
            return false;
    return true;
}

static double seconds_in(const group *g, int i, const atn_trace_event *e)
{
    return 1e-9 * fmax(0, (double)(e->exit - e->enter) - g->t->ranks[g->members[i]].inside_ns);
}

/* Before the last rank enters, a rank can only wait; a rank that leaves earlier does not. */
static double add_waiting(const group *g, int index, int64_t last, atn_trace_waiting *ranks)
{
    double sum = 0;
    for (int i = 0; i < g->n; i++) {
        const atn_trace_event *const e = event_of(g, i, index);
        atn_trace_waiting *const w = &ranks[g->members[i]];
        const int64_t until = e->exit < last ? e->exit : last;
        const double inside = seconds_in(g, i, e);
        const double waited = fmin(inside, 1e-9 * (double)(until - e->enter));
        w->calls++;
        w->last += e->enter == last;
        w->inside_s += inside;
        w->waited_s += waited;
        sum += waited;
    }
    return sum;
}

static atn_trace_call examine(const group *g, int comm, int index, atn_trace_waiting *ranks)
{
    const atn_trace_event *const head = event_of(g, 0, index);
    atn_trace_call c = {.comm = comm,
                        .index = index,
                        .site = head->site,
                        .op = (atn_trace_op)head->op,
                        .p = g->n,
                        .first = head->enter};
    int64_t last = head->enter;
    double sum = 0, most = 0, least = INFINITY;
    for (int i = 0; i < g->n; i++) {
        const atn_trace_event *const e = event_of(g, i, index);
        const double computed = g->lists[g->members[i]].v[index].computed_s;
        c.bytes = e->bytes > c.bytes ? e->bytes : c.bytes;
        c.first = e->enter < c.first ? e->enter : c.first;
        last = e->enter > last ? e->enter : last;
        c.elapsed_s += seconds_in(g, i, e) / g->n;
        c.computed_s += computed / g->n;
        most = fmax(most, computed);
        least = fmin(least, computed);
    }
    for (int i = 0; i < g->n; i++)
        sum += (double)(event_of(g, i, index)->enter - c.first);
    const double mean = sum / g->n;
    for (int i = 0; i < g->n; i++)
        c.average_s += 1e-9 * fabs((double)(event_of(g, i, index)->enter - c.first) - mean) / g->n;
    c.worst_s = 1e-9 * (double)(last - c.first);
    c.compute_worst_s = most - least;
    c.waited_s = add_waiting(g, index, last, ranks);
    return c;
}

/* ---- all of them ---- */

/* The ranks of the communicator that are in the trace; if its ranks are not recorded, those that
 * made calls on it. */
static int members_of(const atn_trace *t, int comm, const items *lists, int *members)
{
    const atn_trace_comm *const c = &t->comms.v[comm];
    int n = 0;
    if (c->ranks == NULL) {
        for (int r = 0; r < t->p; r++)
            if (lists[r].n > 0)
                members[n++] = r;
        return n;
    }
    for (int i = 0; i < c->size; i++)
        if (c->ranks[i] >= 0 && c->ranks[i] < t->p && t->ranks[c->ranks[i]].present)
            members[n++] = c->ranks[i];
    return n;
}

static bool add_comm(const atn_trace *t, int comm, const items *lists, int *members,
                     atn_trace_arrivals *a)
{
    const group g = {
        .t = t, .lists = lists, .members = members, .n = members_of(t, comm, lists, members)};
    int common = INT32_MAX, most = 0;
    for (int i = 0; i < g.n; i++) {
        common = atn_min(common, lists[members[i]].n);
        most = atn_max(most, lists[members[i]].n);
    }
    if (g.n < 2)
        return true;
    int index = 0;
    for (; index < common && all_alike(&g, index); index++)
        if (!atn_push(&a->calls, examine(&g, comm, index, a->ranks)))
            return false;
    a->cut += most - index;
    return true;
}

static int by_time(const void *x, const void *y)
{
    const atn_trace_call *const a = x, *const b = y;
    return (a->first > b->first) - (a->first < b->first);
}

static bool finish(const atn_trace *t, atn_message_time time, const void *context,
                   atn_trace_arrivals *a)
{
    int *const seen = calloc((size_t)t->sites.n + 1, sizeof *seen);
    if (seen == NULL)
        return false;
    if (a->calls.n > 0)
        qsort(a->calls.v, (size_t)a->calls.n, sizeof *a->calls.v, by_time);
    for (int i = 0; i < a->calls.n; i++) {
        atn_trace_call *const c = &a->calls.v[i];
        c->invocation = seen[c->site + 1]++;
        c->message_s = time(context, c->bytes);
        c->average = c->message_s > 0 ? c->average_s / c->message_s : NAN;
        c->worst = c->message_s > 0 ? c->worst_s / c->message_s : NAN;
    }
    free(seen);
    return true;
}

atn_status atn_trace_arrivals_make(const atn_trace *t, atn_message_time time, const void *context,
                                   atn_trace_arrivals *a_p, atn_error *err)
{
    const size_t n = (size_t)t->comms.n * (size_t)t->p;
    items *const lists = calloc(n + 1, sizeof *lists);
    int *const members = calloc((size_t)t->p + 1, sizeof *members);
    atn_trace_arrivals a = {.ranks = calloc((size_t)t->p + 1, sizeof *a.ranks)};
    bool ok = lists != NULL && members != NULL && a.ranks != NULL;
    for (int r = 0; r < t->p && ok; r++)
        ok = list_rank(t, r, lists);
    for (int comm = 0; comm < t->comms.n && ok; comm++)
        ok = add_comm(t, comm, lists + (size_t)comm * (size_t)t->p, members, &a);
    ok = ok && finish(t, time, context, &a);
    for (size_t i = 0; lists != NULL && i < n; i++)
        atn_vec_free(&lists[i]);
    free(lists);
    free(members);
    if (ok)
        *a_p = a;
    else
        atn_trace_arrivals_free(&a);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- summaries ---- */

static bool counts(const atn_trace_call *c, atn_trace_op op, int64_t above, int64_t most)
{
    return (op == ATN_TRACE_OPS || c->op == op) && c->bytes > above && c->bytes <= most;
}

atn_trace_imbalance atn_trace_imbalance_of(const atn_trace_arrivals *a, atn_trace_op op,
                                           int64_t above, int64_t most)
{
    atn_trace_imbalance m = {.worst_ever = NAN};
    for (int i = 0; i < a->calls.n; i++) {
        const atn_trace_call *const c = &a->calls.v[i];
        if (!counts(c, op, above, most))
            continue;
        m.calls++;
        m.balanced += c->worst < 1;
        m.average += c->average;
        m.worst += c->worst;
        m.worst_ever = fmax(m.worst_ever, c->worst);
        m.elapsed_s += c->elapsed_s;
        m.imbalance_s += c->worst_s;
        m.compute_worst_s += c->compute_worst_s;
    }
    const double n = m.calls > 0 ? (double)m.calls : 1;
    m.average /= n;
    m.worst /= n;
    m.elapsed_s /= n;
    m.imbalance_s /= n;
    m.compute_worst_s /= n;
    return m;
}

static int bin_of(double factor)
{
    int bin = 0;
    for (double edge = 1; factor >= edge && bin < ATN_TRACE_BINS - 1; edge *= 2)
        bin++;
    return bin;
}

void atn_trace_distribution(const atn_trace_arrivals *a, int64_t above, int64_t most,
                            int64_t bins[ATN_TRACE_BINS])
{
    for (int i = 0; i < ATN_TRACE_BINS; i++)
        bins[i] = 0;
    for (int i = 0; i < a->calls.n; i++)
        if (counts(&a->calls.v[i], ATN_TRACE_OPS, above, most) && !isnan(a->calls.v[i].worst))
            bins[bin_of(a->calls.v[i].worst)]++;
}

const char *atn_trace_bin_name(int bin, char out[16])
{
    if (bin == 0)
        snprintf(out, 16, "[0,1)");
    else if (bin == ATN_TRACE_BINS - 1)
        snprintf(out, 16, "[%d,inf)", 1 << (bin - 1));
    else
        snprintf(out, 16, "[%d,%d)", 1 << (bin - 1), 1 << bin);
    return out;
}
