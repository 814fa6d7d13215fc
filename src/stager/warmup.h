/* warmup.h - warm-up connections: the communication partners of a job are stored in a file, and the
 * next job connects them in MPI_Init. */
#ifndef ATN_STAGER_WARMUP_H
#define ATN_STAGER_WARMUP_H

#include "stager/routines.h"

/* Collective over MPI_COMM_WORLD; `world`: a private communicator of all ranks.  Only the `file` of
 * rank 0 counts; NULL or empty: no warm-up.  `record`: note the destinations of sends. */
void atn_stager_warmup_start(MPI_Comm world, const char *file, bool record, bool explain);
/* Collective: writes the file. */
void atn_stager_warmup_stop(MPI_Comm world);

extern bool atn_stager_warmup_records ATN_HIDDEN;
void atn_stager_warmup_record(int dest, MPI_Comm comm, const void *from);

static inline void atn_stager_warmup_note_send(int dest, MPI_Comm comm, const void *from)
{
    if (atn_stager_warmup_records)
        atn_stager_warmup_record(dest, comm, from);
}

#endif
