/* observe.h - an experiment of a survey, repeated until its median is known well enough or its time
 * is over. */
#ifndef ATN_OBSERVE_H
#define ATN_OBSERVE_H

#include "measure/act.h"
#include "model/survey_plan.h"

/* What a round tells the next one about an experiment; starts as {0}. */
typedef struct {
    int count;     /* how long a train must be; 0: not known */
    double length; /* seconds of a repetition; 0: not known */
} atn_known;

/* Rank 0 only.  `seconds`: its share of the time; false: a repetition is known to take several
 * times as long, so nothing was measured.  Fills in value and samples of `o`, which comes from the
 * plan. */
bool atn_observe(atn_theatre *t, const atn_experiment *e, double seconds, atn_known *known,
                 atn_observation *o);

#endif
