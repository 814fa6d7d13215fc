/* rewrite.c - see rewrite.h. */
#include "sched/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sched/infer.h"

bool atn_sched_rewrite_begin(atn_rewrite *w, atn_schedule *s)
{
    const size_t n = (size_t)s->nops + 1;

    *w = (atn_rewrite){.s = s,
                       .ops = malloc(sizeof *w->ops * n),
                       .into = malloc(sizeof *w->into * n),
                       .paired = malloc(sizeof *w->paired * n)};
    if (!w->ops || !w->into || !w->paired)
        return false;
    for (int i = 0; i < s->nops; i++) {
        w->ops[i] = s->ops[i];
        w->into[i] = i;
        w->paired[i] = -1;
    }
    for (int i = 0, step; i < s->nops; i += step) {
        step = atn_sched_step_length(s, i);
        if (step == 2) {
            w->paired[i] = i + 1;
            w->paired[i + 1] = i;
        }
    }
    for (int i = 0; i < s->nranges; i++)
        if (!atn_push(&w->ranges, s->ranges[i]))
            return false;
    for (int i = 0; i < s->ntmp; i++)
        if (!atn_push(&w->tmp_shape, s->tmp_shape[i]))
            return false;
    return true;
}

/* Slots refer to `ranges` even when they have one range; `one` is then its copy. */
bool atn_sched_rewrite_push(atn_rewrite *w, atn_slot *slot, int block)
{
    if (slot->n == 0)
        slot->at = w->ranges.n;
    atn_range *last = slot->n > 0 ? &w->ranges.v[slot->at + slot->n - 1] : NULL;
    if (last && last->first + last->count == block)
        last->count++;
    else if (atn_push(&w->ranges, (atn_range){block, 1}))
        slot->n++;
    else
        return false;
    slot->one = w->ranges.v[slot->at];
    return true;
}

/* ---- the new program ---- */

typedef struct {
    int32_t op, on;
} wait;

typedef struct {
    atn_rewrite *w;
    atn_schedule made;
    int32_t *to;             /* new index of each operation; GONE: none */
    int32_t *first, *seen;   /* stand-ins of operation i: stands[first[i] .. first[i + 1]) */
    ATN_VEC(int32_t) stands; /* what an operation that is gone waited for */
    ATN_VEC(wait) waits;     /* explicit dependencies */
    bool *leads;             /* new operation: the first message of an exchange */
} assembly;

static void move_ops(assembly *m)
{
    const atn_rewrite *w = m->w;
    int n = 0;

    for (int i = 0; i < w->s->nops; i++) {
        m->to[i] = w->into[i] == i ? n : w->into[i] < 0 ? ATN_REWRITE_GONE : m->to[w->into[i]];
        if (w->into[i] != i)
            continue;
        m->leads[n] = w->paired[i] > i;
        m->made.ops[n++] = w->ops[i];
    }
    m->made.nops = n;
}

/* Calls add for what stands for dependency `on` of operation i. */
static bool each_stand(assembly *m, int i, int on, bool (*add)(assembly *m, int i, int on))
{
    bool ok = true;

    if (m->to[on] != ATN_REWRITE_GONE)
        return add(m, i, m->to[on]);
    for (int k = m->first[on]; k < m->first[on + 1] && ok; k++)
        ok = add(m, i, m->stands.v[k]);
    return ok;
}

static bool add_stand(assembly *m, int i, int on)
{
    if (m->seen[on] == i + 1)
        return true;
    m->seen[on] = i + 1;
    return atn_push(&m->stands, on);
}

static bool add_wait(assembly *m, int i, int on)
{
    return m->to[i] == on || atn_push(&m->waits, (wait){m->to[i], on});
}

static bool move_deps(assembly *m)
{
    const atn_schedule *s = m->w->s;
    bool ok = true;

    for (int i = 0; i < s->nops && ok; i++) {
        const bool gone = m->to[i] == ATN_REWRITE_GONE;
        const int n = gone ? s->ops[i].ndeps : s->ops[i].nafter;
        m->first[i] = m->stands.n;
        for (int d = 0; d < n && ok; d++)
            ok = each_stand(m, i, s->deps[s->ops[i].dep + d], gone ? add_stand : add_wait);
        m->first[i + 1] = m->stands.n;
    }
    return ok;
}

