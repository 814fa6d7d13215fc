/* builder.c - emission: references of an algorithm become operations on finest blocks. */
#include "sched/builder_private.h"

#include <limits.h>
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

const struct atn_topo *atn_builder_topo(const atn_builder *b) { return b->top->q.topo; }

/* MPI_IN_PLACE is a view: one side lies in the other. */
static void root_views(atn_builder *b)
{
    frame *f = &b->root;

    f->views[VIEW_SRC] = (view){.space = ATN_SRC, .stride = 1};
    f->views[VIEW_DST] = (view){.space = ATN_DST, .stride = 1};
    f->views[VIEW_VEC] = (view){.space = ATN_TMP, .stride = 1};
    if (!b->q.in_place)
        return;
    switch (atn_sched_operation_place(b->q.op, b->q.r == b->q.root)) {
    case ATN_PLACE_SAME:
        f->views[VIEW_SRC].space = ATN_DST;
        break;
    case ATN_PLACE_OWN:
        f->views[VIEW_SRC] = (view){.space = ATN_DST, .base = b->q.r, .stride = 1};
        break;
    case ATN_PLACE_OWN_SRC:
        f->views[VIEW_DST] = (view){.space = ATN_SRC, .base = b->q.r, .stride = 1};
        break;
    default:
        break;
    }
}

atn_builder *atn_builder_new(const atn_problem *q)
{
    atn_builder *const b = atn_sched_pool_take();

    if (!b)
        return NULL;
    b->q = *q;
    b->split = 1;
    b->scope = INT_MAX;
    b->window.end = INT_MAX;
    b->root = (frame){.q = *q, .unit = 1, .split = 1};
    root_views(b);
    b->top = &b->root;
    return b;
}

void atn_builder_show(atn_builder *b, atn_round_window window)
{
    b->windowed = window.end < INT_MAX;
    b->window = window;
}

atn_round_window atn_builder_shown(const atn_builder *b)
{
    const int here = b->round - b->segment_round;
    if (!b->windowed)
        return b->window;
    return (atn_round_window){b->window.first - here, b->window.end - here};
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
        atn_builder_fail(b, ATN_USAGE, "a block is divided into fewer than one part");
        return;
    }
    if (b->top->signals)
        return;
    if ((int64_t)b->split * s > (1 << 24)) {
        atn_builder_refuse(b, "the message would be divided into more than 2^24 blocks");
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
    if (atn_push(&b->ranges, (atn_range){first, count}))
        return true;
    atn_builder_fail(b, ATN_MEMORY, "out of memory");
    return false;
}

/* Blocks lo .. lo + count - 1 of a frame (natural block j covers unit blocks from j * unit). */
static bool push_view(atn_builder *b, atn_slot *slot, const view *v, int lo, int count)
{
    const int unit = b->top->unit;

    if (!v->index && v->stride == unit)
        return push_range(b, slot, v->base + lo, count);
    while (count > 0) {
        const int j = lo / unit, off = lo % unit, take = atn_min(count, unit - off);
        if (!push_range(b, slot, atn_sched_view_at(v, j) + off, take))
            return false;
        lo += take;
        count -= take;
    }
    return true;
}

/* The same for groups, part by part, which is also the order in scratch. */
static bool push_groups(atn_builder *b, atn_slot *slot, const view *v, atn_range parts)
{
    const frame *f = b->top;
    const int part = f->unit / f->split;

    for (int t = parts.first; t < parts.first + parts.count; t++) {
        const int j = t / f->split, off = t % f->split * part;
        for (int i = v->first[j]; i < v->first[j + 1]; i++)
            if (!push_range(b, slot, atn_sched_view_at(v, i) + off, part))
                return false;
    }
    return true;
}

static int side_parts(const frame *f, int side)
{
    const atn_operation_info *o = atn_sched_operation_get(f->q.op);

    if (side == VIEW_VEC)
        return atn_sched_vec_blocks(&f->q) * f->split;
    const bool exists = side == VIEW_SRC ? atn_sched_has_src(&f->q) : atn_sched_has_dst(&f->q);

    return exists
               ? atn_sched_rank_blocks(&f->q, side == VIEW_SRC ? o->source : o->result) * f->split
               : 0;
}

