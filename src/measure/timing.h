/* timing.h - ways to time a call: alone, in a row, between computations, with ranks that come at
 * different times, or as a shared object of the user does it (include/attune/timing.h). */
#ifndef ATN_TIMING_H
#define ATN_TIMING_H

#include "measure/call.h"

typedef struct atn_mechanism atn_mechanism;

typedef struct {
    const atn_mechanism *by;
    double spread;    /* imbalance: ranks come within so many times the reference */
    double reference; /* seconds of a call, alike on all ranks: how long others compute or wait */
    void *object;     /* of the user; or NULL */
} atn_timing;

/* "plain", "barrier", "compute", "imbalance:F", or the path of a shared object.  Collective: all
 * ranks have it or none, and then `err` has a reason on rank 0. */
atn_status atn_timing_open(const char *word, atn_timing *t_p, atn_error *err);
void atn_timing_close(atn_timing *t);

/* Seconds per call of `calls` calls, the same on all ranks.  Calls with the same `turn` are treated
 * alike: their ranks come in the same random order. */
double atn_timing_run(const atn_timing *t, atn_caller *c, const atn_callee *callee, int calls,
                      int turn);

#endif
