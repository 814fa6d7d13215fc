/* phased.c - phases as a program: data in the order of phases, tokens (messages without data) where
 * a rank must know that another one's message is through.
 *
 * A token is emitted, at both ends, in the phase of the message that waits for it, before the data
 * of that phase and in an order that all ranks share; it only waits for what it is about, so it is
 * sent long before.  In this order the program never stops even if every send is synchronous. */
#include "algo/phased.h"

#include <stdlib.h>
#include <string.h>

#include "algo/dummy.h"
#include "algo/waits.h"

enum { AHEAD = 4 }; /* receives that are posted before their turn */

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_phases *x;
    atn_waits waits;
    atn_phased how;
    bool by_receiver, inside; /* who sends tokens; whether inside of blocks or between them */
    int *sent, *received;     /* peer -> operation; -1: not yet */
    int *sends, nsends;       /* operations in their order, data only */
    int *receives, nreceives;
    ATN_VEC(int) until; /* what the send of this phase waits for */
    bool last_sent;     /* the last operation was a send */
    int dummy;          /* scratch */
} emitter;

static int ago(const int *list, int n) { return n >= AHEAD ? list[n - AHEAD] : -1; }

/* ---- tokens ---- */

/* Full synchronisation keeps all phases apart, partial only those of different blocks; under
 * barriers between blocks only those of the same block are left. */
static bool kept_apart(const emitter *m, int phase, int before)
{
    const bool same = phase / m->how.block == before / m->how.block;
    return m->inside ? same : !same;
}

/* The rank that knows when message i is through, and, if it is this one, the operation. */
static int witness(const emitter *m, int i)
{
    return m->by_receiver ? m->x->list[i].to : m->x->list[i].from;
}

static int operation(const emitter *m, int i)
{
    return m->by_receiver ? m->received[m->x->list[i].from] : m->sent[m->x->list[i].to];
}

static void expect(emitter *m, int op)
{
    if (!atn_push(&m->until, op))
        atn_builder_fail(m->b, ATN_MEMORY, "out of memory");
}

/* The token of witness `w` for message i; one token for all that it has seen. */
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
            expect(m, operation(m, on));
        else
            atn_after(m->b, operation(m, on));
    }
}

/* Witnesses in ascending order, each once. */
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

/* Only the last piece says that all have left. */
static void send_piece(emitter *m, int to, atn_ref from, bool last)
{
    if (last && synchronised(m) && !m->by_receiver)
        atn_ssend(m->b, to, from);
    else
        atn_send(m->b, to, from);
    for (int k = 0; k < m->until.n; k++)
        atn_after(m->b, m->until.v[k]);
    m->sent[to] = atn_here(m->b) - 1;
    m->last_sent = true;
}

static void recv_piece(emitter *m, int from, atn_ref to)
{
    atn_recv(m->b, from, to);
    if (synchronised(m))
        atn_after(m->b, ago(m->receives, m->nreceives));
    m->received[from] = atn_here(m->b) - 1;
    m->last_sent = false;
}

/* What this rank sends and receives in a phase; -1: nothing.  The two halves of an exchange stand
 * next to each other, and beside operations of the same direction, so that only they make a
 * step.  `real`: into the result, else into scratch. */
static void exchange(emitter *m, int to, int from, bool real_to, bool real_from)
{
    const int pieces = m->q->pieces, own = m->q->r;
    const bool first = m->last_sent || from < 0;

    for (int k = 0; k < pieces; k++) {
        const atn_ref out = atn_src((real_to ? to : own) * pieces + k, 1);
        const atn_ref in = real_from ? atn_dst(from * pieces + k, 1) : atn_tmp_at(m->dummy, k, 1);
        if (to >= 0 && first)
            send_piece(m, to, out, k == pieces - 1);
        if (from >= 0)
            recv_piece(m, from, in);
        if (to >= 0 && !first)
            send_piece(m, to, out, k == pieces - 1);
    }
    if (to >= 0)
        m->sends[m->nsends++] = m->sent[to];
    if (from >= 0)
        m->receives[m->nreceives++] = m->received[from];
}

/* ---- phases ---- */

/* Returns the first message of the next phase. */
static int phase_with_tokens(emitter *m, int phase, int lo)
{
    int to = -1, from = -1, i = lo;

    m->until.n = 0;
    for (; i < m->x->n && m->x->list[i].phase == phase; i++) {
        if (synchronised(m))
            tokens_for(m, i);
        if (m->x->list[i].from == m->q->r)
            to = m->x->list[i].to;
        if (m->x->list[i].to == m->q->r)
            from = m->x->list[i].from;
    }
    exchange(m, to, from, true, true);
    if (!synchronised(m))
        atn_fence(m->b);
    return i;
}

static int phase_with_dummies(emitter *m, atn_dummies *d, int phase, int lo)
{
    const int r = m->q->r, pieces = m->q->pieces;
    bool real_to = false, real_from = false;
    const int next = atn_dummies_fill(d, m->x, phase, lo);

    for (int i = lo; i < next; i++) {
        real_to = real_to || m->x->list[i].from == r;
        real_from = real_from || m->x->list[i].to == r;
    }
    exchange(m, d->to[r], d->from[r], real_to, real_from);
    if (d->to[r] < 0 && d->from[r] < 0)
        atn_copy(m->b, atn_src(r * pieces, pieces), atn_tmp_at(m->dummy, 0, pieces));
    atn_fence(m->b);
    return next;
}

static void run_phases(emitter *m)
{
    atn_dummies d = {0};
    const bool dummies = m->how.sync == ATN_PHASED_DUMMY;

    if (dummies) {
        m->dummy = atn_tmp(m->b, m->q->r * m->q->pieces, m->q->pieces);
        if (!atn_dummies_begin(m->q->topo, &d)) {
            atn_builder_fail(m->b, ATN_MEMORY, "out of memory");
            return;
        }
    }
    for (int phase = 0, i = 0; phase < m->x->phases; phase++) {
        if (phase > 0)
            atn_round(m->b);
        i = dummies ? phase_with_dummies(m, &d, phase, i) : phase_with_tokens(m, phase, i);
    }
    atn_dummies_end(&d);
}

/* ---- all of it ---- */

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
    const size_t p = (size_t)m->q->p, phases = (size_t)m->x->phases;

    m->by_receiver = kinds[m->how.sync].by_receiver;
    m->inside = kinds[m->how.sync].barrier;
    m->sent = malloc(sizeof *m->sent * (2 * p + 2 * phases));
    if (!m->sent)
        return false;
    m->received = m->sent + p;
    m->sends = m->received + p;
    m->receives = m->sends + phases;
    return !kinds[m->how.sync].tokens || atn_waits_begin(m->q->topo, capacity, m->x, &m->waits);
}

void atn_phased_emit(atn_builder *b, const atn_problem *q, const atn_phases *x, const int *capacity,
                     const atn_phased *how)
{
    emitter m = {.b = b, .q = q, .x = x, .how = *how};
    const int pieces = q->pieces;

    if (pieces > 1)
        atn_split(b, pieces);
    atn_copy(b, atn_src(q->r * pieces, pieces), atn_dst(q->r * pieces, pieces));
    if (begin(&m, capacity))
        run_phases(&m);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    if (kinds[how->sync].barrier)
        atn_pass_synchronise(b, ATN_SYNC_BARRIER, how->block);
    atn_waits_end(&m.waits);
    atn_vec_free(&m.until);
    free(m.sent);
}
