/* taulop.c - tau-Lop on schedules: stages of transfers in lock-step.
 *
 * A message inside a host is two transfers in its memory; a message between hosts is one in the
 * memory of the source, one through the network card of the destination and one in the memory of
 * the destination.  Step j of all messages of a stage is concurrent; tau of a memory or card is
 * its number of transfers in the step.  A step takes as long as its slowest resource; a stage is
 * the sum of its steps and of the overheads of the rank that sends most.  Stages are the rounds of
 * the schedule if both ends of every message have the same round, otherwise the stages of a
 * network with unit message times.  A read of shared memory is a single transfer, and so is a
 * message whose receiver reads the sender's memory.  Concurrent
 * transfers of different sizes share until the shorter ends:
 * T(m1) || T(m2) = 2||T(m1) + T(m2 - m1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { STEPS = 3 };

typedef enum { COPIED, SINGLE, EXPOSED } transfer_way;

typedef struct {
    int resource, channel;
    int turn; /* through shared memory: number among those that its rank executes in the step */
    transfer_way way;
    double bytes;
    const atn_op_node *op;
} transfer;

typedef struct {
    const atn_model_case *c;
    bool links;
    int p, nhosts, nstages, nedges;
    int *host;             /* of a rank */
    int *stage;            /* of a node */
    int *order, *first;    /* nodes by stage: order[first[s] .. first[s + 1]) */
    transfer *list[STEPS]; /* of the current stage */
    int n[STEPS];
    double *busy;          /* of a rank: overheads of the stage */
    int *sends, *receives; /* the last stage in which a rank sent, received */
    int *duplex;           /* the last stage in which a rank of the host did both */
    int *turn[STEPS];      /* of a rank: number of transfers, or of local operations */
    double *load;          /* of an edge, seconds */
    int *path;
} engine;

/* ---- stages ---- */

static bool rounds_agree(const atn_op_graph *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->nodes[i].source >= 0 ||
            (g->nodes[i].other >= 0 && g->nodes[i].round != g->nodes[g->nodes[i].other].round))
            return false;
    return true;
}

static bool is_read(const atn_op_node *x)
{
    return x->kind == ATN_OP_READ || x->kind == ATN_OP_READ_REDUCE;
}

static atn_status find_stages(engine *e, atn_error *err)
{
    const atn_op_graph *g = e->c->g;
    if (rounds_agree(g)) {
        for (int i = 0; i < g->n; i++) {
            e->stage[i] = g->nodes[i].round;
            e->nstages = atn_max(e->nstages, e->stage[i] + 1);
        }
        return ATN_OK;
    }
    const atn_status status = atn_model_op_graph_stages(g, e->stage, &e->nstages, err);
    for (int i = 0; status == ATN_OK && i < g->n; i++) /* local operations follow messages */
        if (g->nodes[i].other < 0 && !is_read(&g->nodes[i]))
            e->stage[i] = atn_max(e->stage[i] - 1, 0);
    e->nstages = atn_max(e->nstages, 1);
    return status;
}

static void sort_by_stage(engine *e)
{
    const int n = e->c->g->n;
    memset(e->first, 0, sizeof *e->first * ((size_t)e->nstages + 2));
    for (int i = 0; i < n; i++)
        e->first[e->stage[i] + 2]++;
    for (int s = 0; s < e->nstages; s++)
        e->first[s + 2] += e->first[s + 1];
    for (int i = 0; i < n; i++)
        e->order[e->first[e->stage[i] + 1]++] = i;
}

/* ---- transfers ---- */

/* The ends of a message, given its send, or of a read. */
static int source_of(const engine *e, const atn_op_node *x)
{
    return is_read(x) ? e->c->g->nodes[x->source].rank : x->rank;
}
static int target_of(const engine *e, const atn_op_node *x)
{
    return is_read(x) ? x->rank : e->c->g->nodes[x->other].rank;
}

static transfer_way way_of(const engine *e, int channel, const atn_op_node *op)
{
    if (channel != ATN_CHANNEL_SHARED)
        return COPIED;
    if (is_read(op))
        return EXPOSED;
    const bool single = atn_model_channel_is_single(&e->c->m->channel[channel], (double)op->bytes);
    return single && !op->alone ? SINGLE : COPIED;
}

