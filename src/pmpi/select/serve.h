/* serve.h - executes a collective call on a served communicator. */
#ifndef ATN_PMPI_SELECT_SERVE_H
#define ATN_PMPI_SELECT_SERVE_H

#include "pmpi/comm/fastpath.h"
#include "report/job.h"

/* Selects and executes; false: call the native routine instead. */
bool atn_select_serve(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* The steps of it.  The plan of a call; NULL: the native routine, or an error in *code_p. */
atn_plan *atn_select_plan(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* Nonblocking and persistent calls, which must not wait for other ranks.  The problem of one, or
 * why the native routine starts it; SERVED: for no such reason. */
atn_why atn_select_started_problem(atn_comm *c, const atn_call *call, atn_problem *q_p);
/* The choice by rules, or by wisdom where nothing is tuned; false: tuning chooses.  *why_p: if it
 * is native. */
bool atn_select_started_for_good(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_choice *choice_p, atn_why *why_p);
/* The first choice for a class that is tuned: by wisdom, or native. */
void atn_select_started_first(const atn_comm *c, const atn_subject *s, atn_choice *choice_p);
/* What the calls of the class have in common. */
atn_subject atn_select_started_subject(const atn_call *call, const atn_problem *q);
/* The plan of a choice; NULL: the native routine, or an error in *code_p. */
atn_plan *atn_select_started_plan(atn_comm *c, const atn_call *call, const atn_problem *q,
                                  const atn_choice *choice, int *code_p);
/* Further calls with the same arguments find the plan by atn_exec_start_find: for choices that
 * last. */
void atn_select_started_remember(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_plan *plan);
/* Executes a plan, on the private communicator, which is made if necessary. */
bool atn_select_run(atn_comm *c, atn_plan *plan, const atn_call *call, int *code_p);

/* After a call that was not tuned: enters its outcome into the call cache.  `whole`: key and
 * buffers are all its arguments. */
void atn_select_remember(atn_comm *c, const atn_call *call, atn_call_key k, bool served,
                         bool whole);

#endif
