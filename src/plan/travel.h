/* travel.h - wisdom that travels: what was measured on few ranks corrects a plan for many.
 *
 * A measured time over the predicted one on as many ranks shows by how much the model errs for an
 * algorithm; the same factor is assumed on more ranks of the same network.  The choice is left to
 * the plan: the best algorithm and its parameters may be others than on few ranks. */
#ifndef ATN_PLAN_TRAVEL_H
#define ATN_PLAN_TRAVEL_H

#include "plan/planner.h"
#include "plan/rules.h"

/* Multiplies the predictions for q by the factors that measurements of similar sizes on fewer ranks
 * show, and sorts them again.  Algorithms that were not measured get the mean factor, and a
 * little more for doubt.  rules: of this network, narrowed (wisdom.h).  How many measured times
 * were used; 0: r is unchanged. */
int atn_plan_travel_apply(const atn_rules *rules, const atn_problem *q, const atn_machine *m,
                          atn_ranking *r);

#endif
