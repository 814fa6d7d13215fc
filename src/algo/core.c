/* core.c - see core.h. */
#include "algo/core.h"

/* The guest's operand comes before all that follows. */
static void welcome(atn_builder *b, const atn_problem *q, const atn_core *c, atn_fold *f)
{
    f->one_room = true;
    if (atn_is_host(c, q->r)) {
        atn_fold_recv(b, q, f, q->r + 1);
        atn_fence(b);
    }
    atn_rounds(b, c->pairs > 0);
}

static void be_guest(atn_builder *b, const atn_problem *q, int blocks, int rounds, atn_ref result)
{
    atn_send(b, q->r - 1, atn_src(0, blocks));
    atn_rounds(b, rounds + 1);
    atn_recv(b, q->r - 1, result);
}

void atn_core_scatter(atn_builder *b, const atn_problem *q, const atn_core_work *w, int own)
{
    const atn_core *c = w->core;

    if (atn_is_guest(c, q->r)) {
        be_guest(b, q, q->p, atn_floor_log2(c->size), atn_dst(0, 1));
        return;
    }
    atn_fold f = atn_fold_begin(q, atn_src(0, q->p));
    welcome(b, q, c, &f);
    w->run(b, q, c, &f, w->context);
    atn_copy(b, atn_fold_part(&f, own, 1), atn_dst(0, 1));
    atn_rounds(b, c->pairs > 0);
    if (atn_is_host(c, q->r))
        atn_send(b, q->r + 1, atn_fold_part(&f, own + 1, 1));
}

void atn_core_allreduce(atn_builder *b, const atn_problem *q, const atn_core_work *w, int parts,
                        int rounds)
{
    const atn_core *c = w->core;

    if (atn_is_guest(c, q->r)) {
        be_guest(b, q, parts, rounds, atn_dst(0, parts));
        return;
    }
    atn_fold f = atn_fold_into(q, atn_src(0, parts), atn_dst(0, parts));
    welcome(b, q, c, &f);
    w->run(b, q, c, &f, w->context);
    atn_rounds(b, c->pairs > 0);
    if (atn_is_host(c, q->r))
        atn_send(b, q->r + 1, atn_dst(0, parts));
}
