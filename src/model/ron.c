/* ron.c - circuits for any schedules.  Ranks send and receive in program order, so no clock has to
 * be simulated: a message is placed when its predecessors are. */
#include "model/ron.h"

#include <math.h>
#include <stdlib.h>

#include "model/model.h"

const char *const atn_model_ron_policies[] = {"anew", "demand", "early", "preset", NULL};

typedef struct {
    int to;      /* -1: never connected */
    double free; /* time from which it is free */
} port;

typedef struct {
    int waits;    /* predecessors not placed yet, including the start of the call */
    double ready; /* when its dependencies are complete */
    bool posted;
} state;

typedef struct {
    const atn_op_graph *g;
    const atn_ron *net;
    atn_ron_policy policy;
    port *out;    /* the ports of rank r: out[r * k ..] */
    double *in;   /* the same for receiving: time from which a port is free */
    double *busy; /* by rank: end of its last reduction */
    state *v;
    int *ready, nready;
    double begin, end; /* of the current run */
    int done;
    atn_circuits c;
} run;

static void release(run *w, int id, double at)
{
    state *x = &w->v[id];

    x->ready = fmax(x->ready, at);
    if (--x->waits == 0)
        w->ready[w->nready++] = id;
}

/* The operation completes `at`; its successor on the port may be placed. */
static void finish(run *w, int id, double at)
{
    const atn_op_node *x = &w->g->nodes[id];

    w->done++;
    w->end = fmax(w->end, at);
    if (x->next >= 0)
        release(w, x->next, w->begin);
    for (int i = 0; i < x->nsucc; i++)
        release(w, w->g->succ[x->succ + i], at);
}

/* ---- ports ---- */

/* The transfer of a message if it used this port. */
static atn_ron_transfer try_port(const run *w, int send, int p, double ready)
{
    const atn_op_node *x = &w->g->nodes[send];
    const port *o = &w->out[x->rank * w->net->ports + p];
    atn_ron_transfer t = {
        .send = send, .rank = x->rank, .port = p, .to = w->g->nodes[x->other].rank};

    t.changed = o->to != t.to || w->policy == ATN_RON_ANEW;
    t.since = w->policy >= ATN_RON_EARLY ? o->free : fmax(o->free, w->v[send].ready);
    if (w->policy == ATN_RON_PRESET && o->to < 0)
        t.since = w->begin - w->net->delay;
    t.ready = t.since + w->net->delay;
    if (!t.changed)
        t.since = t.ready = o->free;
    t.begin = fmax(t.ready, ready);
    t.end = t.begin + w->net->start + (double)x->bytes * w->net->byte;
    return t;
}

/* The earlier start; then the existing circuit; then the earlier reconfiguration. */
static bool better(const atn_ron_transfer *a, const atn_ron_transfer *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin;
    return a->changed != b->changed ? b->changed : a->ready < b->ready;
}

static double *free_receiver(const run *w, int rank)
{
    double *first = &w->in[rank * w->net->ports];

    for (int p = 1; p < w->net->ports; p++)
        if (w->in[rank * w->net->ports + p] < *first)
            first = &w->in[rank * w->net->ports + p];
    return first;
}

static void place(run *w, int send)
{
    const int recv = w->g->nodes[send].other;
    double *in = free_receiver(w, w->g->nodes[recv].rank);
    const double ready = fmax(fmax(w->v[send].ready, w->v[recv].ready), *in);
    atn_ron_transfer best = try_port(w, send, 0, ready);

    for (int p = 1; p < w->net->ports; p++) {
        const atn_ron_transfer t = try_port(w, send, p, ready);
        best = better(&t, &best) ? t : best;
    }
    w->out[best.rank * w->net->ports + best.port] = (port){best.to, best.end};
    *in = best.end;
    w->c.changes += best.changed;
    w->c.v[w->c.n++] = best;
    finish(w, send, best.end);
    finish(w, recv, best.end);
}

/* Shared memory needs no circuit; a read takes as long as a message. */
static double work_of(const run *w, const atn_op_node *x)
{
    const double bytes = (double)x->bytes;
    const bool reads = x->kind == ATN_OP_READ || x->kind == ATN_OP_READ_REDUCE;
    const bool reduces = x->kind == ATN_OP_REDUCE || x->kind == ATN_OP_READ_REDUCE;

    return (reads ? w->net->start + bytes * w->net->byte : 0.0) +
           (reduces ? bytes * w->net->reduce : 0.0);
}

