/* choose.h - selection without tuning: rules, then wisdom, then the model. */
#ifndef ATN_PMPI_SELECT_CHOOSE_H
#define ATN_PMPI_SELECT_CHOOSE_H

#include "pmpi/comm/state.h"

/* The atn_choose_fn of every communicator; the context is its state.  Whether the choice holds for
 * equal problems from now on. */
bool atn_select_choose(void *context, const atn_problem *q, atn_choice *choice_p);

#endif
