/* contention.c - counts the messages on every directed link: by round, by sender, by receiver. */
#include "algo/contention.h"
#include "topo/routes.h"

#include <stdlib.h>
#include <string.h>

#include "algo/capacity.h"

typedef struct {
    int round, from, to;
} message;

typedef struct {
    const atn_topo *t;
    message *list;
    int n;
    int edges;
    int *capacity, *path;
    int *used, *stamp, *last; /* per edge: count, stamp of the count, last message */
} search;

static int by_round(const void *x, const void *y)
{
    const message *a = x, *b = y;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

static int by_sender(const void *x, const void *y)
{
    const message *a = x, *b = y;
    if (a->from != b->from)
        return a->from - b->from;
    return a->to != b->to ? a->to - b->to : (a->round > b->round) - (a->round < b->round);
}

static int by_receiver(const void *x, const void *y)
{
    const message *a = x, *b = y;
    if (a->to != b->to)
        return a->to - b->to;
    return a->from != b->from ? a->from - b->from : (a->round > b->round) - (a->round < b->round);
}

static void collect(search *x, atn_schedule *const *s, int p)
{
    for (int r = 0; r < p; r++)
        for (int i = 0; i < s[r]->nops; i++) {
            const atn_op *o = &s[r]->ops[i];
            if (o->kind == ATN_OP_SEND && o->a.n > 0) /* reads of shared memory use no link */
                x->list[x->n++] = (message){o->round, r, o->peer};
        }
}

static void note(atn_collision *c, const message *m, const message *other, int edge)
{
    *c = (atn_collision){
        .round = m->round, .edge = edge, .from = {other->from, m->from}, .to = {other->to, m->to}};
}

static void clear(search *x)
{
    memset(x->used, 0, sizeof *x->used * (size_t)x->edges);
    memset(x->stamp, -1, sizeof *x->stamp * (size_t)x->edges);
}

static void check_rounds(search *x, atn_contention *found)
{
    qsort(x->list, (size_t)x->n, sizeof *x->list, by_round);
    clear(x);
    for (int i = 0; i < x->n; i++) {
        const message *m = &x->list[i];
        const int length = atn_topo_path(x->t, m->from, m->to, x->path);
        found->phases += i == 0 || m->round != m[-1].round;
        for (int k = 0; k < length; k++) {
            const int e = x->path[k];
            x->used[e] = x->stamp[e] == m->round ? x->used[e] + 1 : 1;
            x->stamp[e] = m->round;
            if (x->used[e] > x->capacity[e] && found->by_round) {
                found->by_round = false;
                note(&found->round, m, &x->list[x->last[e]], e);
            }
            x->last[e] = i;
        }
    }
}

/* The number of distinct senders (receivers) of each link; messages are sorted by them. */
static void count_ends(search *x, bool senders, int *ends)
{
    qsort(x->list, (size_t)x->n, sizeof *x->list, senders ? by_sender : by_receiver);
    clear(x);
    for (int i = 0; i < x->n; i++) {
        const message *m = &x->list[i];
        const int end = senders ? m->from : m->to;
        const int length = atn_topo_path(x->t, m->from, m->to, x->path);
        for (int k = 0; k < length; k++) {
            const int e = x->path[k];
            ends[e] += x->stamp[e] != end;
            x->stamp[e] = end;
        }
    }
}

static bool crosses(search *x, const message *m, int edge)
{
    const int length = atn_topo_path(x->t, m->from, m->to, x->path);

    for (int k = 0; k < length; k++)
        if (x->path[k] == edge)
            return true;
    return false;
}

/* Two messages on the link with different senders and different receivers. */
static void find_pair(search *x, int edge, atn_collision *c)
{
    for (int i = 0; i < x->n; i++)
        for (int j = i + 1; crosses(x, &x->list[i], edge) && j < x->n; j++)
            if (x->list[i].from != x->list[j].from && x->list[i].to != x->list[j].to &&
                crosses(x, &x->list[j], edge)) {
                note(c, &x->list[j], &x->list[i], edge);
                return;
            }
}

static void check_ends(search *x, atn_contention *found, int *senders, int *receivers)
{
    count_ends(x, false, receivers);
    count_ends(x, true, senders);
    for (int e = 0; e < x->edges && found->apart; e++)
        if (senders[e] > x->capacity[e] && receivers[e] > x->capacity[e]) {
            found->apart = false;
            find_pair(x, e, &found->any);
        }
}

static int64_t bound(search *x, int64_t *load)
{
    int64_t most = 0;

    for (int i = 0; i < x->n; i++) {
        const int length = atn_topo_path(x->t, x->list[i].from, x->list[i].to, x->path);
        for (int k = 0; k < length; k++)
            load[x->path[k]]++;
    }
    for (int e = 0; e < x->edges; e++) {
        const int64_t need = load[e] / x->capacity[e] + (load[e] % x->capacity[e] > 0);
        most = need > most ? need : most;
    }
    return most;
}

static void look(search *x, atn_contention *found, int *ends, int64_t *load)
{
    found->messages = x->n;
    check_rounds(x, found);
    check_ends(x, found, ends, ends + x->edges);
    found->bound = bound(x, load);
}

atn_status atn_algo_contention_find(atn_schedule *const *schedules, int p, const atn_topo *t,
                                    bool rated, atn_contention *found_p, atn_error *err)
{
    search x = {.t = t, .edges = atn_topo_edges(t)};
    const size_t edges = (size_t)x.edges;
    atn_contention found = {.by_round = true, .apart = true};
    int ops = 0;

    if (t->p != p)
        return atn_fail(err, ATN_INPUT, "the topology has %d ranks, the schedule %d", t->p, p);
    int64_t *load = calloc(edges, sizeof *load);
    int *ends = calloc(2 * edges, sizeof *ends);
    for (int r = 0; r < p; r++)
        ops += schedules[r]->nops;
    x.list = malloc(sizeof *x.list * ((size_t)ops + 1));
    x.capacity = malloc(sizeof *x.capacity * (4 * edges + (size_t)atn_topo_longest(t)));
    const bool ok = load && ends && x.list && x.capacity;
    if (ok) {
        x.used = x.capacity + edges;
        x.stamp = x.used + edges;
        x.last = x.stamp + edges;
        x.path = x.last + edges;
        atn_algo_capacities(t, rated, x.capacity);
        collect(&x, schedules, p);
        look(&x, &found, ends, load);
        *found_p = found;
    }
    free(load);
    free(ends);
    free(x.list);
    free(x.capacity);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static void name_route_link(const atn_routes *x, int edge, char *out, size_t size)
{
    const atn_route_link *l = &x->links[edge / 2];
    char ends[2][64];

    atn_topo_router_name(x, edge % 2 ? l->b : l->a, ends[0], sizeof ends[0]);
    atn_topo_router_name(x, edge % 2 ? l->a : l->b, ends[1], sizeof ends[1]);
    snprintf(out, size, "the link from %s to %s", ends[0], ends[1]);
}

void atn_algo_edge_name(const atn_topo *t, int edge, char *out, size_t size)
{
    const int v = edge / 2 - t->p;

    if (v >= t->nnodes)
        name_route_link(t->routes, edge - 2 * (t->p + t->nnodes), out, size);
    else if (v < 0)
        snprintf(out, size, "the port of rank %d %s", edge / 2, edge % 2 == 0 ? "out" : "in");
    else
        snprintf(out, size, "the link of %s %s", t->nodes[v].name, edge % 2 == 0 ? "up" : "down");
}
