/* links.c - a collective as flows over the links of the topology: discrete-event simulation.
 *
 * Ranks start ready operations in program order, as the executor does.  A message takes processor
 * time of its sender; an eager one is then sent at once, a rendezvous one after a handshake with
 * its receiver.  Its bytes are a flow over all links of its path: links are shared fairly, messages
 * of one pair are sequential.  After the latency it takes processor time of the receiver, once the
 * receive is posted.  A rank executes one task at a time.  Where hosts share processors (emulated
 * clusters), tasks and bytes share these, too, and a zero-byte message waits until all ranks have
 * been scheduled.  Large messages have only a fraction of the rate while the opposite direction is
 * busy at one of their ends, because handshakes queue behind data.
 *
 * In a simulated machine, messages of a pair are not sequential: eager ones share links like those
 * of different pairs, so that many arrive late and at once.  The executor holds a send back until
 * the one before it to the same rank is complete, a large one when it has arrived (exec/host.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/events.h"
#include "model/fluid.h"
#include "model/links_private.h"
#include "model/model.h"

static const double BUCKET = 4096; /* largest observed burst */

enum { WORK, ARRIVE, GRANT, BEGIN };      /* kinds of events */
enum { STEPS_EVENT = 8, STEPS_RATE = 2 }; /* counted as work for each of them, and for rates */

typedef struct {
    int channel, pair; /* of a receive: the pair in the opposite direction; -1: none */
    int waits;
    bool posted, requested, arrived; /* receive posted; handshake sent; last byte received */
    int behind;                      /* next in a queue of its rank or its pair; -1: none */
    int held;                        /* a send that waits for this one; -1: none */
} op_state;

/* Burst that a link passes after it was idle: rate limiters and deep buffers. */
typedef struct {
    double credit, since; /* bytes of credit, and the time of the last update */
} bucket;

typedef struct {
    int active, first, last; /* the current operation, and those waiting */
} queue;

typedef struct {
    const atn_model_case *c;
    const atn_op_graph *g;
    atn_links_cost channels[ATN_CHANNEL_SLOTS];
    op_state *v;
    queue *rank, *pair;                     /* work of a rank; messages of a pair */
    int npairs, nedges, processors, memory; /* first resource of each kind; -1: none */
    int *busy;                              /* flows on each edge */
    bucket *bucket;                         /* of each edge */
    int *host, nhosts;
    int *path;
    atn_fluid_use *uses;
    atn_events events;
    double turn; /* extra time of a zero-byte message */
    int done;
    int *finished; /* of the fluid, at one time */
    atn_fluid f;
    int64_t before; /* work counted for other schedules */
    double now, time;
    bool weighted; /* messages in opposite directions slow each other down */
    bool moved;    /* then: flows began or ended */
    bool no_memory;
} sim;

static void at(sim *s, double time, int kind, int id)
{
    s->no_memory = !atn_model_events_add(&s->events, time, kind, id) || s->no_memory;
}

/* ---- queues ---- */

/* Whether it may start immediately. */
static bool enqueue(sim *s, queue *q, int id)
{
    s->v[id].behind = -1;
    if (q->active < 0) {
        q->active = id;
        return true;
    }
    if (q->first < 0)
        q->first = id;
    else
        s->v[q->last].behind = id;
    q->last = id;
    return false;
}

/* The same, before receives that wait. */
static bool enqueue_first(sim *s, queue *q, int id)
{
    int *at = &q->first;
    while (q->active >= 0 && *at >= 0 && s->g->nodes[*at].kind != ATN_OP_RECV)
        at = &s->v[*at].behind;
    if (q->active < 0 || *at < 0)
        return enqueue(s, q, id);
    s->v[id].behind = *at;
    *at = id;
    return false;
}

/* The next operation to start; -1: none. */
static int dequeue(const sim *s, queue *q)
{
    q->active = q->first;
    if (q->first >= 0)
        q->first = s->v[q->first].behind;
    return q->active;
}

/* ---- work of ranks ---- */

static bool is_large(const sim *s, int send)
{
    const atn_op_node *x = &s->g->nodes[send];
    const atn_links_cost *w = &s->channels[s->v[send].channel];
    return x->ssend || (w->eager > 0 && (double)x->bytes >= w->eager);
}

/* Consecutive messages cost less: the process need not wake up.  SimGrid counts the work of
 * receiving only for messages that were buffered. */
