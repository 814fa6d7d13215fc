/* bind.c - binds a schedule to sizes: a program with byte offsets instead of blocks. */
#include <stdlib.h>

#include "exec/exec_private.h"

typedef struct {
    atn_program *g;
    const atn_schedule *s;
    const atn_partition *t;
    const atn_exec_unit *u;
    int64_t *tmp_off; /* units before each TMP block */
    ATN_VEC(atn_extent) spans[3];
    int64_t packed_send, packed_recv; /* chain: largest message in several parts; dag: sum */
    int32_t *turns;                   /* messages so far from and to each rank */
    bool ok;
} binder;

static void add_span(binder *b, int which, int64_t off, int64_t len)
{
    atn_extent *last = b->spans[which].n ? &b->spans[which].v[b->spans[which].n - 1] : NULL;

    if (len == 0)
        return;
    if (last && last->off + last->len == off)
        last->len += len;
    else
        b->ok = b->ok && atn_push(&b->spans[which], (atn_extent){off, len});
}

/* Blocks first .. first + count - 1 of a side, natural block by natural block. */
static void add_side(binder *b, int which, const atn_blocks *z, int first, int count)
{
    const int split = b->t->split;

    while (count > 0) {
        const int j = first / split, k = first % split, take = atn_min(count, split - k);
        const int64_t len = z->lens ? z->lens[j] : z->each;
        const int64_t lo = atn_sched_cut(len, k, split), hi = atn_sched_cut(len, k + take, split);
        add_span(b, which, (z->offs ? z->offs[j] : j * z->each) + lo, hi - lo);
        first += take;
        count -= take;
    }
}

static void add_slot(binder *b, int which, const atn_slot *slot)
{
    const atn_range *r = atn_sched_slot_ranges(b->s, slot);

    b->spans[which].n = 0;
    for (int i = 0; i < slot->n; i++) {
        if (slot->space == ATN_TMP) {
            const int64_t lo = b->tmp_off[r[i].first];
            add_span(b, which, lo, b->tmp_off[r[i].first + r[i].count] - lo);
        } else {
            add_side(b, which, slot->space == ATN_SRC ? &b->t->src : &b->t->dst, r[i].first,
                     r[i].count);
        }
    }
}

/* ---- messages ---- */

static int64_t place_packed(binder *b, bool send, int64_t bytes)
{
    int64_t *total = send ? &b->packed_send : &b->packed_recv;
    const int64_t at = b->g->chain ? 0 : b->packed_send + b->packed_recv;

    if (b->g->chain)
        *total = *total > bytes ? *total : bytes;
    else
        *total += bytes;
    return at;
}

/* The parts of slot a, and their sum. */
static void bind_parts_of(binder *b, atn_xop *x)
{
    const int64_t stride = b->u->stride;
    int64_t units = 0;

    x->part = b->g->parts.n;
    x->nparts = b->spans[0].n;
    for (int i = 0; i < x->nparts; i++) {
        const atn_extent *s = &b->spans[0].v[i];
        const atn_part part = {s->off * stride, units * stride, 0, s->len};
        x->one = part;
        if (x->nparts > 1)
            b->ok = b->ok && atn_push(&b->g->parts, part);
        units += s->len;
    }
    x->one.units = units;
}

static void bind_message(binder *b, const atn_op *o, atn_xop *x)
{
    bind_parts_of(b, x);
    const int64_t units = x->one.units;
    x->count = (int32_t)(units * b->u->sent_each);
    if (x->nparts > 1)
        x->packed = place_packed(b, o->kind == ATN_OP_SEND, units * b->u->stride);
    if (units == 0 && o->a.n > 0)
        x->kind = X_NOTHING; /* empty on both sides */
    else
        x->turn = b->turns[2 * o->peer + (o->kind == ATN_OP_SEND)]++;
}

/* ---- copies and reductions ---- */

/* A position in the spans of a slot. */
typedef struct {
    const atn_extent *span;
    int64_t done; /* units of the span */
} cursor;

static int64_t left(const cursor *c) { return c->span->len - c->done; }

