/* stats.c - see stats.h. */
#include "trace/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/match.h"

void atn_trace_stats_free(atn_trace_stats *s)
{
    free(s->ranks);
    free(s->messages);
    free(s->bytes);
    atn_vec_free(&s->sizes);
    atn_vec_free(&s->between);
    *s = (atn_trace_stats){0};
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The time of a call without the overhead of recording. */
static double seconds_of(const atn_trace_rank *rank, const atn_trace_event *e)
{
    return 1e-9 * fmax(0, (double)(e->exit - e->enter) - rank->inside_ns);
}

/* ---- one rank ---- */

typedef struct {
    atn_trace_stats *s;
    const atn_trace_rank *rank;
    atn_trace_rank_stats *out;
    int64_t calls[ATN_TRACE_OPS];
    int64_t first, last;   /* between MPI_Init and MPI_Finalize; -1: not seen */
    int recorded;          /* calls in that time */
    int64_t sent_at;       /* end of the last send; -1: none yet */
    double others;         /* seconds in calls since */
    int between;           /* their number */
    ATN_VEC(int64_t) to;   /* (rank, communicator) of every send */
    ATN_VEC(int64_t) size; /* of every send */
} walk;

static bool take_send(walk *w, int r, const atn_trace_event *e)
{
    atn_trace_stats *const s = w->s;
    w->out->sends++;
    w->out->bytes += e->bytes;
    if (w->sent_at >= 0) {
        /* The send of a start has the times of the start, which is counted among the others. */
        const bool part = atn_trace_is_part(e);
        const double others = w->others - (part ? 1e-9 * (double)(e->exit - e->enter) : 0);
        const double around = 1e-9 * w->rank->around_ns * (w->between + !part);
        const double pure = fmax(0, 1e-9 * (double)(e->enter - w->sent_at) - others - around);
        w->out->least_between_s = fmin(w->out->least_between_s, pure);
        if (!atn_push(&s->between, pure))
            return false;
    }
    if (e->partner >= 0 && e->partner < s->p) {
        s->messages[(size_t)r * (size_t)s->p + (size_t)e->partner]++;
        s->bytes[(size_t)r * (size_t)s->p + (size_t)e->partner] += e->bytes;
    }
    w->sent_at = e->exit;
    w->others = 0;
    w->between = 0;
    const int64_t target =
        (int64_t)((uint64_t)(int64_t)e->partner << 32 | (uint32_t)e->comm); /* partner may be -1 */
    return atn_push(&w->to, target) && atn_push(&w->size, e->bytes);
}

/* Data that one-sided calls transfer. */
static void take_access(walk *w, int r, const atn_trace_event *e)
{
    const unsigned flags = atn_trace_op_get((atn_trace_op)e->op)->flags;
    const size_t p = (size_t)w->s->p, own = (size_t)r, other = (size_t)e->partner;
    if (e->partner < 0 || e->partner >= w->s->p)
        return;
    if ((flags & ATN_TRACE_GIVES) != 0) {
        w->s->messages[own * p + other]++;
        w->s->bytes[own * p + other] += e->bytes;
    }
    if ((flags & ATN_TRACE_TAKES) != 0) {
        w->s->messages[other * p + own]++;
        w->s->bytes[other * p + own] += e->bytes;
    }
}

static bool take_event(walk *w, int r, const atn_trace_event *e)
{
    atn_trace_op_stats *const op = &w->s->ops[e->op];
    const bool part = atn_trace_is_part(e);
    const double seconds = part ? 0 : seconds_of(w->rank, e);
    op->calls++;
    op->bytes += e->bytes;
    op->seconds += seconds;
    w->calls[e->op]++;
    if (e->op == ATN_TRACE_INIT)
        w->first = e->exit;
    else if (e->op == ATN_TRACE_FINALIZE)
        w->last = e->enter;
    else if (!part) {
        w->out->mpi_s += seconds;
        w->recorded++;
        w->last = e->exit;
    }
    const atn_trace_class class = atn_trace_class_of(e);
    w->out->receives += class == ATN_TRACE_IS_RECV;
    if (class == ATN_TRACE_IS_ONE_SIDED)
        take_access(w, r, e);
    if (class == ATN_TRACE_IS_SEND && e->partner != ATN_TRACE_NULL)
        return take_send(w, r, e);
    if (!part && w->sent_at >= 0) {
        w->others += 1e-9 * (double)(e->exit - e->enter);
        w->between++;
    }
    return true;
}

static int count_different(int64_t *v, int n)
{
    int different = 0;
    if (n > 0)
        qsort(v, (size_t)n, sizeof *v, by_number);
    for (int i = 0; i < n; i++)
        different += i == 0 || v[i] != v[i - 1];
    return different;
}

static bool add_sizes(atn_trace_stats *s, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!atn_push(&s->sizes, (atn_trace_size){v[i], 1}))
            return false;
    return true;
}