static double work_of(const sim *s, int id, bool more)
{
    const atn_op_node *x = &s->g->nodes[id];
    if (x->other < 0)
        return atn_model_local_cost(s->c, x, 1);
    if (s->c->m->simulated && x->kind == ATN_OP_RECV && is_large(s, x->other))
        return 0;
    const double bytes = (double)x->bytes;
    const double pack = x->parts > 1 ? bytes * atn_model_table_rate(&s->c->m->pack, bytes, 1) : 0.0;
    const atn_links_cost *w = &s->channels[s->v[id].channel];
    return (more ? w->more : w->cpu) + pack;
}

/* Owners of flows are the sends; owners of tasks are numbered after all nodes. */
static void begin_work(sim *s, int id, bool more)
{
    const double seconds = work_of(s, id, more);
    const atn_fluid_use use = {s->processors, 1.0};
    if (s->processors < 0 || seconds <= 0)
        at(s, s->now + seconds, WORK, id);
    else if (!atn_model_fluid_add(&s->f, s->g->n + id, seconds, 1.0, 1.0, &use, 1))
        s->no_memory = true;
}

/* A simulated rank starts what has become ready before it waits for further messages. */
static void work(sim *s, int id)
{
    const atn_op_node *x = &s->g->nodes[id];
    const bool first = s->c->m->simulated && x->kind != ATN_OP_RECV;
    if ((first ? enqueue_first : enqueue)(s, &s->rank[x->rank], id))
        begin_work(s, id, false);
}

/* ---- flows ---- */

/* The links of its path, in s->path. */
static int path_of(const sim *s, int send)
{
    const atn_op_node *x = &s->g->nodes[send];
    return atn_topo_path(s->c->t, x->rank, s->g->nodes[x->other].rank, s->path);
}

static void count_flow(sim *s, int send, int by)
{
    if (s->c->t == NULL)
        return;
    const int n = path_of(s, send);
    for (int i = 0; i < n; i++) {
        s->busy[s->path[i]] += by;
        s->bucket[s->path[i]].since = s->now;
    }
    s->moved = s->weighted;
}

static int uses_of(sim *s, int send, const atn_links_cost *w)
{
    const atn_op_node *x = &s->g->nodes[send];
    const bool inside = atn_model_channel_inside(s->v[send].channel);
    int n = 0;
    if (s->c->t != NULL && !inside) {
        const int edges = path_of(s, send);
        for (int i = 0; i < edges; i++)
            if (s->f.capacity[s->path[i]] > 0)
                s->uses[n++] = (atn_fluid_use){s->path[i], 1.0};
    } else if (s->c->t == NULL && !inside) { /* one switch: the two links */
        s->uses[n++] = (atn_fluid_use){2 * x->rank, 1.0};
        s->uses[n++] = (atn_fluid_use){2 * s->g->nodes[x->other].rank + 1, 1.0};
    } else {
        s->uses[n++] = (atn_fluid_use){s->memory + s->host[x->rank], 1.0};
    }
    if (s->processors >= 0 && w->cpu_byte > 0)
        s->uses[n++] = (atn_fluid_use){s->processors, 2 * w->cpu_byte};
    return n;
}

/* The bytes of a message that pass idle links as a burst: the gain of a single message over the
 * rate of many. */
static double ahead(const sim *s, int send, const atn_links_cost *w)
{
    const double bytes = (double)s->g->nodes[send].bytes;
    const double alone = atn_model_channel_message(s->c->m, s->v[send].channel, bytes) - w->empty;
    return fmin(bytes, fmax(0.0, bytes - w->rate * fmax(0.0, alone)));
}

/* Draws the burst from the buckets of the path; they refill while the links are idle. */
static double draw(sim *s, int send, int n, const atn_links_cost *w)
{
    double least = ahead(s, send, w);
    if (atn_model_channel_inside(s->v[send].channel) || s->c->t == NULL)
        return 0;
    for (int i = 0; i < n; i++) {
        const int e = s->uses[i].resource;
        if (e >= s->nedges)
            continue;
        bucket *b = &s->bucket[e];
        if (s->busy[e] == 0)
            b->credit = fmin(BUCKET, b->credit + s->f.capacity[e] * (s->now - b->since));
        least = fmin(least, b->credit);
    }
    for (int i = 0; i < n; i++)
        if (s->uses[i].resource < s->nedges)
            s->bucket[s->uses[i].resource].credit -= least;
    return least;
}

