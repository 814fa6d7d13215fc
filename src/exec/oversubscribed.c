/* oversubscribed.c - see oversubscribed.h. */
#include "exec/oversubscribed.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exchange.h"
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

/* Threads of a rank may run where the rank may. */
static bool are_oversubscribed(const atn_pus *sets, int n, int threads)
{
    atn_pus *const all = malloc((size_t)(n * threads) * sizeof *all);
    for (int i = 0; all != NULL && i < n * threads; i++)
        all[i] = sets[i % n];
    const bool shared = all == NULL || is_oversubscribed(all, n * threads);
    free(all);
    return shared;
}

/* The ranks that share a kernel with this rank; the first of them collects the data. */
typedef struct {
    const atn_location *locations;
    int p, r;
} room;

static int next_neighbour(const room *x, int from)
{
    while (from < x->p && x->locations[from].kernel != x->locations[x->r].kernel)
        from++;
    return from;
}

static int neighbour(const void *context, int i)
{
    const room *const x = context;
    int at = next_neighbour(x, 0);
    while (i-- > 0)
        at = next_neighbour(x, at + 1);
    return at;
}

static atn_team team_of(const room *x, MPI_Comm comm)
{
    atn_team t = {.comm = comm, .rank_of = neighbour, .context = x};
    for (int i = next_neighbour(x, 0); i < x->p; i = next_neighbour(x, i + 1)) {
        t.own = i == x->r ? t.n : t.own;
        t.n++;
    }
    return t;
}

typedef struct {
    atn_pus *v;
    int n;
} set_pile;

/* Without memory sets are missing. */
static void take(void *context, const char *data, int64_t bytes)
{
    set_pile *const x = context;
    const int more = (int)(bytes / (int64_t)sizeof *x->v);
    atn_pus *const wider =
        data != NULL ? realloc(x->v, (size_t)(x->n + more) * sizeof *wider) : NULL;
    if (wider == NULL)
        return;
    memcpy(wider + x->n, data, (size_t)bytes);
    x->v = wider;
    x->n += more;
}

static const char *give(void *context, int64_t *bytes_p)
{
    const set_pile *const x = context;
    *bytes_p = x->n * (int64_t)sizeof *x->v;
    return (const char *)x->v;
}

/* Without all sets the result is true. */
static bool compare_ranks(const room *x, MPI_Comm comm, int threads)
{
    const atn_team team = team_of(x, comm);
    set_pile sets = {0};
    atn_pus own;
    if (team.n * threads == 1 || team.n * threads > x->locations[neighbour(x, 0)].processors)
        return team.n * threads > 1;
    atn_topo_pus_own(&own);
    take(&sets, (const char *)&own, sizeof own);
    atn_exec_team_collect(&(atn_collection){take, give, &sets}, &team);
    int shared = team.own > 0 || sets.n != team.n || are_oversubscribed(sets.v, sets.n, threads);
    atn_exec_team_spread(&shared, &team);
    free(sets.v);
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

bool atn_exec_locations_oversubscribed(const atn_location *locations, MPI_Comm comm, int threads)
{
    if (ATN_SIMULATED)
        return false;
    room x = {.locations = locations};
    PMPI_Comm_size(comm, &x.p);
    PMPI_Comm_rank(comm, &x.r);
    return compare_ranks(&x, comm, threads);
}

bool atn_exec_ranks_oversubscribed(const atn_place_mpi *mpi, MPI_Comm comm)
{
    atn_location *const locations = atn_exec_locations_share(mpi, comm, NULL);
    const bool shared = locations == NULL || atn_exec_locations_oversubscribed(locations, comm, 1);
    free(locations);
    return shared;
}
