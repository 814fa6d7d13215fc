/* order.c - throttle, pair and synchronise: passes that add orderings and zero-byte messages to a
 * program already emitted.  They work on rounds, which never decrease along the program. */
#include "sched/builder_private.h"

#include <stdlib.h>
#include <string.h>

static int by_op(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    return a->op != b->op ? (a->op < b->op ? -1 : 1) : (a->on > b->on) - (a->on < b->on);
}

static void sort_after(atn_builder *b)
{
    if (b->after.n > 1)
        qsort(b->after.v, (size_t)b->after.n, sizeof *b->after.v, by_op);
}

/* first[k]: the first operation of round since.round + k or later; first[rounds] = number of
 * operations. */
static int *round_starts(const atn_builder *b, atn_mark since)
{
    const int rounds = b->round - since.round + 1;
    int *first = malloc(sizeof *first * ((size_t)rounds + 1));

    for (int k = 0, i = since.op; first && k <= rounds; k++) {
        while (i < b->ops.n && b->ops.v[i].round < since.round + k)
            i++;
        first[k] = i;
    }
    return first;
}

atn_mark atn_mark_here(const atn_builder *b) { return (atn_mark){b->ops.n, b->round}; }

void atn_pass_throttle(atn_builder *b, atn_mark since, int window)
{
    int *first = window > 0 ? round_starts(b, since) : NULL;

    if (window <= 0 || b->err.status != ATN_OK || !first) {
        free(first);
        return;
    }
    for (int i = since.op; i < b->ops.n; i++) {
        const int k = b->ops.v[i].round - since.round - window;
        if (k < 0 || !atn_sched_is_message(&b->ops.v[i]))
            continue;
        for (int j = first[k]; j < first[k + 1]; j++)
            if (atn_sched_is_message(&b->ops.v[j]))
                atn_sched_emit_after(b, i, j, j + 1);
    }
    free(first);
    sort_after(b);
}

/* ---- pair ---- */

/* Swaps operations i and i + 1 and updates the dependencies to and from them. */
static void swap(atn_builder *b, int i)
{
    const atn_op first = b->ops.v[i];

    b->ops.v[i] = b->ops.v[i + 1];
    b->ops.v[i + 1] = first;
    for (int e = 0; e < b->after.n; e++) {
        edge *x = &b->after.v[e];
        x->op = x->op == i ? i + 1 : x->op == i + 1 ? i : x->op;
        x->on = x->on == i ? i + 1 : x->on == i + 1 ? i : x->on;
    }
}

static bool is_exchange(const atn_builder *b, int i)
{
    const atn_op *o = &b->ops.v[i];

    return i + 1 < b->ops.n && atn_sched_is_message(o) && atn_sched_is_message(o + 1) &&
           atn_sched_receives(o) != atn_sched_receives(o + 1) && o->round == o[1].round;
}

void atn_pass_pair(atn_builder *b)
{
    int lone = -1; /* direction of the preceding message if it has no partner yet */

    for (int i = 0; i < b->ops.n && b->err.status == ATN_OK; i++) {
        const atn_op *o = &b->ops.v[i];
        if (is_exchange(b, i)) {
            if (lone >= 0 && (int)atn_sched_receives(o) != lone)
                swap(b, i);
            lone = -1;
            i++;
        } else {
            const int way = atn_sched_is_message(o) ? (int)atn_sched_receives(o) : -1;
            lone = lone >= 0 && way != lone ? -1 : way;
        }
    }
    sort_after(b);
}

/* ---- synchronise: copies the program round by round and inserts messages ---- */

typedef struct {
    atn_builder *b;
    const atn_op *old; /* the original program */
    int nold, rounds;
    int *now;       /* old index -> new index */
    int from, mark; /* from: where the last synchronisation began;
                          mark: from this new index on, data waits for from .. mark - 1 */
} resync;

static int sync_op(resync *s, atn_op_kind kind, int peer, int round, int lo, int hi)
{
    s->b->round = round;
    const int op =
        atn_sched_emit(s->b, kind, peer, (atn_slot){.at = s->b->ranges.n}, (atn_slot){0});
    if (op >= 0)
        atn_sched_emit_after(s->b, op, lo, hi);
    return op;
}

/* Pairwise: each receiver of the round notifies its sender that it has entered the round. */
static void pair_round(resync *s, int lo, int hi, int begin)
{
    const int end = s->b->ops.n;

    for (int i = lo; i < hi; i++) {
        const atn_op *o = &s->old[i];
        if (!atn_sched_is_message(o))
            continue;
        const int op = sync_op(s, o->kind == ATN_OP_SEND ? ATN_OP_RECV : ATN_OP_SEND, o->peer,
                               o->round, begin, end);
        s->now[i] = o->kind == ATN_OP_SEND ? op : -1; /* the data send will wait for it */
    }
}

