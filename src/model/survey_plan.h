/* survey_plan.h - the experiments for a topology with ranks, in order.  All ranks derive the same
 * plan, and so does a resumed job. */
#ifndef ATN_MODEL_SURVEY_PLAN_H
#define ATN_MODEL_SURVEY_PLAN_H

#include "model/survey.h"
#include "topo/topo.h"

enum { ATN_SURVEY_ACTORS = 64 }; /* maximum number of ranks in one experiment */

typedef struct {
    atn_observation of; /* without the value */
    double weight;      /* its share of the time */
    int nactors;
    int actor[ATN_SURVEY_ACTORS]; /* ranks; the first one initiates, the others reply */
} atn_experiment;

typedef ATN_VEC(atn_experiment) atn_experiments;

/* The conditions of a survey, the same on all ranks. */
typedef struct {
    bool off_cache; /* buffers are not in the cache */
    bool shared;    /* ranks of a host can read each other's memory */
} atn_survey_conditions;

/* Fills in `list` and, of the survey, ranks, hosts, topology, channels, number and identity of the
 * plan.  ATN_USAGE: only one rank. */
atn_status atn_model_survey_plan(const atn_topo *t, atn_survey_conditions conditions,
                                 atn_experiments *list_p, atn_survey *head_p, atn_error *err);

/* The channel between two ranks: 0 in a host, else the level of the switch that connects them. */
int atn_model_survey_channel_of(const atn_topo *t, int u, int v);

#endif