static void post(run *w, int id)
{
    const atn_op_node *x = &w->g->nodes[id];

    w->v[id].posted = true;
    if (x->other >= 0) {
        if (w->v[x->other].posted)
            place(w, x->kind == ATN_OP_SEND ? id : x->other);
        return;
    }
    const double work = work_of(w, x), start = w->v[id].ready;
    const double end = work > 0 ? fmax(start, w->busy[x->rank]) + work : start;
    if (work > 0)
        w->busy[x->rank] = end;
    finish(w, id, end);
}

/* ---- runs ---- */

static void once(run *w)
{
    w->c.n = w->c.changes = w->done = 0;
    w->begin = w->end;
    for (int i = 0; i < w->g->n; i++)
        w->v[i] = (state){.waits = w->g->nodes[i].waits + 1, .ready = w->begin};
    for (int i = 0; i < w->g->n; i++) {
        release(w, i, w->begin);
        while (w->nready > 0)
            post(w, w->ready[--w->nready]);
    }
}

static bool set_up(run *w)
{
    const size_t p = (size_t)w->g->p, ports = p * (size_t)w->net->ports, n = (size_t)w->g->n + 1;

    w->out = malloc(sizeof *w->out * ports);
    w->in = calloc(ports, sizeof *w->in);
    w->busy = calloc(p, sizeof *w->busy);
    w->v = malloc(sizeof *w->v * n);
    w->ready = malloc(sizeof *w->ready * n);
    w->c.v = malloc(sizeof *w->c.v * ((size_t)w->g->nmessages + 1));
    for (size_t i = 0; w->out && i < ports; i++)
        w->out[i] = (port){-1, 0};
    return w->out && w->in && w->busy && w->v && w->ready && w->c.v;
}

static void tear_down(run *w)
{
    free(w->out);
    free(w->in);
    free(w->busy);
    free(w->v);
    free(w->ready);
}

static atn_status go(run *w, int times, atn_error *err)
{
    if (!set_up(w))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < times; i++) {
        once(w);
        if (w->done < w->g->n)
            return atn_fail(err, ATN_FINDING, "deadlock: %d of %d operations never start",
                            w->g->n - w->done, w->g->n);
    }
    w->c.time = w->end;
    return ATN_OK;
}

atn_status atn_model_ron_run(const atn_op_graph *g, const atn_ron *net, atn_ron_policy policy,
                             int times, atn_circuits *c_p, atn_error *err)
{
    run w = {.g = g, .net = net, .policy = policy};
    const atn_status status = go(&w, times, err);

    tear_down(&w);
    if (status == ATN_OK) {
        atn_model_circuits_sort(&w.c);
        *c_p = w.c;
    } else {
        atn_model_circuits_free(&w.c);
    }
    return status;
}

void atn_model_circuits_free(atn_circuits *c)
{
    free(c->v);
    *c = (atn_circuits){.n = 0};
}

static int by_port(const void *x, const void *y)
{
    const atn_ron_transfer *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->port != b->port)
        return a->port < b->port ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->send > b->send) - (a->send < b->send);
}

void atn_model_circuits_sort(atn_circuits *c)
{
    if (c->n > 0)
        qsort(c->v, (size_t)c->n, sizeof *c->v, by_port);
}

/* ---- as models ---- */

/* Start-up and byte times of the slowest channel; without circuits, one port without delay. */
static atn_status evaluate(const atn_model_case *c, atn_ron_policy policy, double *seconds_p,
                           atn_error *err)
{
    const atn_hockney h = atn_model_channel_hockney(c->m, c->m->nchannels - 1);
    const atn_ron net = {.ports = c->m->ports > 0 ? (int)c->m->ports : 1,
                         .delay = c->m->delay,
                         .start = h.alpha,
                         .byte = h.beta,
                         .reduce = atn_model_machine_reduce(c->m, c->op, c->type, 65536, 1)};
    atn_circuits circuits;
    const atn_status status = atn_model_ron_run(c->g, &net, policy, 1, &circuits, err);

    if (status == ATN_OK) {
        *seconds_p = circuits.time;
        atn_model_circuits_free(&circuits);
    }
    return status;
}

atn_status atn_model_ron_a(const atn_model_case *c, double *seconds_p, atn_error *err)
{
    return evaluate(c, ATN_RON_EARLY, seconds_p, err);
}

atn_status atn_model_ron_b(const atn_model_case *c, double *seconds_p, atn_error *err)
{
    return evaluate(c, ATN_RON_ANEW, seconds_p, err);
}
