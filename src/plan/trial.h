/* trial.h - one choice made ready to be timed: its schedules on all ranks, joined to a graph, for
 * any machine. */
#ifndef ATN_PLAN_TRIAL_H
#define ATN_PLAN_TRIAL_H

#include "model/model.h"
#include "plan/choice.h"

/* The usual number of segments that are built; a pipeline takes the same time for each further one,
 * which two short schedules show. */
enum { ATN_FEW_SEGMENTS = 16, ATN_TRIAL_PARTS = 2 };

typedef struct {
    int p;
    atn_schedule **s;
    atn_op_graph g;
} atn_trial_part;

typedef struct {
    const atn_topo *topo;
    int segments, few, nparts;
    atn_trial_part part[ATN_TRIAL_PARTS]; /* as a whole; or of few segments, and of half as many */
} atn_model_trial;

/* The schedule of a middle rank, which estimates the size of the others. */
typedef struct {
    int ops, segments; /* its operations; 0: it was not built */
    bool ring;         /* it sends to one other rank only: contention-free if topology-aware */
} atn_trial_probe;

/* Work is counted in steps of 10 to 40 ns: what an operation costs to build, and each rank. */
enum { ATN_STEPS_OP = 20, ATN_STEPS_RANK = 300 };

/* few: the greatest number of segments that are built.  budget: steps that may be made, reduced by
 * those that were.  ATN_NOT_APPLICABLE when it does not suffice, according to the probe.  q->topo
 * must outlive it. */
atn_status atn_plan_trial_make(const atn_choice *choice, const atn_problem *q, int few,
                               int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                               atn_error *err);
/* Steps needed to build a choice like that one with `segments` segments, at most `few`, on p
 * ranks. */
int64_t atn_plan_trial_steps(const atn_trial_probe *like, int segments, int few, int p);
void atn_plan_trial_free(atn_model_trial *x);
/* What all ranks do, as a number other than 0: equal for choices that differ in name only. */
uint64_t atn_plan_trial_hash(const atn_model_trial *x);
/* Predicted seconds; with bounds (may be NULL) that were hit, what they exceed. */
atn_status atn_plan_trial_time(const atn_model_trial *x, const atn_machine *m,
                               const atn_model *model, atn_model_bounds *bounds, double *seconds_p,
                               atn_error *err);

#endif