static void begin_flow(sim *s, int send)
{
    const atn_links_cost *w = &s->channels[s->v[send].channel];
    const int n = uses_of(s, send, w);
    const double left = (double)s->g->nodes[send].bytes - draw(s, send, n, w);
    count_flow(s, send, 1);
    if (!atn_model_fluid_add(&s->f, send, left, w->rate, w->rate, s->uses, n))
        s->no_memory = true;
}

/* In SimGrid, a message uses no link before its latency has passed. */
static void flow(sim *s, int send)
{
    if (s->c->m->simulated)
        at(s, s->now + s->channels[s->v[send].channel].latency, BEGIN, send);
    else if (enqueue(s, &s->pair[s->v[send].pair], send))
        begin_flow(s, send);
}

/* With opposite traffic at one of its ends, the number of flows on the least busy link of its path;
 * else 0. */
static int opposed(const sim *s, int send)
{
    const int n = path_of(s, send);
    int least = s->busy[s->path[0]];
    for (int i = 1; i < n; i++)
        least = atn_min(least, s->busy[s->path[i]]);
    return s->busy[s->path[0] ^ 1] > 0 || s->busy[s->path[n - 1] ^ 1] > 0 ? least : 0;
}

static double weight_of(const sim *s, int send)
{
    const atn_links_cost *w = &s->channels[s->v[send].channel];
    const int flows = w->duplex < 1 ? opposed(s, send) : 0;
    const int back = s->v[s->g->nodes[send].other].pair;
    const bool meets = back >= 0 && s->pair[back].active >= 0;
    return flows == 0 ? 1.0 : atn_model_duplex_weight(w->duplex, is_large(s, send), meets, flows);
}

static void set_weights(sim *s)
{
    for (int k = 0; k < s->f.queue.n; k++) {
        const int i = s->f.queue.v[k].activity, send = s->f.v.v[i].owner;
        if (send < s->g->n && !atn_model_channel_inside(s->v[send].channel))
            atn_model_fluid_weigh(&s->f, i, s->nedges, weight_of(s, send));
    }
    s->moved = false;
}

/* ---- progress of an operation ---- */

static void ready(sim *s, int id);

static void release(sim *s, int id)
{
    if (--s->v[id].waits == 0)
        ready(s, id);
}

static void complete(sim *s, int id)
{
    const atn_op_node *x = &s->g->nodes[id];
    s->done++;
    s->time = fmax(s->time, s->now);
    for (int i = 0; i < x->nsucc; i++)
        release(s, s->g->succ[x->succ + i]);
    if (s->v[id].held >= 0)
        release(s, s->v[id].held);
}

static void grant(sim *s, int send)
{
    at(s, s->now + s->channels[s->v[send].channel].handshake, GRANT, send);
}

static void ready(sim *s, int id)
{
    const atn_op_node *x = &s->g->nodes[id];
    if (x->kind != ATN_OP_RECV) {
        work(s, id);
        return;
    }
    s->v[id].posted = true;
    if (s->v[id].arrived)
        work(s, id);
    else if (s->v[x->other].requested)
        grant(s, x->other);
}

static void sent(sim *s, int id)
{
    if (is_large(s, id)) {
        s->v[id].requested = true;
        if (s->v[s->g->nodes[id].other].posted)
            grant(s, id);
    } else {
        complete(s, id);
        flow(s, id);
    }
}

static void work_on(sim *s, int rank)
{
    const int next = dequeue(s, &s->rank[rank]);
    if (next >= 0)
        begin_work(s, next, true);
}

static void worked(sim *s, int id)
{
    const atn_op_node *x = &s->g->nodes[id];
    if (!s->c->m->simulated)
        work_on(s, x->rank);
    if (x->kind == ATN_OP_SEND)
        sent(s, id);
    else
        complete(s, id);
    if (s->c->m->simulated)
        work_on(s, x->rank);
}

static void flowed(sim *s, int send)
{
    const bool follow = !s->c->m->simulated;
    const int next = follow ? dequeue(s, &s->pair[s->v[send].pair]) : -1;
    const double turn = s->g->nodes[send].bytes == 0 ? s->turn : 0.0;
    const double latency = follow ? s->channels[s->v[send].channel].latency : 0.0;
    count_flow(s, send, -1);
    if (next >= 0)
        begin_flow(s, next);
    at(s, s->now + latency + turn, ARRIVE, send);
    if (follow && is_large(s, send))
        complete(s, send);
}

