/* clock.c - from the clock of a rank to that of rank 0. */
#include <math.h>
#include <stdlib.h>

#include "trace/trace.h"

int64_t atn_trace_common_time(const atn_trace_sync *syncs, int n, int64_t local)
{
    if (n == 0)
        return local;
    const atn_trace_sync *const a = &syncs[0], *const b = &syncs[n - 1];
    if (b->at <= a->at)
        return local + a->offset;
    const double drift = (double)(b->offset - a->offset) / (double)(b->at - a->at);
    return local + a->offset + llround(drift * (double)(local - a->at));
}

/* Quartz is good for 100 in a million; clocks that are slewed to the time of day reach 500. */
bool atn_trace_clock_jumped(const atn_trace_sync *syncs, int n)
{
    if (n < 2)
        return false;
    const atn_trace_sync *const a = &syncs[0], *const b = &syncs[n - 1];
    const double allowed = 1e-3 * (double)(b->at - a->at) + (double)(a->within + b->within);
    return b->at < a->at || fabs((double)(b->offset - a->offset)) > allowed;
}
