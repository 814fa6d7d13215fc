/* access.c - see access.h. */
#include "sched/access.h"

#include <stdlib.h>

#include "sched/blocks.h"

#define EACH_BLOCK(k, s, slot)                                                                     \
    for (atn_block_cursor cursor = atn_sched_blocks_of((s)->ranges, slot), *once = &cursor; once;  \
         once = NULL)                                                                              \
        for (int k; (k = atn_sched_block_next(&cursor)) >= 0;)

bool atn_sched_accesses_init(atn_accesses *x, const atn_schedule *s)
{
    bool ok = true;

    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        x->writer[i] = malloc(sizeof *x->writer[i] * ((size_t)n + 1));
        x->reader[i] = malloc(sizeof *x->reader[i] * ((size_t)n + 1));
        ok = ok && x->writer[i] && x->reader[i];
        for (int k = 0; ok && k < n; k++)
            x->writer[i][k] = x->reader[i][k] = -1;
    }
    return ok;
}

void atn_sched_accesses_free(atn_accesses *x)
{
    for (int i = 0; i < ATN_SPACES; i++) {
        free(x->writer[i]);
        free(x->reader[i]);
    }
}

void atn_sched_access_slot(atn_accesses *x, const atn_schedule *s, const atn_slot *slot, int op,
                           bool writes)
{
    int32_t *const latest = (writes ? x->writer : x->reader)[slot->space];

    EACH_BLOCK(k, s, slot)
    latest[k] = atn_max(latest[k], op);
}

void atn_sched_access_op(atn_accesses *x, const atn_schedule *s, const atn_op *o, int op)
{
    const atn_slot *source = atn_sched_source(o), *room = atn_sched_room(o);
    const atn_slot *written = atn_sched_written(o);

    if (source)
        atn_sched_access_slot(x, s, source, op, false);
    if (room)
        atn_sched_access_slot(x, s, room, op, true);
    if (atn_sched_reduces(o))
        atn_sched_access_slot(x, s, atn_sched_operand(o), op, false);
    if (written)
        atn_sched_access_slot(x, s, written, op, true);
}

int atn_sched_access_writer(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot)
{
    int writer = -2;

    EACH_BLOCK(k, s, slot)
    {
        const int w = x->writer[slot->space][k];
        if (w < 0 || (writer >= 0 && w != writer))
            return -1;
        writer = w;
    }
    return writer;
}

static int latest(int32_t *const ops[], const atn_schedule *s, const atn_slot *slot)
{
    int last = -1;

    EACH_BLOCK(k, s, slot)
    last = atn_max(last, ops[slot->space][k]);
    return last;
}

int atn_sched_access_last_read(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot)
{
    return latest(x->reader, s, slot);
}

int atn_sched_access_last_write(const atn_accesses *x, const atn_schedule *s, const atn_slot *slot)
{
    return latest(x->writer, s, slot);
}

bool atn_sched_slots_equal(const atn_schedule *s, const atn_slot *x, const atn_slot *y)
{
    atn_block_cursor a = atn_sched_blocks_of(s->ranges, x), b = atn_sched_blocks_of(s->ranges, y);
    int i, j;

    if (x->space != y->space)
        return x->n == 0 && y->n == 0;
    do {
        i = atn_sched_block_next(&a);
        j = atn_sched_block_next(&b);
    } while (i == j && i >= 0);
    return i == j;
}

/* ---- what follows ---- */

/* read[space][k]: a later operation reads the block before it is written again. */
static void mark(const atn_schedule *s, const atn_slot *slot, bool *const read[], bool value)
{
    if (!slot)
        return;
    EACH_BLOCK(k, s, slot)
    read[slot->space][k] = value;
}

static bool is_read(const atn_schedule *s, const atn_slot *slot, bool *const read[])
{
    EACH_BLOCK(k, s, slot)
    if (read[slot->space][k])
        return true;
    return false;
}

static void visit(const atn_schedule *s, int i, bool *const read[], uint8_t *last)
{
    const atn_op *o = &s->ops[i];
    const atn_slot *source = atn_sched_source(o);
    const bool second = atn_sched_reduces(o) && o->c.n > 0;

    last[i] = (source && !is_read(s, source, read) ? ATN_LAST_A : 0) |
              (second && !is_read(s, &o->c, read) ? ATN_LAST_C : 0);
    mark(s, atn_sched_written(o), read, false);
    mark(s, atn_sched_room(o), read, false);
    mark(s, source, read, true);
    if (atn_sched_reduces(o))
        mark(s, atn_sched_operand(o), read, true);
}

bool atn_sched_last_reads(const atn_schedule *s, uint8_t *last)
{
    bool *read[ATN_SPACES], ok = true;

    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_sched_space_blocks(s, (atn_space)i);
        read[i] = malloc(sizeof *read[i] * ((size_t)n + 1));
        ok = ok && read[i];
        for (int k = 0; ok && k < n; k++)
            read[i][k] = i == ATN_DST;
    }
    for (int i = s->nops - 1; ok && i >= 0; i--)
        visit(s, i, read, last);
    for (int i = 0; i < ATN_SPACES; i++)
        free(read[i]);
    return ok;
}
