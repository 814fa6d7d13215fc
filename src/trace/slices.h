/* slices.h - the calls of all ranks as a compact stream, for a time line that can be zoomed.
 *
 * A slice is a call, or several short calls that follow each other: calls are merged as far as
 * needed to keep the number of slices below a limit.  The stream holds for each rank the number of
 * its slices, then of each slice
 *     kind * 2 + merged, start - end of the previous slice (zigzag), duration, [number of calls]
 * as varints (format.h); times in ns.  A merged slice has the kind with the longest time. */
#ifndef ATN_TRACE_SLICES_H
#define ATN_TRACE_SLICES_H

#include "trace/trace.h"

/* Calls of one operation on one communicator with sizes of one class. */
typedef struct {
    atn_trace_op op;
    int comm, size_class;
    int64_t least, most; /* bytes that occur */
    double seconds;      /* of all ranks */
} atn_trace_slice_kind;

typedef struct {
    ATN_VEC(atn_trace_slice_kind) kinds;
    ATN_VEC(uint8_t) stream;
    int64_t calls, slices;
    int64_t merged_ns; /* calls were merged up to this duration; 0: none */
} atn_trace_slices;

/* At most `limit` slices, but one per rank at least. */
atn_status atn_trace_slices_make(const atn_trace *t, int64_t limit, atn_trace_slices *s_p,
                                 atn_error *err);
void atn_trace_slices_free(atn_trace_slices *s);

#endif
