/* check.c - static checks of the schedule of one rank: slots, dependencies, scratch. */
#include "sched/check.h"

#include <stdlib.h>

#include "sched/conflict.h"
#include "sched/neighbourhood.h"

bool atn_sched_slots_unlike(const atn_schedule *s, const atn_slot *a, const atn_slot *b)
{
    return atn_sched_is_padded(s->q.op) && a->n > 0 && b->n > 0 &&
           (a->space == ATN_TMP) != (b->space == ATN_TMP);
}

/* ---- slots ---- */

static const char *slot_fault(const atn_schedule *s, const atn_slot *slot, bool write)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);

    if (slot->n > 0 && write && slot->space == ATN_SRC)
        return "writes to the source buffer";
    for (int i = 0; i < slot->n; i++)
        if (r[i].first < 0 || r[i].count < 1 ||
            r[i].first + r[i].count > atn_sched_space_blocks(s, (atn_space)slot->space))
            return "touches blocks outside of its buffer";
    return NULL;
}

/* Sizes, but no data, are in ATN_SHAPE. */
static const char *shape_fault(const atn_op *o)
{
    const bool wrong = o->a.n > 0 && (o->a.space == ATN_SHAPE) != atn_sched_is_read(o);

    return wrong || o->b.space == ATN_SHAPE || o->c.space == ATN_SHAPE ? "confuses blocks and sizes"
                                                                       : NULL;
}

static const char *slots_fault(const atn_schedule *s, const atn_op *o)
{
    const char *fault = shape_fault(o);

    if (!fault)
        fault = slot_fault(s, &o->a, atn_sched_receives(o));
    if (!fault && atn_sched_written(o) == &o->b)
        fault = slot_fault(s, &o->b, true);
    if (!fault && atn_sched_reduces(o))
        fault = slot_fault(s, &o->c, false);
    if (!fault && atn_sched_room(o) && o->a.space != ATN_TMP)
        fault = "receives an operand outside of scratch";
    return fault;
}

static const char *op_fault(const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];
    const bool has_peer = atn_sched_is_message(o) || atn_sched_is_read(o);

    for (int d = 0; d < o->ndeps; d++)
        if (s->deps[o->dep + d] < 0 || s->deps[o->dep + d] >= i)
            return "waits for a later operation";
    const char *fault = slots_fault(s, o);
    if (!fault && !atn_sched_is_read(o) && atn_sched_slots_unlike(s, &o->a, &o->b) &&
        atn_sched_slot_blocks(s, &o->a) > 1)
        fault = "copies several blocks into or out of larger ones at once";
    if (!fault && has_peer && (o->peer < 0 || o->peer >= s->q.p || o->peer == s->q.r))
        fault = "its peer is not another rank";
    return fault;
}

static atn_status finding(const atn_schedule *s, int op, const char *what, atn_error *err)
{
    return atn_fail(err, ATN_FINDING, "rank %d, operation %d: %s", s->q.r, op, what);
}

static atn_status check_ops(const atn_schedule *s, atn_error *err)
{
    for (int i = 0; i < s->nops; i++) {
        const char *fault = op_fault(s, i);
        if (fault)
            return finding(s, i, fault, err);
    }
    return ATN_OK;
}

/* ---- overlaps: kernels write while they read, so operands and result are separate ---- */

/* Marks the blocks of a slot (NULL: none), or finds one that is marked. */
static bool visit(const atn_schedule *s, const atn_slot *slot, int *const marks[], int mark,
                  bool set)
{
    const atn_range *r = slot ? atn_sched_slot_ranges(s, slot) : NULL;
    bool found = false;

    for (int i = 0; r && i < slot->n; i++)
        for (int k = r[i].first; k < r[i].first + r[i].count && !found; k++) {
            found = !set && marks[slot->space][k] == mark;
            marks[slot->space][k] = set ? mark : marks[slot->space][k];
        }
    return found;
}

