/* timing.h - how `attune tune` may time collectives your way.
 *
 * Write a function of this name, compile it with the compiler wrapper of your MPI into a shared
 * object (mpicc -shared -fPIC -o mine.so mine.c), and name it: attune tune --timing ./mine.so ...
 * It is loaded into every rank.  docs/offline-tuning.md has an example. */
#ifndef ATTUNE_TIMING_H
#define ATTUNE_TIMING_H

#include <mpi.h>

/* Carries out the collective once, on all ranks of the communicator. */
typedef void (*attune_call)(void *data);

/* Calls `call(data)` `calls` times on every rank, surrounded by whatever your program would do, and
 * returns how many seconds one call took, as you understand it.  All ranks call the function at the
 * same time; Attune takes the largest of what they return.  What is not above 0 ends the job. */
double attune_timing(MPI_Comm comm, attune_call call, void *data, int calls);

#endif
