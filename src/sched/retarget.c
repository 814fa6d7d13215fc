/* retarget.c - a reduction whose result is only copied writes to the destination of the copy. */
#include "sched/optimise.h"

#include <stdlib.h>

#include "sched/access.h"
#include "sched/rewrite.h"

typedef struct {
    atn_rewrite w;
    atn_accesses seen;
    uint8_t *last;
} retargeting;

/* The reduction whose result copy k alone reads, and in between nothing accesses the destination;
 * -1: none.  The reduction itself may read the destination as its first operand. */
static int writer_of(const retargeting *x, int k)
{
    const atn_schedule *s = x->w.s;
    const atn_op *o = &s->ops[k];
    const int i = o->a.space == ATN_TMP && x->last[k] & ATN_LAST_A
                      ? atn_sched_access_writer(&x->seen, s, &o->a)
                      : -1;

    if (i < 0 || s->ops[i].kind != ATN_OP_REDUCE || x->w.into[i] != i ||
        !atn_sched_slots_equal(s, &x->w.ops[i].b, &o->a) ||
        atn_sched_access_last_read(&x->seen, s, &o->a) > i ||
        atn_sched_access_last_write(&x->seen, s, &o->b) >= i)
        return -1;
    return atn_sched_access_last_read(&x->seen, s, &o->b) <= i ? i : -1;
}

/* b = a (op) old becomes b = old (op) b where the destination is a: the only operand that a
 * reduction may overwrite is the second one. */
static bool retarget(retargeting *x, int i, const atn_slot *to)
{
    const atn_schedule *s = x->w.s;
    atn_op *o = &x->w.ops[i];

    if (atn_sched_access_last_read(&x->seen, s, to) == i) {
        if (s->q.ordered || o->c.n > 0 || !atn_sched_slots_equal(s, &o->a, to))
            return false;
        o->a = o->b;
    } else if (o->c.n == 0) {
        o->c = o->b;
    }
    o->b = *to;
    return true;
}

static int retarget_all(retargeting *x)
{
    const atn_schedule *s = x->w.s;
    int n = 0;

    for (int k = 0; k < s->nops; k++) {
        const int i = s->ops[k].kind == ATN_OP_COPY ? writer_of(x, k) : -1;
        if (i >= 0 && retarget(x, i, &s->ops[k].b)) {
            x->w.into[k] = ATN_REWRITE_GONE;
            atn_sched_access_slot(&x->seen, s, &s->ops[k].b, i, true);
            n++;
        } else {
            atn_sched_access_op(&x->seen, s, &s->ops[k], k);
        }
    }
    return n;
}

atn_status atn_sched_retarget_copies(atn_schedule *s)
{
    retargeting x = {.last = calloc((size_t)s->nops + 1, sizeof *x.last)};
    const bool ok = atn_sched_rewrite_begin(&x.w, s) && x.last &&
                    atn_sched_accesses_init(&x.seen, s) && atn_sched_last_reads(s, x.last);
    const int n = ok ? retarget_all(&x) : 0;
    const atn_status status = atn_sched_rewrite_end(&x.w, n > 0);

    atn_sched_accesses_free(&x.seen);
    free(x.last);
    return ok ? status : ATN_MEMORY;
}