/* Dissemination over the ranks of the frame; each step waits for the preceding one. */
static void barrier_round(resync *s, int round, int begin)
{
    const int p = s->b->top->q.p, r = s->b->top->q.r;
    int lo = begin;

    for (int d = 1; d < p; d *= 2) {
        const int hi = s->b->ops.n;
        s->from = hi;
        sync_op(s, ATN_OP_SEND, atn_sched_peer_rank(s->b, (r + d) % p), round, lo, hi);
        sync_op(s, ATN_OP_RECV, atn_sched_peer_rank(s->b, atn_mod(r - d, p)), round, lo, hi);
        lo = hi;
    }
    s->mark = s->b->ops.n;
}

static void copy_round(resync *s, int lo, int hi)
{
    for (int i = lo; i < hi; i++) {
        const int wait = s->now[i];
        s->b->round = s->old[i].round;
        s->now[i] = atn_sched_emit(s->b, (atn_op_kind)s->old[i].kind, s->old[i].peer, s->old[i].a,
                                   s->old[i].b);
        if (s->now[i] < 0)
            return;
        s->b->ops.v[s->now[i]].ssend = s->old[i].ssend;
        s->b->ops.v[s->now[i]].seq = s->old[i].seq;
        s->b->ops.v[s->now[i]].c = s->old[i].c;
        if (wait >= 0)
            atn_sched_emit_after(s->b, s->now[i], wait, wait + 1);
        atn_sched_emit_after(s->b, s->now[i], s->from, s->mark);
    }
}

static void renumber_after(resync *s, const edge *after, int n)
{
    for (int e = 0; e < n; e++)
        atn_sched_emit_after(s->b, s->now[after[e].op], s->now[after[e].on],
                             s->now[after[e].on] + 1);
    sort_after(s->b);
}

static void rewrite(resync *s, const int *first, atn_mark since, atn_sync how, int every)
{
    const int rounds = s->rounds;
    int begin = since.op; /* new index where the previous round began */

    for (int k = 0; k < rounds; k++) {
        const int here = s->b->ops.n;
        if (k > 0 && k % every == 0) {
            if (how == ATN_SYNC_PAIR)
                pair_round(s, first[k], first[k + 1], begin);
            else
                barrier_round(s, since.round + k, begin);
            begin = here;
        }
        copy_round(s, first[k], first[k + 1]);
    }
}

/* The new index of a position in the original program. */
static int moved(const resync *s, int at) { return at < s->nold ? s->now[at] : s->b->ops.n; }

/* Later operations refer to what was moved. */
static void move_positions(const resync *s, int fence_lo, int fence_hi)
{
    atn_builder *b = s->b;

    b->fence_lo = moved(s, fence_lo);
    b->fence_hi = moved(s, fence_hi);
    b->sync_lo = moved(s, b->sync_lo);
    b->sync_hi = moved(s, b->sync_hi);
    b->round_start = moved(s, b->round_start);
}

/* Operations before the mark stay where they are. */
static void keep_before(resync *s, int n)
{
    for (int i = 0; i < n; i++) {
        s->now[i] = i;
        if (!atn_push(&s->b->ops, s->old[i]))
            atn_builder_fail(s->b, ATN_MEMORY, "out of memory");
    }
}

void atn_pass_synchronise(atn_builder *b, atn_mark since, atn_sync how, int every)
{
    if (how == ATN_SYNC_NONE || b->err.status != ATN_OK || b->top->q.p < 2)
        return;
    const int last = b->round, nafter = b->after.n, lo = b->fence_lo, hi = b->fence_hi;
    int *first = round_starts(b, since);
    resync s = {.b = b, .old = b->ops.v, .nold = b->ops.n, .rounds = last - since.round + 1};
    atn_op *old = b->ops.v;
    edge *after = b->after.v;

    s.now = malloc(sizeof *s.now * ((size_t)s.nold + 1));
    if (!first || !s.now) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    } else {
        memset(s.now, -1, sizeof *s.now * (size_t)s.nold);
        memset(&b->ops, 0, sizeof b->ops);
        memset(&b->after, 0, sizeof b->after);
        b->fence_lo = b->fence_hi = 0;
        keep_before(&s, since.op);
        rewrite(&s, first, since, how, atn_max(1, every));
        renumber_after(&s, after, nafter);
        b->round = last;
        move_positions(&s, lo, hi);
        free(old);
        free(after);
    }
    free(first);
    free(s.now);
}
