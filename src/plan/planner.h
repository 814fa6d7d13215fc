/* planner.h - the candidates for a problem, ranked by predicted time.
 *
 * Closed forms, with what links make of messages (traffic.h), estimate all candidates.  Then
 * schedules are evaluated on machine and topology, always those with the least expected time, as
 * long as forms promise more than the best time found and the budget of steps lasts.  Of variants
 * that differ in the segment only, the best few are looked at; if one of them is best, sizes in
 * between are searched (segment.h).  With many ranks a smaller instance
 * is evaluated (miniature.h).  Floating point decides, so one rank plans and distributes the
 * result. */
#ifndef ATN_PLAN_PLANNER_H
#define ATN_PLAN_PLANNER_H

#include "model/alpha_beta.h"
#include "model/machine.h"
#include "model/model.h"
#include "plan/choice.h"
#include "plan/trial.h"

typedef struct {
    atn_choice choice;
    double seconds; /* predicted */
    double form;    /* by its closed form, without contention */
    double latency; /* the part of its form that does not depend on bytes */
    double start;   /* of one message in it */
    double hope;    /* by its form and by what links make of its messages */
    double traffic; /* the factor on bytes in it, on many ranks; 0: not known */
    double overlap; /* the factor on latency in it */
    int segments, rounds;
    int group[4];   /* others like it (planner.c) */
    bool evaluated; /* seconds come from its schedules; else from the form and the placement */
    bool beyond;    /* evaluated, and it takes longer than that: twice as long as the best */
    bool reduced;   /* evaluated on fewer ranks and extrapolated (miniature.h) */
    bool confirmed; /* evaluated on all ranks after others on fewer, or on as many as possible */
    bool travelled; /* corrected by what was measured on fewer ranks (travel.h) */
    atn_trial_probe size; /* of the schedules that its traffic comes from; ops 0: not known */
    bool sampled;         /* hope comes from its traffic */
    bool plain;           /* topology-unaware, like native algorithms */
    uint64_t does;        /* what all ranks do, as a number; 0: not evaluated */
} atn_prospect;

typedef struct {
    int n;
    atn_prospect *v; /* fastest first; those evaluated before others of the same time */
    int evaluated;
    int twins; /* behind the last of v: evaluated too, but one with a simpler name does the same */
    int64_t steps; /* of work, about 10 ns each */
} atn_ranking;

/* Steps that a plan for p ranks may make inside a job: a few milliseconds.  Where the schedules of
 * all ranks are evaluated, each is dearer the more there are; with many ranks only those of a few
 * are.  Counted, not timed, so that equal jobs plan alike. */
int64_t atn_plan_budget(int p);

/* All candidates of q->op for q->bytes on q->topo (may be NULL).  model NULL: the one to trust
 * where the ranks are (atn_plan_planner_model).  n 0: nothing applies, or the size is not
 * shared. */
atn_status atn_plan_planner_rank(const atn_problem *q, const atn_machine *m, const atn_model *model,
                                 int64_t budget, atn_ranking *ranking_p, atn_error *err);
void atn_plan_ranking_free(atn_ranking *r);
void atn_plan_ranking_sort(atn_ranking *r);

/* The same in steps of about a millisecond at most, so that it can hide behind other work.  What q
 * and m point to must outlive it.  NULL: no memory. */
typedef struct atn_planning atn_planning;
atn_planning *atn_plan_planning_begin(const atn_problem *q, const atn_machine *m,
                                      const atn_model *model, int64_t budget);
/* False: nothing is left to be done. */
bool atn_plan_planning_step(atn_planning *p);
/* Frees it, with the ranking by what was looked at so far, or without; NULL is fine for `drop`. */
atn_status atn_plan_planning_end(atn_planning *p, atn_ranking *ranking_p, atn_error *err);
void atn_plan_planning_drop(atn_planning *p);

/* Whether the slowest link needs at least `ms` milliseconds for the larger buffer of a rank;
 * false where rates are not known.  A function of what ranks share. */
bool atn_plan_takes_long(const atn_problem *q, int ms);

/* tau-Lop inside a host, circuits where the machine has them, flows over links otherwise. */
const atn_model *atn_plan_planner_model(const atn_machine *m, const atn_topo *t, int p);
/* The slowest channel that the ranks use. */
int atn_plan_planner_channel(const atn_problem *q, const atn_machine *m);
/* Latency, cost per byte and per reduced byte of the slowest channel that the ranks use: what
 * closed forms take. */
atn_alpha_beta atn_plan_planner_network(const atn_problem *q, const atn_machine *m);
/* The predicted time of one choice (trial.h); model NULL as above.  budget: steps that may be made,
 * reduced by those that were; ATN_NOT_APPLICABLE when it does not suffice. */
atn_status atn_plan_planner_time(const atn_choice *choice, const atn_problem *q,
                                 const atn_machine *m, const atn_model *model, int64_t *budget,
                                 double *seconds_p, atn_error *err);

#endif