/* The sender copies into shared memory, the receiver does all the rest. */
static void put(engine *e, int step, int resource, int channel, const atn_op_node *op)
{
    const transfer_way way = way_of(e, channel, op);
    const int rank = step == 0 && way == COPIED ? source_of(e, op) : target_of(e, op);
    const int turn = channel == ATN_CHANNEL_SHARED ? e->turn[step][rank]++ : 0;
    e->list[step][e->n[step]++] = (transfer){resource, channel, turn, way, (double)op->bytes, op};
}

/* Transfers of a message inside a host. */
static int hops_of(const engine *e, int channel, const atn_op_node *x)
{
    const bool one = is_read(x) || way_of(e, channel, x) != COPIED;
    return one || e->c->m->channel[channel].hops < 2 ? 1 : 2;
}

static void add_message(engine *e, int stage, const atn_op_node *send)
{
    const atn_machine *m = e->c->m;
    const int to = target_of(e, send), from = source_of(e, send);
    const int channel = atn_model_machine_channel_of(m, e->c->t, from, to);
    e->sends[from] = stage;
    e->receives[to] = stage;
    if (atn_model_channel_inside(channel)) {
        for (int i = 0; i < hops_of(e, channel, send); i++)
            put(e, i, e->host[from], channel, send);
        return;
    }
    put(e, 0, e->host[from], 0, send);
    put(e, 1, e->nhosts + e->host[to], channel, send);
    if (m->channel[channel].hops > 2)
        put(e, 2, e->host[to], 0, send);
}

static int by_resource(const void *a, const void *b)
{
    const transfer *x = a, *y = b;
    if (x->resource != y->resource)
        return x->resource < y->resource ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* A transfer like x of some bytes; c: the channel of others on its resource. */
static double moved(const engine *e, const transfer *x, const atn_channel *c, double bytes, int tau)
{
    const atn_channel *const own = &e->c->m->channel[ATN_CHANNEL_SHARED];
    if (x->way == SINGLE)
        return atn_model_table_time(&own->single, bytes, tau);
    if (x->way == EXPOSED && own->exposed.nsizes > 0)
        return atn_model_table_time(&own->exposed, bytes, tau);
    return atn_model_channel_transfer(x->channel == ATN_CHANNEL_SHARED ? own : c, bytes, tau);
}

/* n transfers on one resource, shortest first. */
static double shared(const engine *e, const transfer *v, int n)
{
    int channel = 0;
    double time = 0, before = 0;
    for (int i = 0; i < n; i++)
        channel = atn_model_channel_farther(v[i].channel, channel);
    const atn_channel *c = &e->c->m->channel[channel];
    for (int i = 0; i < n; i++) {
        if (i > 0 && v[i].bytes <= before)
            continue;
        time += moved(e, &v[i], c, v[i].bytes, n - i) -
                (i > 0 ? moved(e, &v[i], c, before, n - i) : 0.0);
        before = v[i].bytes;
    }
    return time;
}

/* (3.2): pipelined cells, unless ranks of the host both send and receive (3.7).  Returns half of
 * the time, because both steps call it. */
static double pipelined(const engine *e, const transfer *v, int n, int stage, double time)
{
    const bool own = v[n - 1].channel == ATN_CHANNEL_SHARED;
    const atn_channel *c = &e->c->m->channel[own ? ATN_CHANNEL_SHARED : 0];
    const double bytes = v[n - 1].bytes, cell = atn_model_channel_cell(c);
    if (v[n - 1].way != COPIED || v[0].resource >= e->nhosts || cell <= 0 || bytes <= cell ||
        c->hops != 2 || e->duplex[v[0].resource] == stage)
        return time;
    const double cells = bytes / cell;
    return atn_model_channel_transfer(c, cell, n) +
           (cells - 1) / 2 * atn_model_channel_transfer(c, cell, 2.0 * n);
}

static double step_time(engine *e, int step, int stage)
{
    transfer *v = e->list[step];
    const int n = e->n[step];
    double most = 0, time = 0;
    bool sorted = true;
    for (int i = 1; i < n && sorted; i++)
        sorted = by_resource(&v[i - 1], &v[i]) <= 0;
    if (!sorted)
        qsort(v, (size_t)n, sizeof *v, by_resource);
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && v[k].resource == v[i].resource && v[k].turn == v[i].turn; k++)
            ;
        time = v[i].turn > 0 ? time : 0;
        time += pipelined(e, v + i, k - i, stage, shared(e, v + i, k - i));
        most = fmax(most, time);
    }
    return most;
}

