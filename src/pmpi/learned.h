/* learned.h - what rank 0 of a communicator says to its driver, and what becomes of what it learns.
 *
 * Candidates come from what this process has learned on other communicators of the same shape, from
 * wisdom, and from the planner.  What was learned goes to the wisdom: now and then from rank 0 of
 * the job, and from all at MPI_Finalize. */
#ifndef ATN_LEARNED_H
#define ATN_LEARNED_H

#include "pmpi/comm.h"
#include "report/job.h"

/* For atn_driver_setup; the context is the communicator. */
atn_advice atn_learned_expect(void *context, const atn_kind *x);
atn_advice atn_learned_advise(void *context, const atn_kind *x, atn_candidate_set *field_p,
                              atn_put_off *off_p);
void atn_learned_heard(void *context, const atn_kind *x, atn_advice advice);
void atn_learned_times(void *context, atn_kind *x, int incumbent_before);

/* For reports: how many calls a kind needs to be looked at, if no fewer than `needed`; why native
 * serves a kind for good. */
int64_t atn_learned_needs(const atn_comm *c, const atn_kind *x, int64_t needed);
atn_why atn_learned_fixed(const atn_comm *c, const atn_kind *x);

/* Collective over MPI_COMM_WORLD, at its end: merges what all ranks learned into the wisdom. */
void atn_learned_finish(void);

/* ---- lessons.c: what this process knows for wisdom ---- */

/* The lesson for a problem of a place; false: none. */
bool atn_lessons_find(const atn_problem *q, int64_t place, atn_rule *rule_p);
/* Keeps a lesson, in place of an earlier one for the same problem; false: no memory. */
bool atn_lessons_keep(const atn_rule *rule);
/* Writes what is new, if it is time to. */
void atn_lessons_checkpoint(void);

#endif
