/* sync.h - compares the clocks of all ranks with that of rank 0. */
#ifndef ATN_TRACE_SYNC_H
#define ATN_TRACE_SYNC_H

#include <mpi.h>

#include "trace/trace.h"

/* Collective.  Rank 0 gets {now, 0, 0}. */
atn_trace_sync atn_compare_clocks(MPI_Comm comm);

#endif
