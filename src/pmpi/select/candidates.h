/* candidates.h - on rank 0: candidates for a call class from the planner, and the cost of planning.
 */
#ifndef ATN_PMPI_SELECT_CANDIDATES_H
#define ATN_PMPI_SELECT_CANDIDATES_H

#include "pmpi/comm/state.h"
#include "tune/candidate_set.h"

/* Assumed errors of predictions, per mille: with measured parameters, and with the topology alone.
 * Without either predictions only order the candidates. */
enum {
    ATN_ERROR_MEASURED = 400,
    ATN_ERROR_SKETCHED = 700,
    ATN_ERROR_TOPOLOGY = 1500,
    ATN_ERROR_UNKNOWN = -1
};

/* Whether the job tunes by a procedure of STAR-MPI. */
bool atn_select_is_star(void);
/* The error that applies in this job. */
int atn_select_model_error(void);

/* What another plan costs and what is left for it: planning may use half of the budget. */
atn_deferral atn_select_planning_cost(void);
bool atn_select_planning_allowed(void);
/* Whether much is left, for plans that do not help this run. */
bool atn_select_planning_plentiful(void);

/* Whether a candidate applies to all sizes of the class of a problem. */
bool atn_select_candidate_fits(const atn_choice *choice, const atn_problem *q);
/* Adds the planner's candidates.  Returns the predicted time of native; 0: unknown. */
int64_t atn_select_candidates_plan(const atn_comm *c, const atn_call_class *x,
                                   atn_candidate_set *f);

#endif