/* Offset of the position, which then moves on. */
static int64_t advance(cursor *c, int64_t units)
{
    const int64_t at = c->span->off + c->done;

    c->done += units;
    if (c->done == c->span->len)
        *c = (cursor){c->span + 1, 0};
    return at;
}

static int64_t units_of(const binder *b, int which)
{
    int64_t units = 0;

    for (int i = 0; i < b->spans[which].n; i++)
        units += b->spans[which].v[i].len;
    return units;
}

static int64_t shortest(const binder *b, int n)
{
    int64_t units = units_of(b, 0);

    for (int i = 1; i < n; i++)
        units = units_of(b, i) < units ? units_of(b, i) : units;
    return units;
}

/* The longest parts that lie in one span of each of n slots, up to the end of the shortest: of
 * blocks with padding only the data are copied. */
static int bind_parts(binder *b, int n, atn_part *last)
{
    const int64_t stride = b->u->stride, units = shortest(b, n);
    cursor at[3] = {{b->spans[0].v, 0}, {b->spans[1].v, 0}, {b->spans[n - 1].v, 0}};
    const int first = b->g->parts.n;

    for (int64_t done = 0; done < units && b->ok; done += last->units) {
        int64_t take = left(&at[0]);
        for (int i = 1; i < 3; i++)
            take = left(&at[i]) < take ? left(&at[i]) : take;
        last->a = advance(&at[0], take) * stride;
        last->b = advance(&at[1], take) * stride;
        last->c = advance(&at[2], take) * stride;
        last->units = take;
        b->ok = b->ok && atn_push(&b->g->parts, *last);
    }
    return b->g->parts.n - first;
}

static void bind_local(binder *b, const atn_op *o, atn_xop *x)
{
    x->part = b->g->parts.n;
    x->nparts = bind_parts(b, o->kind == ATN_OP_REDUCE ? 3 : 2, &x->one);
    if (x->nparts == 0)
        x->kind = X_NOTHING;
}

/* The message is consecutive, wherever it is stored. */
static void bind_combination(binder *b, atn_xop *x)
{
    atn_part last = {0};

    b->spans[0].n = 0;
    add_span(b, 0, 0, x->one.units);
    x->combined = b->g->parts.n;
    x->ncombined = b->ok ? bind_parts(b, 3, &last) : 0;
}

/* Exposed blocks are consecutive in memory or in the pack buffer; a read skips units. */
static void bind_exposure(binder *b, const atn_op *o, atn_xop *x)
{
    if (atn_sched_is_read(o)) {
        x->one = (atn_part){.a = atn_sched_slot_units(b->t, b->s, &o->a), .units = units_of(b, 1)};
        return;
    }
    bind_parts_of(b, x);
    if (o->kind == ATN_OP_EXPOSE && x->nparts > 1)
        x->packed = place_packed(b, true, x->one.units * b->u->stride);
}

static void bind_op(binder *b, int i)
{
    static const uint8_t kinds[ATN_OP_KINDS] = {
        [ATN_OP_SEND] = X_SEND,
        [ATN_OP_RECV] = X_RECV,
        [ATN_OP_RECV_REDUCE] = X_RECV_REDUCE,
        [ATN_OP_COPY] = X_COPY,
        [ATN_OP_REDUCE] = X_REDUCE,
        [ATN_OP_EXPOSE] = X_EXPOSE,
        [ATN_OP_READ] = X_READ,
        [ATN_OP_READ_REDUCE] = X_READ_REDUCE,
        [ATN_OP_CLOSE] = X_CLOSE,
    };
    const atn_op *o = &b->s->ops[i];
    const atn_slot *operand = atn_sched_operand(o);
    atn_xop x = {.kind = kinds[o->kind],
                 .space_a = atn_sched_is_read(o) ? ATN_SRC : o->a.space,
                 .space_b = o->b.space,
                 .space_c = operand->space,
                 .ssend = o->ssend,
                 .peer = o->peer,
                 .seq = o->seq};

    if (!atn_sched_is_read(o))
        add_slot(b, 0, &o->a);
    add_slot(b, 1, &o->b);
    add_slot(b, 2, operand);
    if (atn_sched_is_message(o))
        bind_message(b, o, &x);
    else if (atn_sched_is_local(o))
        bind_local(b, o, &x);
    else
        bind_exposure(b, o, &x);
    if (x.kind == X_RECV_REDUCE || atn_sched_is_read(o))
        bind_combination(b, &x);
    b->ok = b->ok && atn_push(&b->g->ops, x);
}

