#include "communicators.h"
#include "operation.h"

#include <stdlib.h>

t_member t_comms[COMMS];

static MPI_Comm by_split(int color, int key)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    return comm;
}

/* MPI determines the order of the sources. */
static MPI_Comm by_graph(void)
{
    MPI_Comm comm;
    const int to[2] = {3 * t_rank % t_ranks, (3 * t_rank + 1) % t_ranks}, degree = 2;
    const int weights[2] = {1, 1};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &t_rank, &degree, to, weights, MPI_INFO_NULL, 0,
                          &comm);
    return comm;
}

/* The same edges, in the same order in every run. */
static MPI_Comm by_ordered_graph(void)
{
    MPI_Comm comm;
    const int to[2] = {3 * t_rank % t_ranks, (3 * t_rank + 1) % t_ranks};
    int *from = t_alloc(sizeof(int) * 2 * (size_t)t_ranks), degree = 0;
    int *weights = t_alloc(sizeof(int) * 2 * (size_t)(t_ranks + 1));
    for (int r = 0; r < t_ranks; r++)
        for (int k = 0; k < 2; k++)
            if ((3 * r + k) % t_ranks == t_rank)
                from[degree++] = r;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, from, weights, 2, to, weights,
                                   MPI_INFO_NULL, 0, &comm);
    free(weights);
    free(from);
    return comm;
}

static MPI_Comm by_grid(void)
{
    MPI_Comm comm;
    int dims[2] = {0, 0};
    MPI_Dims_create(t_ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){1, 0}, 0, &comm);
    return comm;
}

void t_comms_make(bool repeatable)
{
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    t_comms[WORLD] = (t_member){"world", MPI_COMM_WORLD, false};
    t_comms[RENEWED] = (t_member){"dup", dup, false};
    t_comms[HALVES] = (t_member){"halves", by_split(2 * t_rank < t_ranks, t_rank), false};
    t_comms[PARITY] = (t_member){"odd and even", by_split(t_rank % 2, t_rank), false};
    t_comms[REVERSED] = (t_member){"reversed", by_split(0, -t_rank), false};
    t_comms[ALL_BUT_ONE] =
        (t_member){"all but one", by_split(t_rank == t_ranks / 2, t_rank), false};
    t_comms[GRID] = (t_member){"grid", by_grid(), true};
    t_comms[GRAPH] = (t_member){"graph", repeatable ? by_ordered_graph() : by_graph(), true};
}

void t_comms_free(void)
{
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_free(&t_comms[i].comm);
}

/* Open MPI itself takes the number of neighbours for that of ranks in MPI_Ialltoallw, and MPICH
 * that of destinations for that of sources in MPI_Neighbor_alltoallw. */
int t_kind_random(t_rng *rng, const t_member *m)
{
    const int kind = t_below(rng, m->topology ? T_KINDS : T_WITHOUT_TOPOLOGY);
    if (kind == (T_OPEN_MPI ? T_ALLTOALLW : T_NEIGHBOR_ALLTOALLW) && m->topology)
        return T_OPEN_MPI ? T_ALLTOALLV : T_NEIGHBOR_ALLTOALLV;
    return kind;
}
