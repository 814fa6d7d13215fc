/* world.c - see world.h. */
#include "world.h"

#include <stdlib.h>

bool omits(const rank *k, const atn_op *o)
{
    return o->a.n > 0 && slot_elements(&k->m, &o->a) == 0;
}

int open_exposure(const world *w, int r, int seq)
{
    const atn_schedule *s = w->ranks[r].m.s;

    for (int i = 0; i < s->nops; i++)
        if (s->ops[i].kind == ATN_OP_EXPOSE && s->ops[i].seq == seq && w->ranks[r].ops[i].open)
            return i;
    return -1;
}

/* ---- operations ---- */

static void complete(world *w, int r, int i)
{
    rank *k = &w->ranks[r];

    k->ops[i].done = true;
    k->left--;
    while (w->strict && k->pc < k->m.s->nops) {
        const int n = atn_sched_step_length(k->m.s, k->pc);
        if (!k->ops[k->pc].done || !k->ops[k->pc + n - 1].done)
            break;
        k->pc += n;
    }
}

/* The contents of a larger scratch block are followed by padding. */
static const char *store(rank *k, const atn_slot *to, numbers *data)
{
    const int64_t n = slot_elements(&k->m, to);

    if (atn_sched_is_padded(k->m.s->q.op))
        while (data->n < n)
            if (!atn_push(data, 0))
                abort();
    if (n > data->n || (n < data->n && !atn_sched_is_padded(k->m.s->q.op)))
        return "sizes differ";
    slot_store(&k->m, to, data->v);
    return NULL;
}

/* b = data (op) operand */
static const char *reduce(const world *w, rank *k, const atn_op *o, numbers *data)
{
    numbers with = {0};
    const char *fault = NULL;

    slot_load(&k->m, atn_sched_operand(o), &with);
    if (with.n != data->n)
        fault = "operands of different sizes";
    for (int e = 0; e < data->n && !fault; e++)
        data->v[e] = combine(&w->c, data->v[e], with.v[e]);
    atn_vec_free(&with);
    return fault ? fault : store(k, &o->b, data);
}

static const char *local(world *w, rank *k, const atn_op *o)
{
    numbers data = {0};

    slot_load(&k->m, &o->a, &data);
    const char *fault = atn_sched_reduces(o) ? reduce(w, k, o, &data) : store(k, &o->b, &data);
    atn_vec_free(&data);
    return fault;
}

static const char *receive(world *w, int r, int i)
{
    rank *k = &w->ranks[r];
    const atn_op *o = &k->m.s->ops[i];
    rank *peer = &w->ranks[o->peer];
    op_state *sent = &peer->ops[k->ops[i].mate];
    const char *fault = NULL;

    if (!sent->done) {
        slot_load(&peer->m, &peer->m.s->ops[k->ops[i].mate].a, &sent->box);
        complete(w, o->peer, k->ops[i].mate);
    }
    if (sent->box.n != slot_elements(&k->m, &o->a))
        return "a message of another size";
    slot_store(&k->m, &o->a, sent->box.v);
    if (atn_sched_reduces(o)) {
        fault = reduce(w, k, o, &sent->box);
        for (int e = 0; e < sent->box.n; e++)
            sent->box.v[e] = atn_random(&w->random);
        slot_store(&k->m, &o->a, sent->box.v); /* undefined afterwards */
    }
    return fault;
}

static const char *read_exposure(world *w, int r, int i)
{
    rank *k = &w->ranks[r];
    const atn_op *o = &k->m.s->ops[i];
    rank *peer = &w->ranks[o->peer];
    const int at = open_exposure(w, o->peer, o->seq);
    const int64_t skip = slot_elements(&k->m, &o->a), n = slot_elements(&k->m, &o->b);
    numbers all = {0}, data = {0};
    const char *fault = NULL;

    peer->ops[at].reads++;
    slot_load(&peer->m, &peer->m.s->ops[at].a, &all);
    for (int64_t e = skip; e < skip + n && e < all.n; e++)
        if (!atn_push(&data, all.v[e]))
            abort();
    if (skip + n > all.n)
        fault = "a read outside of the exposure";
    else
        fault = atn_sched_reduces(o) ? reduce(w, k, o, &data) : store(k, &o->b, &data);
    atn_vec_free(&all);
    atn_vec_free(&data);
    return fault;
}

const char *run_op(world *w, int r, int i)
{
    rank *k = &w->ranks[r];
    const atn_op *o = &k->m.s->ops[i];
    const char *fault = NULL;

    if (atn_sched_is_message(o) && omits(k, o)) {
        complete(w, r, i);
        return NULL;
    }
    if (o->kind == ATN_OP_SEND)
        slot_load(&k->m, &o->a, &k->ops[i].box);
    else if (atn_sched_receives(o))
        fault = receive(w, r, i);
    else if (atn_sched_is_read(o))
        fault = read_exposure(w, r, i);
    else if (atn_sched_is_local(o))
        fault = local(w, k, o);
    else if (o->kind == ATN_OP_CLOSE)
        k->ops[open_exposure(w, r, o->seq)].open = false;
    else if (open_exposure(w, r, o->seq) >= 0)
        fault = "an exposure twice at a time";
    else
        k->ops[i].open = true;
    complete(w, r, i);
    return fault;
}

/* ---- validity: what no executor could run ---- */

/* Other operations have no second slot, or do not use it. */
static bool slots_exist(const memory *m, const atn_op *o)
{
    const int last = atn_sched_is_read(o) ? ATN_SHAPE : ATN_TMP;
    const bool writes_b = atn_sched_written(o) == &o->b, reduces = atn_sched_reduces(o);

    return o->a.space <= last && slot_exists(m, &o->a) &&
           (!writes_b || (o->b.space <= ATN_TMP && slot_exists(m, &o->b))) &&
           (!reduces || (o->c.space <= ATN_TMP && slot_exists(m, &o->c)));
}

static const char *op_fault(const memory *m, const atn_op *o, int i)
{
    const bool waits = atn_sched_is_message(o) || atn_sched_is_read(o);

    if (!slots_exist(m, o))
        return "blocks that do not exist";
    if ((atn_sched_written(o) && atn_sched_written(o)->n &&
         atn_sched_written(o)->space == ATN_SRC) ||
        (atn_sched_room(o) && o->a.n && o->a.space == ATN_SRC))
        return "a write to the source";
    if (waits && (o->peer < 0 || o->peer >= m->s->q.p || o->peer == m->s->q.r))
        return "no such peer";
    for (int d = 0; d < o->ndeps; d++)
        if (m->s->deps[o->dep + d] < 0 || m->s->deps[o->dep + d] >= m->s->nops ||
            m->s->deps[o->dep + d] == i)
            return "waits for itself";
    return NULL;
}

const char *program_fault(const memory *m)
{
    const char *fault = NULL;

    for (int i = 0; i < m->s->nops && !fault; i++)
        fault = op_fault(m, &m->s->ops[i], i);
    return fault;
}