static void arrived(sim *s, int send)
{
    const int recv = s->g->nodes[send].other;
    s->v[recv].arrived = true;
    if (s->v[recv].posted)
        work(s, recv);
    if (s->c->m->simulated && is_large(s, send))
        complete(s, send);
}

static void happen(sim *s, const atn_event *e)
{
    if (e->kind == WORK)
        worked(s, e->id);
    else if (e->kind == ARRIVE)
        arrived(s, e->id);
    else if (e->kind == BEGIN)
        begin_flow(s, e->id);
    else
        flow(s, e->id);
}

static bool is_enough(const sim *s)
{
    atn_model_bounds *const b = s->c->bounds;
    if (b == NULL)
        return false;
    b->work = s->before + STEPS_RATE * s->f.work + STEPS_EVENT * (int64_t)s->events.made;
    b->stopped = s->now > b->until || b->work > b->most;
    return b->stopped;
}

static void run(sim *s)
{
    for (int i = 0; i < s->g->n; i++)
        if (s->v[i].waits == 0)
            ready(s, i);
    while (!s->no_memory && !is_enough(s)) {
        if (s->moved)
            set_weights(s);
        const double fluid = atn_model_fluid_next(&s->f);
        const double timed = atn_model_events_next(&s->events);
        s->now = fmin(fluid, timed);
        if (isinf(s->now))
            break;
        const int n = atn_model_fluid_advance(&s->f, s->now, s->finished);
        for (int i = 0; i < n; i++) {
            const int owner = s->finished[i];
            if (owner < s->g->n)
                flowed(s, owner);
            else
                worked(s, owner - s->g->n);
        }
        while (atn_model_events_next(&s->events) <= s->now) {
            const atn_event e = atn_model_events_take(&s->events);
            happen(s, &e);
        }
    }
}

/* ---- set-up ---- */

static void set_capacities(sim *s)
{
    const atn_machine *m = s->c->m;
    for (int e = 0; e < s->nedges; e++)
        s->f.capacity[e] = s->c->t            ? atn_model_edge_rate(m, s->c->t, e)
                           : m->nchannels > 1 ? s->channels[1].rate
                                              : 0.0;
    for (int h = 0; h < s->nhosts; h++)
        s->f.capacity[s->memory + h] = atn_model_machine_memory(m);
    if (s->processors >= 0)
        s->f.capacity[s->processors] = (double)m->processors;
}

/* Channels, pairs and dependencies; operations do not wait for the previous one on their port. */
static void set_states(sim *s, int *pair_to)
{
    for (int i = 0; i < s->g->n; i++)
        s->v[i] = (op_state){.waits = s->g->nodes[i].waits, .behind = -1, .held = -1};
    for (int i = 0; i < s->g->n; i++)
        if (s->g->nodes[i].next >= 0)
            s->v[s->g->nodes[i].next].waits--;
    for (int r = 0; r < s->g->p; r++) {
        memset(pair_to, -1, sizeof *pair_to * (size_t)s->g->p);
        for (int i = s->g->base[r]; i < s->g->base[r + 1]; i++) {
            const atn_op_node *x = &s->g->nodes[i];
            if (x->other < 0)
                continue;
            const int peer = s->g->nodes[x->other].rank;
            s->v[i].channel = atn_model_machine_channel_of(s->c->m, s->c->t, r, peer);
            if (x->kind == ATN_OP_SEND && pair_to[peer] < 0)
                pair_to[peer] = s->npairs++;
        }
        for (int i = s->g->base[r]; i < s->g->base[r + 1]; i++)
            if (s->g->nodes[i].other >= 0)
                s->v[i].pair = pair_to[s->g->nodes[s->g->nodes[i].other].rank];
    }
    for (int i = 0; i < s->npairs; i++)
        s->pair[i] = (queue){-1, -1, -1};
    for (int r = 0; r < s->g->p; r++)
        s->rank[r] = (queue){-1, -1, -1};
}

/* Sends of a simulated rank wait for the one before to the same rank, as in exec/dag.c. */
static void hold_sends(sim *s, int *last)
{
    for (int r = 0; r < s->g->p; r++) {
        memset(last, -1, sizeof *last * (size_t)s->g->p);
        for (int i = s->g->base[r]; i < s->g->base[r + 1]; i++) {
            const atn_op_node *x = &s->g->nodes[i];
            if (x->kind != ATN_OP_SEND)
                continue;
            int *const before = &last[s->g->nodes[x->other].rank];
            if (*before >= 0) {
                s->v[*before].held = i;
                s->v[i].waits++;
            }
            *before = i;
        }
    }
}

