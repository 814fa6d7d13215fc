/* candidates.h - what is worth considering for a problem: rows that apply, sensible parameters. */
#ifndef ATN_CANDIDATES_H
#define ATN_CANDIDATES_H

#include "plan/choice.h"

/* Each applicable row of q->op but native: in every sensible order of ranks with every sensible
 * segment; then, along the wires, with each way of keeping ranks in step and with the values of its
 * own parameters.  Of those of a row that build the same schedules the simplest is listed.
 * Returns how many; *list_p is freed by the caller; -1: out of memory.  A function of what ranks
 * share. */
int atn_candidates(const atn_problem *q, atn_choice **list_p);
/* The same with so many steps of work (trial.h) at most to compare schedules.  Without any, only
 * those are known to be the same that are told by their numbers of segments and orders of ranks. */
int atn_candidates_within(const atn_problem *q, int64_t steps, atn_choice **list_p);

#endif
