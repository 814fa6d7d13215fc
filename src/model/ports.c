/* ports.c - see ports.h.  An operation waits for its dependencies, the previous operation on its
 * port and, if it is a message, its other end. */
#include "model/ports.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int waits;    /* incomplete predecessors, including the start of the call */
    double ready; /* completion of the latest predecessor */
    double known; /* the same without the one on its port: a handshake may begin */
    bool posted;  /* waits only for its other end */
    bool sent;    /* a send that has started */
    double lands; /* of a send: arrival of the first byte */
    int receive;  /* of a send in a step with a receive from another rank: that; -1: none */
    bool turn;    /* of such a receive */
    double after; /* its start, after the whole time of the send */
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

/* By a dependency, not by the port. */
static void satisfy(walk *w, int id, double at)
{
    w->v[id].known = fmax(w->v[id].known, at);
    release(w, id, at);
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
        satisfy(w, w->g->succ[x->succ + i], at);
}

static void arrive(walk *w, int recv, const atn_message_cost *c)
{
    const state *x = &w->v[recv];
    const double start = fmax(x->ready, w->v[w->g->nodes[recv].other].lands);
    const double turn = x->turn ? x->after + c->whole : 0.0;
    finish(w, recv, fmax(start + c->recv, turn), fmax(start + c->recv_port, turn));
}

static void begin(walk *w, int send, double at, const atn_message_cost *c)
{
    w->v[send].sent = true;
    w->v[send].lands = at + c->lead;
    if (w->v[send].receive >= 0) {
        w->v[w->v[send].receive].after = at + c->whole;
        release(w, w->v[send].receive, 0.0);
    }
    finish(w, send, at + c->send, at + c->send_port);
}

/* When both ends are ready; handshakes pass while the ports are busy with earlier messages. */
static double meet(const state *send, const state *recv, double handshake)
{
    return fmax(fmax(send->ready, recv->ready), fmax(send->known, recv->known) + handshake);
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
        begin(w, send, meet(&w->v[send], &w->v[recv], c.handshake), &c);
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

static void set_up(walk *w)
{
    for (int i = 0; i < w->g->n; i++) {
        w->v[i].waits = w->g->nodes[i].waits + 1;
        w->v[i].receive = -1;
    }
}

static atn_status walk_graph(walk *w, void (*prepare)(walk *w), double *time_p, atn_error *err)
{
    const int n = w->g->n;
    atn_status status = ATN_OK;

    w->v = calloc((size_t)n + 1, sizeof *w->v);
    w->ready = malloc(sizeof *w->ready * ((size_t)n + 1));
    if (w->v && w->ready) {
        set_up(w);
        if (prepare)
            prepare(w);
        run(w);
        if (w->done < n)
            status = atn_fail(err, ATN_FINDING, "deadlock: %d of %d operations never start",
                              n - w->done, n);
        else
            *time_p = w->time;
    } else {
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free(w->v);
    free(w->ready);
    return status;
}

atn_status atn_model_ports_time(const atn_op_graph *g, atn_cost_fn cost, void *context,
                                double *done, double *time_p, atn_error *err)
{
    walk w = {.g = g, .cost = cost, .context = context, .ends = done};
    return walk_graph(&w, NULL, time_p, err);
}

/* ---- turns ---- */

/* Operations i and i + 1 of rank r are the step. */
static void take_turns(walk *w, int r, int i)
{
    const atn_op *o = &w->g->s[r]->ops[i];
    const int first = w->g->base[r] + i;
    const bool sends = o[0].kind == ATN_OP_SEND;

    if (o[0].peer == o[1].peer)
        return;
    const int send = sends ? first : first + 1, recv = sends ? first + 1 : first;
    w->v[send].receive = recv;
    w->v[recv].turn = true;
    w->v[recv].waits++;
}

/* Only where a rank takes one step after the other: elsewhere its messages may start in an order in
 * which the receive must not wait. */
static void find_turns(walk *w)
{
    for (int r = 0; r < w->g->p; r++) {
        const atn_schedule *s = w->g->s[r];
        if (!atn_sched_is_chain(s))
            continue;
        for (int i = 0, n; i < s->nops; i += n) {
            n = atn_sched_step_length(s, i);
            if (n == 2)
                take_turns(w, r, i);
        }
    }
}

atn_status atn_model_ports_turns(const atn_op_graph *g, atn_cost_fn cost, void *context,
                                 double *time_p, atn_error *err)
{
    walk w = {.g = g, .cost = cost, .context = context};
    return walk_graph(&w, find_turns, time_p, err);
}
