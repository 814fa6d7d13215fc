/* slices.c - see slices.h. */
#include "trace/slices.h"

#include <stdlib.h>
#include <string.h>

#include "trace/shares.h"

void atn_trace_slices_free(atn_trace_slices *s)
{
    atn_vec_free(&s->kinds);
    atn_vec_free(&s->stream);
}

/* Messages inside of collectives, and parts, have the time of another call. */
static bool is_drawn(const atn_trace_event *e) { return e->depth == 0 && !atn_trace_is_part(e); }

/* ---- kinds: numbered by a table of operation, size class and communicator ---- */

enum { SIZE_CLASSES = 65, MOST_COMMS = 1000 /* distinguished; the others count as unknown */ };

typedef struct {
    int *numbers; /* by communicator, operation and size class; -1: no call yet */
    atn_trace_slices *s;
} kind_table;

static int comm_of(const atn_trace_event *e) { return e->comm < MOST_COMMS ? e->comm : -1; }

static int *number_of(const kind_table *k, const atn_trace_event *e)
{
    const size_t comm = (size_t)comm_of(e) + 1, op = e->op;
    const size_t class = (size_t)atn_trace_size_class(e->bytes);
    return &k->numbers[(comm * ATN_TRACE_OPS + op) * SIZE_CLASSES + class];
}

static bool number_kind(kind_table *k, const atn_trace_event *e)
{
    int *const number = number_of(k, e);
    const atn_trace_slice_kind fresh = {.op = (atn_trace_op)e->op,
                                        .comm = comm_of(e),
                                        .size_class = atn_trace_size_class(e->bytes),
                                        .least = e->bytes,
                                        .most = e->bytes};
    if (*number < 0) {
        *number = k->s->kinds.n;
        if (!atn_push(&k->s->kinds, fresh))
            return false;
    }
    atn_trace_slice_kind *const kind = &k->s->kinds.v[*number];
    kind->least = e->bytes < kind->least ? e->bytes : kind->least;
    kind->most = e->bytes > kind->most ? e->bytes : kind->most;
    kind->seconds += 1e-9 * (double)(e->exit - e->enter);
    k->s->calls++;
    return true;
}

static bool number_kinds(const atn_trace *t, kind_table *k)
{
    const size_t n = (size_t)(atn_min(t->comms.n, MOST_COMMS) + 1) * ATN_TRACE_OPS * SIZE_CLASSES;
    k->numbers = malloc(n * sizeof *k->numbers);
    if (k->numbers == NULL)
        return false;
    memset(k->numbers, -1, n * sizeof *k->numbers);
    bool ok = true;
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < t->ranks[r].events.n && ok; i++)
            if (is_drawn(&t->ranks[r].events.v[i]))
                ok = number_kind(k, &t->ranks[r].events.v[i]);
    return ok;
}

/* ---- slices of one rank ---- */

typedef struct {
    int64_t from, to;
    int64_t longest; /* of one call, whose kind it has */
    int64_t calls;
    int kind;
} slice;

static slice slice_of(const kind_table *k, const atn_trace_event *e)
{
    return (slice){e->enter, e->exit, e->exit - e->enter, 1, *number_of(k, e)};
}

static void extend(slice *s, const slice *next)
{
    s->from = next->from < s->from ? next->from : s->from;
    s->to = next->to > s->to ? next->to : s->to;
    s->kind = next->longest > s->longest ? next->kind : s->kind;
    s->longest = next->longest > s->longest ? next->longest : s->longest;
    s->calls++;
}

/* The next slice from event *i_p on; false: there is none. */
static bool next_slice(const kind_table *k, const atn_trace_rank *rank, int64_t merged, int *i_p,
                       slice *s_p)
{
    bool any = false;
    for (; *i_p < rank->events.n; ++*i_p) {
        const atn_trace_event *const e = &rank->events.v[*i_p];
        if (!is_drawn(e))
            continue;
        const slice next = slice_of(k, e);
        if (any && next.to - s_p->from > merged)
            return true;
        if (any)
            extend(s_p, &next);
        else
            *s_p = next;
        any = true;
    }
    return any;
}

static int64_t count(const kind_table *k, const atn_trace_rank *rank, int64_t merged)
{
    int64_t n = 0;
    slice s;
    for (int i = 0; next_slice(k, rank, merged, &i, &s);)
        n++;
    return n;
}

static bool put(atn_trace_slices *s, uint64_t v)
{
    uint8_t bytes[ATN_VARINT_ROOM];
    const uint8_t *const end = atn_trace_put_varint(bytes, v);
    const int n = (int)(end - bytes);
    if (!atn_vec_room((void **)&s->stream.v, &s->stream.cap, s->stream.n + n, 1))
        return false;
    memcpy(s->stream.v + s->stream.n, bytes, (size_t)n);
    s->stream.n += n;
    return true;
}

static bool put_slice(atn_trace_slices *s, const slice *x, int64_t last)
{
    const bool merged = x->calls > 1;
    return put(s, (uint64_t)x->kind * 2 + merged) && put(s, atn_trace_zigzag(x->from - last)) &&
           put(s, (uint64_t)(x->to - x->from)) && (!merged || put(s, (uint64_t)x->calls));
}

static bool put_rank(const kind_table *k, const atn_trace_rank *rank)
{
    atn_trace_slices *const s = k->s;
    const int64_t n = count(k, rank, s->merged_ns);
    bool ok = put(s, (uint64_t)n);
    int64_t last = 0;
    slice x;
    for (int i = 0; ok && next_slice(k, rank, s->merged_ns, &i, &x); last = x.to)
        ok = put_slice(s, &x, last);
    s->slices += n;
    return ok;
}

/* ---- the limit ---- */

static int64_t count_all(const atn_trace *t, const kind_table *k, int64_t merged)
{
    int64_t n = 0;
    for (int r = 0; r < t->p; r++)
        n += count(k, &t->ranks[r], merged);
    return n;
}

/* Doubles the duration until the slices are few enough.  Two successive slices of a rank last
 * longer than it together, which bounds their number and the number of steps. */
static int64_t choose_merged(const atn_trace *t, const kind_table *k, int64_t limit)
{
    if (k->s->calls <= limit)
        return 0;
    int64_t merged = t->end / limit * t->p / 16 + 1;
    while (merged < t->end && count_all(t, k, merged) > limit)
        merged *= 2;
    return merged;
}

atn_status atn_trace_slices_make(const atn_trace *t, int64_t limit, atn_trace_slices *s_p,
                                 atn_error *err)
{
    atn_trace_slices s = {.calls = 0};
    kind_table k = {.s = &s};
    bool ok = number_kinds(t, &k);
    if (ok)
        s.merged_ns = choose_merged(t, &k, limit);
    for (int r = 0; r < t->p && ok; r++)
        ok = put_rank(&k, &t->ranks[r]);
    free(k.numbers);
    if (!ok) {
        atn_trace_slices_free(&s);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    *s_p = s;
    return ATN_OK;
}
