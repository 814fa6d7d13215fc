/* segment.h - the segment size that minimises the predicted time of an algorithm. */
#ifndef ATN_PLAN_SEGMENT_H
#define ATN_PLAN_SEGMENT_H

#include "model/machine.h"
#include "model/model.h"
#include "plan/choice.h"

/* Where sizes are tried.  `budget`: steps of work (trial.h) that may be made, reduced by those that
 * were; `tries`: the same for sizes. */
typedef struct {
    const atn_problem *q;
    const atn_machine *m;
    const atn_model *model; /* NULL: atn_plan_planner_model */
    int few;                /* segments that are built (atn_plan_trial_make) */
    int64_t budget;
    int tries;
} atn_segment_search;

/* Whether the row divides messages into segments. */
bool atn_plan_segment_applies(const atn_row *row);
/* From the size of a choice to the best one near it: longer and shorter ones, until neither is
 * faster, in steps that get smaller. */
typedef struct {
    atn_choice best; /* to begin with: the choice */
    double seconds;  /* of the best; 0: not known yet */
    int ratio;       /* of sizes, which is tried now */
    bool shorter;    /* than the best; else longer */
    bool moved;      /* the last size was faster */
} atn_segment_climb;

/* Tries at most one size; false: nothing is left to be tried.  seconds 0 then: not even the given
 * size could be evaluated. */
bool atn_plan_segment_step(atn_segment_search *s, atn_segment_climb *c);

/* The best of no segments and all powers of two from 1K on, and from there all steps.  Replaces
 * *choice by the best and *seconds_p by its time; ATN_NOT_APPLICABLE: nothing could be evaluated,
 * both are unchanged. */
atn_status atn_plan_segment_find(atn_segment_search *s, atn_choice *choice, double *seconds_p);

#endif
