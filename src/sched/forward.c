/* forward.c - copy propagation: operations read the source of a copy instead of its destination.
 *
 * Only sources that are never written again are forwarded: otherwise their next writer would wait
 * for readers that it does not wait for now, and scratch that decouples a send from a receive
 * would lose its purpose.  So every origin stays valid until its copy is overwritten.  An exposure
 * stays as it is: other ranks read its blocks until the close, which must name the same ones. */
#include "sched/optimise.h"

#include <stdlib.h>

#include "sched/blocks.h"
#include "sched/rewrite.h"

typedef struct {
    int8_t space; /* -1: the block holds no copy */
    int32_t block;
} origin;

typedef struct {
    int32_t from, to;
} pair;

typedef struct {
    atn_rewrite w;
    origin *from[ATN_SPACES];  /* by block */
    int32_t *todo[ATN_SPACES]; /* writes to each block that are still to come */
    bool *live[ATN_SPACES];    /* by block: read later, or part of the result */
    ATN_VEC(pair) pairs;       /* blocks of a copy */
    int changes;
    bool ok;
} forwarding;

/* The slots that an operation writes; a NULL ends them. */
static void written_slots(const atn_op *o, const atn_slot *slots[3])
{
    int n = 0;

    if (atn_sched_room(o))
        slots[n++] = atn_sched_room(o);
    if (atn_sched_written(o))
        slots[n++] = atn_sched_written(o);
    slots[n] = NULL;
}

/* ---- origins ---- */

static void count_writes(forwarding *x)
{
    const atn_schedule *s = x->w.s;
    const atn_slot *slots[3];

    for (int i = 0; i < s->nops; i++) {
        written_slots(&s->ops[i], slots);
        for (int n = 0; slots[n]; n++) {
            atn_block_cursor c = atn_sched_blocks_of(s->ranges, slots[n]);
            for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c))
                x->todo[slots[n]->space][k]++;
        }
    }
}

/* The origins of all blocks of a slot as a slot; false unless all have one, in one space.  A slot
 * in more ranges would have to be packed. */
static bool find_origins(forwarding *x, const atn_slot *slot, atn_slot *found)
{
    const origin *const from = x->from[slot->space];
    atn_block_cursor c = atn_sched_blocks_of(x->w.s->ranges, slot);
    const int before = x->w.ranges.n;
    bool all = slot->n > 0;

    *found = (atn_slot){0};
    for (int k = atn_sched_block_next(&c); all && k >= 0; k = atn_sched_block_next(&c)) {
        all = from[k].space >= 0 && (found->n == 0 || from[k].space == found->space);
        if (!all)
            break;
        found->space = (uint8_t)from[k].space;
        x->ok = x->ok && atn_sched_rewrite_push(&x->w, found, from[k].block);
        all = x->ok && found->n <= slot->n;
    }
    if (!all)
        x->w.ranges.n = before;
    return all;
}

static void forward_reads(forwarding *x, int i)
{
    const atn_op *o = &x->w.s->ops[i];
    const bool exposed = o->kind == ATN_OP_EXPOSE || o->kind == ATN_OP_CLOSE;
    atn_slot found;

    if (atn_sched_source(o) && !exposed && find_origins(x, &o->a, &found)) {
        x->w.ops[i].a = found;
        x->changes++;
    }
    if (atn_sched_reduces(o) && find_origins(x, atn_sched_operand(o), &found)) {
        x->w.ops[i].c = found;
        x->changes++;
    }
}

static void end_copies(forwarding *x, const atn_op *o)
{
    const atn_slot *slots[3];

    written_slots(o, slots);
    for (int n = 0; slots[n]; n++) {
        atn_block_cursor c = atn_sched_blocks_of(x->w.s->ranges, slots[n]);
        for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c)) {
            x->from[slots[n]->space][k].space = -1;
            x->todo[slots[n]->space][k]--;
        }
    }
}

static void begin_copies(forwarding *x, const atn_op *o)
{
    const atn_range *const ranges = x->w.s->ranges;
    atn_block_cursor a = atn_sched_blocks_of(ranges, &o->a), b = atn_sched_blocks_of(ranges, &o->b);
    int i, j;

    while ((i = atn_sched_block_next(&a)) >= 0 && (j = atn_sched_block_next(&b)) >= 0) {
        const origin first = x->from[o->a.space][i];
        if (first.space >= 0)
            x->from[o->b.space][j] = first;
        else if (x->todo[o->a.space][i] == 0)
            x->from[o->b.space][j] = (origin){(int8_t)o->a.space, i};
    }
}

static void forward_all(forwarding *x)
{
    const atn_schedule *s = x->w.s;

    for (int i = 0; i < s->nops && x->ok; i++) {
        forward_reads(x, i);
        end_copies(x, &s->ops[i]);
        if (s->ops[i].kind == ATN_OP_COPY)
            begin_copies(x, &s->ops[i]);
    }
}

