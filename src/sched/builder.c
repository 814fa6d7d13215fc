/* builder.c - emission: references of an algorithm become operations on finest blocks. */
#include "sched/builder_private.h"

#include <stdlib.h>
#include <string.h>

void atn_builder_fail(atn_builder *b, atn_status status, const char *what)
{
    if (b->err.status == ATN_OK)
        atn_fail(&b->err, status, "rank %d, operation %d: %s", b->q.r, b->ops.n, what);
}

void atn_builder_refuse(atn_builder *b, const char *why)
{
    if (b->err.status == ATN_OK)
        atn_fail(&b->err, ATN_NOT_APPLICABLE, "%s", why);
}

/* MPI_IN_PLACE is a view: one side simply lies in the other. */
static void root_views(atn_builder *b)
{
    frame *f = &b->root;

    f->views[VIEW_SRC] = (view){ATN_SRC, 0, 1, NULL};
    f->views[VIEW_DST] = (view){ATN_DST, 0, 1, NULL};
    f->views[VIEW_VEC] = (view){ATN_TMP, 0, 1, NULL};
    if (!b->q.in_place)
        return;
    switch (atn_operation_place(b->q.op, b->q.r == b->q.root)) {
    case ATN_PLACE_SAME:
        f->views[VIEW_SRC].space = ATN_DST;
        break;
    case ATN_PLACE_OWN:
        f->views[VIEW_SRC] = (view){ATN_DST, b->q.r, 1, NULL};
        break;
    case ATN_PLACE_OWN_SRC:
        f->views[VIEW_DST] = (view){ATN_SRC, b->q.r, 1, NULL};
        break;
    default:
        break;
    }
}

atn_builder *atn_builder_new(const atn_problem *q)
{
    atn_builder *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->q = *q;
    b->split = 1;
    b->root = (frame){.q = *q, .unit = 1, .split = 1};
    root_views(b);
    b->top = &b->root;
    return b;
}

void atn_builder_free(atn_builder *b)
{
    if (!b)
        return;
    atn_vec_free(&b->ops);
    atn_vec_free(&b->ranges);
    atn_vec_free(&b->after);
    atn_vec_free(&b->tmp_shape);
    atn_vec_free(&b->regions);
    free(b);
}

/* ---- finer blocks ---- */

static void refine_tmp(atn_builder *b, int f)
{
    const int n = b->tmp_shape.n;
    int32_t *finer = malloc(sizeof *finer * ((size_t)n * (size_t)f + 1));

    if (!finer) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return;
    }
    for (int t = 0; t < n * f; t++)
        finer[t] = b->tmp_shape.v[t / f] * f + t % f;
    free(b->tmp_shape.v);
    b->tmp_shape.v = finer;
    b->tmp_shape.n = n * f;
    b->tmp_shape.cap = n * f + 1;
}

static void refine(atn_builder *b, int f)
{
    b->split *= f;
    for (int i = 0; i < b->ranges.n; i++) {
        b->ranges.v[i].first *= f;
        b->ranges.v[i].count *= f;
    }
    for (int i = 0; i < b->regions.n; i++) {
        b->regions.v[i].base *= f;
        b->regions.v[i].unit *= f;
    }
    for (frame *fr = b->top; fr; fr = fr->up) {
        fr->unit *= f;
        for (int i = 0; i < VIEWS; i++) {
            fr->views[i].base *= f;
            fr->views[i].stride *= f;
        }
    }
    refine_tmp(b, f);
}

static int gcd(int a, int c) { return c ? gcd(c, a % c) : a; }

void atn_split(atn_builder *b, int s)
{
    if (s < 1 || b->err.status != ATN_OK) {
        atn_builder_fail(b, ATN_USAGE, "a block is cut into less than one part");
        return;
    }
    if ((int64_t)b->split * s > (1 << 24)) {
        atn_builder_refuse(b, "the message would be cut into more than 2^24 blocks");
        return;
    }
    if (b->top->unit % s != 0)
        refine(b, s / gcd(b->top->unit, s));
    b->top->split = s;
}

/* ---- references to slots ---- */

static bool push_range(atn_builder *b, atn_slot *slot, int first, int count)
{
    if (slot->n > 0) {
        atn_range *last = &b->ranges.v[slot->at + slot->n - 1];
        if (last->first + last->count == first) {
            last->count += count;
            return true;
        }
    }
    slot->n++;
    return atn_push(&b->ranges, (atn_range){first, count});
}

