/* infer.c - see infer.h. */
#include "sched/infer.h"

#include <stdlib.h>

#include "sched/conflict.h"

typedef struct {
    atn_schedule *s;
    int32_t *seen; /* seen[i] == op + 1: i is already a dependency of op */
    ATN_VEC(int32_t) deps;
} collector;

static bool depend(collector *c, int op, int on)
{
    if (c->seen[on] == op + 1)
        return true;
    c->seen[on] = op + 1;
    return atn_push(&c->deps, on);
}

static bool begin_op(void *context, int op)
{
    collector *c = context;
    atn_op *o = &c->s->ops[op];
    const int first = c->deps.n;
    bool ok = true;

    for (int d = 0; d < o->nafter && ok; d++)
        ok = depend(c, op, c->s->deps[o->dep + d]);
    o->dep = first;
    o->nafter = c->deps.n - first;
    return ok;
}

static bool add_conflict(void *context, int op, int on) { return depend(context, op, on); }

bool atn_sched_infer_deps(atn_schedule *s)
{
    collector c = {.s = s, .seen = calloc((size_t)s->nops + 1, sizeof *c.seen)};
    const bool ok = c.seen && atn_sched_conflicts(s, begin_op, add_conflict, &c);

    for (int i = 0; ok && i < s->nops; i++)
        s->ops[i].ndeps = (i + 1 < s->nops ? s->ops[i + 1].dep : c.deps.n) - s->ops[i].dep;
    free(c.seen);
    free(s->deps);
    s->deps = c.deps.v;
    s->ndeps = c.deps.n;
    return ok;
}