static bool overlaps(const atn_schedule *s, int i, int *const marks[])
{
    const atn_op *o = &s->ops[i];
    const atn_slot *room = atn_sched_room(o);

    visit(s, &o->b, marks, i + 1, true);
    if (visit(s, atn_sched_source(o), marks, i + 1, false) || visit(s, room, marks, i + 1, false))
        return true;
    visit(s, room, marks, i + 1, true);
    return visit(s, &o->c, marks, i + 1, false);
}

static atn_status check_overlaps(const atn_schedule *s, atn_error *err)
{
    int *marks[ATN_SPACES];
    bool ok = true;
    atn_status status = ATN_OK;

    for (int i = 0; i < ATN_SPACES; i++) {
        marks[i] = calloc((size_t)atn_sched_space_blocks(s, (atn_space)i) + 1, sizeof *marks[i]);
        ok = ok && marks[i];
    }
    if (!ok)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < s->nops && status == ATN_OK; i++)
        if (atn_sched_reduces(&s->ops[i]) && overlaps(s, i, marks))
            status = finding(s, i, "an operand overlaps the blocks that are written", err);
    for (int i = 0; i < ATN_SPACES; i++)
        free(marks[i]);
    return status;
}

/* ---- order ---- */

typedef struct {
    const atn_schedule *s;
    int *seen, stamp;
    int op, on; /* an unordered conflict */
} order_check;

static bool no_begin(void *context, int op)
{
    (void)context;
    (void)op;
    return true;
}

/* Whether `op` waits for `on`, directly or through others (all numbered above `on`). */
static bool reaches(order_check *c, int op, int on)
{
    const atn_op *o = &c->s->ops[op];

    c->seen[op] = c->stamp;
    if (atn_sched_waits_for(c->s, op, on))
        return true;
    for (int d = 0; d < o->ndeps; d++) {
        const int next = c->s->deps[o->dep + d];
        if (next > on && c->seen[next] != c->stamp && reaches(c, next, on))
            return true;
    }
    return false;
}

static bool is_ordered(void *context, int op, int on)
{
    order_check *c = context;

    c->stamp++;
    c->op = op;
    c->on = on;
    return reaches(c, op, on);
}

static atn_status check_order(const atn_schedule *s, atn_error *err)
{
    order_check c = {.s = s, .seen = calloc((size_t)s->nops + 1, sizeof *c.seen), .op = -1};
    atn_status status = ATN_OK;

    if (!c.seen || !atn_sched_conflicts(s, no_begin, is_ordered, &c))
        status = atn_fail(err, ATN_FINDING,
                          "rank %d: operations %d and %d touch the same block and nothing orders "
                          "them",
                          s->q.r, c.on, c.op);
    free(c.seen);
    return status;
}

/* ---- scratch ---- */

int64_t atn_sched_max_scratch(const atn_problem *q, int split)
{
    const int most = q->neighbourhood ? atn_max(1, q->neighbourhood->most) : 1;

    return INT64_C(2) * atn_max(8, q->p) * atn_sched_vec_blocks(q) * most * split;
}

static atn_status check_scratch(const atn_schedule *s, atn_error *err)
{
    const int vec = atn_sched_vec_blocks(&s->q) * s->split;

    for (int t = 0; t < s->ntmp; t++)
        if (s->tmp_shape[t] < 0 || s->tmp_shape[t] >= vec)
            return atn_fail(err, ATN_FINDING, "rank %d: scratch block %d has no size", s->q.r, t);
    if (s->ntmp > 0 && atn_sched_is_padded(s->q.op) && s->split > 1)
        return atn_fail(err, ATN_FINDING,
                        "rank %d stores parts of blocks whose size it does not have", s->q.r);
    if (s->ntmp > atn_sched_max_scratch(&s->q, s->split))
        return atn_fail(err, ATN_FINDING, "rank %d needs scratch of %d blocks, allowed are %lld",
                        s->q.r, s->ntmp, (long long)atn_sched_max_scratch(&s->q, s->split));
    return ATN_OK;
}

atn_status atn_sched_check(const atn_schedule *s, atn_error *err)
{
    atn_status status = check_ops(s, err);

    if (status == ATN_OK)
        status = check_overlaps(s, err);
    if (status == ATN_OK)
        status = check_scratch(s, err);
    return status == ATN_OK ? check_order(s, err) : status;
}
