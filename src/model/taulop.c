/* taulop.c - tau-Lop on schedules: stages of transfers in lock-step.
 *
 * A message inside a host is two transfers in its memory; a message between hosts is one in the
 * memory of the source, one through the network card of the destination and one in the memory of
 * the destination.  Step j of all messages of a stage is concurrent; tau of a memory or card is
 * its number of transfers in the step.  A step takes as long as its slowest resource; a stage is
 * the sum of its steps and of the overheads of the rank that sends most.  Stages are the rounds of
 * the schedule if both ends of every message have the same round, otherwise the stages of a
 * network with unit message times.  A read of shared memory is a single transfer.  Concurrent
 * transfers of different sizes share until the shorter ends:
 * T(m1) || T(m2) = 2||T(m1) + T(m2 - m1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { STEPS = 3 };

typedef struct {
    int resource, channel;
    double bytes;
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
    int *turn;             /* of a rank: number of local operations in the stage */
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

static void put(engine *e, int step, int resource, int channel, double bytes)
{
    e->list[step][e->n[step]++] = (transfer){resource, channel, bytes};
}

/* The ends of a message, given its send, or of a read. */
static int source_of(const engine *e, const atn_op_node *x)
{
    return is_read(x) ? e->c->g->nodes[x->source].rank : x->rank;
}
static int target_of(const engine *e, const atn_op_node *x)
{
    return is_read(x) ? x->rank : e->c->g->nodes[x->other].rank;
}

static void add_message(engine *e, int stage, const atn_op_node *send)
{
    const atn_machine *m = e->c->m;
    const int to = target_of(e, send), from = source_of(e, send);
    const int channel = atn_model_machine_channel_of(m, e->c->t, from, to);
    const double bytes = (double)send->bytes;
    e->sends[from] = stage;
    e->receives[to] = stage;
    put(e, 0, e->host[from], 0, bytes);
    if (channel == 0) {
        if (m->channel[0].hops > 1 && !is_read(send))
            put(e, 1, e->host[from], 0, bytes);
        return;
    }
    put(e, 1, e->nhosts + e->host[to], channel, bytes);
    if (m->channel[channel].hops > 2)
        put(e, 2, e->host[to], 0, bytes);
}

static int by_resource(const void *a, const void *b)
{
    const transfer *x = a, *y = b;
    if (x->resource != y->resource)
        return x->resource < y->resource ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* n transfers on one resource, shortest first. */
static double shared(const engine *e, const transfer *v, int n)
{
    int channel = 0;
    double time = 0, before = 0;
    for (int i = 0; i < n; i++)
        channel = atn_max(channel, v[i].channel);
    const atn_channel *c = &e->c->m->channel[channel];
    for (int i = 0; i < n; i++) {
        if (i > 0 && v[i].bytes <= before)
            continue;
        time += atn_model_channel_transfer(c, v[i].bytes, n - i) -
                (i > 0 ? atn_model_channel_transfer(c, before, n - i) : 0.0);
        before = v[i].bytes;
    }
    return time;
}

/* (3.2): pipelined cells, unless ranks of the host both send and receive (3.7).  Returns half of
 * the time, because both steps call it. */
static double pipelined(const engine *e, const transfer *v, int n, int stage, double time)
{
    const atn_channel *c = &e->c->m->channel[0];
    const double bytes = v[n - 1].bytes, cell = (double)c->segment;
    if (v[0].resource >= e->nhosts || c->segment == 0 || bytes <= cell || c->hops != 2 ||
        e->duplex[v[0].resource] == stage)
        return time;
    const double cells = bytes / cell;
    return atn_model_channel_transfer(c, cell, n) +
           (cells - 1) / 2 * atn_model_channel_transfer(c, cell, 2.0 * n);
}

static double step_time(engine *e, int step, int stage)
{
    transfer *v = e->list[step];
    const int n = e->n[step];
    double most = 0;
    bool sorted = true;
    for (int i = 1; i < n && sorted; i++)
        sorted = by_resource(&v[i - 1], &v[i]) <= 0;
    if (!sorted)
        qsort(v, (size_t)n, sizeof *v, by_resource);
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && v[k].resource == v[i].resource; k++)
            ;
        most = fmax(most, pipelined(e, v + i, k - i, stage, shared(e, v + i, k - i)));
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
static double work_time(const engine *e, atn_op_kind kind, const transfer *v, int n)
{
    double time = 0;
    for (int i = 0; i < n; i++) {
        const atn_op_node whole = {.kind = (uint8_t)kind, .bytes = (int64_t)v[i].bytes};
        const atn_op_node done = {.kind = (uint8_t)kind,
                                  .bytes = i > 0 ? (int64_t)v[i - 1].bytes : 0};
        if (i == 0 || whole.bytes > done.bytes)
            time += fmax(0, atn_model_local_cost(e->c, &whole, n - i) -
                                (i > 0 ? atn_model_local_cost(e->c, &done, n - i) : 0));
    }
    return time;
}

/* Reductions or copies of a stage, in the order of each rank. */
static double local_time(engine *e, int stage, atn_op_kind kind)
{
    transfer *v = e->list[0];
    double time = 0, most = 0;
    int n = 0;
    memset(e->turn, 0, sizeof *e->turn * (size_t)e->p);
    for (int i = e->first[stage]; i < e->first[stage + 1]; i++) {
        const atn_op_node *x = &e->c->g->nodes[e->order[i]];
        if (x->kind == kind || (kind == ATN_OP_REDUCE && x->kind == ATN_OP_READ_REDUCE))
            v[n++] =
                (transfer){e->turn[x->rank]++ * e->nhosts + e->host[x->rank], 0, (double)x->bytes};
    }
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, by_resource);
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && v[k].resource == v[i].resource; k++)
            ;
        most = fmax(most, work_time(e, kind, v + i, k - i));
        if (k == n || v[k].resource / e->nhosts > v[i].resource / e->nhosts) {
            time += most;
            most = 0;
        }
    }
    return time;
}

static double stage_time(engine *e, int stage)
{
    const atn_model_case *c = e->c;
    double overhead = 0, step[STEPS];
    memset(e->n, 0, sizeof e->n);
    memset(e->busy, 0, sizeof *e->busy * (size_t)e->p);
    for (int i = e->first[stage]; i < e->first[stage + 1]; i++) {
        const atn_op_node *x = &c->g->nodes[e->order[i]];
        if (x->kind != ATN_OP_SEND && !is_read(x))
            continue;
        const int from = source_of(e, x), to = target_of(e, x);
        const int channel = atn_model_machine_channel_of(c->m, c->t, from, to);
        e->busy[x->rank] += atn_model_channel_overhead(&c->m->channel[channel], (double)x->bytes);
        overhead = fmax(overhead, e->busy[x->rank]);
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
    int *ints = malloc(sizeof *ints * (5 * p + 3 * n + 4));
    e->host = ints;
    e->list[0] = malloc(sizeof *e->list[0] * STEPS * (n + 1));
    e->busy = malloc(sizeof *e->busy * (p + 1));
    e->nedges = e->links ? atn_topo_edges(e->c->t) : 0;
    e->load = malloc(sizeof *e->load * ((size_t)e->nedges + 1));
    e->path = malloc(sizeof *e->path * (e->links ? (size_t)(2 * atn_topo_depth(e->c->t) + 2) : 1));
    if (!ints || !e->list[0] || !e->busy || !e->load || !e->path)
        return false;
    e->sends = e->host + p;
    e->receives = e->sends + p;
    e->duplex = e->receives + p;
    e->turn = e->duplex + p;
    e->stage = e->turn + p;
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
