/* candidates.h - what is worth considering for a problem: rows that apply, sensible parameters. */
#ifndef ATN_PLAN_CANDIDATES_H
#define ATN_PLAN_CANDIDATES_H

#include "plan/choice.h"

/* Each applicable row of q->op but native: in every sensible order of ranks with every sensible
 * segment; then, in topology-aware order, with each kind of synchronisation and with the values
 * of its own parameters; on hosts of several ranks also with one leader of each host and several
 * algorithms among them (levels).  Of those of a row that build the same schedules the simplest is
 * listed. Returns how many; *list_p is freed by the caller; -1: out of memory.  A function of
 * what ranks share. */
int atn_plan_candidates(const atn_problem *q, atn_choice **list_p);
/* The same with a bound on the steps of work (trial.h) for comparing schedules.  With 0, only
 * equal numbers of segments and rank orders are recognised as duplicates. */
int atn_plan_candidates_within(const atn_problem *q, int64_t steps, atn_choice **list_p);

#endif
