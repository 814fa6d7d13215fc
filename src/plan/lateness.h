/* lateness.h - from how long ranks waited for each other to when they come.
 *
 * At some calls of a communicator ranks meet, and each takes the time from its entering the call
 * until all are there: whoever comes last waits least.  The times of all ranks, which they then
 * exchange, tell all of them the same about the calls to come.  Whole numbers only, so that ranks
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
bool atn_lateness_of(const atn_waited *ranks, int p, int *late);

#endif
