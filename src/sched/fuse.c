/* fuse.c - receives whose message is read by a reduction only become recv_reduce.
 *
 * The reduction moves to the position of the receive, so nothing in between may access its result,
 * and everything else it waits for must be earlier.  The receive must not begin to wait for the
 * other message of its step: both ends of an exchange would then wait for each other. */
#include "sched/optimise.h"

#include <stdlib.h>

#include "sched/blocks.h"
#include "sched/rewrite.h"

typedef struct {
    atn_rewrite w;
    int32_t *writer[ATN_SPACES], *reader[ATN_SPACES]; /* last operation so far, by block; or -1 */
    bool *last; /* by operation: no other one reads the message that it reduces */
} fusion;

/* ---- what follows ---- */

static void mark(const atn_schedule *s, const atn_slot *slot, bool *read, bool value)
{
    atn_block_cursor c = atn_sched_blocks_of(s->ranges, slot);

    for (int k = atn_sched_block_next(&c); slot->space == ATN_TMP && k >= 0;
         k = atn_sched_block_next(&c))
        read[k] = value;
}

static bool is_read(const atn_schedule *s, const atn_slot *slot, const bool *read)
{
    atn_block_cursor c = atn_sched_blocks_of(s->ranges, slot);

    for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c))
        if (read[k])
            return true;
    return false;
}

/* read[t]: scratch block t is read by a later operation before it is overwritten. */
static bool find_last_readers(fusion *x)
{
    const atn_schedule *s = x->w.s;
    bool *read = calloc((size_t)s->ntmp + 1, sizeof *read);

    for (int i = s->nops - 1; read && i >= 0; i--) {
        const atn_op *o = &s->ops[i];
        x->last[i] = o->kind == ATN_OP_REDUCE && o->a.space == ATN_TMP && !is_read(s, &o->a, read);
        if (o->kind != ATN_OP_SEND)
            mark(s, o->kind == ATN_OP_RECV ? &o->a : &o->b, read, false);
        if (atn_sched_reduces(o))
            mark(s, atn_sched_operand(o), read, true);
        mark(s, &o->a, read, !atn_sched_receives(o));
    }
    free(read);
    return read != NULL;
}

/* ---- what precedes ---- */

static void note(fusion *x, const atn_slot *slot, int op, bool writes)
{
    atn_block_cursor c = atn_sched_blocks_of(x->w.s->ranges, slot);
    int32_t *const latest = (writes ? x->writer : x->reader)[slot->space];

    for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c))
        latest[k] = atn_max(latest[k], op);
}

static void note_op(fusion *x, const atn_op *o, int at)
{
    note(x, &o->a, at, atn_sched_receives(o));
    if (atn_sched_reduces(o))
        note(x, atn_sched_operand(o), at, false);
    if (o->kind != ATN_OP_SEND && o->kind != ATN_OP_RECV)
        note(x, &o->b, at, true);
}

/* Whether all accesses to the slot, or all writes only, are before operation i and not by `partner`,
 * the other message of its step. */
static bool precedes(const fusion *x, const atn_slot *slot, int i, int partner, bool reads)
{
    atn_block_cursor c = atn_sched_blocks_of(x->w.s->ranges, slot);

    for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c)) {
        const int w = x->writer[slot->space][k], r = reads ? x->reader[slot->space][k] : -1;
        if (w >= i || r >= i || (partner >= 0 && (w == partner || r == partner)))
            return false;
    }
    return true;
}

/* Whether operation i wrote all blocks of the slot and nothing has accessed them since. */
static bool holds_message(const fusion *x, const atn_slot *slot, int i)
{
    const atn_schedule *s = x->w.s;
    atn_block_cursor c = atn_sched_blocks_of(s->ranges, slot);
    atn_block_cursor t = atn_sched_blocks_of(s->ranges, &s->ops[i].a);

    for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c))
        if (k != atn_sched_block_next(&t) || x->writer[ATN_TMP][k] != i ||
            x->reader[ATN_TMP][k] > i)
            return false;
    return atn_sched_block_next(&t) < 0;
}

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

/* The receive that reduction j becomes part of; -1: none. */
static int receive_of(const fusion *x, int j)
{
    const atn_schedule *s = x->w.s;
    const atn_op *o = &s->ops[j];

    if (!x->last[j] || o->a.n == 0)
        return -1;
    atn_block_cursor c = atn_sched_blocks_of(s->ranges, &o->a);
    const int i = x->writer[ATN_TMP][atn_sched_block_next(&c)];
    if (i < 0 || x->w.ops[i].kind != ATN_OP_RECV || !holds_message(x, &o->a, i))
        return -1;
    const int partner = x->w.paired[i];
    const bool fits = precedes(x, &o->b, i, partner, true) &&
                      precedes(x, &o->c, i, partner, false) && waits_for_earlier(x, j, i, partner);
    return fits ? i : -1;
}

/* ---- the pass ---- */

static int fuse_all(fusion *x)
{
    const atn_schedule *s = x->w.s;
    int fused = 0;

    for (int j = 0; j < s->nops; j++) {
        const int i = receive_of(x, j);
        if (i >= 0) {
            x->w.ops[i].kind = ATN_OP_RECV_REDUCE;
            x->w.ops[i].b = s->ops[j].b;
            x->w.ops[i].c = s->ops[j].c;
            x->w.into[j] = i;
            fused++;
        }
        note_op(x, i >= 0 ? &x->w.ops[i] : &s->ops[j], i >= 0 ? i : j);
    }
    return fused;
}

static bool set_up(fusion *x)
{
    const atn_schedule *s = x->w.s;
    bool ok = true;

    x->last = calloc((size_t)s->nops + 1, sizeof *x->last);
    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        x->writer[i] = malloc(sizeof *x->writer[i] * ((size_t)n + 1));
        x->reader[i] = malloc(sizeof *x->reader[i] * ((size_t)n + 1));
        ok = ok && x->writer[i] && x->reader[i];
        for (int k = 0; ok && k < n; k++)
            x->writer[i][k] = x->reader[i][k] = -1;
    }
    return ok && x->last && find_last_readers(x);
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
    fusion x = {.last = NULL};

    if (!has_reductions(s))
        return ATN_OK;
    const bool ok = atn_sched_rewrite_begin(&x.w, s) && set_up(&x);
    const int fused = ok ? fuse_all(&x) : 0;
    const atn_status status = atn_sched_rewrite_end(&x.w, fused > 0);
    free(x.last);
    for (int i = 0; i < ATN_SPACES; i++) {
        free(x.writer[i]);
        free(x.reader[i]);
    }
    return ok ? status : ATN_MEMORY;
}
