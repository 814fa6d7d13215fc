/* graph.c - combines the schedules of all ranks: message ends, dependencies, order on ports. */
#include "model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "model/ports.h"
#include "sched/partition.h"

/* ---- the two ends of messages ---- */

typedef struct {
    int from, to, seq, node;
} end;

static int by_message(const void *x, const void *y)
{
    const end *a = x, *b = y;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static int collect(const atn_op_graph *g, bool sends, end *ends)
{
    int n = 0;
    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++) {
            const atn_op *o = &g->s[r]->ops[i];
            if (sends ? o->kind == ATN_OP_SEND : atn_sched_receives(o))
                ends[n++] = (end){sends ? r : o->peer, sends ? o->peer : r, o->seq, g->base[r] + i};
        }
    return n;
}

static int key(const end *e, bool by_sender) { return by_sender ? e->from : e->to; }

/* Stable counting sort: there are many messages and few ranks. */
static void sort_by(end *to, const end *from, int n, bool by_sender, int *count, int p)
{
    memset(count, 0, sizeof *count * ((size_t)p + 1));
    for (int i = 0; i < n; i++)
        count[key(&from[i], by_sender) + 1]++;
    for (int r = 0; r < p; r++)
        count[r + 1] += count[r];
    for (int i = 0; i < n; i++)
        to[count[key(&from[i], by_sender)]++] = from[i];
}

/* By receiver, sender, number.  Schedules number the messages of a pair in order, so the two passes
 * nearly always suffice. */
static void sort_ends(end *v, end *spare, int n, int *count, int p)
{
    sort_by(spare, v, n, true, count, p);
    sort_by(v, spare, n, false, count, p);
    for (int i = 1; i < n; i++)
        if (by_message(&v[i - 1], &v[i]) > 0) {
            qsort(v, (size_t)n, sizeof *v, by_message);
            return;
        }
}

static atn_status one_end(const end *e, atn_error *err)
{
    return atn_fail(err, ATN_FINDING, "message %d from rank %d to rank %d has only one end", e->seq,
                    e->from, e->to);
}

static bool peers_exist(const atn_op_graph *g, const end *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i].from < 0 || v[i].to < 0 || v[i].from >= g->p || v[i].to >= g->p)
            return false;
    return true;
}

static atn_status join(atn_op_graph *g, const end *sends, int nsends, const end *recvs, int nrecvs,
                       atn_error *err)
{
    for (int i = 0; i < nsends && i < nrecvs; i++) {
        const int order = by_message(&sends[i], &recvs[i]);
        if (order != 0)
            return one_end(order < 0 ? &sends[i] : &recvs[i], err);
        g->nodes[sends[i].node].other = recvs[i].node;
        g->nodes[recvs[i].node].other = sends[i].node;
    }
    if (nsends != nrecvs)
        return one_end(nsends > nrecvs ? &sends[nrecvs] : &recvs[nsends], err);
    g->nmessages = nsends;
    return ATN_OK;
}

