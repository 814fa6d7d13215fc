/* neighbourhood.c - see neighbourhood.h. */
#include "sched/neighbourhood.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- grids ---- */

/* The neighbour in direction i (2d: negative, 2d + 1: positive in dimension d). */
static int grid_rank(const atn_neighbourhood *n, int r, int i)
{
    const int d = i / 2, step = i % 2 ? 1 : -1;
    int stride = 1;

    for (int k = n->ndims - 1; k > d; k--)
        stride *= n->dims[k];
    const int at = r / stride % n->dims[d], to = at + step;
    if (!n->periods[d] && (to < 0 || to >= n->dims[d]))
        return -1;
    return r + (atn_mod(to, n->dims[d]) - at) * stride;
}

static atn_status check_grid(int ndims, const int *dims, atn_error *err)
{
    int64_t p = 1;

    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 1)
            return atn_fail(err, ATN_INPUT, "dimension %d has %d ranks; it needs at least 1", d,
                            dims[d]);
        p *= dims[d];
        if (p > INT_MAX)
            return atn_fail(err, ATN_INPUT, "the grid has too many ranks");
    }
    return ATN_OK;
}

atn_status atn_sched_neighbourhood_grid(int ndims, const int *dims, const int *periods,
                                        atn_neighbourhood **n_p, atn_error *err)
{
    const atn_status status = check_grid(ndims, dims, err);
    if (status != ATN_OK)
        return status;
    const size_t bytes = sizeof *dims * (size_t)ndims;
    atn_neighbourhood *n = calloc(1, sizeof *n + 2 * bytes);
    if (!n)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    int *copy = (int *)(n + 1);
    *n = (atn_neighbourhood){.p = 1,
                             .grid = true,
                             .ndims = ndims,
                             .most = 2 * ndims,
                             .rounds = 2 * ndims,
                             .lonely = ndims == 0,
                             .dims = copy,
                             .periods = copy + ndims};
    for (int d = 0; d < ndims; d++) {
        copy[d] = dims[d];
        copy[ndims + d] = periods[d] != 0;
        n->p *= dims[d];
        n->repeats = n->repeats || (periods[d] && dims[d] == 2);
        n->doubtful = n->doubtful || (periods[d] && dims[d] <= 2);
    }
    *n_p = n;
    return ATN_OK;
}

/* ---- graphs ---- */

typedef struct {
    int p, edges;
    int *first[ATN_WAYS_OF_EDGES], *ranks[ATN_WAYS_OF_EDGES];
    int *mate[ATN_WAYS_OF_EDGES], *round[ATN_WAYS_OF_EDGES];
    int *sorted[ATN_WAYS_OF_EDGES]; /* edges in the order of sender, receiver, index */
    int *owner;                     /* of each inward edge: its receiver */
    uint64_t *used;                 /* rounds of each rank: outward, then inward */
    int words;
} maker;

static void *shared_part(int **at, size_t n)
{
    int *part = *at;
    *at += n;
    return part;
}

/* One allocation: the neighbourhood and all its arrays. */
static atn_neighbourhood *allocate(maker *x)
{
    const size_t lists = (size_t)x->p + 1, edges = (size_t)x->edges;
    atn_neighbourhood *n = calloc(1, sizeof *n + sizeof(int) * 2 * (lists + 3 * edges));
    int *at = n ? (int *)(n + 1) : NULL;

    for (int w = 0; n && w < ATN_WAYS_OF_EDGES; w++) {
        x->first[w] = shared_part(&at, lists);
        x->ranks[w] = shared_part(&at, edges);
        x->mate[w] = shared_part(&at, edges);
        x->round[w] = shared_part(&at, edges);
        n->list[w] = (atn_adjacency){x->first[w], x->ranks[w], x->mate[w], x->round[w]};
    }
    return n;
}

static bool allocate_scratch(maker *x, int most)
{
    x->words = most / 32 + 1; /* at most 2 * most - 1 rounds */
    x->owner = malloc(sizeof *x->owner * ((size_t)x->edges + 1));
    x->used = calloc(2 * (size_t)x->p * (size_t)x->words + 1, sizeof *x->used);
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++)
        x->sorted[w] = malloc(sizeof *x->sorted[w] * ((size_t)x->edges + 1));
    return x->owner && x->used && x->sorted[0] && x->sorted[1];
}

static void free_scratch(maker *x)
{
    free(x->owner);
    free(x->used);
    free(x->sorted[0]);
    free(x->sorted[1]);
}