/* Blocks lo .. lo + count - 1 of a frame (natural block j covers unit blocks from j * unit). */
static bool push_view(atn_builder *b, atn_slot *slot, const view *v, int lo, int count)
{
    const int unit = b->top->unit;

    if (!v->index && v->stride == unit)
        return push_range(b, slot, v->base + lo, count);
    while (count > 0) {
        const int j = lo / unit, off = lo % unit, take = atn_min(count, unit - off);
        const int at = v->base + (v->index ? v->index[j] : j) * v->stride + off;
        if (!push_range(b, slot, at, take))
            return false;
        lo += take;
        count -= take;
    }
    return true;
}

static int side_parts(const frame *f, int side)
{
    const atn_operation_info *o = atn_operation_get(f->q.op);
    const bool exists = side == VIEW_SRC ? atn_has_src(&f->q) : atn_has_dst(&f->q);

    return exists ? atn_side_blocks(side == VIEW_SRC ? o->source : o->result, f->q.p) * f->split
                  : 0;
}

static bool resolve_range(atn_builder *b, const atn_ref *ref, atn_range r, atn_slot *slot)
{
    const frame *f = b->top;

    if (ref->space == ATN_TMP) {
        const region *g = &b->regions.v[ref->region];
        if (r.first < 0 || r.count < 0 || r.first + r.count > g->parts)
            return false;
        return push_range(b, slot, g->base + r.first * g->unit, r.count * g->unit);
    }
    const int side = ref->space == ATN_SRC ? VIEW_SRC : VIEW_DST;
    const int part = f->unit / f->split;
    if (r.first < 0 || r.count < 0 || r.first + r.count > side_parts(f, side))
        return false;
    return push_view(b, slot, &f->views[side], r.first * part, r.count * part);
}

static atn_slot resolve(atn_builder *b, const atn_ref *ref)
{
    atn_slot slot = {.space = (uint8_t)ref->space, .at = b->ranges.n};

    if (b->err.status != ATN_OK)
        return slot;
    if (ref->space != ATN_TMP)
        slot.space = (uint8_t)b->top->views[ref->space == ATN_SRC ? VIEW_SRC : VIEW_DST].space;
    else if (ref->region < 0 || ref->region >= b->regions.n) {
        atn_builder_fail(b, ATN_USAGE, "refers to scratch that was not asked for");
        return slot;
    }
    for (int i = 0; i < ref->n; i++) {
        const atn_range r = ref->n > 1 ? ref->list[i] : ref->one;
        if (r.count != 0 && !resolve_range(b, ref, r, &slot)) {
            atn_builder_fail(b, ATN_USAGE, "refers to blocks outside of its buffer");
            return slot;
        }
    }
    return slot;
}

int atn_tmp(atn_builder *b, int first, int count)
{
    const frame *f = b->top;
    const int part = f->unit / f->split, base = b->tmp_shape.n;
    const view *v = &f->views[VIEW_VEC];

    for (int i = first * part; i < (first + count) * part; i++) {
        const int j = i / f->unit;
        if (!atn_push(&b->tmp_shape,
                      v->base + (v->index ? v->index[j] : j) * v->stride + i % f->unit))
            atn_builder_fail(b, ATN_MEMORY, "out of memory");
    }
    if (!atn_push(&b->regions, (region){base, part, count}))
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    return b->regions.n - 1;
}

/* ---- operations ---- */

void atn_emit_after(atn_builder *b, int op, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        if (!atn_push(&b->after, (edge){op, i}))
            atn_builder_fail(b, ATN_MEMORY, "out of memory");
}

int atn_emit(atn_builder *b, atn_op_kind kind, int peer, atn_slot a, atn_slot to)
{
    if (b->err.status != ATN_OK)
        return -1;
    if (!atn_push(
            &b->ops,
            (atn_op){.kind = (uint8_t)kind, .peer = peer, .round = b->round, .a = a, .b = to})) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return -1;
    }
    atn_emit_after(b, b->ops.n - 1, b->fence_lo, b->fence_hi);
    return b->ops.n - 1;
}

