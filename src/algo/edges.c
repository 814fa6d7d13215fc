/* edges.c - see edges.h. */
#include "algo/edges.h"

#include <stdlib.h>

#include "algo/shape.h"

/* ---- packets ---- */

/* One edge to another rank. */
typedef struct {
    int peer, round, block;
    int turn; /* position in the list of the sender */
} link;

static int by_peer(const void *a, const void *b)
{
    const link *x = a, *y = b;
    return x->peer != y->peer ? (x->peer > y->peer) - (x->peer < y->peer)
                              : (x->turn > y->turn) - (x->turn < y->turn);
}

static int by_round(const void *a, const void *b)
{
    const atn_packet *x = a, *y = b;
    return (x->round > y->round) - (x->round < y->round);
}

static int list_links(const atn_neighbourhood *n, int rank, atn_way way, const int *group,
                      link *list)
{
    const int degree = atn_sched_neighbourhood_count(n, rank, way);
    int count = 0;

    for (int i = 0; i < degree; i++) {
        const int round = atn_sched_neighbourhood_round(n, rank, way, i);
        const int peer = atn_sched_neighbourhood_rank(n, rank, way, i);
        if (round < 0 || (group && group[peer] != group[rank]))
            continue;
        const int turn = way == ATN_OUTWARD ? i : atn_sched_neighbourhood_mate(n, rank, way, i);
        list[count++] = (link){peer, round, i, turn};
    }
    return count;
}

static void pack_links(const link *list, int n, bool joined, atn_packets *x)
{
    for (int i = 0; i < n; i++) {
        atn_packet *last = x->n > 0 ? &x->v[x->n - 1] : NULL;
        x->blocks[i] = (atn_range){list[i].block, 1};
        if (joined && last && last->peer == list[i].peer) {
            last->count++;
            last->round = atn_min(last->round, list[i].round);
        } else {
            x->v[x->n++] = (atn_packet){list[i].peer, list[i].round, i, 1};
        }
    }
}

bool atn_algo_packets_begin(const atn_problem *q, int rank, atn_way way, const int *group,
                            bool joined, atn_packets *x)
{
    const atn_neighbourhood *n = q->neighbourhood;
    const size_t degree = (size_t)atn_sched_neighbourhood_count(n, rank, way) + 1;
    link *list = malloc(sizeof *list * degree);

    *x = (atn_packets){.v = malloc(sizeof *x->v * degree),
                       .blocks = malloc(sizeof *x->blocks * degree)};
    const bool ok = list && x->v && x->blocks;
    if (ok) {
        const int count = list_links(n, rank, way, group, list);
        qsort(list, (size_t)count, sizeof *list, by_peer);
        pack_links(list, count, joined, x);
        qsort(x->v, (size_t)x->n, sizeof *x->v, by_round);
    }
    free(list);
    return ok;
}

void atn_algo_packets_end(atn_packets *x)
{
    free(x->v);
    free(x->blocks);
}

/* ---- emission ---- */

void atn_algo_edges_own(atn_builder *b, const atn_problem *q)
{
    const atn_neighbourhood *n = q->neighbourhood;
    const int degree = atn_sched_neighbourhood_count(n, q->r, ATN_OUTWARD);

    for (int j = 0; j < degree; j++)
        if (atn_sched_neighbourhood_rank(n, q->r, ATN_OUTWARD, j) == q->r)
            atn_copy(b, atn_src(atn_algo_edges_common(q) ? 0 : j, 1),
                     atn_dst(atn_sched_neighbourhood_mate(n, q->r, ATN_OUTWARD, j), 1));
}

/* The packet of this round, which is then passed; else NULL. */
static const atn_packet *take(const atn_packets *x, int *at, int round)
{
    return *at < x->n && x->v[*at].round == round ? &x->v[(*at)++] : NULL;
}

static atn_ref blocks_of(const atn_packets *x, const atn_packet *m, atn_ref like)
{
    return atn_ranges(like, &x->blocks[m->first], m->count);
}

/* Edges from the same rank deliver the same block of an allgather. */
static void repeat(atn_builder *b, const atn_packets *in, const atn_packet *m)
{
    for (int i = 1; i < m->count; i++)
        atn_copy(b, atn_dst(in->blocks[m->first].first, 1),
                 atn_dst(in->blocks[m->first + i].first, 1));
}

