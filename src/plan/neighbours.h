/* neighbours.h - what differs from a choice in one parameter by one step: where to look next when a
 * choice is good. */
#ifndef ATN_PLAN_NEIGHBOURS_H
#define ATN_PLAN_NEIGHBOURS_H

#include "plan/choice.h"

enum { ATN_NEIGHBOURS = 64 };

/* Sizes and radixes doubled and halved, numbers one more and one less, every other word; the same
 * in parts; levels with another algorithm on one of them.  Only what applies; each builds schedules
 * that neither the choice nor another of the list builds, and has the simplest name for them.
 * Returns how many. */
int atn_plan_neighbours(const atn_problem *q, const atn_choice *choice,
                        atn_choice list[ATN_NEIGHBOURS]);

#endif
