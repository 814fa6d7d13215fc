/* early.c - see early.h. */
#include "algo/early.h"

#include <stdlib.h>
#include <string.h>

#include "algo/derived.h"
#include "algo/order.h"

static const char *const shapes[] = {"tree", "chain", NULL};

const atn_param atn_algo_early_params[] = {
    {"shape", ATN_WORD, ATN_EARLY_TREE, ATN_EARLY_TREE, ATN_EARLY_CHAIN, ATN_LINEAR,
     "tree: several ranks at a time; chain: from the earliest to the latest", shapes},
    {0},
};

enum { LATEST = 1 << 20 }; /* bounds sums of times */

static int late(const atn_problem *q, int r)
{
    const bool known = q->lateness && q->lateness->p == q->p;

    return known ? atn_min(q->lateness->late[r], LATEST) : 0;
}

int atn_algo_early_last(const atn_problem *q)
{
    int last = 0;

    for (int r = 1; r < q->p; r++)
        if (late(q, r) > late(q, last))
            last = r;
    return last;
}

/* ---- order of arrival ---- */

typedef struct {
    int time, place, rank;
} arrival;

static int by_coming(const void *x, const void *y)
{
    const arrival *a = x, *b = y;

    return a->time != b->time ? a->time - b->time : a->place - b->place;
}

static bool in_any_order(const atn_problem *q, int *ranks)
{
    for (int i = 0; i < q->p; i++)
        ranks[i] = (q->root + i) % q->p;
    return !q->topo || q->topo->p != q->p ||
           atn_algo_order_ranks(q->topo, ATN_ORDER_DFS, q->root, ranks);
}

/* As if the root arrived at `root_arrival`. */
static bool sort_ranks(const atn_problem *q, int root_arrival, int *ranks)
{
    arrival *g = malloc(sizeof *g * (size_t)q->p);
    const bool ok = g && in_any_order(q, ranks);

    for (int i = 0; i < q->p && ok; i++)
        g[i] = (arrival){ranks[i] == q->root ? root_arrival : late(q, ranks[i]), i, ranks[i]};
    if (ok)
        qsort(g, (size_t)q->p, sizeof *g, by_coming);
    for (int i = 0; i < q->p && ok; i++)
        ranks[i] = g[i].rank;
    free(g);
    return ok;
}

/* ---- messages; `slot` holds their time until number_slots ---- */

static bool chain(const atn_problem *q, bool up, int *ranks, atn_early_message *list)
{
    if (!sort_ranks(q, up ? LATEST + 1 : -1, ranks))
        return false;
    for (int i = 0; i < q->p - 1; i++)
        list[i] = (atn_early_message){ranks[i], ranks[i + 1], i};
    return true;
}

/* Ranks that hold the message, by the time since when they are idle. */
typedef struct {
    int ready, by; /* `by`: place in the order of arrival */
} server;

/* A heap of servers: first those that are idle since the last (sign -1) or the first (1) time, of
 * several the first to arrive. */
typedef struct {
    server *v;
    int n, sign;
} servers;

static bool precedes(const servers *h, const server *a, const server *b)
{
    return a->ready != b->ready ? h->sign * a->ready < h->sign * b->ready : a->by < b->by;
}