static int view_of(atn_space space)
{
    return space == ATN_SRC ? VIEW_SRC : space == ATN_DST ? VIEW_DST : VIEW_VEC;
}

static bool resolve_range(atn_builder *b, const atn_ref *ref, atn_range r, atn_slot *slot)
{
    const frame *f = b->top;

    if (ref->space == ATN_TMP) {
        const region *g = &b->regions.v[ref->region];
        if (r.first < 0 || r.count < 0 || r.first + r.count > g->parts)
            return false;
        const int lo = atn_sched_region_extents(b, g, r.first) * g->unit;
        const int hi = atn_sched_region_extents(b, g, r.first + r.count) * g->unit;
        return lo == hi || push_range(b, slot, g->base + lo, hi - lo);
    }
    const int side = view_of(ref->space), part = f->unit / f->split;
    if (r.first < 0 || r.count < 0 || r.first + r.count > side_parts(f, side))
        return false;
    if (f->views[side].first)
        return push_groups(b, slot, &f->views[side], r);
    return push_view(b, slot, &f->views[side], r.first * part, r.count * part);
}

atn_slot atn_sched_resolve(atn_builder *b, const atn_ref *ref)
{
    atn_slot slot = {.space = (uint8_t)ref->space, .at = b->ranges.n};

    if (b->err.status != ATN_OK)
        return slot;
    if (ref->space < ATN_TMP)
        slot.space = (uint8_t)b->top->views[view_of(ref->space)].space;
    else if (ref->space == ATN_TMP && (ref->region < 0 || ref->region >= b->regions.n)) {
        atn_builder_fail(b, ATN_USAGE, "refers to scratch that was not allocated");
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

/* ---- scratch ---- */

/* Parts first, first + 1, ..., repeating after `period` of them; or the parts of a list. */
typedef struct {
    int first, count, period;
    const int32_t *list;
} parts;

/* Appends their shape and, for groups, where each part ends. */
static bool push_shape(atn_builder *b, const parts *like)
{
    const frame *f = b->top;
    const view *v = &f->views[VIEW_VEC];
    const int part = f->unit / f->split;
    int extents = 0;

    for (int n = 0; n < like->count; n++) {
        const int t = like->list ? like->list[n] : like->first + n % like->period;
        const int j = t / f->split, off = t % f->split * part;
        for (int i = atn_sched_view_first(v, j); i < atn_sched_view_first(v, j + 1); i++, extents++)
            for (int k = 0; k < part; k++)
                if (!atn_push(&b->tmp_shape, atn_sched_view_at(v, i) + off + k))
                    return false;
        if (v->first && !atn_push(&b->ends, extents))
            return false;
    }
    return true;
}

static bool same_region(const atn_builder *b, const region *x, const region *y)
{
    const int n = atn_sched_region_extents(b, x, x->parts) * x->unit;
    const int32_t *shape = b->tmp_shape.v;

    if (x->unit != y->unit || x->parts != y->parts || (x->ends < 0) != (y->ends < 0) ||
        atn_sched_region_extents(b, y, y->parts) * y->unit != n)
        return false;
    return memcmp(shape + x->base, shape + y->base, (size_t)n * sizeof *shape) == 0 &&
           (x->ends < 0 || memcmp(b->ends.v + x->ends, b->ends.v + y->ends,
                                  (size_t)x->parts * sizeof *b->ends.v) == 0);
}

/* An unused region with the shape of `wanted`, the region created last; -1: none. */
static int spare_region(atn_builder *b, const region *wanted)
{
    for (int i = b->scope; i < b->regions.n; i++)
        if (!b->regions.v[i].user && same_region(b, &b->regions.v[i], wanted))
            return i;
    return -1;
}

static int make_region(atn_builder *b, const parts *like)
{
    const frame *f = b->top;
    const bool grouped = f->views[VIEW_VEC].first;
    const region made = {.base = b->tmp_shape.n,
                         .unit = f->unit / f->split,
                         .parts = like->count,
                         .ends = grouped ? b->ends.n : -1,
                         .user = f};

    if (f->signals)
        return 0;
    if (!push_shape(b, like)) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return 0;
    }
    const int spare = spare_region(b, &made);
    if (spare >= 0) {
        b->tmp_shape.n = made.base;
        b->ends.n = grouped ? made.ends : b->ends.n;
        b->regions.v[spare].user = f;
        return spare;
    }
    if (!atn_push(&b->regions, made))
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    return b->regions.n - 1;
}

int atn_tmp(atn_builder *b, int first, int count)
{
    return make_region(b, &(parts){first, count, count, NULL});
}

int atn_tmp_like(atn_builder *b, int block, int count)
{
    return make_region(b, &(parts){block, count, 1, NULL});
}

int atn_tmp_rows(atn_builder *b, int first, int count, int rows)
{
    return make_region(b, &(parts){first, rows * count, count, NULL});
}

int atn_tmp_of(atn_builder *b, const int32_t *blocks, int n)
{
    return make_region(b, &(parts){.count = n, .list = blocks});
}

void atn_scope_begin(atn_builder *b) { b->scope = b->regions.n; }

/* ---- operations ---- */

void atn_sched_emit_after(atn_builder *b, int op, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        if (!atn_push(&b->after, (edge){op, i}))
            atn_builder_fail(b, ATN_MEMORY, "out of memory");
}

int atn_sched_emit(atn_builder *b, atn_op_kind kind, int peer, atn_slot a, atn_slot to)
{
    if (b->err.status != ATN_OK || atn_sched_is_left_out(b))
        return -1;
    if (!atn_push(
            &b->ops,
            (atn_op){.kind = (uint8_t)kind, .peer = peer, .round = b->round, .a = a, .b = to})) {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
        return -1;
    }
    atn_sched_emit_after(b, b->ops.n - 1, b->fence_lo, b->fence_hi);
    return b->ops.n - 1;
}

int atn_sched_peer_rank(atn_builder *b, int peer)
{
    const frame *f = b->top;

    if (peer < 0 || peer >= f->q.p || peer == f->q.r) {
        atn_builder_fail(b, ATN_USAGE, "the peer is not another rank");
        return -1;
    }
    return f->ranks ? f->ranks[peer] : peer;
}

static void sync_message(atn_builder *b, atn_op_kind kind, int peer);

static bool is_empty(const atn_ref *ref)
{
    for (int i = 0; i < ref->n; i++)
        if ((ref->n > 1 ? ref->list[i] : ref->one).count != 0)
            return false;
    return true;
}

static void message(atn_builder *b, atn_op_kind kind, int peer, const atn_ref *ref)
{
    if (atn_sched_is_left_out(b))
        return;
    if (b->top->signals) {
        if (!is_empty(ref))
            sync_message(b, kind == ATN_OP_SEND ? kind : ATN_OP_RECV, peer);
        return;
    }
    const atn_slot slot = atn_sched_resolve(b, ref);

    if (slot.n > 0)
        atn_sched_emit(b, kind, atn_sched_peer_rank(b, peer), slot, (atn_slot){0});
}

void atn_send(atn_builder *b, int peer, atn_ref from) { message(b, ATN_OP_SEND, peer, &from); }
void atn_recv(atn_builder *b, int peer, atn_ref to) { message(b, ATN_OP_RECV, peer, &to); }

/* A single message would form a step with the next one in the other direction. */
void atn_exchange(atn_builder *b, int to, atn_ref out, int from, atn_ref in)
{
    const bool receives = b->ops.n > 0 && b->ops.v[b->ops.n - 1].kind == ATN_OP_RECV;

    if (!receives)
        atn_send(b, to, out);
    atn_recv(b, from, in);
    if (receives)
        atn_send(b, to, out);
}

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

    if (atn_sched_is_left_out(b))
        return;
    if (on >= last && b->err.status == ATN_OK)
        atn_builder_fail(b, ATN_USAGE, "an operation would wait for a later one");
    else if (on >= 0)
        atn_sched_emit_after(b, last, on, on + 1);
}

