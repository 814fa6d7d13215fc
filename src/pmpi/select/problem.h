/* problem.h - what the model and online tuning share: the part of a call that is the same on all
 * ranks. */
#ifndef ATN_PMPI_SELECT_PROBLEM_H
#define ATN_PMPI_SELECT_PROBLEM_H

#include "pmpi/comm/state.h"

/* A problem without the data of a single rank. */
atn_problem atn_select_problem_shared(const atn_problem *q);
/* Whether another algorithm may give another result: floating point, user operators.  Datatype and
 * operator are the same on all ranks. */
bool atn_select_call_is_inexact(const atn_call *call);
/* Whether a choice made for a call class applies to this problem of the class: limits of algorithms
 * may lie within a range of sizes.  Native always applies. */
bool atn_select_choice_applies(const atn_choice *choice, const atn_problem *shared);

#endif