static void push(servers *h, server x)
{
    int i = h->n++;

    for (; i > 0 && precedes(h, &x, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
        h->v[i] = h->v[(i - 1) / 2];
    h->v[i] = x;
}

static server pop(servers *h)
{
    const server top = h->v[0], last = h->v[--h->n];
    int i = 0;

    for (int c = 1; c < h->n; c = 2 * i + 1) {
        if (c + 1 < h->n && precedes(h, &h->v[c + 1], &h->v[c]))
            c++;
        if (!precedes(h, &h->v[c], &last))
            break;
        h->v[i] = h->v[c];
        i = c;
    }
    h->v[i] = last;
    return top;
}

/* Takes the best server for a rank that arrives now: it minimises the time that either waits for
 * the other.  Arrivals are in order, so a server that was idle before one is so before the next. */
static server take(servers *idle, servers *busy, int now)
{
    while (busy->n > 0 && busy->v[0].ready <= now)
        push(idle, pop(busy));
    if (idle->n == 0 || busy->n == 0)
        return pop(idle->n > 0 ? idle : busy);
    const int waits = now - idle->v[0].ready, lets_wait = busy->v[0].ready - now;
    const bool first = idle->v[0].by < busy->v[0].by;
    return pop(waits < lets_wait || (waits == lets_wait && first) ? idle : busy);
}

static bool tree_down(const atn_problem *q, int *ranks, atn_early_message *list)
{
    server *v = malloc(2 * sizeof *v * (size_t)q->p);
    servers idle = {v, 0, -1}, busy = {v ? v + q->p : NULL, 0, 1};

    if (!v || !sort_ranks(q, -1, ranks)) {
        free(v);
        return false;
    }
    push(&busy, (server){late(q, q->root), 0});
    for (int i = 1; i < q->p; i++) {
        const int arrival = late(q, ranks[i]);
        const server s = take(&idle, &busy, arrival);
        list[i - 1] = (atn_early_message){ranks[s.by], ranks[i], atn_max(s.ready, arrival)};
        push(&busy, (server){list[i - 1].slot + 1, s.by});
        push(&busy, (server){list[i - 1].slot + 1, i});
    }
    free(v);
    return true;
}

typedef struct {
    int rank, ready;
} value;

/* Combines the values available now in pairs.  The rank that arrived later keeps the result,
 * because it has waited less, unless the other is the root; returns the number of remaining
 * values. */
static int pair_up(const atn_problem *q, int now, value *v, int n, atn_early_message **next)
{
    int kept = 0, alone = -1;

    for (int i = 0; i < n; i++) {
        v[kept] = v[i];
        if (v[i].ready > now || alone < 0) {
            alone = v[i].ready > now ? alone : kept;
            kept++;
            continue;
        }
        const value a = v[alone], b = v[i];
        const bool keeps = a.rank == q->root || (b.rank != q->root && a.ready >= b.ready);
        *(*next)++ = (atn_early_message){keeps ? b.rank : a.rank, keeps ? a.rank : b.rank, now};
        v[alone] = (value){keeps ? a.rank : b.rank, now + 1};
        alone = -1;
    }
    return kept;
}

/* The time at which two values are available. */
static int two_ready(const value *v, int n)
{
    int first = INT32_MAX, second = INT32_MAX;

    for (int i = 0; i < n; i++) {
        second = atn_min(second, atn_max(first, v[i].ready));
        first = atn_min(first, v[i].ready);
    }
    return second;
}

static bool tree_up(const atn_problem *q, int *ranks, atn_early_message *list)
{
    value *v = malloc(sizeof *v * (size_t)q->p);
    const bool ok = v && sort_ranks(q, late(q, q->root), ranks);

    for (int i = 0; i < q->p && ok; i++)
        v[i] = (value){ranks[i], late(q, ranks[i])};
    for (int n = q->p; n > 1 && ok;)
        n = pair_up(q, two_ready(v, n), v, n, &list);
    free(v);
    return ok;
}

/* ---- message list ---- */

static int by_slot(const void *x, const void *y)
{
    const atn_early_message *a = x, *b = y;

    return a->slot != b->slot ? a->slot - b->slot : a->to - b->to;
}

/* Turns times into slots, without empty ones. */
static int number_slots(atn_early_message *list, int n)
{
    int slots = 0;

    qsort(list, (size_t)n, sizeof *list, by_slot);
    for (int i = 0, time = -1; i < n; i++) {
        slots += list[i].slot != time;
        time = list[i].slot;
        list[i].slot = slots - 1;
    }
    return slots;
}

static atn_early_message *make(const atn_problem *q, atn_early_shape shape, bool up, int *slots_p)
{
    int *ranks = malloc(sizeof *ranks * (size_t)q->p);
    atn_early_message *list = malloc(sizeof *list * (size_t)q->p);
    const bool ok = ranks && list &&
                    (shape == ATN_EARLY_CHAIN ? chain(q, up, ranks, list)
                     : up                     ? tree_up(q, ranks, list)
                                              : tree_down(q, ranks, list));

    free(ranks);
    if (!ok) {
        free(list);
        return NULL;
    }
    *slots_p = number_slots(list, q->p - 1);
    return list;
}

typedef struct {
    int slots;
    atn_early_message list[];
} kept;

static kept *copy_of(const atn_early_message *list, int p, int slots)
{
    const size_t bytes = sizeof *list * (size_t)p;
    kept *k = malloc(sizeof *k + bytes);

    if (k) {
        k->slots = slots;
        memcpy(k->list, list, bytes);
    }
    return k;
}

static atn_early_message *list_of(const kept *k, int p, int *slots_p)
{
    const size_t bytes = sizeof *k->list * (size_t)p;
    atn_early_message *list = malloc(bytes);

    if (list)
        memcpy(list, k->list, bytes);
    *slots_p = k->slots;
    return list;
}

/* Every segment and every rank has the same messages. */
atn_early_message *atn_algo_early_make(const atn_problem *q, atn_early_shape shape, bool up,
                                       int *slots_p)
{
    const int64_t pattern = q->lateness ? (int64_t)(intptr_t)q->lateness->late : 0;
    const atn_derived_key key = {
        .maker = "early", .topo = q->topo, .n = {q->p, q->root, shape, up, pattern}};
    const kept *known = atn_algo_derived_find(&key);

    if (known)
        return list_of(known, q->p, slots_p);
    atn_early_message *list = make(q, shape, up, slots_p);
    kept *copy = list ? copy_of(list, q->p, *slots_p) : NULL;
    if (copy && !atn_algo_derived_keep(&key, copy, free))
        free(copy);
    return list;
}
