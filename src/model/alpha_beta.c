/* alpha_beta.c - longest path through the operations of all ranks: an operation waits for its
 * dependencies, for the operation before it on its port and, if it is a message, for its other
 * end.  All these orders are fixed by the schedules, so no clock has to be simulated. */
#include "model/alpha_beta.h"

#include <stdlib.h>

#include "sched/partition.h"

typedef struct {
    int waits;    /* things that are not done yet, the begin of the call being one */
    double ready; /* when the last of those that are was done */
    double takes;
    int next;        /* operation that follows on the same port; -1: none */
    int other;       /* other end of a message; -1: none */
    int heir, heirs; /* operations that depend on it: heirs[heir .. heir + heirs) */
    bool posted;     /* waits for nothing but its other end */
} node;

typedef struct {
    atn_schedule *const *s;
    int p, n;
    int *base; /* first node of a rank; base[p] = n */
    node *nodes;
    int *heirs;
    int *ready, nready; /* stack of nodes to post */
    double time;
    int done;
} graph;

/* ---- the two ends of messages ---- */

typedef struct {
    int from, to, seq, node;
} end;

static int by_message(const void *x, const void *y)
{
    const end *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static int collect_ends(const graph *g, end *ends)
{
    int n = 0;

    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++) {
            const atn_op *o = &g->s[r]->ops[i];
            const bool sends = o->kind == ATN_OP_SEND;
            if (atn_is_message(o))
                ends[n++] = (end){sends ? r : o->peer, sends ? o->peer : r, o->seq, g->base[r] + i};
        }
    return n;
}

static atn_status match(graph *g, atn_error *err)
{
    end *ends = malloc(sizeof *ends * ((size_t)g->n + 1));
    atn_status status = ends ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    const int n = ends ? collect_ends(g, ends) : 0;

    qsort(ends, (size_t)n, sizeof *ends, by_message);
    for (int i = 0; i < n && status == ATN_OK; i += 2) {
        if (i + 1 == n || by_message(&ends[i], &ends[i + 1]) != 0) {
            status = atn_fail(err, ATN_FINDING, "message %d from rank %d to rank %d has one end",
                              ends[i].seq, ends[i].from, ends[i].to);
            break;
        }
        g->nodes[ends[i].node].other = ends[i + 1].node;
        g->nodes[ends[i + 1].node].other = ends[i].node;
    }
    free(ends);
    return status;
}

/* ---- the graph ---- */

static double duration(const atn_op *o, int64_t bytes, const atn_alpha_beta *m)
{
    switch (o->kind) {
    case ATN_OP_COPY:
        return 0.0;
    case ATN_OP_REDUCE:
        return m->g * (double)bytes;
    default:
        return m->a + m->b * (double)bytes;
    }
}

static void add_rank(graph *g, int r, int64_t n, const atn_alpha_beta *m)
{
    const atn_schedule *s = g->s[r];
    const atn_partition t = atn_partition_uniform(&s->q, s->split, n);
    int last[ATN_OP_KINDS] = {-1, -1, -1, -1}; /* on each port; copies use none */

    for (int i = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        const int id = g->base[r] + i;
        const bool follows = o->kind != ATN_OP_COPY && last[o->kind] >= 0;
        g->nodes[id] = (node){.waits = o->ndeps + follows + 1,
                              .next = -1,
                              .other = -1,
                              .takes = duration(o, atn_slot_units(&t, s, &o->a), m)};
        if (follows)
            g->nodes[last[o->kind]].next = id;
        last[o->kind] = id;
        for (int d = 0; d < o->ndeps; d++)
            g->nodes[g->base[r] + s->deps[o->dep + d]].heirs++;
    }
}

static void list_heirs(graph *g)
{
    int at = 0;

    for (int i = 0; i < g->n; i++) {
        g->nodes[i].heir = at;
        at += g->nodes[i].heirs;
        g->nodes[i].heirs = 0;
    }
    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++) {
            const atn_op *o = &g->s[r]->ops[i];
            for (int d = 0; d < o->ndeps; d++) {
                node *on = &g->nodes[g->base[r] + g->s[r]->deps[o->dep + d]];
                g->heirs[on->heir + on->heirs++] = g->base[r] + i;
            }
        }
}

static bool set_up(graph *g, atn_schedule *const *s, int p)
{
    int deps = 0;

    *g = (graph){.s = s, .p = p, .base = malloc(sizeof *g->base * ((size_t)p + 1))};
    for (int r = 0; g->base && r < p; r++) {
        g->base[r] = g->n;
        g->n += s[r]->nops;
        deps += s[r]->ndeps;
    }
    g->nodes = malloc(sizeof *g->nodes * ((size_t)g->n + 1));
    g->ready = malloc(sizeof *g->ready * ((size_t)g->n + 1));
    g->heirs = malloc(sizeof *g->heirs * ((size_t)deps + 1));
    return g->base && g->nodes && g->ready && g->heirs;
}

static void tear_down(graph *g)
{
    free(g->base);
    free(g->nodes);
    free(g->ready);
    free(g->heirs);
}

/* ---- time ---- */

static void release(graph *g, int id, double at)
{
    node *x = &g->nodes[id];

    x->ready = at > x->ready ? at : x->ready;
    if (--x->waits == 0)
        g->ready[g->nready++] = id;
}

static void finish(graph *g, int id, double at)
{
    const node *x = &g->nodes[id];

    g->done++;
    g->time = at > g->time ? at : g->time;
    if (x->next >= 0)
        release(g, x->next, at);
    for (int i = 0; i < x->heirs; i++)
        release(g, g->heirs[x->heir + i], at);
}

/* A ready operation ends; a message when its other end is posted too. */
static void post(graph *g, int id)
{
    node *x = &g->nodes[id];

    x->posted = true;
    if (x->other < 0) {
        finish(g, id, x->ready + x->takes);
        return;
    }
    const node *y = &g->nodes[x->other];
    if (!y->posted)
        return;
    const double start = x->ready > y->ready ? x->ready : y->ready;
    finish(g, id, start + x->takes);
    finish(g, x->other, start + x->takes);
}

static void run(graph *g)
{
    for (int i = 0; i < g->n; i++) {
        release(g, i, 0.0); /* the call begins */
        while (g->nready > 0)
            post(g, g->ready[--g->nready]);
    }
}

atn_status atn_alpha_beta_time(atn_schedule *const *schedules, int p, int64_t n,
                               const atn_alpha_beta *m, double *time_p, atn_error *err)
{
    graph g;
    atn_status status =
        set_up(&g, schedules, p) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");

    for (int r = 0; status == ATN_OK && r < p; r++)
        add_rank(&g, r, n, m);
    if (status == ATN_OK)
        status = match(&g, err);
    if (status == ATN_OK) {
        list_heirs(&g);
        run(&g);
        if (g.done < g.n)
            status =
                atn_fail(err, ATN_FINDING, "%d of %d operations wait for ever", g.n - g.done, g.n);
    }
    if (status == ATN_OK)
        *time_p = g.time;
    tear_down(&g);
    return status;
}
