/* neighbours.c - see neighbours.h. */
#include "exec/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exchange.h"
#include "exec/traffic.h"

enum { TAG = 0 };                                    /* see exchange.c */
static const int64_t most_bytes = (int64_t)64 << 20; /* of the lists of all ranks */

/* Whether all ranks pass true; without memory. */
static bool on_all_ranks(bool mine, MPI_Comm comm)
{
    char all = mine;
    int p, r;

    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &r);
    for (int k = 1; k < p; k *= 2) {
        char other = 0;
        PMPI_Sendrecv(&all, 1, MPI_CHAR, (r + k) % p, TAG, &other, 1, MPI_CHAR, (r - k + p) % p,
                      TAG, comm, MPI_STATUS_IGNORE);
        atn_exec_traffic_message(1);
        all = all && other;
    }
    return all;
}

/* ---- known to every rank ---- */

static atn_neighbourhood *read_grid(MPI_Comm comm)
{
    atn_neighbourhood *n = NULL;
    int ndims = 0;

    PMPI_Cartdim_get(comm, &ndims);
    int *room = calloc(3 * (size_t)ndims + 1, sizeof *room);
    if (room && PMPI_Cart_get(comm, ndims, room, room + ndims, room + 2 * ndims) == MPI_SUCCESS)
        atn_sched_neighbourhood_grid(ndims, room, room + ndims, &n, NULL);
    free(room);
    return n;
}

/* Destinations are also sources, in the same order. */
static atn_neighbourhood *read_graph(MPI_Comm comm)
{
    atn_neighbourhood *n = NULL;
    int p = 0, edges = 0;

    PMPI_Graphdims_get(comm, &p, &edges);
    int *first = calloc((size_t)p + 1, sizeof *first),
        *ranks = calloc((size_t)edges + 1, sizeof *ranks);
    if (first && ranks && PMPI_Graph_get(comm, p, edges, first + 1, ranks) == MPI_SUCCESS)
        atn_sched_neighbourhood_graph(p, (const int *[]){first, first},
                                      (const int *[]){ranks, ranks}, &n, NULL);
    free(first);
    free(ranks);
    return n;
}

/* ---- distributed graphs ---- */

typedef struct {
    int p, most; /* most: neighbours of a rank in both directions */
    int degree[ATN_WAYS_OF_EDGES];
    int *degrees;   /* of all ranks, inward and outward */
    int *own, *all; /* `most` entries of each rank: sources, then destinations */
    int *first[ATN_WAYS_OF_EDGES], *ranks[ATN_WAYS_OF_EDGES];
} reader;

static void count_edges(reader *x, int64_t total[ATN_WAYS_OF_EDGES])
{
    for (int r = 0; r < x->p; r++) {
        x->most = atn_max(x->most, x->degrees[2 * r] + x->degrees[2 * r + 1]);
        for (int w = 0; w < ATN_WAYS_OF_EDGES; w++)
            total[w] += x->degrees[2 * r + w];
    }
}

static bool allocate(reader *x)
{
    int64_t total[ATN_WAYS_OF_EDGES] = {0};

    count_edges(x, total);
    if ((int64_t)x->p * x->most > most_bytes / (int64_t)sizeof(int))
        return false;
    bool ok = true;
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        x->first[w] = calloc((size_t)x->p + 1, sizeof(int));
        x->ranks[w] = calloc((size_t)total[w] + 1, sizeof(int));
        ok = ok && x->first[w] && x->ranks[w];
    }
    x->own = calloc((size_t)x->most + 1, sizeof(int));
    x->all = calloc((size_t)x->p * (size_t)x->most + 1, sizeof(int));
    return ok && x->own && x->all;
}

static bool read_own(const reader *x, MPI_Comm comm)
{
    const int in = x->degree[ATN_INWARD], out = x->degree[ATN_OUTWARD];
    int *weights = calloc((size_t)(in + out) + 1, sizeof *weights);
    const bool ok = weights && PMPI_Dist_graph_neighbors(comm, in, x->own, weights, out,
                                                         x->own + in, weights + in) == MPI_SUCCESS;

    free(weights);
    return ok;
}

static void unpack(const reader *x)
{
    for (int r = 0; r < x->p; r++) {
        const int *from = x->all + (size_t)r * (size_t)x->most;
        for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
            const int n = x->degrees[2 * r + w], at = x->first[w][r];
            memcpy(x->ranks[w] + at, from, sizeof(int) * (size_t)n);
            x->first[w][r + 1] = at + n;
            from += n;
        }
    }
}

static atn_neighbourhood *read_lists(reader *x, MPI_Comm comm, MPI_Comm messages)
{
    atn_neighbourhood *n = NULL;

    if (!on_all_ranks(allocate(x) && read_own(x, comm), messages))
        return NULL;
    atn_exec_exchange(x->own, x->most * (int)sizeof(int), x->all, messages);
    unpack(x);
    atn_sched_neighbourhood_graph(x->p, (const int *const *)x->first, (const int *const *)x->ranks,
                                  &n, NULL);
    return n;
}

static atn_neighbourhood *read_distributed(MPI_Comm comm, MPI_Comm messages)
{
    reader x = {0};
    atn_neighbourhood *n = NULL;
    int weighted = 0;

    PMPI_Comm_size(comm, &x.p);
    x.degrees = calloc(2 * (size_t)x.p, sizeof *x.degrees);
    const int code = PMPI_Dist_graph_neighbors_count(comm, &x.degree[ATN_INWARD],
                                                     &x.degree[ATN_OUTWARD], &weighted);
    if (on_all_ranks(x.degrees && code == MPI_SUCCESS, messages)) {
        atn_exec_exchange(x.degree, sizeof x.degree, x.degrees, messages);
        n = read_lists(&x, comm, messages);
    }
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        free(x.first[w]);
        free(x.ranks[w]);
    }
    free(x.degrees);
    free(x.own);
    free(x.all);
    return n;
}

atn_neighbourhood *atn_exec_neighbours_read(MPI_Comm comm, MPI_Comm messages)
{
    atn_neighbourhood *n = NULL;
    int kind = MPI_UNDEFINED;

    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_UNDEFINED)
        return NULL;
    if (kind == MPI_CART)
        n = read_grid(comm);
    else if (kind == MPI_GRAPH)
        n = read_graph(comm);
    else
        n = read_distributed(comm, messages);
    if (on_all_ranks(n != NULL, messages))
        return n;
    atn_sched_neighbourhood_free(n);
    return NULL;
}
