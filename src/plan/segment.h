/* segment.h - the segment size that minimises the predicted time of an algorithm. */
#ifndef ATN_PLAN_SEGMENT_H
#define ATN_PLAN_SEGMENT_H

#include "model/machine.h"
#include "model/model.h"
#include "plan/choice.h"
#include "plan/trial.h"

/* Where sizes are tried.  `budget`: steps of work (trial.h) that may be made, reduced by those that
 * were; `tries`: the same for sizes. */
typedef struct {
    const atn_problem *q;
    const atn_machine *m;
    const atn_model *model; /* NULL: atn_plan_planner_model */
    int few;                /* segments that are built (atn_plan_trial_make) */
    /* Instead of these, if not NULL; the budget is its own then. */
    atn_status (*time)(void *context, const atn_choice *choice, double *seconds_p);
    void *context;
    int64_t budget;
    int tries;
} atn_segment_search;

/* Whether the row divides messages into segments. */
bool atn_plan_segment_applies(const atn_row *row);
/* The size of a choice's segments. */
double atn_plan_segment_size(const atn_choice *choice);

/* seconds 0: not known; INFINITY: there is no such size. */
typedef struct {
    double size, seconds;
} atn_segment_point;
/* From the size of a choice to the best one near it: half and twice the size, until neither is
 * faster, then where t = a + b size + c / size through the three has its minimum. */
typedef struct {
    atn_choice best;                   /* to begin with: the choice */
    double seconds;                    /* of the best; 0: not known yet */
    atn_segment_point shorter, longer; /* the nearest ones that are known */
} atn_segment_climb;

/* Tries at most one size; false: nothing is left to be tried.  seconds 0 then: not even the given
 * size could be evaluated. */
bool atn_plan_segment_step(atn_segment_search *s, atn_segment_climb *c);

/* The best of no segments and all powers of two from 1K on, and then near it.  Replaces
 * *choice by the best and *seconds_p by its time; ATN_NOT_APPLICABLE: nothing could be evaluated,
 * both are unchanged. */
atn_status atn_plan_segment_find(atn_segment_search *s, atn_choice *choice, double *seconds_p);

#endif
