/* synchronous.h - announcements of ranks that send synchronously.
 *
 * A synchronous send must not complete before its receive has started, and a message does not show
 * its send mode.  Before a rank sends synchronously to another rank for the first time, it
 * announces this with a synchronous message; when that completes, the other rank has it and stages
 * no message of this rank any more.  Each rank has a receive posted for every other one, so an
 * announcement needs nothing but progress of the MPI library at the receiver. */
#ifndef ATN_STAGER_SYNCHRONOUS_H
#define ATN_STAGER_SYNCHRONOUS_H

#include "stager/stager.h"

/* Collective; `world`: a private communicator of all ranks.  False: too many ranks. */
bool atn_stager_synchronous_init(MPI_Comm world);
void atn_stager_synchronous_finalize(void);
/* Before each synchronous send. */
void atn_stager_synchronous_announce(MPI_Comm comm, int dest, const void *from);
bool atn_stager_sends_synchronously(int world_rank);

#endif