/* Chain: steps of two messages become exchanges, the send first. */
static void pair_exchanges(binder *b)
{
    atn_xop *x = b->g->ops.v;

    for (int i = 0, n; i < b->g->ops.n; i += n) {
        n = atn_sched_step_length(b->s, i);
        if (n < 2 || x[i].kind == X_NOTHING || x[i + 1].kind == X_NOTHING)
            continue;
        if (atn_exec_receives(&x[i])) {
            const atn_xop recv = x[i];
            x[i] = x[i + 1];
            x[i + 1] = recv;
        }
        x[i].kind = X_EXCHANGE;
    }
    for (int i = 0; i < b->g->ops.n; i++)
        if (atn_exec_receives(&x[i]) && x[i].nparts > 1)
            x[i].packed = b->packed_send; /* received parts follow the sent ones */
}

static bool sends_once(const atn_program *g)
{
    int alone = 0, sends = 0;

    for (int i = 0; i < g->ops.n; i++) {
        alone += g->ops.v[i].kind == X_SEND;
        sends += g->ops.v[i].kind == X_SEND || g->ops.v[i].kind == X_EXCHANGE;
    }
    return g->chain && alone == 1 && sends == 1;
}

static bool tmp_offsets(binder *b)
{
    int64_t off = 0;

    b->tmp_off = malloc(sizeof *b->tmp_off * ((size_t)b->s->ntmp + 1));
    if (!b->tmp_off)
        return false;
    for (int t = 0; t < b->s->ntmp; t++) {
        b->tmp_off[t] = off;
        const int j = b->s->tmp_shape[t] / b->t->split, k = b->s->tmp_shape[t] % b->t->split;
        const int64_t len = b->t->vec.lens ? b->t->vec.lens[j] : b->t->vec.each;
        off += atn_sched_cut(len, k + 1, b->t->split) - atn_sched_cut(len, k, b->t->split);
    }
    b->tmp_off[b->s->ntmp] = off;
    return true;
}

static int64_t round_up(int64_t n) { return (n + 63) / 64 * 64; }

/* TMP, then the pack buffer.  Units of a type with a lower bound keep the alignment of the type:
 * its origin, which may lie outside, is a multiple of 64. */
static void lay_out(atn_program *g, const atn_exec_unit *u, int64_t tmp, int64_t packed)
{
    const int64_t lb = u->contiguous ? 0 : u->true_lb;
    const int64_t pad = u->contiguous ? 0 : round_up((lb < 0 ? -lb : lb) + u->true_extent);

    g->tmp_at = lb < 0 ? round_up(-lb) : -(lb / 64 * 64);
    g->packed_at = g->tmp_at + round_up(tmp) + 2 * pad;
    g->scratch_bytes = tmp + packed > 0 ? round_up(tmp) + packed + 4 * pad + 64 : 0;
}

bool atn_exec_program_bind(atn_program *g, const atn_schedule *s, const atn_partition *t,
                           const atn_exec_unit *u)
{
    binder b = {.g = g, .s = s, .t = t, .u = u, .ok = true};

    g->ops.n = g->parts.n = 0;
    b.turns = calloc(2 * (size_t)s->q.p, sizeof *b.turns);
    b.ok = b.turns != NULL && tmp_offsets(&b);
    for (int i = 0; b.ok && i < s->nops; i++)
        bind_op(&b, i);
    if (b.ok && g->chain)
        pair_exchanges(&b);
    if (b.ok)
        g->one_send = sends_once(g);
    if (b.ok)
        lay_out(g, u, b.tmp_off[s->ntmp] * u->stride, b.packed_send + b.packed_recv);
    g->bound = b.ok;
    free(b.tmp_off);
    free(b.turns);
    for (int i = 0; i < 3; i++)
        atn_vec_free(&b.spans[i]);
    return b.ok;
}

void atn_exec_program_free(atn_program *g)
{
    atn_vec_free(&g->ops);
    atn_vec_free(&g->parts);
}