static void token(atn_builder *b, atn_op_kind kind, int peer)
{
    const int to = atn_sched_peer_rank(b, peer);

    atn_sched_emit(b, kind, to, (atn_slot){.at = b->ranges.n}, (atn_slot){0});
}

void atn_token_send(atn_builder *b, int peer) { token(b, ATN_OP_SEND, peer); }
void atn_token_recv(atn_builder *b, int peer) { token(b, ATN_OP_RECV, peer); }

bool atn_sched_same_slot(const atn_builder *b, const atn_slot *x, const atn_slot *y)
{
    return x->space == y->space && x->n == y->n &&
           memcmp(&b->ranges.v[x->at], &b->ranges.v[y->at], (size_t)x->n * sizeof *b->ranges.v) ==
               0;
}

bool atn_sched_overlap(const atn_builder *b, const atn_slot *x, const atn_slot *y)
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
    if (b->top->signals || atn_sched_is_left_out(b))
        return;
    const atn_slot a = atn_sched_resolve(b, from), c = atn_sched_resolve(b, to);

    if (b->err.status != ATN_OK || (a.n == 0 && c.n == 0))
        return;
    if (kind == ATN_OP_COPY && atn_sched_same_slot(b, &a, &c))
        return;
    if (atn_sched_overlap(b, &a, &c))
        atn_builder_fail(b, ATN_USAGE, "copies or reduces blocks onto themselves");
    atn_sched_emit(b, kind, -1, a, c);
}