/* ---- copies that nothing reads ---- */

static void set_live(forwarding *x, const atn_slot *slot, bool live)
{
    atn_block_cursor c = atn_sched_blocks_of(x->w.ranges.v, slot);

    for (int k = atn_sched_block_next(&c); k >= 0; k = atn_sched_block_next(&c))
        x->live[slot->space][k] = live;
}

/* Lists the blocks of a copy whose destinations are live; returns whether all are. */
static bool find_live(forwarding *x, const atn_op *o)
{
    const atn_range *const ranges = x->w.ranges.v;
    atn_block_cursor a = atn_sched_blocks_of(ranges, &o->a), b = atn_sched_blocks_of(ranges, &o->b);
    bool all = true;

    x->pairs.n = 0;
    for (int i, j; (i = atn_sched_block_next(&a)) >= 0 && (j = atn_sched_block_next(&b)) >= 0;) {
        if (x->live[o->b.space][j])
            x->ok = x->ok && atn_push(&x->pairs, ((pair){i, j}));
        else
            all = false;
    }
    return all;
}

/* The ranges of a slot are adjacent in memory, so one is complete before the other begins. */
static void shrink(forwarding *x, atn_op *o)
{
    o->a = (atn_slot){.space = o->a.space};
    o->b = (atn_slot){.space = o->b.space};
    for (int i = 0; i < x->pairs.n && x->ok; i++)
        x->ok = atn_sched_rewrite_push(&x->w, &o->a, x->pairs.v[i].from);
    for (int i = 0; i < x->pairs.n && x->ok; i++)
        x->ok = atn_sched_rewrite_push(&x->w, &o->b, x->pairs.v[i].to);
}

static void trim_copy(forwarding *x, int i)
{
    atn_op *o = &x->w.ops[i];

    if (o->a.n == 0 || find_live(x, o))
        return;
    x->changes++;
    if (x->pairs.n == 0)
        x->w.into[i] = ATN_REWRITE_GONE;
    else
        shrink(x, o);
}

/* Backwards: what an operation writes is dead before it, what it reads is live. */
static void remove_copies(forwarding *x)
{
    const atn_slot *slots[3];

    for (int i = x->w.s->nops - 1; i >= 0 && x->ok; i--) {
        const atn_op *o = &x->w.ops[i];
        if (o->kind == ATN_OP_COPY)
            trim_copy(x, i);
        if (x->w.into[i] == ATN_REWRITE_GONE)
            continue;
        written_slots(o, slots);
        for (int n = 0; slots[n]; n++)
            set_live(x, slots[n], false);
        if (atn_sched_source(o))
            set_live(x, &o->a, true);
        if (atn_sched_reduces(o))
            set_live(x, atn_sched_operand(o), true);
    }
}

/* ---- the pass ---- */

static bool set_up(forwarding *x)
{
    const atn_schedule *s = x->w.s;
    bool ok = true;

    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        x->from[i] = malloc(sizeof *x->from[i] * ((size_t)n + 1));
        x->todo[i] = calloc((size_t)n + 1, sizeof *x->todo[i]);
        x->live[i] = malloc(sizeof *x->live[i] * ((size_t)n + 1));
        ok = ok && x->from[i] && x->todo[i] && x->live[i];
        for (int k = 0; ok && k < n; k++) {
            x->from[i][k] = (origin){-1, 0};
            x->live[i][k] = i == ATN_DST;
        }
    }
    return ok;
}

static void tear_down(forwarding *x)
{
    for (int i = 0; i < ATN_SPACES; i++) {
        free(x->from[i]);
        free(x->todo[i]);
        free(x->live[i]);
    }
    atn_vec_free(&x->pairs);
}

static bool has_copies(const atn_schedule *s)
{
    int i = 0;
    while (i < s->nops && s->ops[i].kind != ATN_OP_COPY)
        i++;
    return i < s->nops;
}

atn_status atn_sched_forward_copies(atn_schedule *s)
{
    forwarding x = {.ok = true};

    if (!has_copies(s) || atn_sched_is_padded(s->q.op)) /* there, copies also change sizes */
        return ATN_OK;
    x.ok = atn_sched_rewrite_begin(&x.w, s) && set_up(&x);
    if (x.ok) {
        count_writes(&x);
        forward_all(&x);
        remove_copies(&x);
    }
    const atn_status status = atn_sched_rewrite_end(&x.w, x.ok && x.changes > 0);
    tear_down(&x);
    return x.ok ? status : ATN_MEMORY;
}

atn_status atn_sched_optimise(atn_schedule *s)
{
    atn_status status = atn_sched_retarget_copies(s);

    if (status == ATN_OK)
        status = atn_sched_forward_copies(s);
    return status == ATN_OK ? atn_sched_fuse(s) : status;
}
