/* finish.c - turns the emitted operations into a schedule: message numbers and dependencies. */
#include "sched/builder_private.h"
#include "sched/infer.h"
#include "sched/neighbourhood.h"

#include <stdlib.h>
#include <string.h>

/* ---- dependencies: explicit ones, then those implied by reads and writes ---- */

static bool add_deps(atn_schedule *s, const atn_builder *b)
{
    int at = 0;

    s->deps = malloc(sizeof *s->deps * ((size_t)b->after.n + 1));
    for (int i = 0; s->deps && i < s->nops; i++) {
        s->ops[i].dep = at;
        for (; at < b->after.n && b->after.v[at].op == i; at++)
            s->deps[at] = b->after.v[at].on;
        s->ops[i].nafter = at - s->ops[i].dep;
    }
    return s->deps && atn_sched_infer_deps(s);
}

/* ---- assembly ---- */

static bool number_messages(atn_schedule *s)
{
    int32_t *next = calloc((size_t)s->q.p * 2 + 1, sizeof *next);

    for (int i = 0; next && i < s->nops; i++) {
        atn_op *o = &s->ops[i];
        if (atn_sched_is_message(o))
            o->seq = next[o->peer * 2 + atn_sched_receives(o)]++;
    }
    const bool ok = next != NULL;
    free(next);
    return ok;
}

static void finish_slot(const atn_builder *b, atn_slot *slot)
{
    if (slot->n == 1)
        slot->one = b->ranges.v[slot->at];
}

static void *copy_of(const void *from, size_t bytes)
{
    void *const to = bytes > 0 ? malloc(bytes) : NULL;

    return to ? memcpy(to, from, bytes) : NULL;
}

/* The arrays themselves, or copies of the length that is needed if the builder is used again. */
static bool take_arrays(atn_builder *b, atn_schedule *s)
{
    const bool again = atn_sched_pool_is_open();
    bool ok = true;

#define TAKE(vec, field, count)                                                                    \
    (s->count = b->vec.n, s->field = b->vec.v,                                                     \
     again ? (s->field = copy_of(b->vec.v, (size_t)b->vec.n * sizeof *b->vec.v))                   \
           : (b->vec.v = NULL),                                                                    \
     ok = ok && (s->field || s->count == 0))
    TAKE(ops, ops, nops);
    TAKE(ranges, ranges, nranges);
    TAKE(tmp_shape, tmp_shape, ntmp);
#undef TAKE
    return ok;
}

static atn_schedule *take(atn_builder *b, const char *name)
{
    atn_schedule *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->q = b->q;
    atn_sched_neighbourhood_share(s->q.neighbourhood);
    s->split = b->split;
    s->name = strdup(name ? name : "");
    s->nrounds = b->round + 1;
    for (int i = 0; i < b->ops.n; i++) {
        finish_slot(b, &b->ops.v[i].a);
        finish_slot(b, &b->ops.v[i].b);
        finish_slot(b, &b->ops.v[i].c);
    }
    if (take_arrays(b, s))
        return s;
    atn_sched_schedule_free(s);
    return NULL;
}

atn_status atn_builder_finish(atn_builder *b, const char *name, atn_schedule **schedule_p,
                              atn_error *err)
{
    atn_schedule *s = NULL;
    atn_status status = b->err.status;

    if (status != ATN_OK) {
        atn_fail(err, status, "%s: %s", name, b->err.text);
    } else {
        s = take(b, name);
        if (!s || !s->name || !number_messages(s) || !add_deps(s, b))
            status = atn_fail(err, ATN_MEMORY, "%s: out of memory", name);
    }
    if (status == ATN_OK)
        *schedule_p = s;
    else
        atn_sched_schedule_free(s);
    atn_builder_free(b);
    return status;
}
