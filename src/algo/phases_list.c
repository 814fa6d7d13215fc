/* phases_list.c - phases for links of different capacity and messages of different size, by list
 * scheduling: each message is assigned to the first phase with free capacity on its path.
 *
 * The order of messages determines the number of phases.  Messages over the most loaded links are
 * first, near ones (in the order lr1) before far ones, so that in a phase all ranks send over
 * similar distances.  Then the list is improved: the phases found so far, in another order, are
 * used as a list again.  All messages of the k-th phase of the new order fit into one of the first
 * k, so the number of phases never grows, and often shrinks. */
#include <stdlib.h>
#include <string.h>

#include "algo/order.h"
#include "algo/phases.h"

enum { TRIES = 24 }; /* maximum number of improvements; none if the bound is met */

typedef struct {
    int64_t bytes, busy; /* larger first */
    int turn;            /* smaller first */
    int from, to, phase;
} item;

/* Free capacity: for each edge a bit per phase, set when it is full and, where an edge carries
 * several messages, their number.  Edges that carry all their messages in one phase are ignored.
 */
typedef struct {
    const atn_topo *t;
    const int *capacity;
    int64_t *load;
    int edges, words;
    uint64_t *full;  /* words of each edge */
    int *hint;       /* edge -> first word that is not full */
    uint16_t **used; /* edge -> phase -> messages; NULL where the capacity is 1 */
    int *path;
} room;

/* ---- capacity ---- */

static bool may_fill(const room *m, int e) { return m->capacity[e] < m->load[e]; }

static void room_end(room *m)
{
    for (int e = 0; m->used && e < m->edges; e++)
        free(m->used[e]);
    free(m->used);
    free(m->full);
    free(m->load);
    free(m->hint);
}

static bool room_begin(room *m, const atn_topo *t, const int *capacity)
{
    const size_t edges = (size_t)atn_topo_edges(t);

    *m = (room){.t = t, .capacity = capacity, .edges = atn_topo_edges(t)};
    m->load = malloc(sizeof *m->load * edges);
    m->hint = malloc(sizeof *m->hint * (edges + (size_t)atn_topo_longest(t)));
    m->used = calloc(edges, sizeof *m->used);
    if (!m->load || !m->hint || !m->used)
        return false;
    m->path = m->hint + edges;
    atn_topo_loads(t, m->load);
    return true;
}

/* Clears it and allocates memory for a number of phases. */
static bool room_for(room *m, int phases)
{
    const int words = phases / 64 + 1;
    const size_t bytes = (size_t)words * 64;

    if (words > m->words) {
        free(m->full);
        m->full = malloc((size_t)m->edges * (size_t)words * sizeof *m->full);
        for (int e = 0; e < m->edges; e++) {
            const bool several = m->capacity[e] > 1 && may_fill(m, e);
            free(m->used[e]);
            m->used[e] = several ? malloc(bytes * sizeof **m->used) : NULL;
            if (several && !m->used[e])
                return false;
        }
        m->words = words;
    }
    if (!m->full)
        return false;
    memset(m->full, 0, (size_t)m->edges * (size_t)m->words * sizeof *m->full);
    for (int e = 0; e < m->edges; e++) {
        m->hint[e] = 0;
        if (m->used[e])
            memset(m->used[e], 0, (size_t)m->words * 64 * sizeof **m->used);
    }
    return true;
}

static uint64_t *full_at(const room *m, int e, int word)
{
    return &m->full[(size_t)e * (size_t)m->words + (size_t)word];
}

static void take(room *m, int e, int phase)
{
    if (m->used[e] && ++m->used[e][phase] < m->capacity[e])
        return;
    *full_at(m, e, phase / 64) |= UINT64_C(1) << phase % 64;
    while (m->hint[e] < m->words && *full_at(m, e, m->hint[e]) == UINT64_MAX)
        m->hint[e]++;
}

/* Bits below `phase` in its word. */
static uint64_t earlier(int phase) { return (UINT64_C(1) << phase % 64) - 1; }

/* The first phase, from `least` on, with free capacity on the whole path; -1: none. */
static int put(room *m, int from, int to, int least)
{
    const int length = atn_topo_path(m->t, from, to, m->path);
    int n = 0, word = least / 64;

    for (int i = 0; i < length; i++)
        if (may_fill(m, m->path[i])) {
            word = atn_max(word, m->hint[m->path[i]]);
            m->path[n++] = m->path[i];
        }
    for (; word < m->words; word++) {
        uint64_t busy = word == least / 64 ? earlier(least) : 0;
        for (int i = 0; i < n; i++)
            busy |= *full_at(m, m->path[i], word);
        if (busy == UINT64_MAX)
            continue;
        const int phase = word * 64 + __builtin_ctzll(~busy);
        for (int i = 0; i < n; i++)
            take(m, m->path[i], phase);
        return phase;
    }
    return -1;
}

/* ---- lists ---- */

static int by_need(const void *x, const void *y)
{
    const item *a = x, *b = y;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->busy != b->busy)
        return a->busy > b->busy ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

