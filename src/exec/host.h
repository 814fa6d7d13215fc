/* host.h - what a host is in this build: the only place where a simulation differs.
 *
 * Ranks of a real MPI library are processes; a host has a name, a kernel, memory that its ranks
 * share, and cores that they may have to share as well.  SimGrid runs all ranks as actors of one
 * thread, each with its own copy of the program and its data; hosts exist in its model only.
 * Consequences, where ATN_SIMULATED is tested:
 *  - ranks never outnumber cores and never yield (oversubscribed.c);
 *  - messages are simulated only if they are MPI's, so no memory is shared (shared_open.c);
 *  - tests for completion take simulated time, so waits block (wait.h);
 *  - messages of a pair of ranks would share the rate of their link as if they were of different
 *    pairs, so each is held back until the one before it has arrived (dag.c);
 *  - the library itself detects deadlocks, and a second thread cannot call it (watchdog.c);
 *  - a loop that waits for a time or a message would run for long (measure, tune/drivers). */
#ifndef ATN_EXEC_HOST_H
#define ATN_EXEC_HOST_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef SMPI_H
enum { ATN_SIMULATED = 1 };
#else
enum { ATN_SIMULATED = 0 };
#endif

void atn_exec_host_name(char *name, size_t room);
/* Ranks with the same number are on one host. */
uint64_t atn_exec_host_kernel(void);
/* See atn_location. */
uint64_t atn_exec_host_memory(void);

#endif