static atn_status check_lists(int p, const int *const first[], const int *const ranks[],
                              atn_error *err)
{
    if (first[ATN_INWARD][p] != first[ATN_OUTWARD][p])
        return atn_fail(err, ATN_INPUT, "%d edges are received, %d are sent", first[ATN_INWARD][p],
                        first[ATN_OUTWARD][p]);
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++)
        for (int e = 0; e < first[w][p]; e++)
            if (ranks[w][e] < 0 || ranks[w][e] >= p)
                return atn_fail(err, ATN_INPUT, "neighbour %d is not one of the %d ranks",
                                ranks[w][e], p);
    return ATN_OK;
}

/* Stable: edges `from` (NULL: all in order) by key[edge]. */
static bool sort_edges(const maker *x, const int *from, const int *key, int *to)
{
    int *next = calloc((size_t)x->p + 1, sizeof *next);

    for (int e = 0; next && e < x->edges; e++)
        next[key[e] + 1]++;
    for (int v = 0; next && v < x->p; v++)
        next[v + 1] += next[v];
    for (int i = 0; next && i < x->edges; i++) {
        const int e = from ? from[i] : i;
        to[next[key[e]]++] = e;
    }
    const bool ok = next != NULL;
    free(next);
    return ok;
}

/* Both directions in the same order, so that edges at the same position match: inward edges are
 * listed by receiver and outward ones by sender, so a stable sort by the other end is enough for
 * the first, and two are needed for the second. */
static bool sort_both(maker *x)
{
    int *by_receiver = malloc(sizeof *by_receiver * ((size_t)x->edges + 1));
    int *sender = malloc(sizeof *sender * ((size_t)x->edges + 1));

    for (int u = 0; sender && u < x->p; u++)
        for (int e = x->first[ATN_OUTWARD][u]; e < x->first[ATN_OUTWARD][u + 1]; e++)
            sender[e] = u;
    const bool ok = by_receiver && sender &&
                    sort_edges(x, NULL, x->ranks[ATN_INWARD], x->sorted[ATN_INWARD]) &&
                    sort_edges(x, NULL, x->ranks[ATN_OUTWARD], by_receiver) &&
                    sort_edges(x, by_receiver, sender, x->sorted[ATN_OUTWARD]);
    free(by_receiver);
    free(sender);
    return ok;
}

static atn_status match_edges(maker *x, atn_error *err)
{
    for (int v = 0; v < x->p; v++)
        for (int e = x->first[ATN_INWARD][v]; e < x->first[ATN_INWARD][v + 1]; e++)
            x->owner[e] = v;
    if (!sort_both(x))
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0, u = 0; i < x->edges; i++) {
        const int in = x->sorted[ATN_INWARD][i], out = x->sorted[ATN_OUTWARD][i];
        while (out >= x->first[ATN_OUTWARD][u + 1])
            u++;
        if (x->ranks[ATN_INWARD][in] != u || x->owner[in] != x->ranks[ATN_OUTWARD][out])
            return atn_fail(err, ATN_INPUT,
                            "rank %d lists a source or rank %d a destination that does not list "
                            "it in turn",
                            x->owner[in], u);
        x->mate[ATN_INWARD][in] = out - x->first[ATN_OUTWARD][u];
        x->mate[ATN_OUTWARD][out] = in - x->first[ATN_INWARD][x->owner[in]];
    }
    return ATN_OK;
}

/* The first round in which neither end is busy. */
static int free_round(const uint64_t *sends, const uint64_t *receives, int words)
{
    int w = 0;

    while (w < words - 1 && (sends[w] | receives[w]) == UINT64_MAX)
        w++;
    return w * 64 + __builtin_ctzll(~(sends[w] | receives[w]));
}

static int take_round(maker *x, int u, int e)
{
    const int v = x->ranks[ATN_OUTWARD][e];
    const int in = x->first[ATN_INWARD][v] + x->mate[ATN_OUTWARD][e];

    if (v == u)
        return x->round[ATN_OUTWARD][e] = x->round[ATN_INWARD][in] = -1;
    uint64_t *sends = &x->used[(size_t)u * (size_t)x->words];
    uint64_t *receives = &x->used[((size_t)x->p + (size_t)v) * (size_t)x->words];
    const int k = free_round(sends, receives, x->words);
    sends[k / 64] |= UINT64_C(1) << k % 64;
    receives[k / 64] |= UINT64_C(1) << k % 64;
    return x->round[ATN_OUTWARD][e] = x->round[ATN_INWARD][in] = k;
}

/* Greedy: the first edge of every rank, then the second, and so on, which finds the regular rounds
 * of stencils whose ranks list their neighbours in the same order. */
static int find_rounds(maker *x, int most)
{
    int rounds = 0;

    for (int j = 0; j < most; j++)
        for (int u = 0; u < x->p; u++) {
            const int e = x->first[ATN_OUTWARD][u] + j;
            if (e < x->first[ATN_OUTWARD][u + 1])
                rounds = atn_max(rounds, take_round(x, u, e) + 1);
        }
    return rounds;
}

