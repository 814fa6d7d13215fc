/**
 * @file timing.h
 * @brief User-defined timing for `attune tune --timing`.
 *
 * Define attune_timing(), compile it with the compiler wrapper of the MPI library into a shared
 * object (mpicc -shared -fPIC -o mine.so mine.c) and pass it: attune tune --timing ./mine.so ...
 * Every rank loads it.  docs/offline-tuning.md has an example.
 */
#ifndef ATTUNE_TIMING_H
#define ATTUNE_TIMING_H

#include <mpi.h>

#include "attune/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Executes the collective once, on all ranks of the communicator.
 *
 * @param data The pointer that attune_timing() received.
 */
typedef void (*attune_call)(void *data);

/**
 * Time a collective.  Defined by the user, called by `attune tune` on all ranks at the same time.
 *
 * The function calls `call(data)` `calls` times on every rank, together with whatever the
 * application would do around it, and returns the time of one call.  Attune takes the maximum over
 * all ranks.  A result that is not above 0 ends the job.
 *
 * @param comm  The communicator of the collective.
 * @param call  Executes the collective once.
 * @param data  Argument of `call`.
 * @param calls Number of calls to make.
 * @return Seconds per call.
 */
double attune_timing(MPI_Comm comm, attune_call call, void *data, int calls);

#ifdef __cplusplus
}
#endif
#endif
