/* observe.h - an experiment of a survey, repeated until its median is accurate enough or its time
 * is used up. */
#ifndef ATN_MEASURE_OBSERVE_H
#define ATN_MEASURE_OBSERVE_H

#include "measure/testbed.h"
#include "model/survey_plan.h"

/* Results of a round that the next round of the same experiment uses; starts as {0}. */
typedef struct {
    int count;     /* length of a train; 0: unknown */
    double length; /* seconds of a repetition; 0: unknown */
} atn_observe_state;

/* Rank 0 only.  `seconds`: its share of the time; false: a repetition takes several times as long,
 * so nothing was measured.  Fills in value and samples of `o`; the other fields come from the
 * plan. */
bool atn_measure_observe(atn_testbed *t, const atn_experiment *e, double seconds,
                         atn_observe_state *state, atn_observation *o);

#endif
