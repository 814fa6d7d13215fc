/* phased.c - phases as a program: data in the order of phases, and tokens (messages without data)
 * where a rank must wait for the completion of another rank's message.
 *
 * Sender and receiver emit a token in the phase of the message that waits for it, before the data
 * of that phase and in an order common to all ranks; it waits only for the message it refers to, so
 * it is sent long before.  This order is free of deadlock even if every send is synchronous. */
#include "algo/phased.h"

#include <stdlib.h>
#include <string.h>

#include "algo/dummy.h"
#include "algo/waits.h"

enum { AHEAD = 4 }; /* receives posted in advance */

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_phases *x;
    atn_waits waits;
    atn_phased how;
    bool by_receiver, inside; /* receivers send tokens; tokens inside blocks, not between */
    bool single;              /* the input is one block, sent to all ranks */
    int full;                 /* messages with data; those after them are not synchronised */
    int *op;                  /* message -> this rank's last operation for it */
    int *sends, nsends;       /* operations in order, data only */
    int *receives, nreceives;
    ATN_VEC(int) until; /* dependencies of the send of this phase */
    bool last_sent;     /* the last operation was a send */
    int dummy;          /* scratch */
} emitter;

static int ago(const int *list, int n) { return n >= AHEAD ? list[n - AHEAD] : -1; }

/* ---- tokens ---- */

/* Full synchronisation separates all phases, partial only those of different blocks; with
 * barriers between blocks only those of the same block need tokens. */
static bool kept_apart(const emitter *m, int phase, int before)
{
    const bool same = phase / m->how.block == before / m->how.block;
    return m->inside ? same : !same;
}

/* The rank that observes the completion of message i. */
static int witness(const emitter *m, int i)
{
    return m->by_receiver ? m->x->list[i].to : m->x->list[i].from;
}

static void expect(emitter *m, int op)
{
    if (!atn_push(&m->until, op))
        atn_builder_fail(m->b, ATN_MEMORY, "out of memory");
}

/* The token of witness `w` for message i; one token covers all messages it has observed. */
static void token(emitter *m, int i, int w)
{
    const int to = m->x->list[i].from, r = m->q->r;
    int op = -1;

    if (w == r && to != r) {
        atn_token_send(m->b, to);
        m->last_sent = true;
    } else if (to == r && w != r) {
        op = atn_here(m->b);
        atn_token_recv(m->b, w);
        atn_after(m->b, ago(m->sends, m->nsends));
        m->last_sent = false;
        expect(m, op);
    }
    for (int k = m->waits.first[i]; w == r && k < m->waits.first[i + 1]; k++) {
        const int on = m->waits.on[k];
        if (witness(m, on) != w || !kept_apart(m, m->x->list[i].phase, m->x->list[on].phase))
            continue;
        if (to == r)
            expect(m, m->op[on]);
        else
            atn_after(m->b, m->op[on]);
    }
}

/* Witnesses in ascending order, without duplicates. */
static void tokens_for(emitter *m, int i)
{
    for (int last = -1;;) {
        int next = m->q->p;
        for (int k = m->waits.first[i]; k < m->waits.first[i + 1]; k++) {
            const int on = m->waits.on[k], w = witness(m, on);
            if (w > last && w < next && kept_apart(m, m->x->list[i].phase, m->x->list[on].phase))
                next = w;
        }
        if (next == m->q->p)
            return;
        token(m, i, next);
        last = next;
    }
}

/* ---- data ---- */

static bool synchronised(const emitter *m) { return m->waits.first != NULL; }

/* Half of an exchange.  Dummy messages use the rank's own block, and scratch. */
typedef struct {
    int peer;                         /* -1: none */
    const atn_phase_message *message; /* NULL: a dummy */
} half;

static atn_ref segment_of(const emitter *m, const half *h, bool sends, int k)
{
    const int segments = m->q->segments, parts = m->x->parts * segments;

    if (!h->message)
        return sends ? atn_src(m->q->r * parts + k * m->x->parts, m->x->parts)
                     : atn_tmp_at(m->dummy, k * m->x->parts, m->x->parts);
    const int block = sends && m->single ? 0 : h->peer;
    const int first = block * parts + h->message->first * segments + k * h->message->count;
    return sends ? atn_src(first, h->message->count) : atn_dst(first, h->message->count);
}

/* Only the last segment is sent synchronously: it implies that all have left. */
static void send_segment(emitter *m, const half *to, int k)
{
    const bool observed = to->message && to->message - m->x->list < m->full;
    const atn_ref from = segment_of(m, to, true, k);

    if (k == m->q->segments - 1 && observed && synchronised(m) && !m->by_receiver)
        atn_ssend(m->b, to->peer, from);
    else
        atn_send(m->b, to->peer, from);
    for (int i = 0; i < m->until.n; i++)
        atn_after(m->b, m->until.v[i]);
    m->sends[m->nsends] = atn_here(m->b) - 1;
    m->last_sent = true;
}

static void recv_segment(emitter *m, int from, atn_ref to)
{
    atn_recv(m->b, from, to);
    if (synchronised(m))
        atn_after(m->b, ago(m->receives, m->nreceives));
    m->receives[m->nreceives] = atn_here(m->b) - 1;
    m->last_sent = false;
}

/* The operations of this rank in a phase.  The two halves are adjacent to each other, and otherwise
 * to operations of the same direction, so that only they form a step. */
