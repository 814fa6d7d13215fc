/* core.c - see core.h. */
#include "algo/core.h"

#include <stdlib.h>

atn_core atn_algo_core_power(int p, int radix, int *stages_p)
{
    atn_core core = {p, 1};

    for (*stages_p = 0; core.size <= p / radix; core.size *= radix)
        ++*stages_p;
    return core;
}

int atn_algo_core_number(const atn_core *c, int r)
{
    const int each = c->p / c->size, longer = c->p % c->size; /* `longer` have one more */
    const int bound = longer * (each + 1);

    return r < bound ? r / (each + 1) : longer + (r - bound) / each;
}

int *atn_algo_core_ranks(const atn_core *c, bool first)
{
    int *ranks = malloc(sizeof *ranks * (size_t)c->size);

    for (int i = 0; ranks && i < c->size; i++)
        ranks[i] = first ? i : atn_algo_core_rank(c, i);
    return ranks;
}

/* The proxy of this rank. */
typedef struct {
    int proxy, extras; /* the proxy and the number of its extra ranks */
    int most;          /* maximum number of extra ranks of a proxy */
} place;

static place place_of(const atn_core *c, int r)
{
    const int number = atn_algo_core_number(c, r);

    return (place){atn_algo_core_rank(c, number), atn_algo_core_extras(c, number),
                   atn_algo_core_extras(c, 0)};
}

/* Receives the operands of extra ranks before the exchanges begin. */
static void receive_operands(atn_builder *b, const atn_problem *q, const place *at, atn_fold *f)
{
    for (int i = 1; i <= at->most; i++, atn_round(b))
        if (i <= at->extras)
            atn_algo_fold_recv(b, q, f, q->r + i);
    if (at->extras > 0)
        atn_fence(b);
    f->one_room = true;
    f->next = 0;
}

static void run_extra(atn_builder *b, const atn_problem *q, const place *at, const atn_core_work *w,
                      int blocks, atn_ref result)
{
    const int turn = q->r - at->proxy;

    atn_algo_rounds(b, turn - 1);
    atn_send(b, at->proxy, atn_src(0, blocks));
    atn_algo_rounds(b, at->most - turn + 1 + w->rounds + turn - 1);
    atn_recv(b, at->proxy, result);
}

void atn_algo_core_scatter(atn_builder *b, const atn_problem *q, const atn_core_work *w, int own)
{
    const place at = place_of(w->core, q->r);

    if (q->r != at.proxy) {
        run_extra(b, q, &at, w, q->p, atn_dst(0, 1));
        return;
    }
    atn_fold f = atn_algo_fold_begin(q, atn_src(0, q->p));
    receive_operands(b, q, &at, &f);
    w->run(b, q, w->core, &f, w->context);
    atn_copy(b, atn_algo_fold_part(&f, own, 1), atn_dst(0, 1));
    for (int i = 1; i <= at.extras; i++) {
        atn_round(b);
        atn_send(b, q->r + i, atn_algo_fold_part(&f, own + i, 1));
    }
}

void atn_algo_core_allreduce(atn_builder *b, const atn_problem *q, const atn_core_work *w,
                             int parts)
{
    const place at = place_of(w->core, q->r);

    if (q->r != at.proxy) {
        run_extra(b, q, &at, w, parts, atn_dst(0, parts));
        return;
    }
    atn_fold f = atn_algo_fold_into(q, atn_src(0, parts), atn_dst(0, parts));
    receive_operands(b, q, &at, &f);
    w->run(b, q, w->core, &f, w->context);
    for (int i = 1; i <= at.extras; i++) {
        atn_round(b);
        atn_send(b, q->r + i, atn_dst(0, parts));
    }
}
