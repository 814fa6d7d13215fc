/* bind.c - binds a schedule to sizes: a program with byte offsets instead of blocks. */
#include <stdlib.h>

#include "exec/exec_private.h"

typedef struct {
    atn_program *g;
    const atn_schedule *s;
    const atn_partition *t;
    const atn_exec_unit *u;
    int64_t *tmp_off; /* units before each TMP block */
    ATN_VEC(atn_extent) spans[2];
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

static void bind_message(binder *b, const atn_op *o, atn_xop *x)
{
    const int64_t stride = b->u->stride;
    int64_t units = 0;

    x->part = b->g->parts.n;
    x->nparts = b->spans[0].n;
    for (int i = 0; i < x->nparts; i++) {
        const atn_extent *s = &b->spans[0].v[i];
        const atn_part part = {s->off * stride, units * stride, s->len};
        x->one = part;
        if (x->nparts > 1)
            b->ok = b->ok && atn_push(&b->g->parts, part);
        units += s->len;
    }
    x->one.units = units;
    x->count = (int32_t)(units * b->u->sent_each);
    if (x->nparts > 1)
        x->packed = place_packed(b, o->kind == ATN_OP_SEND, units * stride);
    if (units == 0 && o->a.n > 0)
        x->kind = X_NOTHING; /* empty on both sides */
    else
        x->turn = b->turns[2 * o->peer + (o->kind == ATN_OP_SEND)]++;
}

/* ---- copies and reductions ---- */

static void bind_local(binder *b, atn_xop *x)
{
    const int64_t stride = b->u->stride;
    int i = 0, j = 0;
    int64_t di = 0, dj = 0;

    x->part = b->g->parts.n;
    while (i < b->spans[0].n && j < b->spans[1].n) {
        const atn_extent *s = &b->spans[0].v[i], *t = &b->spans[1].v[j];
        const int64_t left = s->len - di, right = t->len - dj;
        const int64_t take = left < right ? left : right;
        x->one = (atn_part){(s->off + di) * stride, (t->off + dj) * stride, take};
        b->ok = b->ok && atn_push(&b->g->parts, x->one);
        di += take;
        dj += take;
        if (di == s->len)
            i++, di = 0;
        if (dj == t->len)
            j++, dj = 0;
    }
    x->nparts = b->g->parts.n - x->part;
    if (x->nparts == 0)
        x->kind = X_NOTHING;
}

static void bind_op(binder *b, int i)
{
    static const uint8_t kinds[ATN_OP_KINDS] = {
        [ATN_OP_SEND] = X_SEND,
        [ATN_OP_RECV] = X_RECV,
        [ATN_OP_COPY] = X_COPY,
        [ATN_OP_REDUCE] = X_REDUCE,
    };
    const atn_op *o = &b->s->ops[i];
    atn_xop x = {.kind = kinds[o->kind],
                 .space_a = o->a.space,
                 .space_b = o->b.space,
                 .ssend = o->ssend,
                 .peer = o->peer,
                 .seq = o->seq};

    add_slot(b, 0, &o->a);
    add_slot(b, 1, &o->b);
    if (atn_sched_is_message(o))
        bind_message(b, o, &x);
    else
        bind_local(b, &x);
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
        if (x[i].kind == X_RECV) {
            const atn_xop recv = x[i];
            x[i] = x[i + 1];
            x[i + 1] = recv;
        }
        x[i].kind = X_EXCHANGE;
    }
    for (int i = 0; i < b->g->ops.n; i++)
        if (x[i].kind == X_RECV && x[i].nparts > 1)
            x[i].packed = b->packed_send; /* received parts follow the sent ones */
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
        lay_out(g, u, b.tmp_off[s->ntmp] * u->stride, b.packed_send + b.packed_recv);
    g->bound = b.ok;
    free(b.tmp_off);
    free(b.turns);
    atn_vec_free(&b.spans[0]);
    atn_vec_free(&b.spans[1]);
    return b.ok;
}

void atn_exec_program_free(atn_program *g)
{
    atn_vec_free(&g->ops);
    atn_vec_free(&g->parts);
}
