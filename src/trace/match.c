/* match.c - see match.h. */
#include "trace/match.h"

#include <stdlib.h>

typedef struct {
    int comm, from, to, tag;
    int event;
    int64_t awaited, completed; /* receives */
} end;

typedef ATN_VEC(end) ends;

static int by_key(const end *a, const end *b)
{
    const int x[] = {a->comm, a->from, a->to, a->tag}, y[] = {b->comm, b->from, b->to, b->tag};
    for (int i = 0; i < 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int by_key_and_order(const void *a, const void *b)
{
    const end *const x = a, *const y = b;
    const int key = by_key(x, y);
    return key != 0 ? key : (x->event > y->event) - (x->event < y->event);
}

static int by_sender(const void *a, const void *b)
{
    const atn_trace_message *const x = a, *const y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->send > y->send) - (x->send < y->send);
}

/* The completion of a request: a damaged file may have any number. */
typedef struct {
    uint32_t request;
    int event;
} completion;
typedef ATN_VEC(completion) completions;

static int by_request(const void *a, const void *b)
{
    const completion *const x = a, *const y = b;
    if (x->request != y->request)
        return x->request < y->request ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* In the order of requests.  False: no memory. */
static bool list_done(const atn_trace_rank *rank, completions *done)
{
    for (int i = 0; i < rank->events.n; i++)
        if (rank->events.v[i].op == ATN_TRACE_DONE &&
            !atn_push(done, (completion){rank->events.v[i].request, i}))
            return false;
    if (done->n > 0)
        qsort(done->v, (size_t)done->n, sizeof *done->v, by_request);
    return true;
}

/* The last one of a request, or -1. */
static int find_done(const completions *done, uint32_t request)
{
    int low = 0, high = done->n; /* those below `low` are not of later requests */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (done->v[middle].request <= request)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && done->v[low - 1].request == request ? done->v[low - 1].event : -1;
}

static end receive_of(const atn_trace_rank *rank, int r, int i, const completions *done)
{
    const atn_trace_event *const e = &rank->events.v[i];
    end x = {.comm = e->comm,
             .from = e->partner,
             .to = r,
             .tag = e->tag,
             .event = i,
             .awaited = e->enter,
             .completed = e->exit};
    /* The receive of an isendrecv follows it and has its request. */
    const bool half = e->op == ATN_TRACE_ISENDRECV_RECEIVE && i > 0;
    const atn_trace_event *const starts = half ? e - 1 : e;
    if (!atn_trace_starts(starts))
        return x;
    const int at = find_done(done, starts->request);
    x.awaited = x.completed = INT64_MAX;
    if (at < 0)
        return x;
    const atn_trace_event *const d = &rank->events.v[at];
    x.awaited = d->enter;
    x.completed = d->exit;
    if (e->flags != 0 && d->partner != ATN_TRACE_NO_RANK) {
        x.from = d->partner;
        x.tag = d->tag;
    }
    return x;
}

static bool collect(const atn_trace *t, int r, ends *sends, ends *receives)
{
    const atn_trace_rank *const rank = &t->ranks[r];
    completions done = {0};
    bool ok = list_done(rank, &done);
    for (int i = 0; i < rank->events.n && ok; i++) {
        const atn_trace_event *const e = &rank->events.v[i];
        const atn_trace_class class = atn_trace_class_of(e);
        if (class == ATN_TRACE_IS_SEND && e->partner >= 0)
            ok = atn_push(
                sends,
                (end){.comm = e->comm, .from = r, .to = e->partner, .tag = e->tag, .event = i});
        else if (class == ATN_TRACE_IS_RECV && e->partner != ATN_TRACE_NULL)
            ok = atn_push(receives, receive_of(rank, r, i, &done));
    }
    atn_vec_free(&done);
    return ok;
}

static bool pair_up(const ends *sends, const ends *receives, atn_trace_messages *m)
{
    for (int i = 0, k = 0; i < sends->n && k < receives->n;) {
        const end *const s = &sends->v[i], *const x = &receives->v[k];
        const int order = by_key(s, x);
        if (order == 0) {
            const atn_trace_message one = {.from = s->from,
                                           .to = s->to,
                                           .send = s->event,
                                           .receive = x->event,
                                           .awaited = x->awaited,
                                           .completed = x->completed};
            if (!atn_push(&m->v, one))
                return false;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return true;
}

atn_status atn_trace_match(const atn_trace *t, atn_trace_messages *m_p, atn_error *err)
{
    ends sends = {0}, receives = {0};
    atn_trace_messages m = {.v = {0}};
    bool ok = true;
    for (int r = 0; r < t->p && ok; r++)
        ok = collect(t, r, &sends, &receives);
    if (ok && sends.n > 0 && receives.n > 0) {
        qsort(sends.v, (size_t)sends.n, sizeof *sends.v, by_key_and_order);
        qsort(receives.v, (size_t)receives.n, sizeof *receives.v, by_key_and_order);
        ok = pair_up(&sends, &receives, &m);
    }
    m.sends = sends.n;
    m.receives = receives.n;
    atn_vec_free(&sends);
    atn_vec_free(&receives);
    if (!ok) {
        atn_trace_messages_free(&m);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    if (m.v.n > 0)
        qsort(m.v.v, (size_t)m.v.n, sizeof *m.v.v, by_sender);
    *m_p = m;
    return ATN_OK;
}

void atn_trace_messages_free(atn_trace_messages *m) { atn_vec_free(&m->v); }
