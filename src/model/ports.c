/* ports.c - see ports.h.  An operation waits for its dependencies, the previous operation on its
 * port and, if it is a message, its other end. */
#include "model/ports.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int waits;    /* incomplete predecessors, including the start of the call */
    double ready; /* completion of the latest predecessor */
    bool posted;  /* waits only for its other end */
    bool sent;    /* a send that has started */
    double lands; /* of a send: arrival of the first byte */
} state;

typedef struct {
    const atn_op_graph *g;
    atn_cost_fn cost;
    void *context;
    state *v;
    int *ready, nready; /* stack of nodes to post */
    double time, *ends;
    int done;
} walk;

static void release(walk *w, int id, double at)
{
    state *x = &w->v[id];

    x->ready = at > x->ready ? at : x->ready;
    if (--x->waits == 0)
        w->ready[w->nready++] = id;
}

/* The operation completes `at`; its port is free at `port`. */
static void finish(walk *w, int id, double at, double port)
{
    const atn_op_node *x = &w->g->nodes[id];

    w->done++;
    w->time = at > w->time ? at : w->time;
    if (w->ends)
        w->ends[id] = at;
    if (x->next >= 0)
        release(w, x->next, port);
    for (int i = 0; i < x->nsucc; i++)
        release(w, w->g->succ[x->succ + i], at);
}

static void arrive(walk *w, int recv, const atn_message_cost *c)
{
    const double start = fmax(w->v[recv].ready, w->v[w->g->nodes[recv].other].lands);
    finish(w, recv, start + c->recv, start + c->recv_port);
}

static void begin(walk *w, int send, double at, const atn_message_cost *c)
{
    w->v[send].sent = true;
    w->v[send].lands = at + c->lead;
    finish(w, send, at + c->send, at + c->send_port);
}

static void post_message(walk *w, int id)
{
    const atn_op_node *x = &w->g->nodes[id];
    const bool sends = x->kind == ATN_OP_SEND;
    const int send = sends ? id : x->other, recv = sends ? x->other : id;
    atn_message_cost c = {.sync = false};

    w->cost(w->context, w->g, send, &c);
    const bool both = w->v[send].posted && w->v[recv].posted;
    if (sends && !c.sync)
        begin(w, send, w->v[send].ready, &c);
    else if (c.sync && both)
        begin(w, send, fmax(w->v[send].ready, w->v[recv].ready) + c.handshake, &c);
    if (w->v[send].sent && w->v[recv].posted)
        arrive(w, recv, &c);
}

static void post(walk *w, int id)
{
    state *x = &w->v[id];

    x->posted = true;
    if (w->g->nodes[id].other >= 0) {
        post_message(w, id);
        return;
    }
    const double end = x->ready + w->cost(w->context, w->g, id, NULL);
    finish(w, id, end, end);
}

static void run(walk *w)
{
    for (int i = 0; i < w->g->n; i++) {
        release(w, i, 0.0); /* the call starts */
        while (w->nready > 0)
            post(w, w->ready[--w->nready]);
    }
}

atn_status atn_model_ports_time(const atn_op_graph *g, atn_cost_fn cost, void *context,
                                double *done, double *time_p, atn_error *err)
{
    walk w = {.g = g, .cost = cost, .context = context, .ends = done};
    atn_status status = ATN_OK;

    w.v = calloc((size_t)g->n + 1, sizeof *w.v);
    w.ready = malloc(sizeof *w.ready * ((size_t)g->n + 1));
    if (w.v && w.ready) {
        for (int i = 0; i < g->n; i++)
            w.v[i].waits = g->nodes[i].waits + 1;
        run(&w);
        if (w.done < g->n)
            status = atn_fail(err, ATN_FINDING, "deadlock: %d of %d operations never start",
                              g->n - w.done, g->n);
        else
            *time_p = w.time;
    } else {
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free(w.v);
    free(w.ready);
    return status;
}
