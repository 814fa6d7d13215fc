/* synchronous.c - see synchronous.h. */
#include "stager/synchronous.h"

#include <stdlib.h>

#include "stager/comms.h"

enum { TAG = 1, MAX_RANKS = 4096 };

static struct {
    MPI_Comm comm; /* all of MPI_COMM_WORLD, used for announcements only */
    int p, r;
    MPI_Request *receives; /* by rank; MPI_REQUEST_NULL: it has announced */
    bool *announced;       /* by rank: this rank has announced to it */
} state = {.comm = MPI_COMM_NULL};

bool atn_stager_synchronous_init(MPI_Comm world)
{
    PMPI_Comm_size(world, &state.p);
    PMPI_Comm_rank(world, &state.r);
    if (state.p > MAX_RANKS)
        return false;
    state.receives = malloc((size_t)state.p * sizeof *state.receives);
    state.announced = calloc((size_t)state.p, sizeof *state.announced);
    if (state.receives == NULL || state.announced == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* other ranks rely on the receives */
    state.comm = world;
    for (int i = 0; i < state.p; i++)
        atn_stager_pmpi.Irecv(NULL, 0, MPI_BYTE, i, TAG, world, &state.receives[i]);
    return true;
}

void atn_stager_synchronous_finalize(void)
{
    for (int i = 0; i < state.p && state.receives != NULL; i++)
        if (state.receives[i] != MPI_REQUEST_NULL) {
            atn_stager_pmpi.Cancel(&state.receives[i]);
            atn_stager_pmpi.Wait(&state.receives[i], MPI_STATUS_IGNORE);
        }
    free(state.receives);
    free(state.announced);
    state.receives = NULL;
    state.announced = NULL;
}

void atn_stager_synchronous_announce(MPI_Comm comm, int dest, const void *from)
{
    const atn_stager_comm *const c =
        state.announced != NULL ? atn_stager_comm_find(comm, from) : NULL;
    if (c == NULL || dest < 0 || dest >= c->p)
        return;
    const int to = c->world[dest];
    if (to == state.r || state.announced[to])
        return;
    state.announced[to] = true;
    atn_stager_pmpi.Ssend(NULL, 0, MPI_BYTE, to, TAG, state.comm);
}

bool atn_stager_sends_synchronously(int world_rank)
{
    int flag = 0;
    if (state.receives == NULL)
        return true;
    if (state.receives[world_rank] != MPI_REQUEST_NULL)
        atn_stager_pmpi.Test(&state.receives[world_rank], &flag, MPI_STATUS_IGNORE);
    return state.receives[world_rank] == MPI_REQUEST_NULL;
}