static int by_turn(const void *x, const void *y)
{
    const item *a = x, *b = y;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* Phases of the most loaded link on the path, in 2^-20. */
static int64_t busiest(const room *m, int from, int to)
{
    const int length = atn_topo_path(m->t, from, to, m->path);
    int64_t most = 0;

    for (int i = 0; i < length; i++) {
        const int64_t busy = (m->load[m->path[i]] << 20) / m->capacity[m->path[i]];
        most = busy > most ? busy : most;
    }
    return most;
}

static bool fill_in(const room *m, const int64_t *bytes, item *list)
{
    const int p = m->t->p;
    int *order = malloc(sizeof *order * (size_t)p);
    const bool ok = order && atn_algo_order_ranks(m->t, ATN_ORDER_LR1, 0, order);

    for (int d = 1, n = 0; ok && d < p; d++)
        for (int i = 0; i < p; i++, n++) {
            const int from = order[i], to = order[(i + d) % p];
            list[n] = (item){.bytes = bytes ? bytes[(size_t)from * (size_t)p + (size_t)to] : 0,
                             .busy = busiest(m, from, to),
                             .turn = n,
                             .from = from,
                             .to = to};
        }
    free(order);
    return ok;
}

/* Assigns the messages to phases from `least` on; returns the number of phases, -1: too many. */
static int put_all(room *m, item *list, int n, int least)
{
    int phases = least;

    for (int i = 0; i < n; i++) {
        list[i].phase = put(m, list[i].from, list[i].to, least);
        if (list[i].phase < 0)
            return -1;
        phases = atn_max(phases, list[i].phase + 1);
    }
    return phases;
}

/* Retries with more phases until they suffice; -1: no memory. */
static int arrange(room *m, item *list, int n, int positive, int64_t bound)
{
    int phases = -1;

    for (int64_t guess = bound + bound / 2 + 64; phases < 0; guess *= 2) {
        if (guess > INT32_MAX / 2 || !room_for(m, (int)guess))
            return -1;
        phases = put_all(m, list, positive, 0);
        if (phases >= 0)
            phases = put_all(m, list + positive, n - positive, phases);
    }
    return phases;
}

/* ---- improvement ---- */

/* Phases in reverse, or shuffled by multiplication with a number that is coprime to
 * 2^31. */
static int new_turn(int phase, int phases, int try)
{
    return try % 3 < 2 ? phases - 1 - phase
                       : (int)(((unsigned)phase * 2654435761u + (unsigned)try) >> 1);
}

static bool improve(room *m, item *list, int n, int64_t bound, int *phases)
{
    for (int try = 0; try<TRIES && * phases> bound; try++) {
        for (int i = 0; i < n; i++)
            list[i].turn = new_turn(list[i].phase, *phases, try);
        qsort(list, (size_t)n, sizeof *list, by_turn);
        *phases = room_for(m, *phases) ? put_all(m, list, n, 0) : -1;
        if (*phases < 0)
            return false;
    }
    return true;
}

/* ---- phases ---- */

/* Returns the number of messages that have data; -1: no memory. */
static int schedule(room *m, const int64_t *bytes, item *list, int n)
{
    const int64_t bound = atn_algo_phases_bound(m->t, m->capacity);
    int positive = n;

    if (!fill_in(m, bytes, list))
        return -1;
    qsort(list, (size_t)n, sizeof *list, by_need);
    while (bytes && positive > 0 && list[positive - 1].bytes == 0)
        positive--;
    int phases = arrange(m, list, n, positive, bound);
    return phases >= 0 && (bytes || improve(m, list, n, bound, &phases)) ? positive : -1;
}

static bool make(const atn_topo *t, const int *capacity, const int64_t *bytes, atn_phases *x)
{
    const size_t p = (size_t)t->p;
    const int n = t->p * (t->p - 1);
    item *list = malloc(sizeof *list * (p * p));
    room m;
    bool ok = room_begin(&m, t, capacity) && list;

    *x = (atn_phases){.p = t->p, .parts = 1, .list = malloc(sizeof *x->list * (p * p))};
    ok = ok && x->list;
    const int full = ok && n > 0 ? schedule(&m, bytes, list, n) : 0;
    ok = ok && full >= 0;
    for (int i = 0; ok && i < n; i++)
        x->list[x->n++] = (atn_phase_message){list[i].phase, list[i].from, list[i].to, 0, 1};
    x->empty = n - full;
    ok = ok && atn_algo_phases_sort(x);
    if (!ok)
        atn_algo_phases_end(x);
    room_end(&m);
    free(list);
    return ok;
}

bool atn_algo_phases_list(const atn_topo *t, const int *capacity, atn_phases *x)
{
    return make(t, capacity, NULL, x);
}

bool atn_algo_phases_greedy(const atn_topo *t, const int *capacity, const int64_t *bytes,
                            atn_phases *x)
{
    return make(t, capacity, bytes, x);
}
