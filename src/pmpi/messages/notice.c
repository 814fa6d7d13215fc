/* notice.c - who sends synchronously.
 *
 * A synchronous send must not complete before its receive has begun, and a message does not tell
 * how it was sent.  So a rank that is about to send one, to a rank that it never sent one, tells
 * it beforehand, with a synchronous message of its own: when that is complete the other has it,
 * and will leave all messages of this rank to MPI.  The other one has a receive waiting for each
 * rank, so nothing but progress inside of MPI is needed there. */
#include <stdlib.h>

#include "pmpi/messages/early.h"

enum { TAG = 1, MAX_RANKS = 4096 };

static struct {
    MPI_Comm comm; /* all of MPI_COMM_WORLD, for this alone */
    int p, r;
    MPI_Request *slots; /* by rank; MPI_REQUEST_NULL: it came */
    bool *told;
} notices = {.comm = MPI_COMM_NULL};

bool atn_notice_start(MPI_Comm world)
{
    PMPI_Comm_size(world, &notices.p);
    PMPI_Comm_rank(world, &notices.r);
    if (notices.p > MAX_RANKS)
        return false;
    notices.slots = malloc((size_t)notices.p * sizeof *notices.slots);
    notices.told = calloc((size_t)notices.p, sizeof *notices.told);
    if (notices.slots == NULL || notices.told == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* others count on the slots */
    notices.comm = world;
    for (int i = 0; i < notices.p; i++)
        atn_pbehind.Irecv(NULL, 0, MPI_BYTE, i, TAG, world, &notices.slots[i]);
    return true;
}

void atn_notice_stop(void)
{
    for (int i = 0; i < notices.p && notices.slots != NULL; i++)
        if (notices.slots[i] != MPI_REQUEST_NULL) {
            atn_pbehind.Cancel(&notices.slots[i]);
            atn_pbehind.Wait(&notices.slots[i], MPI_STATUS_IGNORE);
        }
    free(notices.slots);
    free(notices.told);
    notices.slots = NULL;
    notices.told = NULL;
}

void atn_notice_tell(MPI_Comm comm, int dest, const void *from)
{
    const atn_known *const c = notices.told != NULL ? atn_known_comm(comm, from) : NULL;
    if (c == NULL || dest < 0 || dest >= c->p)
        return;
    const int to = c->world[dest];
    if (to == notices.r || notices.told[to])
        return;
    notices.told[to] = true;
    atn_pbehind.Ssend(NULL, 0, MPI_BYTE, to, TAG, notices.comm);
}

bool atn_notice_came(int world_rank)
{
    int flag = 0;
    if (notices.slots == NULL)
        return true;
    if (notices.slots[world_rank] != MPI_REQUEST_NULL)
        atn_pbehind.Test(&notices.slots[world_rank], &flag, MPI_STATUS_IGNORE);
    return notices.slots[world_rank] == MPI_REQUEST_NULL;
}
