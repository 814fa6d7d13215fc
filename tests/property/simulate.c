/* simulate.c - see simulate.h. */
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

#include "world.h"

/* ---- messages: the k-th send of a number matches the k-th receive ---- */

static bool opposite(const atn_op *x, int from, const atn_op *y, int to)
{
    return atn_sched_is_message(y) && x->peer == to && y->peer == from && x->seq == y->seq &&
           atn_sched_receives(x) != atn_sched_receives(y);
}

static int mate_of(const world *w, int r, int i)
{
    const atn_schedule *mine = w->ranks[r].m.s;
    const atn_op *o = &mine->ops[i];
    int before = 0;

    if (o->peer < 0 || o->peer >= w->p || o->peer == r)
        return -1;
    for (int j = 0; j < i; j++)
        before += atn_sched_is_message(&mine->ops[j]) && mine->ops[j].peer == o->peer &&
                  mine->ops[j].seq == o->seq &&
                  atn_sched_receives(&mine->ops[j]) == atn_sched_receives(o);
    const atn_schedule *theirs = w->ranks[o->peer].m.s;
    for (int j = 0; j < theirs->nops; j++)
        if (opposite(o, r, &theirs->ops[j], o->peer) && before-- == 0)
            return j;
    return -1;
}

/* ---- what may happen next ---- */

static bool is_ready(const world *w, int r, int i)
{
    const rank *k = &w->ranks[r];
    const atn_schedule *s = k->m.s;
    const atn_op *o = &s->ops[i];

    if (!k->entered || k->ops[i].done)
        return false;
    if (w->strict && (i < k->pc || i >= k->pc + atn_sched_step_length(s, k->pc)))
        return false;
    for (int d = 0; d < o->ndeps; d++)
        if (!k->ops[s->deps[o->dep + d]].done)
            return false;
    return true;
}

/* A synchronous message is one event, that of the receiver. */
static bool can_run(const world *w, int r, int i)
{
    const rank *k = &w->ranks[r];
    const atn_op *o = &k->m.s->ops[i];
    const op_state *x = &k->ops[i];

    if (!is_ready(w, r, i))
        return false;
    if (o->kind == ATN_OP_SEND)
        return x->eager || omits(k, o);
    if (atn_sched_receives(o))
        return omits(k, o) || (x->mate >= 0 && (w->ranks[o->peer].ops[x->mate].done ||
                                                is_ready(w, o->peer, x->mate)));
    if (atn_sched_is_read(o))
        return open_exposure(w, o->peer, o->seq) >= 0;
    const int at = o->kind == ATN_OP_CLOSE ? open_exposure(w, r, o->seq) : -1;
    return o->kind != ATN_OP_CLOSE || (at >= 0 && k->ops[at].reads == o->peer);
}

/* ---- execution ---- */

static uint64_t weight_of(world *w, int r, int i)
{
    uint64_t x = w->ranks[r].weight + (uint64_t)i * 977;

    switch (w->how) {
    case ANY:
        return atn_random(&w->random);
    case FIXED:
        return atn_random(&x);
    default:
        return (w->ranks[r].weight & ~UINT64_C(0xffffffff)) | (atn_random(&x) >> 32);
    }
}

/* Runs one of the operations that can; false: there is none. */
static bool run_one(world *w, const char **fault_p)
{
    uint64_t most = 0;
    int r = -1, i = -1;

    for (int k = 0; k < w->p; k++)
        for (int j = 0; j < w->ranks[k].m.s->nops; j++) {
            if (!can_run(w, k, j))
                continue;
            const uint64_t weight = weight_of(w, k, j);
            if (r < 0 || weight > most)
                most = weight, r = k, i = j;
        }
    if (r >= 0)
        *fault_p = run_op(w, r, i);
    return r >= 0;
}

/* A rank that has not entered the call does; rank `late`, if any, only when no other can. */
static bool enter_one(world *w, bool stuck)
{
    const int first = (int)(atn_random(&w->random) % (uint64_t)w->p);

    for (int k = 0; k < w->p; k++) {
        const int r = (first + k) % w->p;
        if (!w->ranks[r].entered && r != w->late)
            return w->ranks[r].entered = true;
    }
    if (!stuck || w->late < 0 || w->ranks[w->late].entered)
        return false;
    return w->ranks[w->late].entered = true;
}

static const char *early_leave(const world *w)
{
    bool all = true, left = false;

    for (int r = 0; r < w->p; r++) {
        all = all && w->ranks[r].entered;
        left = left || (w->ranks[r].entered && w->ranks[r].left == 0);
    }
    return left && !all && w->ranks[0].m.s->q.op == ATN_BARRIER ? "leaves before all have entered"
                                                                : NULL;
}

static const char *execute(world *w)
{
    const char *fault = NULL;

    while (!fault) {
        if (atn_random(&w->random) % 8 == 0)
            enter_one(w, false);
        else if (!run_one(w, &fault) && !enter_one(w, true))
            break;
        if (!fault)
            fault = early_leave(w);
    }
    for (int r = 0; r < w->p && !fault; r++)
        if (w->ranks[r].left > 0)
            fault = "deadlock";
    for (int r = 0; r < w->p && !fault; r++)
        for (int i = 0; i < w->ranks[r].m.s->nops && !fault; i++)
            if (w->ranks[r].ops[i].open)
                fault = "an exposure is never closed";
    return fault;
}

static void set_up(world *w, atn_schedule *const *s)
{
    const uint64_t buffered = atn_random(&w->random) % 3; /* no message, some, all */

    w->late = (int)(atn_random(&w->random) % (2 * (uint64_t)w->p)) - w->p;
    for (int r = 0; r < w->p; r++) {
        rank *k = &w->ranks[r];
        memory_init(&k->m, &w->c, s[r]);
        k->ops = calloc((size_t)s[r]->nops + 1, sizeof *k->ops);
        k->left = s[r]->nops;
        k->weight = atn_random(&w->random);
    }
    for (int r = 0; r < w->p; r++)
        for (int i = 0; i < s[r]->nops; i++) {
            op_state *x = &w->ranks[r].ops[i];
            x->eager = !w->strict && !s[r]->ops[i].ssend &&
                       (buffered == 2 || (buffered == 1 && atn_random(&w->random) % 2));
            x->mate = atn_sched_is_message(&s[r]->ops[i]) ? mate_of(w, r, i) : -1;
        }
}

static void tear_down(world *w)
{
    for (int r = 0; r < w->p; r++) {
        for (int i = 0; i < w->ranks[r].m.s->nops; i++)
            atn_vec_free(&w->ranks[r].ops[i].box);
        free(w->ranks[r].ops);
        memory_free(&w->ranks[r].m);
    }
    free(w->ranks);
    call_free(&w->c);
}

const char *simulate(atn_schedule *const *s, int p, bool strict, uint64_t seed)
{
    world w = {.p = p, .strict = strict, .random = seed, .how = (policy)(seed / 2 % POLICIES)};
    const char *fault = NULL;
    int split = 1;

    for (int r = 0; r < p; r++)
        split = atn_max(split, s[r]->split);
    w.ranks = calloc((size_t)p, sizeof *w.ranks);
    call_init(&w.c, &s[0]->q, split, seed);
    set_up(&w, s);
    for (int r = 0; r < p && !fault; r++)
        fault = program_fault(&w.ranks[r].m);
    if (!fault)
        fault = execute(&w);
    for (int r = 0; r < p && !fault; r++)
        fault = result_fault(&w.ranks[r].m, &w.c, &w.ranks[0].m);
    tear_down(&w);
    return fault;
}