static void exchange(emitter *m, half to, half from)
{
    const int segments = m->q->segments;
    const bool first = m->last_sent || from.peer < 0;

    for (int k = 0; k < segments; k++) {
        if (to.peer >= 0 && first)
            send_segment(m, &to, k);
        if (from.peer >= 0)
            recv_segment(m, from.peer, segment_of(m, &from, false, k));
        if (to.peer >= 0 && !first)
            send_segment(m, &to, k);
    }
    if (to.message)
        m->op[to.message - m->x->list] = m->sends[m->nsends];
    if (from.message)
        m->op[from.message - m->x->list] = m->receives[m->nreceives];
    m->nsends += to.peer >= 0;
    m->nreceives += from.peer >= 0;
}

/* ---- phases ---- */

/* Message i, if this rank sends or receives it. */
static void find_halves(const emitter *m, int i, half *to, half *from)
{
    const atn_phase_message *x = &m->x->list[i];

    if (x->from == m->q->r)
        *to = (half){x->to, x};
    if (x->to == m->q->r)
        *from = (half){x->from, x};
}

/* Returns the first message of the next phase. */
static int phase_with_tokens(emitter *m, int phase, int lo)
{
    half to = {-1, NULL}, from = {-1, NULL};
    int i = lo;

    m->until.n = 0;
    for (; i < m->x->n && m->x->list[i].phase == phase; i++) {
        if (synchronised(m) && i < m->full)
            tokens_for(m, i);
        find_halves(m, i, &to, &from);
    }
    exchange(m, to, from);
    if (!synchronised(m))
        atn_fence(m->b);
    return i;
}

static int phase_with_dummies(emitter *m, atn_dummies *d, int phase, int lo)
{
    const int r = m->q->r, parts = m->x->parts * m->q->segments;
    const int next = atn_algo_dummies_fill(d, m->x, phase, lo);
    half to = {d->to[r], NULL}, from = {d->from[r], NULL};

    for (int i = lo; i < next; i++)
        find_halves(m, i, &to, &from);
    exchange(m, to, from);
    if (to.peer < 0 && from.peer < 0)
        atn_copy(m->b, atn_src(r * parts, parts), atn_tmp_at(m->dummy, 0, parts));
    atn_fence(m->b);
    return next;
}

static void run_phases(emitter *m)
{
    atn_dummies d = {0};
    const bool dummies = m->how.sync == ATN_PHASED_DUMMY;

    if (dummies) {
        const int parts = m->x->parts * m->q->segments;
        m->dummy = atn_tmp(m->b, m->q->r * parts, parts);
        if (!atn_algo_dummies_begin(m->q->topo, &d)) {
            atn_builder_fail(m->b, ATN_MEMORY, "out of memory");
            return;
        }
    }
    for (int phase = 0, i = 0; phase < m->x->phases; phase++) {
        if (phase > 0)
            atn_round(m->b);
        i = dummies ? phase_with_dummies(m, &d, phase, i) : phase_with_tokens(m, phase, i);
    }
    atn_algo_dummies_end(&d);
}

/* ---- interface ---- */

const char *const atn_algo_phased_words[] = {
    "none", "dummy", "sender", "receiver", "barrier", "barrier_sender", "barrier_receiver", NULL};

static const struct {
    bool tokens, by_receiver, barrier;
} kinds[] = {
    [ATN_PHASED_SENDER] = {.tokens = true},
    [ATN_PHASED_RECEIVER] = {.tokens = true, .by_receiver = true},
    [ATN_PHASED_BARRIER] = {.barrier = true},
    [ATN_PHASED_BARRIER_SENDER] = {.tokens = true, .barrier = true},
    [ATN_PHASED_BARRIER_RECEIVER] = {.tokens = true, .by_receiver = true, .barrier = true},
};

static bool begin(emitter *m, const int *capacity)
{
    const size_t n = (size_t)m->x->n, phases = (size_t)m->x->phases;

    m->by_receiver = kinds[m->how.sync].by_receiver;
    m->inside = kinds[m->how.sync].barrier;
    m->op = malloc(sizeof *m->op * (n + 2 * phases + 2));
    if (!m->op)
        return false;
    m->sends = m->op + n;
    m->receives = m->sends + phases + 1;
    atn_phases full = *m->x;
    full.n = m->full;
    return !kinds[m->how.sync].tokens ||
           atn_algo_waits_begin(m->q->topo, capacity, &full, &m->waits);
}

void atn_algo_phased_emit(atn_builder *b, const atn_problem *q, const atn_phases *x,
                          const int *capacity, const atn_phased *how)
{
    emitter m = {.b = b, .q = q, .x = x, .how = *how, .full = x->n - x->empty};
    const int parts = q->segments * x->parts;
    const atn_mark since = atn_mark_here(b);

    if (parts > 1)
        atn_split(b, parts);
    m.single = atn_sched_operation_get(q->op)->source == ATN_SIDE_ONE;
    atn_copy(b, atn_src(m.single ? 0 : q->r * parts, parts), atn_dst(q->r * parts, parts));
    if (begin(&m, capacity))
        run_phases(&m);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    if (kinds[how->sync].barrier)
        atn_pass_synchronise(b, since, ATN_SYNC_BARRIER, how->block);
    atn_algo_waits_end(&m.waits);
    atn_vec_free(&m.until);
    free(m.op);
}

atn_status atn_algo_phased_build(const atn_problem *q, const atn_phases *x, const int *capacity,
                                 const atn_phased *how, const char *name, atn_schedule **schedule_p,
                                 atn_error *err)
{
    atn_builder *b = atn_builder_new(q);

    if (!b)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", name);
    atn_algo_phased_emit(b, q, x, capacity, how);
    return atn_builder_finish(b, name, schedule_p, err);
}