/* Where ranks share processors and some move data, a rank that waits for a zero-byte message
 * continues after all ranks had a time slice to send and to receive. */
static double turn_of(const sim *s)
{
    const double each = 2 * s->channels[s->c->m->nchannels - 1].cpu;
    bool data = false;
    for (int i = 0; i < s->g->n && !data; i++)
        data = s->g->nodes[i].other >= 0 && s->g->nodes[i].bytes > 0;
    return data && s->processors >= 0 ? each * s->g->p / s->c->m->processors : 0.0;
}

/* Events need not be distinguished far below the time of an empty message. */
static double instant_of(const sim *s)
{
    const atn_links_cost *last = &s->channels[s->c->m->nchannels - 1];
    return fmax(1e-10, (last->cpu + last->latency) / 100);
}

static bool has_duplex(const sim *s)
{
    bool found = false;
    for (int i = -1; (i = atn_model_machine_next(s->c->m, i)) >= 0;)
        found = found || s->channels[i].duplex < 1;
    return found;
}

static bool set_up(sim *s)
{
    const size_t n = (size_t)s->g->n + 1, p = (size_t)s->g->p + 1;
    const atn_topo *t = s->c->t;
    const int hops = t ? atn_topo_longest(t) : 2;
    s->host = malloc(sizeof *s->host * 2 * p);
    s->v = malloc(sizeof *s->v * n);
    s->rank = malloc(sizeof *s->rank * p);
    s->pair = malloc(sizeof *s->pair * ((size_t)s->g->nmessages + 1));
    s->path = malloc(sizeof *s->path * (size_t)hops);
    s->uses = malloc(sizeof *s->uses * ((size_t)hops + 2));
    s->finished = malloc(sizeof *s->finished * 2 * n);
    if (!s->host || !s->v || !s->rank || !s->pair || !s->path || !s->uses || !s->finished)
        return false;
    s->nedges = t ? atn_topo_edges(t) : 2 * s->g->p;
    s->busy = calloc((size_t)s->nedges + 1, sizeof *s->busy);
    s->bucket = calloc((size_t)s->nedges + 1, sizeof *s->bucket);
    for (int e = 0; s->bucket && e < s->nedges; e++)
        s->bucket[e].credit = BUCKET;
    s->nhosts = atn_model_hosts(s->c->m, t, s->g->p, s->host);
    s->memory = s->nedges;
    s->processors = s->c->m->processors > 0 ? s->memory + s->nhosts : -1;
    for (int i = -1; (i = atn_model_machine_next(s->c->m, i)) >= 0;)
        s->channels[i] = atn_model_links_cost(s->c->m, i);
    if (!s->busy || !s->bucket || !atn_model_fluid_make(&s->f, s->memory + s->nhosts + 1, hops + 2))
        return false;
    s->f.instant = instant_of(s);
    s->turn = turn_of(s);
    s->before = s->c->bounds ? s->c->bounds->work : 0;
    s->weighted = t != NULL && has_duplex(s);
    set_capacities(s);
    set_states(s, s->host + p);
    if (s->c->m->simulated)
        hold_sends(s, s->host + p);
    return true;
}

static void tear_down(sim *s)
{
    free(s->host);
    free(s->v);
    free(s->rank);
    free(s->pair);
    free(s->path);
    free(s->uses);
    free(s->finished);
    free(s->busy);
    free(s->bucket);
    atn_vec_free(&s->events.heap);
    atn_model_fluid_free(&s->f);
}

atn_status atn_model_links(const atn_model_case *c, double *seconds_p, atn_error *err)
{
    sim s = {.c = c, .g = c->g};
    atn_status status = ATN_OK;
    if (set_up(&s))
        run(&s);
    else
        s.no_memory = true;
    if (s.no_memory)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    else if (c->bounds && c->bounds->stopped)
        *seconds_p = s.now;
    else if (s.done < s.g->n)
        status = atn_fail(err, ATN_FINDING, "deadlock: %d of %d operations never start",
                          s.g->n - s.done, s.g->n);
    else
        *seconds_p = s.time;
    tear_down(&s);
    return status;
}
