/* observe.h - an experiment of a survey, repeated until its median is known well enough or its time
 * is over. */
#ifndef ATN_OBSERVE_H
#define ATN_OBSERVE_H

#include "measure/act.h"
#include "model/survey_plan.h"

/* Rank 0 only.  `seconds`: its share of the time; false: one repetition would take several times as
 * long, so nothing was measured.  Fills in value and samples of `o`, which comes from the plan.
 * `count_p`: how long a train must be; 0 when that is not known yet. */
bool atn_observe(atn_theatre *t, const atn_experiment *e, double seconds, int *count_p,
                 atn_observation *o);

#endif
