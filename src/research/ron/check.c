/* check.c - verifies circuits against schedules and network; shares no code with model/ron.c. */
#include "research/ron/check.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const atn_op_graph *g;
    const atn_ron *net;
    const atn_circuits *c;
    int *of;      /* the transfer of a send, by node; -1: none */
    double *done; /* by node */
    double slack; /* tolerance: files have rounded numbers */
    double end;
    atn_error *err;
} verifier;

static atn_status refuse(const verifier *x, const atn_ron_transfer *t, const char *why)
{
    return atn_fail(x->err, ATN_FINDING, "rank %d, port %d, to rank %d at %.9g: %s", t->rank,
                    t->port, t->to, t->begin, why);
}

/* ---- every message once ---- */

static const char *wrong_message(const verifier *x, const atn_ron_transfer *t)
{
    if (t->send < 0 || t->send >= x->g->n || x->g->nodes[t->send].kind != ATN_OP_SEND)
        return "the schedules have no such message";
    const atn_op_node *n = &x->g->nodes[t->send];
    const double takes = x->net->start + (double)n->bytes * x->net->byte;
    if (n->rank != t->rank || x->g->nodes[n->other].rank != t->to)
        return "the message belongs to other ranks";
    if (t->port < 0 || t->port >= x->net->ports)
        return "there is no such port";
    if (!isfinite(t->since) || !isfinite(t->begin) || !(t->begin >= 0))
        return "the message starts before the call";
    if (!(fabs(t->end - t->begin - takes) <= x->slack))
        return "the duration does not match the bytes of the message";
    return x->of[t->send] >= 0 ? "the message is sent twice" : NULL;
}

static atn_status check_messages(verifier *x)
{
    for (int i = 0; i < x->g->n; i++)
        x->of[i] = -1;
    for (int i = 0; i < x->c->n; i++) {
        const char *why = wrong_message(x, &x->c->v[i]);
        if (why)
            return refuse(x, &x->c->v[i], why);
        x->of[x->c->v[i].send] = i;
    }
    for (int i = 0; i < x->g->n; i++)
        if (x->g->nodes[i].kind == ATN_OP_SEND && x->of[i] < 0)
            return atn_fail(x->err, ATN_FINDING, "a message from rank %d to rank %d is missing",
                            x->g->nodes[i].rank, x->g->nodes[x->g->nodes[i].other].rank);
    return ATN_OK;
}

/* ---- ports ---- */

static const char *wrong_port(const verifier *x, const atn_ron_transfer *t,
                              const atn_ron_transfer *before)
{
    if (before && t->begin < before->end - x->slack)
        return "the port is busy with another message";
    if (!t->changed)
        return before && before->to == t->to ? NULL : "the circuit was never set up";
    if (before && t->since < before->end - x->slack)
        return "the port is reconfigured during a message";
    if (t->ready - t->since < x->net->delay - x->slack)
        return "the reconfiguration is shorter than the delay";
    return t->begin < t->ready - x->slack ? "the circuit is not set up yet" : NULL;
}

static atn_status check_ports(const verifier *x)
{
    for (int i = 0; i < x->c->n; i++) {
        const atn_ron_transfer *t = &x->c->v[i], *before = i > 0 ? t - 1 : NULL;
        const bool same = before && before->rank == t->rank && before->port == t->port;
        const char *why = wrong_port(x, t, same ? before : NULL);
        if (why)
            return refuse(x, t, why);
    }
    return ATN_OK;
}

typedef struct {
    int rank, step; /* +1: a message begins, -1: it ends */
    double at;
} edge;

static int by_time(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->step - b->step; /* ends before begins */
}

static atn_status check_receivers(const verifier *x)
{
    edge *v = malloc(sizeof *v * 2 * ((size_t)x->c->n + 1));
    atn_status status = v ? ATN_OK : atn_fail(x->err, ATN_MEMORY, "out of memory");
    for (int i = 0; v && i < x->c->n; i++) {
        const atn_ron_transfer *t = &x->c->v[i];
        v[2 * i] = (edge){t->to, 1, t->begin};
        v[2 * i + 1] = (edge){t->to, -1, fmax(t->begin, t->end - x->slack)};
    }
    if (v && x->c->n > 0)
        qsort(v, 2 * (size_t)x->c->n, sizeof *v, by_time);
    for (int i = 0, n = 0; v && !status && i < 2 * x->c->n; i++) {
        n = (i > 0 && v[i - 1].rank == v[i].rank ? n : 0) + v[i].step;
        if (n > x->net->ports)
            status = atn_fail(x->err, ATN_FINDING, "rank %d receives %d messages at once at %.9g",
                              v[i].rank, n, v[i].at);
    }
    free(v);
    return status;
}

/* ---- dependencies ---- */

static double ready_at(const verifier *x, int r, const atn_op *o)
{
    double ready = 0;
    for (int d = 0; d < o->ndeps; d++) {
        const int on = x->g->s[r]->deps[o->dep + d];
        ready = fmax(ready, x->done[atn_model_op_graph_last(x->g, r, on)]);
    }
    return ready;
}

static atn_status check_rank(verifier *x, int r)
{
    const atn_schedule *s = x->g->s[r];
    double busy = 0;

    for (int i = 0; i < s->nops; i++) {
        const int id = x->g->base[r] + i;
        const atn_op_node *n = &x->g->nodes[id];
        const double ready = ready_at(x, r, &s->ops[i]);
        if (n->other >= 0) {
            const atn_ron_transfer *t = &x->c->v[x->of[n->kind == ATN_OP_SEND ? id : n->other]];
            if (t->begin < ready - x->slack)
                return refuse(x, t, "the message starts before its dependencies complete");
            x->done[id] = t->end;
        } else {
            x->done[id] = ready;
        }
        const int last = atn_model_op_graph_last(x->g, r, i);
        if (x->g->nodes[last].kind == ATN_OP_REDUCE)
            x->done[last] = busy = fmax(x->done[id], busy) + (double)n->bytes * x->net->reduce;
        x->end = fmax(x->end, x->done[last]);
    }
    return ATN_OK;
}

static atn_status verify(verifier *x)
{
    atn_status status = check_messages(x);

    status = status ? status : check_ports(x);
    status = status ? status : check_receivers(x);
    for (int r = 0; !status && r < x->g->p; r++)
        status = check_rank(x, r);
    if (!status && x->c->time >= 0 && !(fabs(x->end - x->c->time) <= x->slack))
        return atn_fail(x->err, ATN_FINDING, "the schedules complete at %.9g, not at %.9g", x->end,
                        x->c->time);
    return status;
}

atn_status atn_ron_check(const atn_op_graph *g, const atn_ron *net, atn_circuits *c, atn_error *err)
{
    verifier x = {.g = g, .net = net, .c = c, .err = err};
    for (int i = 0; i < g->n; i++)
        if (g->nodes[i].source >= 0)
            return atn_fail(err, ATN_INPUT,
                            "the schedules read shared memory; circuits are checked for messages");
    for (int i = 0; i < c->n; i++)
        x.slack = fmax(x.slack, 1e-8 * (fabs(c->v[i].end) + net->delay));
    x.of = malloc(sizeof *x.of * ((size_t)g->n + 1));
    x.done = malloc(sizeof *x.done * ((size_t)g->n + 1));
    atn_model_circuits_sort(c);
    const atn_status status =
        x.of && x.done ? verify(&x) : atn_fail(err, ATN_MEMORY, "out of memory");
    if (!status)
        c->time = x.end;
    free(x.of);
    free(x.done);
    return status;
}
