/* crowd.c - do the ranks of this node outnumber its cores?  The answer may differ between nodes:
 * it changes how a rank waits, never what it sends. */
#include <stdlib.h>

#include "pmpi/job.h"
#include "topo/node.h"

/* On the first rank of the node, from what all its ranks may use. */
static bool judge(const atn_pus *sets, int n)
{
    atn_node *const node = malloc(sizeof *node);
    if (node == NULL)
        return true;
    atn_node_read(node);
    const bool crowded = atn_node_crowded(node, sets, n);
    free(node);
    return crowded;
}

static bool compare_ranks(MPI_Comm near)
{
    int n, me, crowded = 1;
    atn_pus own, *sets = NULL;
    PMPI_Comm_size(near, &n);
    PMPI_Comm_rank(near, &me);
    if (me == 0)
        sets = malloc((size_t)n * sizeof *sets);
    int room = sets != NULL;
    atn_real.Bcast(&room, 1, MPI_INT, 0, near);
    if (!room)
        return true;
    atn_pus_own(&own);
    atn_real.Gather(&own, (int)sizeof own, MPI_BYTE, sets, (int)sizeof own, MPI_BYTE, 0, near);
    if (me == 0)
        crowded = judge(sets, n);
    atn_real.Bcast(&crowded, 1, MPI_INT, 0, near);
    free(sets);
    return crowded != 0;
}

/* Open MPI yields in its own waits when told so, as its launcher does on a crowded node; a second
 * yield in ours would only give away the turn that follows. */
static bool library_yields(void)
{
    int64_t value = 0;
#ifdef OPEN_MPI
    MPI_T_cvar_handle handle;
    int provided, index, count;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (count == 1)
            MPI_T_cvar_read(handle, &value);
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
#endif
    return value != 0;
}

bool atn_node_is_crowded(void)
{
    MPI_Comm near;
    if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near) !=
        MPI_SUCCESS)
        return true;
    const bool crowded = compare_ranks(near);
    atn_real.Comm_free(&near);
    return crowded && !library_yields();
}