static void exchange(atn_builder *b, const atn_problem *q, const atn_packets x[ATN_WAYS_OF_EDGES],
                     bool rounds)
{
    const bool common = atn_algo_edges_common(q);
    const atn_packets *in = &x[ATN_INWARD], *out = &x[ATN_OUTWARD];
    int sent = 0, received = 0;

    for (int k = 0; k < q->neighbourhood->rounds; k++) {
        const atn_packet *to = take(out, &sent, k), *from = take(in, &received, k);
        const atn_ref none = {.n = 0};
        atn_algo_rounds(b, rounds && k > 0);
        atn_exchange(b, to ? to->peer : -1,
                     !to      ? none
                     : common ? atn_src(0, 1)
                              : blocks_of(out, to, atn_src(0, 0)),
                     from ? from->peer : -1,
                     !from    ? none
                     : common ? atn_dst(in->blocks[from->first].first, 1)
                              : blocks_of(in, from, atn_dst(0, 0)));
    }
    for (int i = 0; common && i < in->n; i++)
        repeat(b, in, &in->v[i]);
}

void atn_algo_edges_exchange(atn_builder *b, const atn_problem *q, const int *group, bool joined,
                             bool rounds)
{
    atn_packets x[ATN_WAYS_OF_EDGES] = {{0}};

    if (atn_algo_packets_begin(q, q->r, ATN_INWARD, group, joined, &x[ATN_INWARD]) &&
        atn_algo_packets_begin(q, q->r, ATN_OUTWARD, group, joined, &x[ATN_OUTWARD]))
        exchange(b, q, x, rounds);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    atn_algo_packets_end(&x[ATN_INWARD]);
    atn_algo_packets_end(&x[ATN_OUTWARD]);
}

/* ---- figures of all ranks ---- */

typedef struct {
    int round, from, to;
} hop;

static int hop_by_round(const void *a, const void *b)
{
    const hop *x = a, *y = b;
    return (x->round > y->round) - (x->round < y->round);
}

typedef ATN_VEC(hop) hops;

static bool list_hops(const atn_problem *q, bool joined, hops *list)
{
    bool ok = true;

    for (int u = 0; ok && u < q->p; u++) {
        atn_packets x;
        ok = atn_algo_packets_begin(q, u, ATN_OUTWARD, NULL, joined, &x);
        for (int i = 0; ok && i < x.n; i++)
            ok = atn_push(list, (hop){x.v[i].round, u, x.v[i].peer});
        atn_algo_packets_end(&x);
    }
    if (ok && list->n > 1)
        qsort(list->v, (size_t)list->n, sizeof *list->v, hop_by_round);
    return ok;
}

/* The messages of a rank so far: when its ports are free, and the end of its latest round. */
typedef struct {
    int port[ATN_WAYS_OF_EDGES], round, before, latest;
} clock_of;

/* Enters a round; returns the end of the round before it if this rank took part in it. */
static int enter(clock_of *c, int round)
{
    if (c->round != round) {
        c->before = c->round == round - 1 ? c->latest : 0;
        c->latest = 0;
        c->round = round;
    }
    return c->before;
}

static int run_hops(const hops *list, clock_of *c, bool ordered)
{
    int end = 0;

    for (int i = 0; i < list->n; i++) {
        const hop *h = &list->v[i];
        clock_of *from = &c[h->from], *to = &c[h->to];
        int at = atn_max(from->port[ATN_OUTWARD], to->port[ATN_INWARD]);
        if (ordered)
            at = atn_max(at, atn_max(enter(from, h->round), enter(to, h->round)));
        from->port[ATN_OUTWARD] = to->port[ATN_INWARD] = ++at;
        from->latest = atn_max(from->latest, at);
        to->latest = atn_max(to->latest, at);
        end = atn_max(end, at);
    }
    return end;
}

int atn_algo_edges_depth(const atn_problem *q, bool joined, bool ordered)
{
    hops list = {0};
    clock_of *c = calloc((size_t)q->p, sizeof *c);
    int depth = -1;

    for (int r = 0; c && r < q->p; r++)
        c[r].round = -2;
    if (c && q->neighbourhood && list_hops(q, joined, &list))
        depth = run_hops(&list, c, ordered);
    atn_vec_free(&list);
    free(c);
    return depth;
}

int atn_algo_edges_width(const atn_problem *q)
{
    int width = 1;

    for (int u = 0; q->neighbourhood && !atn_algo_edges_common(q) && u < q->p; u++) {
        atn_packets x;
        if (atn_algo_packets_begin(q, u, ATN_OUTWARD, NULL, true, &x))
            for (int i = 0; i < x.n; i++)
                width = atn_max(width, x.v[i].count);
        atn_algo_packets_end(&x);
    }
    return width;
}
