/* overlap.h - overlap of communication and computation, as the OSU benchmarks define it: a call is
 * started, the rank computes, and the call is completed.
 *
 * The computation is a loop of a fixed number of steps, so that its own duration shows how much the
 * progress of the call slows it down.  Ranks that share processors sleep instead. */
#ifndef ATN_MEASURE_OVERLAP_H
#define ATN_MEASURE_OVERLAP_H

#include "measure/call.h"

typedef struct {
    double compute_s; /* computation between start and completion; 0: as long as the call alone */
    int tests;        /* for completion, distributed over the computation */
    double step_s;    /* calibrated: seconds of a step of the loop */
} atn_overlap_setup;

/* Seconds; each is the maximum over ranks, on all ranks. */
typedef struct {
    double pure_s;    /* start and wait, without computation */
    double compute_s; /* the computation, without a call */
    double overall_s; /* start, computation with tests, wait */
    double inside_s;  /* the computation while the call is open, without the tests */
} atn_overlap_times;

/* Collective. */
void atn_measure_overlap_calibrate(atn_overlap_setup *o);
/* One sample of a nonblocking or persistent variant; collective. */
void atn_measure_overlap_time(atn_caller *c, const atn_callee *callee, const atn_overlap_setup *o,
                              atn_overlap_times *times_p);

#endif