static int peer_rank(atn_builder *b, int peer)
{
    const frame *f = b->top;

    if (peer < 0 || peer >= f->q.p || peer == f->q.r) {
        atn_builder_fail(b, ATN_USAGE, "the peer is not another rank");
        return -1;
    }
    return f->ranks ? f->ranks[peer] : peer;
}

static void message(atn_builder *b, atn_op_kind kind, int peer, const atn_ref *ref)
{
    const atn_slot slot = resolve(b, ref);

    if (slot.n > 0)
        atn_emit(b, kind, peer_rank(b, peer), slot, (atn_slot){0});
}

void atn_send(atn_builder *b, int peer, atn_ref from) { message(b, ATN_OP_SEND, peer, &from); }
void atn_recv(atn_builder *b, int peer, atn_ref to) { message(b, ATN_OP_RECV, peer, &to); }

void atn_ssend(atn_builder *b, int peer, atn_ref from)
{
    const int before = b->ops.n;

    message(b, ATN_OP_SEND, peer, &from);
    if (b->ops.n > before)
        b->ops.v[before].ssend = true;
}

int atn_here(const atn_builder *b) { return b->ops.n; }

void atn_after(atn_builder *b, int on)
{
    const int last = b->ops.n - 1;

    if (on >= last && b->err.status == ATN_OK)
        atn_builder_fail(b, ATN_USAGE, "an operation would wait for a later one");
    else if (on >= 0)
        atn_emit_after(b, last, on, on + 1);
}

static void token(atn_builder *b, atn_op_kind kind, int peer)
{
    atn_emit(b, kind, peer_rank(b, peer), (atn_slot){.at = b->ranges.n}, (atn_slot){0});
}

void atn_token_send(atn_builder *b, int peer) { token(b, ATN_OP_SEND, peer); }
void atn_token_recv(atn_builder *b, int peer) { token(b, ATN_OP_RECV, peer); }

static bool same_slot(const atn_builder *b, const atn_slot *x, const atn_slot *y)
{
    return x->space == y->space && x->n == y->n &&
           memcmp(&b->ranges.v[x->at], &b->ranges.v[y->at], (size_t)x->n * sizeof *b->ranges.v) ==
               0;
}

static bool overlap(const atn_builder *b, const atn_slot *x, const atn_slot *y)
{
    if (x->space != y->space)
        return false;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
            const atn_range *s = &b->ranges.v[x->at + i], *t = &b->ranges.v[y->at + j];
            if (s->first < t->first + t->count && t->first < s->first + s->count)
                return true;
        }
    return false;
}

static void local(atn_builder *b, atn_op_kind kind, const atn_ref *from, const atn_ref *to)
{
    const atn_slot a = resolve(b, from), c = resolve(b, to);

    if (b->err.status != ATN_OK || (a.n == 0 && c.n == 0))
        return;
    if (kind == ATN_OP_COPY && same_slot(b, &a, &c))
        return;
    if (overlap(b, &a, &c))
        atn_builder_fail(b, ATN_USAGE, "copies or reduces blocks onto themselves");
    atn_emit(b, kind, -1, a, c);
}

void atn_copy(atn_builder *b, atn_ref from, atn_ref to) { local(b, ATN_OP_COPY, &from, &to); }
void atn_reduce(atn_builder *b, atn_ref in, atn_ref inout) { local(b, ATN_OP_REDUCE, &in, &inout); }

/* The sync messages of a round wait for all that came before the round: what earlier sync messages
 * waited for is covered through them. */
static void sync_message(atn_builder *b, atn_op_kind kind, int peer)
{
    if (b->sync_hi != b->round_start) {
        b->sync_lo = b->sync_hi;
        b->sync_hi = b->round_start;
    }
    const int op =
        atn_emit(b, kind, peer_rank(b, peer), (atn_slot){.at = b->ranges.n}, (atn_slot){0});
    if (op >= 0)
        atn_emit_after(b, op, b->sync_lo, b->sync_hi);
}

void atn_sync_send(atn_builder *b, int peer) { sync_message(b, ATN_OP_SEND, peer); }
void atn_sync_recv(atn_builder *b, int peer) { sync_message(b, ATN_OP_RECV, peer); }

void atn_round(atn_builder *b)
{
    b->round++;
    b->round_start = b->ops.n;
}

void atn_fence(atn_builder *b)
{
    if (b->ops.n == b->fence_hi)
        return;
    b->fence_lo = b->fence_hi;
    b->fence_hi = b->ops.n;
}
