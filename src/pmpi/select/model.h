/* model.h - ATTUNE_SELECT=model: problems that no rule covers are planned by predicted time. */
#ifndef ATN_PMPI_SELECT_MODEL_H
#define ATN_PMPI_SELECT_MODEL_H

#include "pmpi/comm/state.h"
#include "report/job.h"

/* Allocates the plans of c, if the model selects; false: no memory (part of the agreement). */
bool atn_select_model_start(atn_comm *c);
/* Completes what is in progress, before the communicator is freed. */
void atn_select_model_stop(atn_comm *c);
void atn_select_model_free(struct atn_model_plans *p);

/* The model's choice for a problem that no rule covers; some calls communicate, the same ones on
 * all ranks.  Whether the choice holds for equal problems from now on; c->failed is set if this
 * rank cannot follow the others. */
bool atn_select_model_choose(atn_comm *c, const atn_problem *q, atn_choice *choice_p);
/* After a call for which c->ending was set; returns the code of the call. */
int atn_select_model_end(atn_comm *c, int code);
static inline int atn_select_end(atn_comm *c, int code)
{
    return ATN_LIKELY(!c->ending) ? code : atn_select_model_end(c, code);
}

/* For reports: why no plan serves a call that no rule covers. */
void atn_select_model_reason(atn_comm *c, const atn_call *call, const atn_problem *q,
                             atn_job_reason *reason_p);

#endif
