/* crowd.c - see crowd.h. */
#include "exec/crowd.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "topo/node.h"

/* Reading a node's processors takes a while, so one rank does it for all. */
static bool judge(const atn_pus *sets, int n)
{
    atn_node *const node = malloc(sizeof *node);
    if (node == NULL)
        return true;
    const atn_pus used = atn_pus_union(sets, n);
    atn_node_read(&used, node);
    const bool crowded = atn_node_crowded(node, sets, n);
    free(node);
    return crowded;
}

static bool compare_ranks(const atn_place_mpi *mpi, MPI_Comm near)
{
    atn_pus own;
    int n, me, crowded = 1;
    PMPI_Comm_size(near, &n);
    PMPI_Comm_rank(near, &me);
    atn_pus *const sets = malloc((size_t)n * sizeof *sets);
    int room = sets != NULL;
    mpi->allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, near);
    if (room) {
        atn_pus_own(&own);
        mpi->allgather(&own, (int)sizeof own, MPI_BYTE, sets, (int)sizeof own, MPI_BYTE, near);
        if (me == 0)
            crowded = judge(sets, n);
        mpi->bcast(&crowded, 1, MPI_INT, 0, near);
    }
    free(sets);
    return crowded != 0;
}

#ifdef OPEN_MPI
/* MPI_T_init_thread loads every component of Open MPI, and sets the level of threads for all of MPI
 * anew, so it is asked for the level that there is: with less, a program with threads would lose
 * its locks. */
static bool ask_mpi_t(void)
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

/* Open MPI yields in its own waits when told so, as its launcher does on a crowded node; a second
 * yield in ours would only give away the turn that follows.  Its variable is exported, if not
 * documented; where it is not, the long way is left. */
static bool library_yields(void)
{
    const bool *const variable = dlsym(RTLD_DEFAULT, "ompi_mpi_yield_when_idle");
    return variable != NULL ? *variable : ask_mpi_t();
}
#else
static bool library_yields(void) { return false; }
#endif

bool atn_ranks_crowded(const atn_place_mpi *mpi, MPI_Comm near)
{
    const bool crowded = compare_ranks(mpi, near);
    return crowded && !library_yields();
}
