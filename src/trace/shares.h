/* shares.h - where the time of collectives goes: by operation, size and communicator. */
#ifndef ATN_TRACE_SHARES_H
#define ATN_TRACE_SHARES_H

#include "trace/arrivals.h"

/* Calls of one operation on one communicator whose sizes are in one class: no data, or at least
 * 2^(k-1) and less than 2^k bytes. */
typedef struct {
    atn_trace_op op;
    int comm, p;
    int size_class;
    int64_t least, most; /* bytes that occur */
    double bytes;        /* their mean */
    int64_t calls;
    double seconds;  /* of all ranks in these calls */
    double waited_s; /* of this, before the last rank entered */
} atn_trace_share;

typedef struct {
    ATN_VEC(atn_trace_share) v; /* the longest time first */
    double seconds, waited_s;   /* sums */
} atn_trace_shares;

atn_status atn_trace_shares_make(const atn_trace_arrivals *a, atn_trace_shares *s_p,
                                 atn_error *err);
void atn_trace_shares_free(atn_trace_shares *s);

/* Of sizes: 0 for 0 bytes, else k for 2^(k-1) <= bytes < 2^k. */
int atn_trace_size_class(int64_t bytes);

#endif
