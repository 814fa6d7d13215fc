/* trial.h - one choice made ready to be timed: its schedules on all ranks, joined to a graph, for
 * any machine. */
#ifndef ATN_PLAN_TRIAL_H
#define ATN_PLAN_TRIAL_H

#include "model/model.h"
#include "plan/choice.h"
#include "plan/repeats.h"

/* The usual number of segments that are built; a pipeline takes the same time for each further one,
 * which two short schedules show. */
enum { ATN_FEW_SEGMENTS = 16, ATN_TRIAL_PARTS = 2 * ATN_REPEAT_RUNS };

typedef struct {
    int p;
    atn_schedule **s;
    atn_op_graph g;
    atn_round_window rounds; /* of a part of the rounds: which; end 0: all */
    double weight, load; /* factors on its time, and on the load of its links, in those of all */
} atn_trial_part;

/* As a whole; or of few segments, and of half as many; or of few rounds of each run, and fewer. */
typedef struct {
    const atn_topo *topo;
    int segments, few, nparts;
    bool stream, brief; /* brief: of rounds that are alike a few may stand for all */
    bool cut;           /* and do */
    atn_trial_part part[ATN_TRIAL_PARTS];
} atn_model_trial;

/* The schedule of a middle rank, which estimates the size of the others. */
typedef struct {
    int ops, segments; /* its operations, more if they have many ranges; 0: it was not built */
    bool ring;         /* it sends to one other rank only: contention-free if topology-aware */
    bool cut;          /* these are the operations of a few rounds */
} atn_trial_probe;

atn_trial_probe atn_plan_trial_probe(const atn_schedule *s);

/* Work is counted in steps of about 10 ns: what an operation costs to build, and each rank. */
enum { ATN_STEPS_OP = 20, ATN_STEPS_RANK = 100 };

/* few: the greatest number of segments that are built.  budget: steps that may be made, reduced by
 * those that were.  ATN_NOT_APPLICABLE when it does not suffice, according to the probe.  q->topo
 * must outlive it. */
atn_status atn_plan_trial_make(const atn_choice *choice, const atn_problem *q, int few,
                               int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                               atn_error *err);
/* The same, with few rounds of those that are alike (repeats.h). */
atn_status atn_plan_trial_make_brief(const atn_choice *choice, const atn_problem *q, int few,
                                     int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                                     atn_error *err);
/* The same for a pipeline whose ranks do the same for each segment: one or two of its segments, and
 * for each further one what the busiest rank, link or host takes. */
atn_status atn_plan_trial_make_stream(const atn_choice *choice, const atn_problem *q,
                                      int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                                      atn_error *err);
/* Another size of the segments of a stream. */
void atn_plan_trial_resize(atn_model_trial *x, const atn_choice *choice, const atn_problem *q);
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
