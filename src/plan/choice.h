/* choice.h - the outcome of a selection: which row of the catalogue with which parameters. */
#ifndef ATN_PLAN_CHOICE_H
#define ATN_PLAN_CHOICE_H

#include "algo/algo.h"

/* The plan chosen for a problem (row native: call the MPI library's own routine). */
typedef struct {
    const atn_row *row;
    atn_params params;
} atn_choice;

/* "ring" and "segment=8K,window=2" (may be empty) for an operation. */
atn_status atn_plan_choice_parse(atn_operation op, const char *name, const char *params,
                                 atn_choice *choice_p, atn_error *err);
/* "ring{segment=8K,window=2}" or "ring:segment=8K:window=2", which is cut in place. */
atn_status atn_plan_choice_read(atn_operation op, char *text, atn_choice *choice_p, atn_error *err);
/* "ring{segment=8K}" */
void atn_plan_choice_print(const atn_choice *choice, char out[ATN_NAME_ROOM]);
/* NULL if the choice applies to the problem with its segments, else the reason.  Pass
 * what ranks share: r 0, in_place false. */
const char *atn_plan_choice_refuses(const atn_choice *choice, const atn_problem *q);
/* Names an unknown operation, the nearest known one and all there are. */
atn_status atn_plan_unknown_operation(const char *word, atn_error *err);
/* Whether ranks share the size of the operation, so that a rule may restrict it. */
bool atn_plan_shares_bytes(atn_operation op);

#endif
