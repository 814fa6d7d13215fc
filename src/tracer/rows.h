/* rows.h - the sizes of single blocks of alltoallv, alltoallw and allgatherv on MPI_COMM_WORLD: a
 * record of a call has their sum only.  A row is written when it differs from that of the call
 * before. */
#ifndef ATN_TRACER_ROWS_H
#define ATN_TRACER_ROWS_H

#include "tracer/recorder.h"

#pragma GCC visibility push(hidden)

/* The arguments of one side of a call. */
typedef struct {
    const void *counts;        /* NULL: none */
    const MPI_Datatype *types; /* NULL: all are of `type` */
    MPI_Datatype type;
    int n;
    bool wide; /* counts are MPI_Count, else int */
} atn_traced_counts;

static inline int64_t atn_tracer_count(const void *counts, bool wide, int i)
{
    return wide ? (int64_t)((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

/* Under the lock, before the call is recorded. */
void atn_tracer_put_row(atn_trace_op op, MPI_Comm comm, const atn_traced_counts *x, int64_t enter);

#pragma GCC visibility pop

#endif