void atn_copy(atn_builder *b, atn_ref from, atn_ref to) { local(b, ATN_OP_COPY, &from, &to); }
void atn_reduce(atn_builder *b, atn_ref in, atn_ref inout) { local(b, ATN_OP_REDUCE, &in, &inout); }

void atn_sched_set_operand(atn_builder *b, int op, const atn_ref *with)
{
    const atn_slot c = atn_sched_resolve(b, with), *room;

    if (op < 0 || b->err.status != ATN_OK || atn_sched_same_slot(b, &c, &b->ops.v[op].b))
        return;
    room = atn_sched_room(&b->ops.v[op]);
    if (atn_sched_overlap(b, &c, &b->ops.v[op].b) || (room && atn_sched_overlap(b, &c, room)))
        atn_builder_fail(b, ATN_USAGE, "an operand overlaps the blocks that are written");
    b->ops.v[op].c = c;
}

void atn_reduce_with(atn_builder *b, atn_ref in, atn_ref with, atn_ref out)
{
    const int before = b->ops.n;

    local(b, ATN_OP_REDUCE, &in, &out);
    if (b->ops.n > before)
        atn_sched_set_operand(b, before, &with);
}

void atn_recv_reduce(atn_builder *b, int peer, atn_ref room, atn_ref with, atn_ref out)
{
    const int before = b->ops.n;

    message(b, ATN_OP_RECV_REDUCE, peer, &room);
    if (b->ops.n == before || b->top->signals)
        return;
    b->ops.v[before].b = atn_sched_resolve(b, &out);
    if (atn_sched_overlap(b, &b->ops.v[before].a, &b->ops.v[before].b))
        atn_builder_fail(b, ATN_USAGE, "an operand overlaps the blocks that are written");
    atn_sched_set_operand(b, before, &with);
}

/* The sync messages of a round wait for all operations before the round; earlier sync messages
 * cover the operations that they waited for themselves. */
void atn_sched_emit_sync(atn_builder *b, int op)
{
    if (b->sync_hi != b->round_start) {
        b->sync_lo = b->sync_hi;
        b->sync_hi = b->round_start;
    }
    if (op >= 0)
        atn_sched_emit_after(b, op, b->sync_lo, b->sync_hi);
}

static void sync_message(atn_builder *b, atn_op_kind kind, int peer)
{
    const atn_slot empty = {.at = b->ranges.n};
    const int to = atn_sched_peer_rank(b, peer);

    atn_sched_emit_sync(b, atn_sched_emit(b, kind, to, empty, (atn_slot){0}));
}

void atn_sync_send(atn_builder *b, int peer) { sync_message(b, ATN_OP_SEND, peer); }
void atn_sync_recv(atn_builder *b, int peer) { sync_message(b, ATN_OP_RECV, peer); }

void atn_round(atn_builder *b)
{
    b->round++;
    b->round_start = b->ops.n;
}

int atn_round_now(const atn_builder *b) { return b->round; }

void atn_fence(atn_builder *b)
{
    if (b->ops.n == b->fence_hi)
        return;
    b->fence_lo = b->fence_hi;
    b->fence_hi = b->ops.n;
}