static atn_status match(atn_op_graph *g, atn_error *err)
{
    end *ends = malloc(sizeof *ends * 3 * ((size_t)g->n + 1));
    int *count = malloc(sizeof *count * ((size_t)g->p + 2));
    atn_status status = ATN_OK;
    if (ends && count) {
        end *recvs = ends + g->n, *spare = recvs + g->n;
        const int nsends = collect(g, true, ends), nrecvs = collect(g, false, recvs);
        if (!peers_exist(g, ends, nsends) || !peers_exist(g, recvs, nrecvs)) {
            status = atn_fail(err, ATN_FINDING, "a message has an invalid rank");
        } else {
            sort_ends(ends, spare, nsends, count, g->p);
            sort_ends(recvs, spare, nrecvs, count, g->p);
            status = join(g, ends, nsends, recvs, nrecvs, err);
        }
    } else {
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free(ends);
    free(count);
    return status;
}

/* ---- nodes ---- */

/* A rank reads one block after the other, like a receiver; copies use no port. */
enum { PORT_SEND, PORT_RECV, PORT_REDUCE, NO_PORT, PORTS = NO_PORT };
static const uint8_t port_of[ATN_OP_KINDS] = {
    [ATN_OP_SEND] = PORT_SEND,        [ATN_OP_RECV] = PORT_RECV, [ATN_OP_COPY] = NO_PORT,
    [ATN_OP_REDUCE] = PORT_REDUCE,    [ATN_OP_EXPOSE] = NO_PORT, [ATN_OP_READ] = PORT_RECV,
    [ATN_OP_READ_REDUCE] = PORT_RECV, [ATN_OP_CLOSE] = NO_PORT,
};

/* Adds a node, which follows the last one on its port. */
static void add_node(atn_op_graph *g, int id, const atn_op_node *node, int last[PORTS])
{
    const int port = port_of[node->kind];

    g->nodes[id] = *node;
    if (port == NO_PORT)
        return;
    if (last[port] >= 0) {
        g->nodes[id].waits++;
        g->nodes[last[port]].next = id;
    }
    last[port] = id;
}

/* A rank with nothing else to do (exec/shared.c). */
static bool sends_once(const atn_schedule *s)
{
    int sends = 0, alone = 0;
    for (int i = 0, n; i < s->nops; i += n) {
        n = atn_sched_step_length(s, i);
        for (int k = i; k < i + n; k++)
            sends += s->ops[k].kind == ATN_OP_SEND;
        alone += n == 1 && s->ops[i].kind == ATN_OP_SEND;
    }
    return sends == 1 && alone == 1 && atn_sched_is_chain(s);
}

static void add_rank(atn_op_graph *g, int r)
{
    const atn_schedule *s = g->s[r];
    const bool once = sends_once(s);
    int last[PORTS], extra = g->base[r] + s->nops;

    memset(last, -1, sizeof last);
    for (int i = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        const bool fused = o->kind == ATN_OP_RECV_REDUCE;
        atn_op_node node = {.kind = fused ? ATN_OP_RECV : o->kind,
                            .ssend = o->ssend,
                            .rank = r,
                            .round = o->round,
                            .other = -1,
                            .source = -1,
                            .next = -1,
                            .waits = o->ndeps,
                            .parts = atn_sched_moved(o)->n,
                            .reduce = fused ? extra : -1,
                            .alone = once && o->kind == ATN_OP_SEND,
                            .fused = -1};
        add_node(g, g->base[r] + i, &node, last);
        if (!fused)
            continue;
        node.kind = ATN_OP_REDUCE;
        node.waits = 1;
        node.reduce = -1;
        node.fused = g->base[r] + i;
        add_node(g, extra++, &node, last);
    }
}

int atn_model_op_graph_last(const atn_op_graph *g, int r, int i)
{
    const int id = g->base[r] + i;
    return g->nodes[id].reduce >= 0 ? g->nodes[id].reduce : id;
}

/* Counts a successor or, when there is room for it, lists it. */
static void add_successor(atn_op_graph *g, int of, int id, bool list)
{
    if (list)
        g->succ[g->nodes[of].succ + g->nodes[of].nsucc] = id;
    g->nodes[of].nsucc++;
}

static void visit_successors(atn_op_graph *g, bool list)
{
    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++) {
            const atn_op *o = &g->s[r]->ops[i];
            const int id = g->base[r] + i, last = atn_model_op_graph_last(g, r, i);
            for (int d = 0; d < o->ndeps; d++)
                add_successor(g, atn_model_op_graph_last(g, r, g->s[r]->deps[o->dep + d]), id,
                              list);
            if (last != id)
                add_successor(g, id, last, list);
        }
}

static void list_successors(atn_op_graph *g)
{
    int at = 0;

    visit_successors(g, false);
    for (int i = 0; i < g->n; i++) {
        g->nodes[i].succ = at;
        at += g->nodes[i].nsucc;
        g->nodes[i].nsucc = 0;
    }
    visit_successors(g, true);
}

static int count_fused(const atn_schedule *s)
{
    int n = 0;
    for (int i = 0; i < s->nops; i++)
        n += s->ops[i].kind == ATN_OP_RECV_REDUCE;
    return n;
}

/* ---- shared memory ---- */

/* The exposures of all ranks, by rank (`to`) and number. */
static int list_exposures(const atn_op_graph *g, end *list)
{
    int n = 0;

    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++)
            if (g->s[r]->ops[i].kind == ATN_OP_EXPOSE)
                list[n++] = (end){0, r, g->s[r]->ops[i].seq, g->base[r] + i};
    if (n > 1)
        qsort(list, (size_t)n, sizeof *list, by_message);
    return n;
}

static atn_status find_sources(atn_op_graph *g, const end *list, int n, atn_error *err)
{
    for (int r = 0; r < g->p; r++)
        for (int i = 0; i < g->s[r]->nops; i++) {
            const atn_op *o = &g->s[r]->ops[i];
            const bool reads = atn_sched_is_read(o);
            const end wanted = {0, reads ? o->peer : r, o->seq, 0};
            if (!reads && o->kind != ATN_OP_CLOSE)
                continue;
            const end *found =
                n == 0 ? NULL : bsearch(&wanted, list, (size_t)n, sizeof *list, by_message);
            if (!found)
                return atn_fail(err, ATN_FINDING, "rank %d has no exposure %d", wanted.to, o->seq);
            g->nodes[g->base[r] + i].source = found->node;
        }
    return ATN_OK;
}

/* A read waits for its exposure, a close for the reads: close[node of the exposure] is its node.
 * Called twice: to count, then to list. */
static void join_reads(atn_op_graph *g, const int *close, bool list)
{
    for (int i = 0; i < g->n; i++) {
        const atn_op_node *x = &g->nodes[i];
        const int closed = x->source < 0 ? -1 : close[x->source];
        if (x->source < 0 || x->kind == ATN_OP_CLOSE)
            continue;
        add_successor(g, x->source, i, list);
        g->nodes[i].waits += !list;
        if (closed < 0)
            continue;
        add_successor(g, i, closed, list);
        g->nodes[closed].waits += !list;
    }
}

