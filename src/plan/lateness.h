/* lateness.h - arrival skew from the time that ranks wait for each other.
 *
 * At some calls of a communicator ranks synchronise, and each measures the time from entering the
 * call until all have entered: the last rank waits least.  The times of all ranks, which they then
 * exchange, give all of them the same prediction for later calls.  Integers only, so that ranks
 * on different processors agree. */
#ifndef ATN_PLAN_LATENESS_H
#define ATN_PLAN_LATENESS_H

#include "base/base.h"

/* Of one rank: sums over the meetings that count. */
typedef struct {
    int64_t waited_ns;
    int64_t message_ns; /* one short message; of ranks that begin together */
} atn_waited;

/* late[r] becomes the number of messages that rank r comes after the first.  False: ranks come so
 * close together that nothing can be made of it; `late` is then 0. */
bool atn_plan_lateness_of(const atn_waited *ranks, int p, int *late);

#endif
