/* explain.h - ATTUNE_EXPLAIN: prints the decisions of online tuning, from rank 0. */
#ifndef ATN_PMPI_SELECT_EXPLAIN_H
#define ATN_PMPI_SELECT_EXPLAIN_H

#include "pmpi/comm/state.h"

/* Rank 0 has given advice for a call class. */
void atn_select_explain_advice(const atn_comm *c, const atn_call_class *x, atn_advice advice);
/* Times were agreed on; `before`: the incumbent before them. */
void atn_select_explain_times(const atn_comm *c, const atn_call_class *x, int before,
                              const atn_tuner_result *l);

#endif