/* ---- links ---- */

/* The time of the busiest link of the stage. */
static double link_time(engine *e, int stage)
{
    const atn_model_case *c = e->c;
    double most = 0;
    memset(e->load, 0, sizeof *e->load * (size_t)e->nedges);
    for (int i = e->first[stage]; i < e->first[stage + 1]; i++) {
        const atn_op_node *x = &c->g->nodes[e->order[i]];
        if (x->kind != ATN_OP_SEND && !is_read(x))
            continue;
        const int n = atn_topo_path(c->t, source_of(e, x), target_of(e, x), e->path);
        for (int k = 0; k < n; k++) {
            const double rate = atn_model_edge_rate(c->m, c->t, e->path[k]);
            if (rate > 0)
                e->load[e->path[k]] += (double)x->bytes / rate;
            most = fmax(most, e->load[e->path[k]]);
        }
    }
    return most;
}

/* ---- a stage ---- */

/* Concurrent work of one kind on a host, ascending: shares like transfers. */
static double work_time(const engine *e, const transfer *v, int n)
{
    double time = 0;
    for (int i = 0; i < n; i++) {
        atn_op_node done = *v[i].op;
        const bool reduces = done.kind != ATN_OP_COPY;
        double (*const cost)(const atn_model_case *, const atn_op_node *, double) =
            reduces ? atn_model_reduce_cost : atn_model_local_cost;
        done.bytes = i > 0 ? v[i - 1].op->bytes : 0;
        if (i == 0 || v[i].op->bytes > done.bytes)
            time += fmax(0, cost(e->c, v[i].op, n - i) - (i > 0 ? cost(e->c, &done, n - i) : 0));
    }
    return time;
}

/* Reductions or copies of a stage, in the order of each rank. */
static double local_time(engine *e, int stage, atn_op_kind kind)
{
    transfer *v = e->list[0];
    double time = 0, most = 0;
    int n = 0;
    int *const turn = e->turn[0];
    memset(turn, 0, sizeof *turn * (size_t)e->p);
    for (int i = e->first[stage]; i < e->first[stage + 1]; i++) {
        const atn_op_node *x = &e->c->g->nodes[e->order[i]];
        if (x->kind == kind || (kind == ATN_OP_REDUCE && x->kind == ATN_OP_READ_REDUCE))
            v[n++] = (transfer){.resource = turn[x->rank]++ * e->nhosts + e->host[x->rank],
                                .bytes = (double)x->bytes,
                                .op = x};
    }
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, by_resource);
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && v[k].resource == v[i].resource; k++)
            ;
        most = fmax(most, work_time(e, v + i, k - i));
        if (k == n || v[k].resource / e->nhosts > v[i].resource / e->nhosts) {
            time += most;
            most = 0;
        }
    }
    return time;
}

/* Time of a rank before or after transfers.  That of measured reads is part of them. */
static double overhead_of(const engine *e, const atn_op_node *x)
{
    const atn_model_case *c = e->c;
    const bool shares = atn_model_machine_shares(c->m);
    if (x->kind == ATN_OP_EXPOSE || x->kind == ATN_OP_CLOSE)
        return shares ? atn_model_local_cost(c, x, 1) : 0;
    if (x->kind != ATN_OP_SEND && !is_read(x))
        return 0;
    const int channel = atn_model_machine_channel_of(c->m, c->t, source_of(e, x), target_of(e, x));
    if (is_read(x) && c->m->channel[channel].exposed.nsizes > 0)
        return 0;
    const bool copied = channel == ATN_CHANNEL_SHARED && x->alone;
    return atn_model_channel_overhead(&c->m->channel[channel], copied ? 0.0 : (double)x->bytes);
}

