/* progress.h - what has to advance besides executions: orders of rank 0, and held calls.
 *
 * One lock protects both, and what starts change.  It is held while MPI is called, and MPI may call
 * the hook again: then nothing advances. */
#ifndef ATN_PMPI_NONBLOCKING_PROGRESS_H
#define ATN_PMPI_NONBLOCKING_PROGRESS_H

#include "pmpi/comm/state.h"
#include "pmpi/nonblocking/timing.h"

/* `threads`: several threads may call MPI at the same time; else nothing is locked. */
void atn_nonblocking_progress_start(bool threads);
void atn_nonblocking_enter_lock(void);
void atn_nonblocking_leave_lock(void);

/* From the hook: advances executions and everything else; never waits.  Returns the number of
 * completed messages and executions. */
int atn_nonblocking_progress(void);
/* The same, and the MPI library advances: for loops that wait. */
void atn_nonblocking_pause(void);
/* For calls that have ended (timing.h). */
void atn_nonblocking_note(const atn_timed_start *x);
/* Waits until nothing of c is in progress: the communicator ends on all ranks. */
void atn_nonblocking_drain(atn_comm *c);

#endif
