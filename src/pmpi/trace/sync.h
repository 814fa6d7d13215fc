/* sync.h - compares the clocks of all ranks with that of rank 0. */
#ifndef ATN_TRACE_SYNC_H
#define ATN_TRACE_SYNC_H

#include <mpi.h>
#include <stdint.h>

#include "trace/trace.h"

/* Collective.  Rank 0 gets {now, 0, 0}. */
atn_trace_sync atn_compare_clocks(MPI_Comm comm);

/* Collective: how long messages of some sizes take between rank 0 and the last rank; how many sizes
 * there are, on rank 0, else 0. */
enum { ATN_MESSAGE_SIZES = 5 };
int atn_time_messages(MPI_Comm comm, int64_t bytes[ATN_MESSAGE_SIZES],
                      int64_t ns[ATN_MESSAGE_SIZES]);

#endif
