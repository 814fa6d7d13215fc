/* oversubscribed.c - see oversubscribed.h. */
#include "exec/oversubscribed.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "exec/host.h"
#include "topo/node.h"

/* Reading a node's processors is slow, so one rank does it for all. */
static bool is_oversubscribed(const atn_pus *sets, int n)
{
    atn_node *const node = malloc(sizeof *node);
    if (node == NULL)
        return true;
    const atn_pus used = atn_topo_pus_union(sets, n);
    atn_topo_node_read(&used, node);
    const bool shared = atn_topo_node_oversubscribed(node, sets, n);
    free(node);
    return shared;
}

/* The ranks that share a kernel with this rank; the first of them collects the data. */
typedef struct {
    const atn_location *locations;
    MPI_Comm comm;
    int p, r;
} room;

static int next_neighbour(const room *x, int from)
{
    while (from < x->p && x->locations[from].kernel != x->locations[x->r].kernel)
        from++;
    return from;
}

static int count_neighbours(const room *x)
{
    int n = 0;
    for (int i = next_neighbour(x, 0); i < x->p; i = next_neighbour(x, i + 1))
        n++;
    return n;
}

/* Without memory the result is true; the messages are exchanged in any case. */
static bool collect_sets(const room *x, const atn_pus *own, int n)
{
    atn_pus *const sets = malloc((size_t)n * sizeof *sets);
    atn_pus one;
    int k = 0;
    if (sets != NULL)
        sets[k++] = *own;
    for (int i = next_neighbour(x, x->r + 1); i < x->p; i = next_neighbour(x, i + 1)) {
        PMPI_Recv(&one, (int)sizeof one, MPI_BYTE, i, 0, x->comm, MPI_STATUS_IGNORE);
        if (sets != NULL)
            sets[k++] = one;
    }
    const int shared = sets == NULL || is_oversubscribed(sets, n);
    for (int i = next_neighbour(x, x->r + 1); i < x->p; i = next_neighbour(x, i + 1))
        PMPI_Send(&shared, 1, MPI_INT, i, 0, x->comm);
    free(sets);
    return shared != 0;
}

static bool compare_ranks(const room *x)
{
    const int n = count_neighbours(x), first = next_neighbour(x, 0);
    int shared = 1;
    atn_pus own;
    if (n == 1 || n > x->locations[first].processors)
        return n > 1;
    atn_topo_pus_own(&own);
    if (x->r == first)
        return collect_sets(x, &own, n);
    PMPI_Send(&own, (int)sizeof own, MPI_BYTE, first, 0, x->comm);
    PMPI_Recv(&shared, 1, MPI_INT, first, 0, x->comm, MPI_STATUS_IGNORE);
    return shared != 0;
}

#ifdef OPEN_MPI
/* MPI_T_init_thread loads every component of Open MPI and sets the thread level of all of MPI
 * again, so the current level is requested: with a lower one, a threaded program would lose its
 * locks. */
static bool query_mpi_t(void)
{
    MPI_T_cvar_handle handle;
    int level, provided, index, count;
    int64_t value = 0;
    if (PMPI_Query_thread(&level) != MPI_SUCCESS ||
        MPI_T_init_thread(level, &provided) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (count == 1)
            MPI_T_cvar_read(handle, &value);
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return value != 0;
}

/* Open MPI can yield in its own waits, and its launcher enables that on an oversubscribed node.
 * The variable is exported, though not documented; where it is not exported, MPI_T is queried. */
bool atn_exec_library_yields(void)
{
    const bool *const variable = dlsym(RTLD_DEFAULT, "ompi_mpi_yield_when_idle");
    return variable != NULL ? *variable : query_mpi_t();
}
#else
bool atn_exec_library_yields(void) { return false; }
#endif

bool atn_exec_locations_oversubscribed(const atn_location *locations, MPI_Comm comm)
{
    if (ATN_SIMULATED)
        return false;
    room x = {.locations = locations, .comm = comm};
    PMPI_Comm_size(comm, &x.p);
    PMPI_Comm_rank(comm, &x.r);
    return compare_ranks(&x);
}

bool atn_exec_ranks_oversubscribed(const atn_place_mpi *mpi, MPI_Comm comm)
{
    atn_location *const locations = atn_exec_locations_share(mpi, comm, NULL);
    const bool shared = locations == NULL || atn_exec_locations_oversubscribed(locations, comm);
    free(locations);
    return shared;
}
