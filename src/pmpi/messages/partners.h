/* partners.h - whom the ranks of a job send to: remembered from one job to the next, so that the
 * connections are there before they are needed. */
#ifndef ATN_MESSAGES_PARTNERS_H
#define ATN_MESSAGES_PARTNERS_H

#include "pmpi/messages/doors.h"

/* Collective over MPI_COMM_WORLD, on a communicator for this alone.  `file` counts on rank 0; NULL
 * or empty on rank 0: nothing is done.  `watch`: this rank may watch its sends. */
void atn_partners_start(MPI_Comm world, const char *file, bool watch, bool explain);
/* Collective as well: writes what was seen. */
void atn_partners_stop(MPI_Comm world);

extern bool atn_partners_wanted ATN_HIDDEN;
void atn_partners_note(int dest, MPI_Comm comm, const void *from);

static inline void atn_partners_saw(int dest, MPI_Comm comm, const void *from)
{
    if (atn_partners_wanted)
        atn_partners_note(dest, comm, from);
}

#endif