static int *find_closes(const atn_op_graph *g)
{
    int *close = malloc(sizeof *close * ((size_t)g->n + 1));

    for (int i = 0; close && i < g->n; i++)
        close[i] = -1;
    for (int i = 0; close && i < g->n; i++)
        if (g->nodes[i].kind == ATN_OP_CLOSE)
            close[g->nodes[i].source] = i;
    return close;
}

static atn_status connect(atn_op_graph *g, atn_error *err)
{
    end *list = malloc(sizeof *list * ((size_t)g->n + 1));
    atn_status status = list ? find_sources(g, list, list_exposures(g, list), err)
                             : atn_fail(err, ATN_MEMORY, "out of memory");
    int *close = status == ATN_OK ? find_closes(g) : NULL;

    free(list);
    if (status != ATN_OK)
        return status;
    if (!close)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    join_reads(g, close, false);
    list_successors(g);
    join_reads(g, close, true);
    free(close);
    return ATN_OK;
}

static bool set_up(atn_op_graph *g, atn_schedule *const *s, int p)
{
    int deps = 0;

    *g = (atn_op_graph){.s = s, .p = p, .base = malloc(sizeof *g->base * ((size_t)p + 1))};
    for (int r = 0; g->base && r < p; r++) {
        g->base[r] = g->n;
        const int fused = count_fused(s[r]);
        g->n += s[r]->nops + fused;
        deps += s[r]->ndeps + fused;
        for (int i = 0; i < s[r]->nops; i++)
            deps += atn_sched_is_read(&s[r]->ops[i]) ? 2 : 0;
    }
    if (g->base)
        g->base[p] = g->n;
    g->nodes = malloc(sizeof *g->nodes * ((size_t)g->n + 1));
    g->succ = malloc(sizeof *g->succ * ((size_t)deps + 1));
    return g->base && g->nodes && g->succ;
}

void atn_model_op_graph_free(atn_op_graph *g)
{
    free(g->base);
    free(g->nodes);
    free(g->succ);
    *g = (atn_op_graph){.p = 0};
}

atn_status atn_model_op_graph_make(atn_schedule *const *schedules, int p, atn_op_graph *g,
                                   atn_error *err)
{
    atn_status status =
        set_up(g, schedules, p) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");

    for (int r = 0; status == ATN_OK && r < p; r++)
        add_rank(g, r);
    if (status == ATN_OK)
        status = match(g, err);
    if (status == ATN_OK)
        status = connect(g, err);
    if (status != ATN_OK)
        atn_model_op_graph_free(g);
    return status;
}

void atn_model_op_graph_size(atn_op_graph *g, int64_t n)
{
    for (int r = 0; r < g->p; r++) {
        const atn_schedule *s = g->s[r];
        const atn_partition t = atn_sched_partition_uniform(&s->q, s->split, n);
        for (int i = 0; i < s->nops; i++) {
            const int64_t bytes = atn_sched_slot_units(&t, s, atn_sched_moved(&s->ops[i]));
            g->nodes[g->base[r] + i].bytes = bytes;
            g->nodes[atn_model_op_graph_last(g, r, i)].bytes = bytes;
        }
    }
}

/* ---- stages ---- */

bool atn_model_op_graph_rounds_are_stages(const atn_op_graph *g)
{
    for (int i = 0; i < g->n; i++) {
        const atn_op_node *x = &g->nodes[i];
        const bool message = x->other >= 0;
        if (x->source >= 0)
            return false; /* one exposure may be read in several rounds */
        if (message && (x->round != g->nodes[x->other].round ||
                        (x->next >= 0 && x->round == g->nodes[x->next].round)))
            return false;
    }
    return true;
}

static bool is_transfer(const atn_op_node *x)
{
    return x->other >= 0 || x->kind == ATN_OP_READ || x->kind == ATN_OP_READ_REDUCE;
}

static double one_unit(void *context, const atn_op_graph *g, int id, atn_message_cost *cost)
{
    (void)context;
    const bool message = g->nodes[id].other >= 0;
    if (message)
        *cost =
            (atn_message_cost){.sync = true, .send = 1, .send_port = 1, .recv = 1, .recv_port = 1};
    return is_transfer(&g->nodes[id]) ? 1.0 : 0.0;
}

atn_status atn_model_op_graph_stages(const atn_op_graph *g, int *stage, int *nstages_p,
                                     atn_error *err)
{
    double *done = malloc(sizeof *done * ((size_t)g->n + 1)), time = 0;
    if (done == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status status = atn_model_ports_time(g, one_unit, NULL, done, &time, err);
    for (int i = 0; status == ATN_OK && i < g->n; i++)
        stage[i] = (int)(done[i] + 0.5) - is_transfer(&g->nodes[i]);
    if (status == ATN_OK)
        *nstages_p = (int)(time + 0.5);
    free(done);
    return status;
}
