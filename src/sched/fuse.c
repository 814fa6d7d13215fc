/* fuse.c - receives whose message is read by a reduction only become recv_reduce.
 *
 * The reduction moves to the position of the receive, so nothing in between may access its result,
 * and everything else it waits for must be earlier.  The receive must not begin to wait for the
 * other message of its step: both ends of an exchange would then wait for each other.
 *
 * The message is the first operand of a recv_reduce.  Where it is the second one, the operands are
 * exchanged if the operator is commutative.  A message that is received into the result of the
 * reduction gets scratch of its own. */
#include "sched/optimise.h"

#include <stdlib.h>

#include "sched/access.h"
#include "sched/blocks.h"
#include "sched/check.h"
#include "sched/rewrite.h"

typedef struct {
    atn_rewrite w;
    atn_accesses seen;
    uint8_t *last;
    int32_t *shadow[ATN_SPACES]; /* scratch for messages to a block; -1: none yet */
    bool ok;
} fusion;

/* A reduction that may become part of a receive. */
typedef struct {
    int receive;             /* -1: none */
    const atn_slot *message; /* the operand that it receives */
    const atn_slot *other;   /* the other operand */
} match;

/* ---- conditions ---- */

static bool waits_for_earlier(const fusion *x, int j, int i, int partner)
{
    const atn_schedule *s = x->w.s;

    for (int d = 0; d < s->ops[j].nafter; d++) {
        const int on = x->w.into[s->deps[s->ops[j].dep + d]];
        if (on > i || (on == partner && partner >= 0))
            return false;
    }
    return true;
}

/* Whether the receive finds the result and the other operand as reduction j does, and waits for
 * neither a later operation nor its partner. */
static bool may_move(const fusion *x, int j, const match *m)
{
    const atn_schedule *s = x->w.s;
    const atn_slot *b = &s->ops[j].b;
    const int i = m->receive, partner = x->w.paired[i];
    const int used = m->message == b ? -1
                                     : atn_max(atn_sched_access_last_read(&x->seen, s, b),
                                               atn_sched_access_last_write(&x->seen, s, b));

    return used < i && (used != partner || partner < 0) &&
           atn_sched_access_last_write(&x->seen, s, m->other) < i &&
           waits_for_earlier(x, j, i, partner);
}

/* Whether reduction j is the only reader of a message in `message`. */
static match find(const fusion *x, int j, const atn_slot *message, const atn_slot *other)
{
    static const match none = {-1, NULL, NULL};
    const atn_schedule *s = x->w.s;
    const atn_op *o = &s->ops[j];
    const bool last =
        message == &o->b ||
        (message->space == ATN_TMP && x->last[j] & (message == &o->a ? ATN_LAST_A : ATN_LAST_C));
    const match m = {last ? atn_sched_access_writer(&x->seen, s, message) : -1, message, other};

    if (m.receive < 0 || x->w.ops[m.receive].kind != ATN_OP_RECV ||
        !atn_sched_slots_equal(s, &s->ops[m.receive].a, message) ||
        atn_sched_access_last_read(&x->seen, s, message) > m.receive || !may_move(x, j, &m))
        return none;
    return m;
}

static match find_receive(const fusion *x, int j)
{
    const atn_schedule *s = x->w.s;
    const atn_op *o = &s->ops[j];

    if (o->kind != ATN_OP_REDUCE)
        return (match){.receive = -1};
    const match m = find(x, j, &o->a, atn_sched_operand(o));
    return m.receive >= 0 || s->q.ordered ? m : find(x, j, atn_sched_operand(o), &o->a);
}

/* ---- scratch ---- */

static int shape_of(const atn_schedule *s, int space, int block)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);

    if (space == ATN_TMP)
        return s->tmp_shape[block];
    return o->result == ATN_SIDE_ONE ? s->q.r * s->split + block : block;
}

static bool has_room(const fusion *x, const atn_slot *slot)
{
    const atn_schedule *s = x->w.s;
    return x->w.tmp_shape.n + atn_sched_slot_blocks(s, slot) <=
           atn_sched_max_scratch(&s->q, s->split);
}

/* Scratch shaped like the slot. */
static atn_slot add_scratch(fusion *x, const atn_slot *like)
{
    const atn_schedule *s = x->w.s;
    int32_t *const shadow = x->shadow[like->space];
    atn_block_cursor c = atn_sched_blocks_of(s->ranges, like);
    atn_slot slot = {.space = ATN_TMP};

    for (int k; x->ok && (k = atn_sched_block_next(&c)) >= 0;) {
        if (shadow[k] < 0) {
            shadow[k] = x->w.tmp_shape.n;
            x->ok = atn_push(&x->w.tmp_shape, shape_of(s, like->space, k));
        }
        x->ok = x->ok && atn_sched_rewrite_push(&x->w, &slot, shadow[k]);
    }
    return slot;
}

/* ---- the pass ---- */

static void fuse(fusion *x, int j, const match *m)
{
    const atn_op *o = &x->w.s->ops[j];
    atn_op *to = &x->w.ops[m->receive];

    to->kind = ATN_OP_RECV_REDUCE;
    to->b = o->b;
    if (m->other != &o->b)
        to->c = *m->other;
    if (m->message == &o->b)
        to->a = add_scratch(x, m->message);
    x->w.into[j] = m->receive;
    atn_sched_access_slot(&x->seen, x->w.s, m->other, m->receive, false);
    atn_sched_access_slot(&x->seen, x->w.s, &o->b, m->receive, true);
}

static int fuse_all(fusion *x)
{
    const atn_schedule *s = x->w.s;
    int fused = 0;

    for (int j = 0; j < s->nops && x->ok; j++) {
        const match m = find_receive(x, j);
        if (m.receive >= 0 && (m.message != &s->ops[j].b || has_room(x, m.message))) {
            fuse(x, j, &m);
            fused++;
        } else {
            atn_sched_access_op(&x->seen, s, &s->ops[j], j);
        }
    }
    return fused;
}

static bool set_up(fusion *x)
{
    const atn_schedule *s = x->w.s;
    bool ok = atn_sched_accesses_init(&x->seen, s);

    x->last = calloc((size_t)s->nops + 1, sizeof *x->last);
    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        x->shadow[i] = malloc(sizeof *x->shadow[i] * ((size_t)n + 1));
        ok = ok && x->shadow[i];
        for (int k = 0; ok && k < n; k++)
            x->shadow[i][k] = -1;
    }
    return ok && x->last && atn_sched_last_reads(s, x->last);
}

static bool has_reductions(const atn_schedule *s)
{
    int i = 0;
    while (i < s->nops && s->ops[i].kind != ATN_OP_REDUCE)
        i++;
    return i < s->nops;
}

atn_status atn_sched_fuse(atn_schedule *s)
{
    fusion x = {.ok = true};

    if (!has_reductions(s))
        return ATN_OK;
    x.ok = atn_sched_rewrite_begin(&x.w, s) && set_up(&x);
    const int fused = x.ok ? fuse_all(&x) : 0;
    const atn_status status = atn_sched_rewrite_end(&x.w, x.ok && fused > 0);
    atn_sched_accesses_free(&x.seen);
    free(x.last);
    for (int i = 0; i < ATN_SPACES; i++)
        free(x.shadow[i]);
    return x.ok ? status : ATN_MEMORY;
}
