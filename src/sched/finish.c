/* finish.c - turns what was emitted into a schedule: message numbers and dependencies. */
#include "sched/builder_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- dependencies from reads and writes of blocks ---- */

typedef struct {
    int op, next;
} reader;

/* Who wrote a block last, and who has read it since. */
typedef struct {
    int32_t *writer[ATN_SPACES], *readers[ATN_SPACES];
    ATN_VEC(reader) nodes;
    int32_t *seen; /* seen[i] == op + 1: i is already a dependency of op */
    ATN_VEC(int32_t) deps;
    bool ok;
} tracker;

static void depend(tracker *t, int op, int on)
{
    if (on < 0 || t->seen[on] == op + 1)
        return;
    t->seen[on] = op + 1;
    t->ok = t->ok && atn_push(&t->deps, on);
}

static void read_block(tracker *t, int space, int block, int op)
{
    depend(t, op, t->writer[space][block]);
    t->ok = t->ok && atn_push(&t->nodes, (reader){op, t->readers[space][block]});
    t->readers[space][block] = t->nodes.n - 1;
}

static void write_block(tracker *t, int space, int block, int op)
{
    if (t->readers[space][block] < 0)
        depend(t, op, t->writer[space][block]);
    for (int i = t->readers[space][block]; t->ok && i >= 0; i = t->nodes.v[i].next)
        if (t->nodes.v[i].op != op)
            depend(t, op, t->nodes.v[i].op);
    t->readers[space][block] = -1;
    t->writer[space][block] = op;
}

static void touch(tracker *t, const atn_schedule *s, const atn_slot *slot, int op, bool write)
{
    const atn_range *r = atn_slot_ranges(s, slot);

    for (int i = 0; i < slot->n; i++)
        for (int k = r[i].first; t->ok && k < r[i].first + r[i].count; k++) {
            if (write)
                write_block(t, slot->space, k, op);
            else
                read_block(t, slot->space, k, op);
        }
}

static void infer(tracker *t, const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];

    if (o->kind != ATN_OP_RECV)
        touch(t, s, &o->a, i, false);
    if (o->kind == ATN_OP_REDUCE)
        touch(t, s, &o->b, i, false);
    if (o->kind != ATN_OP_SEND)
        touch(t, s, o->kind == ATN_OP_RECV ? &o->a : &o->b, i, true);
}

static int32_t *filled(int n, int value)
{
    int32_t *v = malloc(sizeof *v * ((size_t)n + 1));
    for (int i = 0; v && i < n; i++)
        v[i] = value;
    return v;
}

static void tracker_init(tracker *t, const atn_schedule *s)
{
    *t = (tracker){.seen = filled(s->nops, 0)};
    t->ok = t->seen != NULL;
    for (int i = 0; i < ATN_SPACES; i++) {
        const int n = atn_space_blocks(s, (atn_space)i);
        t->writer[i] = filled(n, -1);
        t->readers[i] = filled(n, -1);
        t->ok = t->ok && t->writer[i] && t->readers[i];
    }
}

static void tracker_free(tracker *t)
{
    for (int i = 0; i < ATN_SPACES; i++) {
        free(t->writer[i]);
        free(t->readers[i]);
    }
    free(t->seen);
    atn_vec_free(&t->nodes);
}

static bool add_deps(atn_schedule *s, const atn_builder *b)
{
    tracker t;
    int e = 0;

    tracker_init(&t, s);
    for (int i = 0; t.ok && i < s->nops; i++) {
        s->ops[i].dep = t.deps.n;
        while (e < b->after.n && b->after.v[e].op == i)
            depend(&t, i, b->after.v[e++].on);
        s->ops[i].nafter = t.deps.n - s->ops[i].dep;
        infer(&t, s, i);
        s->ops[i].ndeps = t.deps.n - s->ops[i].dep;
    }
    tracker_free(&t);
    s->deps = t.deps.v;
    s->ndeps = t.deps.n;
    return t.ok;
}

/* ---- the rest ---- */

static bool number_messages(atn_schedule *s)
{
    int32_t *next = calloc((size_t)s->q.p * 2 + 1, sizeof *next);

    for (int i = 0; next && i < s->nops; i++) {
        atn_op *o = &s->ops[i];
        if (atn_is_message(o))
            o->seq = next[o->peer * 2 + (o->kind == ATN_OP_RECV)]++;
    }
    const bool ok = next != NULL;
    free(next);
    return ok;
}

static void settle_slot(const atn_builder *b, atn_slot *slot)
{
    if (slot->n == 1)
        slot->one = b->ranges.v[slot->at];
}

static atn_schedule *take(atn_builder *b, const char *name)
{
    atn_schedule *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->q = b->q;
    s->split = b->split;
    s->name = strdup(name ? name : "");
    s->nrounds = b->round + 1;
    for (int i = 0; i < b->ops.n; i++) {
        settle_slot(b, &b->ops.v[i].a);
        settle_slot(b, &b->ops.v[i].b);
    }
#define TAKE(vec, field, count) (s->field = b->vec.v, s->count = b->vec.n, b->vec.v = NULL)
    TAKE(ops, ops, nops);
    TAKE(ranges, ranges, nranges);
    TAKE(tmp_shape, tmp_shape, ntmp);
#undef TAKE
    return s;
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
        atn_schedule_free(s);
    atn_builder_free(b);
    return status;
}
