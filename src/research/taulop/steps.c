/* steps.c - visits stages and their transfers, reductions and copies. */
#include "research/taulop/steps.h"

#include <stdlib.h>

static int by_resource(const void *x, const void *y)
{
    const atn_tau_use *a = x, *b = y;
    if (a->channel != b->channel)
        return a->channel < b->channel ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

void atn_tau_uses_sort(atn_tau_use *uses, int n)
{
    if (n > 1)
        qsort(uses, (size_t)n, sizeof *uses, by_resource);
}

int atn_tau_uses_end(const atn_tau_use *uses, int n, int i)
{
    int end = i + 1;
    while (end < n && uses[end].channel == uses[i].channel && uses[end].node == uses[i].node)
        end++;
    return end;
}

typedef struct {
    const atn_traffic *t;
    const atn_mapping *m;
    atn_tau_contention contention;
    const atn_step_visitor *visitor;
    atn_tau_use *uses;
} walk;

/* The resource that a message uses in a step; false: none. */
static bool use_of(const walk *w, const atn_tau_flow *f, int step, atn_tau_use *use)
{
    const int from = w->m->node_of[f->from], to = w->m->node_of[f->to];
    const int nic = w->contention == ATN_TAU_NETWORK ? 0 : to;
    const int hops = w->visitor->hops > 0 ? w->visitor->hops : 2;
    const atn_tau_use across[] = {{0, from, f->size}, {1, nic, f->size}, {0, to, f->size}};
    if (from == to && step >= hops)
        return false;
    *use = from == to ? across[0] : across[step];
    return true;
}

static bool visit_stage(const walk *w, const atn_tau_flow *flows, int n)
{
    int channel = 0;
    int64_t size = 0;
    bool on = true;
    for (int i = 0; i < n; i++) {
        const int c = w->m->node_of[flows[i].from] != w->m->node_of[flows[i].to];
        if (c > channel)
            size = 0;
        channel = atn_max(channel, c);
        if (c == channel && flows[i].size > size)
            size = flows[i].size;
    }
    on = w->visitor->stage(w->visitor->to, flows, n, channel, size);
    for (int step = 0; step < 3 && on && !w->visitor->no_transfers; step++) {
        int used = 0;
        for (int i = 0; i < n; i++)
            used += use_of(w, &flows[i], step, &w->uses[used]);
        atn_tau_uses_sort(w->uses, used);
        on = used == 0 || w->visitor->step(w->visitor->to, ATN_TAU_L, w->uses, used);
    }
    return on;
}

/* The local operations of a stage, turn by turn; *at_p advances past them. */
static bool visit_local(const walk *w, atn_tau_kind kind, const atn_tau_work *v, int n, int stage,
                        int *at_p)
{
    bool on = true;
    while (on && *at_p < n && v[*at_p].stage == stage) {
        const int turn = v[*at_p].turn;
        int used = 0;
        for (; *at_p < n && v[*at_p].stage == stage && v[*at_p].turn == turn; ++*at_p)
            w->uses[used++] = (atn_tau_use){0, w->m->node_of[v[*at_p].rank], v[*at_p].size};
        atn_tau_uses_sort(w->uses, used);
        on = w->visitor->step(w->visitor->to, kind, w->uses, used);
    }
    return on;
}

static bool run(const walk *w)
{
    const atn_traffic *t = w->t;
    int flow = 0, reduce = 0, copy = 0;
    bool on = true;
    for (int stage = 0; stage <= t->nstages && on; stage++) {
        on = visit_local(w, ATN_TAU_G, t->reduces.v, t->reduces.n, stage, &reduce) &&
             visit_local(w, ATN_TAU_C, t->copies.v, t->copies.n, stage, &copy);
        const int first = flow;
        while (flow < t->flows.n && t->flows.v[flow].stage == stage)
            flow++;
        if (on && flow > first)
            on = visit_stage(w, &t->flows.v[first], flow - first);
    }
    return on;
}

bool atn_tau_walk(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                  const atn_step_visitor *visitor)
{
    const walk w = {t, m, contention, visitor,
                    malloc(sizeof *w.uses * (size_t)(atn_max(t->p, t->flows.n) + 1))};
    const bool on = w.uses && run(&w);
    free(w.uses);
    return on;
}
