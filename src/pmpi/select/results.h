/* results.h - results of online tuning in this process, and how they are merged into the wisdom:
 * periodically from rank 0 of the job, and from all ranks at MPI_Finalize. */
#ifndef ATN_PMPI_SELECT_RESULTS_H
#define ATN_PMPI_SELECT_RESULTS_H

#include "plan/rules.h"

/* The result for a problem and a rank mapping; false: none. */
bool atn_select_results_find(const atn_problem *q, int64_t place, atn_rule *rule_p);
/* Stores a result, in place of an earlier one for the same problem; false: no memory. */
bool atn_select_results_keep(const atn_rule *rule);
/* Writes new results, if it is time to. */
void atn_select_results_checkpoint(void);
/* Collective over MPI_COMM_WORLD, at the end of the job: merges the results of all ranks into the
 * wisdom. */
void atn_select_results_finish(void);

#endif