/* Several edges of a rank to the same one, which follow each other in sorted order; `own`: to
 * itself. */
static bool has_several(const maker *x, bool own)
{
    for (int i = 1; i < x->edges; i++) {
        const int a = x->sorted[ATN_INWARD][i - 1], b = x->sorted[ATN_INWARD][i];
        if (x->owner[a] == x->owner[b] && x->ranks[ATN_INWARD][a] == x->ranks[ATN_INWARD][b] &&
            (x->owner[a] == x->ranks[ATN_INWARD][a]) == own)
            return true;
    }
    return false;
}

static bool has_lonely(int p, const int *const first[])
{
    for (int r = 0; r < p; r++)
        if (first[0][r + 1] == first[0][r] && first[1][r + 1] == first[1][r])
            return true;
    return false;
}

static int largest_list(int p, const int *const first[])
{
    int most = 0;

    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++)
        for (int r = 0; r < p; r++)
            most = atn_max(most, first[w][r + 1] - first[w][r]);
    return most;
}

atn_status atn_sched_neighbourhood_graph(int p, const int *const first[ATN_WAYS_OF_EDGES],
                                         const int *const ranks[ATN_WAYS_OF_EDGES],
                                         atn_neighbourhood **n_p, atn_error *err)
{
    atn_status status = check_lists(p, first, ranks, err);
    if (status != ATN_OK)
        return status;
    maker x = {.p = p, .edges = first[ATN_OUTWARD][p]};
    const int most = largest_list(p, first);
    atn_neighbourhood *n = allocate(&x);
    if (!n || !allocate_scratch(&x, most))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    for (int w = 0; status == ATN_OK && w < ATN_WAYS_OF_EDGES; w++) {
        memcpy(x.first[w], first[w], sizeof(int) * ((size_t)p + 1));
        if (x.edges > 0)
            memcpy(x.ranks[w], ranks[w], sizeof(int) * (size_t)x.edges);
    }
    status = status ? status : match_edges(&x, err);
    if (status == ATN_OK) {
        n->p = p;
        n->most = most;
        n->rounds = find_rounds(&x, most);
        n->repeats = has_several(&x, false);
        n->doubtful = n->repeats || has_several(&x, true);
        n->lonely = has_lonely(p, first);
        n->box = atn_sched_box_find(n);
        *n_p = n;
    } else {
        free(n);
    }
    free_scratch(&x);
    return status;
}

const atn_neighbourhood *atn_sched_neighbourhood_share(const atn_neighbourhood *n)
{
    if (n)
        ((atn_neighbourhood *)n)->holders++;
    return n;
}

void atn_sched_neighbourhood_free(const atn_neighbourhood *n)
{
    if (n && ((atn_neighbourhood *)n)->holders-- == 0)
        free((void *)n);
}

/* ---- queries ---- */

int atn_sched_neighbourhood_count(const atn_neighbourhood *n, int r, atn_way way)
{
    return n->grid ? 2 * n->ndims : n->list[way].first[r + 1] - n->list[way].first[r];
}

int atn_sched_neighbourhood_rank(const atn_neighbourhood *n, int r, atn_way way, int i)
{
    return n->grid ? grid_rank(n, r, i) : n->list[way].ranks[n->list[way].first[r] + i];
}

int atn_sched_neighbourhood_mate(const atn_neighbourhood *n, int r, atn_way way, int i)
{
    if (n->grid)
        return grid_rank(n, r, i) < 0 ? -1 : i ^ 1;
    return n->list[way].mate[n->list[way].first[r] + i];
}

int atn_sched_neighbourhood_round(const atn_neighbourhood *n, int r, atn_way way, int i)
{
    if (!n->grid)
        return n->list[way].round[n->list[way].first[r] + i];
    const int peer = grid_rank(n, r, i);
    return peer < 0 || peer == r ? -1 : way == ATN_OUTWARD ? i : i ^ 1;
}

static bool same_list(const int *a, const int *b, int n)
{
    return n == 0 || memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

bool atn_sched_neighbourhood_equal(const atn_neighbourhood *a, const atn_neighbourhood *b)
{
    if (a == b || !a || !b)
        return a == b;
    if (a->p != b->p || a->grid != b->grid || a->ndims != b->ndims)
        return false;
    if (a->grid)
        return same_list(a->dims, b->dims, a->ndims) && same_list(a->periods, b->periods, a->ndims);
    bool same = true;
    for (int w = 0; same && w < ATN_WAYS_OF_EDGES; w++)
        same = same_list(a->list[w].first, b->list[w].first, a->p + 1) &&
               same_list(a->list[w].ranks, b->list[w].ranks, a->list[w].first[a->p]);
    return same;
}
