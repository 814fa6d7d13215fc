/* conflict.c - tracks the last writer of each block and its readers since then. */
#include "sched/conflict.h"

#include <stdlib.h>

typedef struct {
    int op, next;
} reader;

typedef struct {
    int32_t *writer[ATN_SPACES], *readers[ATN_SPACES]; /* per block; readers: index into nodes */
    ATN_VEC(reader) nodes;
    bool (*conflict)(void *context, int op, int on);
    void *context;
    bool ok;
} tracker;

static void report(tracker *t, int op, int on)
{
    if (on >= 0 && on != op)
        t->ok = t->ok && t->conflict(t->context, op, on);
}

static void read_block(tracker *t, int space, int block, int op)
{
    report(t, op, t->writer[space][block]);
    t->ok = t->ok && atn_push(&t->nodes, (reader){op, t->readers[space][block]});
    t->readers[space][block] = t->nodes.n - 1;
}

static void write_block(tracker *t, int space, int block, int op)
{
    if (t->readers[space][block] < 0)
        report(t, op, t->writer[space][block]);
    for (int i = t->readers[space][block]; t->ok && i >= 0; i = t->nodes.v[i].next)
        report(t, op, t->nodes.v[i].op);
    t->readers[space][block] = -1;
    t->writer[space][block] = op;
}

static void touch(tracker *t, const atn_schedule *s, const atn_slot *slot, int op, bool write)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);

    for (int i = 0; i < slot->n; i++)
        for (int k = r[i].first; t->ok && k < r[i].first + r[i].count; k++) {
            if (write)
                write_block(t, slot->space, k, op);
            else
                read_block(t, slot->space, k, op);
        }
}

static void follow(tracker *t, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];
    const atn_slot *source = atn_sched_source(o), *room = atn_sched_room(o);
    const atn_slot *written = atn_sched_written(o);

    if (source)
        touch(t, s, source, i, false);
    if (room)
        touch(t, s, room, i, true);
    if (atn_sched_reduces(o))
        touch(t, s, atn_sched_operand(o), i, false);
    if (written)
        touch(t, s, written, i, true);
}

static int32_t *none(int n)
{
    int32_t *v = malloc(sizeof *v * ((size_t)n + 1));

    for (int i = 0; v && i < n; i++)
        v[i] = -1;
    return v;
}

bool atn_sched_conflicts(const atn_schedule *s, bool (*begin)(void *context, int op),
                         bool (*conflict)(void *context, int op, int on), void *context)
{
    tracker t = {.conflict = conflict, .context = context, .ok = true};

    for (int i = 0; i < ATN_SPACES; i++) {
        t.writer[i] = none(atn_sched_space_blocks(s, (atn_space)i));
        t.readers[i] = none(atn_sched_space_blocks(s, (atn_space)i));
        t.ok = t.ok && t.writer[i] && t.readers[i];
    }
    for (int i = 0; t.ok && i < s->nops; i++) {
        t.ok = begin(context, i);
        if (t.ok)
            follow(&t, s, i);
    }
    for (int i = 0; i < ATN_SPACES; i++) {
        free(t.writer[i]);
        free(t.readers[i]);
    }
    atn_vec_free(&t.nodes);
    return t.ok;
}
