/* offline_run.h - runs the searches of offline.h in a job: rank 0 decides, all ranks call.
 *
 * Writes samples (report/samples.h) to standard output: variants of the screening as candidates, of
 * the final as named ones, native in the final as control; then the outcome of every candidate. */
#ifndef ATN_TUNE_DRIVERS_OFFLINE_RUN_H
#define ATN_TUNE_DRIVERS_OFFLINE_RUN_H

#include "measure/session.h"
#include "model/machine.h"
#include "report/samples.h"
#include "tune/offline.h"

typedef struct {
    atn_caller *caller;
    atn_session *session;
    const atn_machine *machine;
    const atn_samples *past; /* of an interrupted job; may be empty */
    bool exhaustive;
    bool design;                 /* nothing runs: writes only what would run */
    atn_calibration calibration; /* carried from problem to problem */
} atn_offline_run;

typedef struct {
    atn_operation op;
    int64_t bytes; /* its name in the samples, and its size unless ... */
    int call;      /* ... they are those of a call of the session's patterns; -1: they are not */
    bool as_it_is; /* parameters of the variants are not refined */
} atn_offline_problem;

/* On rank 0.  Variants as in tasks: "native;?all;chain{segment=8K}".  The winner's name goes to
 * `use`, "" in a design.  False: a `failed` line was written. */
bool atn_tune_offline_solve(atn_offline_run *x, const atn_offline_problem *q, char *variants,
                            double seconds, char use[ATN_NAME_ROOM]);

#endif
