/* planner_private.h - the state of a plan, shared by planner.c and planner_estimate.c. */
#ifndef ATN_PLAN_PLANNER_PRIVATE_H
#define ATN_PLAN_PLANNER_PRIVATE_H

#include "plan/form.h"
#include "plan/miniature.h"
#include "plan/planner.h"
#include "plan/segment.h"
#include "plan/traffic.h"
#include "plan/trial.h"

/* What comes next; after the last there is nothing left to look at. */
typedef enum { LIST, FORMS, TRAFFIC, LOOK, CHECK, SEGMENT, DONE } atn_plan_stage;

/* Groups of prospects: those that differ in the segment only; also in windows and synchronisation,
 * which hardly change traffic; also in the order of ranks, with the same form; all of a row. */
enum { SHAPE, WAY, FORM, ROW, GROUPS };

/* Where traffic is looked at: on many ranks, as far as schedules are short, or on few. */
enum { MANY, FEW, PLACES };
typedef struct {
    atn_miniature mini; /* p 0: what is evaluated, or the problem itself */
    atn_link_traffic traffic;
    atn_form_facts facts;
} atn_plan_place;

/* Whether messages are sent at once, or wait for their receivers. */
enum { SHORT, LONG, LENGTHS };

/* Times of evaluated schedules over what was hoped for: a sum of logarithms; besides, seconds that
 * pipelines take more for each segment, by the length of their messages. */
typedef struct {
    double sum, each[LENGTHS];
    int n, of[LENGTHS];
} atn_plan_excess;

/* How the ranks of a problem are placed on hosts: their number, and that of changes from one to
 * another in the order of ranks, plus one.  cyclic: ranks go around all hosts. */
typedef struct {
    int n, runs;
    bool cyclic;
} atn_plan_hosts;

/* The latency of a closed form for one segment, and what messages inside hosts save of it. */
typedef struct {
    double all, saved;
} atn_plan_latency;

struct atn_planning {
    atn_problem q;
    const atn_machine *m;
    const atn_model *model;
    int64_t whole, budget; /* steps: to begin with, left */
    atn_plan_stage next;
    int at; /* of the candidates in the order of what they promise */
    atn_alpha_beta net;
    atn_links_message message; /* of the slowest channel */
    atn_alpha_beta inside;     /* of two ranks of a host; b 0: no two ranks share one */
    atn_plan_hosts hosts;      /* of the problem */
    double contention;
    double bound;  /* no choice takes less: what links need */
    bool in_order; /* ranks follow the topology */
    atn_ranking r;
    bool reduced; /* schedules are evaluated on the miniature */
    atn_miniature mini;
    atn_form_facts all, few;  /* of the problem, of the miniature */
    atn_trial_probe *probe;   /* of each prospect */
    atn_model_trial **stream; /* of each shape that was looked at; NULL: of others */
    bool relaxed;             /* forms are no reason not to look at a prospect */
    double best, scale;       /* least time found; least of times over forms, at most 1 */
    int64_t reserve;          /* steps left for the schedules of all ranks, after the others */
    double exact;             /* least time found by them */
    bool sampled;             /* places are in use */
    atn_plan_place place[PLACES];
    atn_choice *list; /* candidates, in the order of their numbers */
    int listed;
    atn_cost_form **forms;                /* of groups, once they are needed */
    double hoped;                         /* least hope so far */
    bool first;                           /* one of each row */
    bool *seen;                           /* rows whose traffic is known */
    bool *tried;                          /* of each prospect; before, of each kind of traffic */
    atn_plan_excess *like[GROUPS], every; /* of each group of prospects, by its number; of all */
    atn_prospect *improved;               /* whose segment is searched; NULL: none yet */
    atn_segment_search search;
    atn_segment_climb climb;
    double confirmed; /* factor on the times that are searched: those of the best on all ranks */
    atn_status status;
};
typedef struct atn_planning planner;

/* What is expected to take this much longer than the best is not worth a closer look. */
enum { PROMISING = 2 };

/* ---- estimates (planner_estimate.c) ---- */

/* Forms, hopes and the order of prospects by their form; then the traffic of one after the other,
 * until the next stage. */
void atn_plan_estimate_begin(planner *p);
void atn_plan_estimate_next(planner *p);
/* What links make of a prospect at a place. */
bool atn_plan_estimate_traffic(planner *p, const atn_prospect *x, int where,
                               atn_traffic_factors *f_p);
/* Its form if messages that do not depend on each other overlap, but for the work of sending. */
int atn_plan_estimate_length(const planner *p, const atn_prospect *x);
double atn_plan_estimate_least(const planner *p, const atn_prospect *x);
/* The form of a prospect on a problem; latency_p may be NULL. */
atn_form_terms atn_plan_estimate_terms(planner *p, const atn_prospect *x, const atn_problem *q,
                                       atn_form_facts *facts, atn_plan_latency *latency_p);
/* Whether links are known not to slow its messages down. */
bool atn_plan_prospect_is_free(const planner *p, const atn_prospect *x);
/* The problem whose schedules are evaluated, and its ranks. */
atn_problem atn_plan_problem_seen(const planner *p, const atn_prospect *x);
static inline int atn_plan_ranks_seen(const planner *p)
{
    return p->reduced ? p->mini.q.p : p->q.p;
}
/* Properties of choices: topology-aware; a factor for tokens; phases that take long to derive. */
bool atn_plan_choice_is_aware(const atn_choice *c);
double atn_plan_choice_doubt(const atn_choice *c);
bool atn_plan_has_many_phases(const planner *p, const atn_choice *c);
bool atn_plan_prospect_is_like(const atn_prospect *x, const atn_prospect *y);
int atn_plan_prospect_by_hope(const void *a, const void *b);

/* ---- evaluations (planner_evaluate.c) ---- */

/* Whether the budget is that of a job; of one whose candidates are evaluated on all of many
 * ranks. */
static inline bool atn_plan_is_job(const planner *p) { return p->whole <= atn_plan_budget(p->q.p); }
static inline bool atn_plan_is_exact_job(const planner *p)
{
    return atn_plan_is_job(p) && !p->reduced && p->q.p > ATN_SMALL_RANKS;
}
/* Segments that are built at most.  In a job with many ranks, more candidates are worth more than
 * more segments of each. */
int atn_plan_few_segments(const planner *p);
/* Of pipelines whose ranks have the same partners in all rounds, the schedules of few segments are
 * made once for all sizes of segments. */
bool atn_plan_prospect_is_stream(const planner *p, const atn_prospect *x);
/* The time of a prospect by its schedules; ATN_NOT_APPLICABLE: they are too large. */
atn_status atn_plan_evaluate(planner *p, int i, double *seconds_p);

/* ---- the best ones on all ranks (planner_check.c) ---- */

/* Whether a plan on a miniature has few enough ranks for it, and a root. */
bool atn_plan_check_applies(const planner *p);
/* Sets the reserve for it. */
void atn_plan_check_begin(planner *p);
/* Evaluates the schedules of all ranks of the next one; false: there is none. */
bool atn_plan_check_next(planner *p);

/* ---- segments (planner_segment.c) ---- */

/* Steps that others leave for it: where the best one so far is a pipeline, a part of all. */
int64_t atn_plan_segment_reserve(const planner *p);
/* Searches for the segment that minimises the time of the best one, if it is a pipeline; false:
 * done. */
bool atn_plan_segment_improve(planner *p);

#endif
