/* timing.h - mechanisms that time calls: after barriers, back to back, between computations, with
 * arrival skew, or by a shared object of the user (include/attune/timing.h). */
#ifndef ATN_MEASURE_TIMING_H
#define ATN_MEASURE_TIMING_H

#include "measure/call.h"

typedef struct atn_mechanism atn_mechanism;

typedef struct {
    const atn_mechanism *by;
    double spread;    /* imbalance: ranks arrive within this multiple of the reference */
    double reference; /* seconds of a call, the same on all ranks: time to compute or wait */
    void *object;     /* of the user; or NULL */
} atn_timing;

/* "plain", "barrier", "compute", "imbalance:F", or the path of a shared object.  Collective: it
 * succeeds on all ranks or on none, and then `err` has a reason on rank 0. */
atn_status atn_measure_timing_open(const char *word, atn_timing *t_p, atn_error *err);
void atn_measure_timing_close(atn_timing *t);

/* Seconds per call of `calls` calls, the same on all ranks.  Calls of the same `round` have the
 * same arrival pattern. */
double atn_measure_timing_run(const atn_timing *t, atn_caller *c, const atn_callee *callee,
                              int calls, int round);

#endif
