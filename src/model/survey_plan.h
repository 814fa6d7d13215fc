/* survey_plan.h - which experiments a placed topology calls for, in order: what all ranks derive
 * alike, and what a job that was stopped can take up again. */
#ifndef ATN_SURVEY_PLAN_H
#define ATN_SURVEY_PLAN_H

#include "model/survey.h"
#include "topo/topo.h"

enum { ATN_SURVEY_ACTORS = 64 }; /* ranks that take part in one experiment, at most */

typedef struct {
    atn_observation of; /* without the value */
    double weight;      /* its part of the time */
    int nactors;
    int actor[ATN_SURVEY_ACTORS]; /* ranks; the first one asks, the others answer */
} atn_experiment;

typedef ATN_VEC(atn_experiment) atn_experiments;

/* Fills in `list` and, of the survey, ranks, hosts, topology, channels, number and identity of the
 * plan.  ATN_USAGE: one rank alone has nothing to measure. */
atn_status atn_survey_plan(const atn_topo *t, bool off_cache, atn_experiments *list_p,
                           atn_survey *head_p, atn_error *err);

/* The channel between two ranks: 0 in a host, else how far up their paths meet. */
int atn_survey_channel_of(const atn_topo *t, int u, int v);

#endif