/* Stable counting sort of the explicit dependencies by operation. */
static bool set_deps(assembly *m)
{
    atn_schedule *t = &m->made;

    t->deps = malloc(sizeof *t->deps * ((size_t)m->waits.n + 1));
    for (int i = 0; i < t->nops; i++)
        t->ops[i].dep = t->ops[i].nafter = 0;
    for (int i = 0; i < m->waits.n; i++)
        t->ops[m->waits.v[i].op].nafter++;
    for (int i = 1; i < t->nops; i++)
        t->ops[i].dep = t->ops[i - 1].dep + t->ops[i - 1].nafter;
    for (int i = 0; i < t->nops; i++)
        t->ops[i].nafter = 0;
    for (int i = 0; t->deps && i < m->waits.n; i++) {
        atn_op *o = &t->ops[m->waits.v[i].op];
        t->deps[o->dep + o->nafter++] = m->waits.v[i].on;
    }
    return t->deps && atn_sched_infer_deps(t);
}

/* ---- exchanges ---- */

static void swap_ops(atn_schedule *t, int i)
{
    const atn_op first = t->ops[i];
    const int round = atn_min(first.round, t->ops[i + 1].round);

    t->ops[i] = t->ops[i + 1];
    t->ops[i + 1] = first;
    t->ops[i].round = t->ops[i + 1].round = round;
}

/* Without the operation between them, a message may form a step with the first message of the
 * exchange after it; the exchange then begins with its other message. */
static bool keep_exchanges(assembly *m)
{
    atn_schedule *t = &m->made;
    int32_t *now = malloc(sizeof *now * ((size_t)t->nops + 1));

    for (int i = 0; now && i < t->nops; i++)
        now[i] = i;
    for (int i = 0; now && i < t->nops;) {
        const int step = atn_sched_step_length(t, i);
        const bool breaks = step == 2 && !m->leads[i] && m->leads[i + 1];
        if (breaks) {
            swap_ops(t, i + 1);
            now[i + 1] = i + 2;
            now[i + 2] = i + 1;
        }
        i += breaks ? 3 : step;
    }
    for (int d = 0; now && d < t->ndeps; d++)
        t->deps[d] = now[t->deps[d]];
    free(now);
    return now != NULL;
}

/* ---- end ---- */

static bool assemble(assembly *m)
{
    const atn_schedule *s = m->w->s;
    const size_t n = (size_t)s->nops + 1;

    m->made = *s;
    m->made.deps = NULL;
    m->made.ranges = m->w->ranges.v;
    m->made.nranges = m->w->ranges.n;
    m->made.ntmp = m->w->tmp_shape.n;
    m->made.ops = malloc(sizeof *m->made.ops * n);
    m->to = malloc(sizeof *m->to * n);
    m->first = calloc(n + 1, sizeof *m->first);
    m->seen = calloc(n, sizeof *m->seen);
    m->leads = calloc(n, sizeof *m->leads);
    if (!m->made.ops || !m->to || !m->first || !m->seen || !m->leads)
        return false;
    move_ops(m);
    return move_deps(m) && set_deps(m) && keep_exchanges(m);
}

static void replace(assembly *m)
{
    atn_schedule *s = m->w->s;

    free(s->ops);
    free(s->deps);
    free(s->ranges);
    s->ops = m->made.ops;
    s->nops = m->made.nops;
    s->deps = m->made.deps;
    s->ndeps = m->made.ndeps;
    s->ranges = m->w->ranges.v;
    s->nranges = m->w->ranges.n;
    m->w->ranges.v = NULL;
    free(s->tmp_shape);
    s->tmp_shape = m->w->tmp_shape.v;
    s->ntmp = m->w->tmp_shape.n;
    m->w->tmp_shape.v = NULL;
}

atn_status atn_sched_rewrite_end(atn_rewrite *w, bool commit)
{
    assembly m = {.w = w};
    bool ok = true;

    if (commit) {
        ok = assemble(&m);
        if (ok) {
            replace(&m);
        } else {
            free(m.made.ops);
            free(m.made.deps);
        }
    }
    free(m.to);
    free(m.first);
    free(m.seen);
    free(m.leads);
    atn_vec_free(&m.stands);
    atn_vec_free(&m.waits);
    free(w->ops);
    free(w->into);
    free(w->paired);
    atn_vec_free(&w->ranges);
    atn_vec_free(&w->tmp_shape);
    return ok ? ATN_OK : ATN_MEMORY;
}
