/* sync.h - compares the clocks of all ranks with that of rank 0. */
#ifndef ATN_TRACER_SYNC_H
#define ATN_TRACER_SYNC_H

#include <mpi.h>
#include <stdint.h>

#include "trace/trace.h"

/* Collective.  Rank 0 gets {now, 0, 0}. */
atn_trace_sync atn_tracer_compare_clocks(MPI_Comm comm);

/* Collective: measures the time of messages of several sizes between rank 0 and the last rank.
 * Returns the number of sizes on rank 0, and 0 on the other ranks. */
enum { ATN_MESSAGE_SIZES = 5 };
int atn_tracer_time_messages(MPI_Comm comm, int64_t bytes[ATN_MESSAGE_SIZES],
                             int64_t ns[ATN_MESSAGE_SIZES]);

#endif
