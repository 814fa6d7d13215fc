/* early.c - see early.h. */
#include "algo/early.h"

#include <stdlib.h>

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

/* The best server for a rank that arrives now, of the n ranks that hold the message and are idle
 * since `ready`: minimises the time that either waits for the other. */
static int server(const int *ready, int n, int arrival)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (abs(ready[i] - arrival) < abs(ready[best] - arrival))
            best = i;
    return best;
}

static bool tree_down(const atn_problem *q, int *ranks, atn_early_message *list)
{
    int *ready = malloc(sizeof *ready * (size_t)q->p);

    if (!ready || !sort_ranks(q, -1, ranks)) {
        free(ready);
        return false;
    }
    ready[0] = late(q, q->root);
    for (int i = 1; i < q->p; i++) {
        const int arrival = late(q, ranks[i]), by = server(ready, i, arrival);
        list[i - 1] = (atn_early_message){ranks[by], ranks[i], atn_max(ready[by], arrival)};
        ready[by] = ready[i] = list[i - 1].slot + 1;
    }
    free(ready);
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

atn_early_message *atn_algo_early_make(const atn_problem *q, atn_early_shape shape, bool up,
                                       int *slots_p)
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
