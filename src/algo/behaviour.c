/* behaviour.c - see behaviour.h. */
#include "algo/behaviour.h"

#include <stdlib.h>

#include "sched/access.h"
#include "sched/blocks.h"

const char *const atn_algo_class_names[] = {
    [ATN_COORDINATED] = "coordinated",
    [ATN_STORE_FORWARD] = "store-and-forward",
    [ATN_DIRECT] = "direct",
};

typedef struct {
    bool waits, forwards;
} behaviour;

/* Of each operation: it waits for a message, directly or not; what it writes has come from another
 * rank. */
enum { WAITS = 1, FOREIGN = 2 };

static bool takes(const atn_op *o) { return atn_sched_receives(o) || atn_sched_is_read(o); }

static bool is_foreign(const atn_schedule *s, const atn_accesses *x, const uint8_t *marks,
                       const atn_slot *slot)
{
    if (slot == NULL)
        return false;
    atn_block_cursor at = atn_sched_blocks_of(s->ranges, slot);
    for (int k; (k = atn_sched_block_next(&at)) >= 0;) {
        const int writer = x->writer[slot->space][k];
        if (writer >= 0 && (marks[writer] & FOREIGN))
            return true;
    }
    return false;
}

static uint8_t marks_of(const atn_schedule *s, const atn_accesses *x, const uint8_t *marks, int i)
{
    const atn_op *o = &s->ops[i];
    uint8_t mark = 0;
    for (int d = 0; d < o->ndeps; d++) {
        const int on = s->deps[o->dep + d];
        mark |= (marks[on] & WAITS) || takes(&s->ops[on]) ? WAITS : 0;
    }
    if (takes(o) || is_foreign(s, x, marks, atn_sched_source(o)) ||
        (atn_sched_reduces(o) && is_foreign(s, x, marks, atn_sched_operand(o))))
        mark |= FOREIGN;
    return mark;
}

/* Adds what one rank does. */
static bool observe(const atn_schedule *s, behaviour *b)
{
    uint8_t *marks = calloc((size_t)s->nops + 1, sizeof *marks);
    atn_accesses x = {.writer = {NULL}};
    const bool ok = atn_sched_accesses_init(&x, s) && marks;
    for (int i = 0; i < s->nops && ok; i++) {
        const atn_op *o = &s->ops[i];
        const bool gives = o->kind == ATN_OP_SEND || o->kind == ATN_OP_EXPOSE;
        marks[i] = marks_of(s, &x, marks, i);
        b->waits = b->waits || (gives && (marks[i] & WAITS));
        b->forwards = b->forwards || (gives && (marks[i] & FOREIGN));
        atn_sched_access_op(&x, s, o, i);
    }
    atn_sched_accesses_free(&x);
    free(marks);
    return ok;
}

static atn_class class_of(const atn_row *row, const behaviour *b)
{
    if (!b->waits)
        return ATN_DIRECT;
    if (!b->forwards)
        return ATN_COORDINATED;
    return row->algo->klass == ATN_COORDINATED ? ATN_COORDINATED : ATN_STORE_FORWARD;
}

atn_status atn_algo_class_of(const atn_row *row, const atn_problem *q, const atn_params *prm,
                             atn_class *class_p, atn_error *err)
{
    behaviour b = {false, false};
    atn_problem own = *q;
    atn_status status = ATN_OK;
    own.segments = atn_algo_segments(row, &own, prm);
    for (own.r = 0; own.r < own.p && status == ATN_OK; own.r++) {
        atn_schedule *s = NULL;
        status = atn_algo_build(row, &own, prm, &s, err);
        if (status == ATN_OK && !observe(s, &b))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
        atn_sched_schedule_free(s);
    }
    if (status == ATN_OK)
        *class_p = class_of(row, &b);
    return status;
}
