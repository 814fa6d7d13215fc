/* planned.h - ATTUNE_SELECT=model: what the files that plan and learn share. */
#ifndef ATN_PLANNED_H
#define ATN_PLANNED_H

#include "plan/planner.h"
#include "pmpi/comm.h"
#include "report/job.h"

/* A call that was timed. */
typedef struct {
    atn_problem q;
    atn_choice choice;
    double seconds; /* the slowest rank */
} atn_timed;

/* All candidates for a problem, best first, as this process alone ranks them: to be told to the
 * others. */
atn_status atn_planned_ranking(const atn_comm *c, const atn_problem *q, atn_ranking *ranking_p,
                               atn_error *err);

/* Why no plan serves a call that no rule covers, for reports. */
void atn_planned_reason(atn_comm *c, const atn_call *call, const atn_problem *q,
                        atn_job_reason *reason_p);

/* Seconds of a clock that never goes back. */
double atn_now_seconds(void);

/* The machine that plans of this process are made for, as far as it was learnt; caller frees it.
 * NULL: none, or no memory. */
atn_machine *atn_refined_machine(void);
/* Moves the machine towards what the call took; about as long as a plan. */
void atn_refined_learn(const atn_timed *l);
/* Whether this process writes down what it learns. */
bool atn_refined_kept(void);

#endif