static bool walk_rank(atn_trace_stats *s, const atn_trace *t, int r)
{
    walk w = {.s = s, .rank = &t->ranks[r], .out = &s->ranks[r], .first = 0, .last = 0};
    w.sent_at = -1;
    w.out->least_between_s = INFINITY;
    bool ok = true;
    for (int i = 0; i < w.rank->events.n && ok; i++)
        if (w.rank->events.v[i].depth == 0)
            ok = take_event(&w, r, &w.rank->events.v[i]);
    for (int i = 0; i < ATN_TRACE_OPS; i++) {
        atn_trace_op_stats *const op = &s->ops[i];
        op->least = r == 0 || w.calls[i] < op->least ? w.calls[i] : op->least;
        op->most = w.calls[i] > op->most ? w.calls[i] : op->most;
    }
    const double span = 1e-9 * ((double)(w.last - w.first) - w.recorded * w.rank->around_ns);
    w.out->compute_s = fmax(0, span - w.out->mpi_s);
    w.out->destinations = count_different(w.to.v, w.to.n);
    ok = ok && add_sizes(s, w.size.v, w.size.n);
    atn_vec_free(&w.to);
    atn_vec_free(&w.size);
    return ok;
}

/* ---- all ranks ---- */

/* One entry for each size. */
static void join_sizes(atn_trace_stats *s)
{
    int n = 0;
    if (s->sizes.n == 0)
        return;
    qsort(s->sizes.v, (size_t)s->sizes.n, sizeof *s->sizes.v, by_number);
    for (int i = 1; i < s->sizes.n; i++)
        if (s->sizes.v[i].bytes == s->sizes.v[n].bytes)
            s->sizes.v[n].messages++;
        else
            s->sizes.v[++n] = s->sizes.v[i];
    s->sizes.n = n + 1;
}

static void mean_ratio(atn_trace_stats *s)
{
    int n = 0;
    for (int r = 0; r < s->p; r++)
        if (s->ranks[r].compute_s > 0) {
            s->ratio += s->ranks[r].mpi_s / s->ranks[r].compute_s;
            n++;
        }
    s->ratio = n > 0 ? s->ratio / n : 0;
}

static atn_status count_early(const atn_trace *t, atn_trace_stats *s, atn_error *err)
{
    atn_trace_messages m = {.v = {0}};
    const atn_status status = atn_trace_match(t, &m, err);
    for (int i = 0; i < m.v.n; i++) {
        const atn_trace_event *const send = &t->ranks[m.v.v[i].from].events.v[m.v.v[i].send];
        const atn_trace_event *const receive = &t->ranks[m.v.v[i].to].events.v[m.v.v[i].receive];
        if (send->depth > 0 || (receive->flags & ATN_TRACE_ANY_SOURCE_POSTED) != 0)
            continue;
        s->matched++;
        s->early += m.v.v[i].awaited < send->enter;
    }
    atn_trace_messages_free(&m);
    return status;
}

atn_status atn_trace_stats_make(const atn_trace *t, atn_trace_stats *s_p, atn_error *err)
{
    const size_t p = (size_t)t->p;
    atn_trace_stats s = {.p = t->p,
                         .ranks = calloc(p, sizeof *s.ranks),
                         .messages = calloc(p * p, sizeof *s.messages),
                         .bytes = calloc(p * p, sizeof *s.bytes)};
    bool ok = s.ranks != NULL && s.messages != NULL && s.bytes != NULL;
    for (int r = 0; r < t->p && ok; r++)
        ok = walk_rank(&s, t, r);
    atn_status status = ok ? count_early(t, &s, err) : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status != ATN_OK) {
        atn_trace_stats_free(&s);
        return status;
    }
    join_sizes(&s);
    mean_ratio(&s);
    if (s.between.n > 0)
        qsort(s.between.v, (size_t)s.between.n, sizeof *s.between.v, by_value);
    *s_p = s;
    return ATN_OK;
}

double atn_trace_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

int64_t atn_trace_above(const atn_trace_stats *s, double seconds)
{
    int64_t n = 0;
    for (int i = s->between.n - 1; i >= 0 && s->between.v[i] > seconds; i--)
        n++;
    return n;
}

double atn_trace_percentile(const atn_trace_stats *s, double percent)
{
    if (s->between.n == 0)
        return NAN;
    const int at = (int)ceil(percent / 100 * s->between.n) - 1;
    return s->between.v[atn_max(0, atn_min(at, s->between.n - 1))];
}