static double stage_time(engine *e, int stage)
{
    double overhead = 0, step[STEPS];
    memset(e->n, 0, sizeof e->n);
    memset(e->busy, 0, sizeof *e->busy * (size_t)e->p);
    memset(e->turn[0], 0, sizeof *e->turn[0] * STEPS * (size_t)e->p);
    for (int i = e->first[stage]; i < e->first[stage + 1]; i++) {
        const atn_op_node *x = &e->c->g->nodes[e->order[i]];
        e->busy[x->rank] += overhead_of(e, x);
        overhead = fmax(overhead, e->busy[x->rank]);
        if (x->kind == ATN_OP_SEND || is_read(x))
            add_message(e, stage, x);
    }
    for (int r = 0; r < e->p; r++)
        if (e->sends[r] == stage && e->receives[r] == stage)
            e->duplex[e->host[r]] = stage;
    for (int k = 0; k < STEPS; k++)
        step[k] = step_time(e, k, stage);
    if (e->links)
        step[1] = fmax(step[1], link_time(e, stage));
    return overhead + step[0] + step[1] + step[2] + local_time(e, stage, ATN_OP_REDUCE) +
           local_time(e, stage, ATN_OP_COPY);
}

/* ---- evaluation ---- */

static bool set_up(engine *e)
{
    const atn_op_graph *g = e->c->g;
    const size_t p = (size_t)g->p, n = (size_t)g->n;
    int *ints = malloc(sizeof *ints * ((4 + STEPS) * p + 3 * n + 4));
    e->host = ints;
    e->list[0] = malloc(sizeof *e->list[0] * STEPS * (n + 1));
    e->busy = malloc(sizeof *e->busy * (p + 1));
    e->nedges = e->links ? atn_topo_edges(e->c->t) : 0;
    e->load = malloc(sizeof *e->load * ((size_t)e->nedges + 1));
    e->path = malloc(sizeof *e->path * (e->links ? (size_t)atn_topo_longest(e->c->t) : 1));
    if (!ints || !e->list[0] || !e->busy || !e->load || !e->path)
        return false;
    e->sends = e->host + p;
    e->receives = e->sends + p;
    e->duplex = e->receives + p;
    for (int k = 0; k < STEPS; k++)
        e->turn[k] = e->duplex + p + (size_t)k * p;
    e->stage = e->turn[STEPS - 1] + p;
    e->order = e->stage + n;
    for (int i = 0; i < (int)(3 * p); i++)
        e->sends[i] = -1;
    for (int k = 1; k < STEPS; k++)
        e->list[k] = e->list[0] + (size_t)k * (n + 1);
    e->nhosts = atn_model_hosts(e->c->m, e->c->t, g->p, e->host);
    return true;
}

static void tear_down(engine *e)
{
    free(e->host);
    free(e->list[0]);
    free(e->busy);
    free(e->load);
    free(e->path);
    free(e->first);
}

static atn_status evaluate(const atn_model_case *c, bool links, double *seconds_p, atn_error *err)
{
    engine e = {.c = c, .links = links && c->t != NULL, .p = c->g->p};
    atn_status status = set_up(&e) ? find_stages(&e, err) : ATN_MEMORY;
    double time = 0;

    if (status == ATN_OK)
        e.first = malloc(sizeof *e.first * ((size_t)e.nstages + 2));
    if (status == ATN_MEMORY || (status == ATN_OK && e.first == NULL))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK) {
        sort_by_stage(&e);
        for (int s = 0; s < e.nstages; s++)
            time += stage_time(&e, s);
        *seconds_p = time;
    }
    tear_down(&e);
    return status;
}

atn_status atn_model_taulop(const atn_model_case *c, double *seconds_p, atn_error *err)
{
    return evaluate(c, false, seconds_p, err);
}

atn_status atn_model_taulop_links(const atn_model_case *c, double *seconds_p, atn_error *err)
{
    return evaluate(c, true, seconds_p, err);
}
