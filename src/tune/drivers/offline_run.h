/* offline_run.h - carries out the searches of offline.h in a job: rank 0 decides, all ranks call.
 *
 * Everything is written to standard output as samples (report/samples.h): variants of the heats as
 * candidates, of the final as named ones, native in the final as control; behind them what became
 * of every contender. */
#ifndef ATN_OFFLINE_RUN_H
#define ATN_OFFLINE_RUN_H

#include "measure/session.h"
#include "model/machine.h"
#include "report/samples.h"
#include "tune/offline.h"

typedef struct {
    atn_caller *caller;
    atn_session *session;
    const atn_machine *machine;
    const atn_samples *past; /* of a job that was stopped; may be empty */
    bool exhaustive;
    bool design;           /* nothing runs: only what would be done is written */
    atn_calibration trust; /* in the model, learned from problem to problem */
} atn_offline_run;

typedef struct {
    atn_operation op;
    int64_t bytes; /* its name in the samples, and its sizes unless ... */
    int call;      /* ... they are those of a call of the session's patterns; -1: they are not */
    bool as_it_is; /* parameters of the variants are not refined */
} atn_offline_problem;

/* On rank 0.  Variants as tasks write them: "native;?all;chain{segment=8K}".  The winner's name
 * goes to `use`, "" in a design.  False: the job has written why it gives up. */
bool atn_offline_solve(atn_offline_run *x, const atn_offline_problem *q, char *variants,
                       double seconds, char use[ATN_NAME_ROOM]);

#endif
