/* advice.h - rank 0 of a communicator advises its driver: which candidates to try for a call class,
 * and when.
 *
 * Candidates come from the results of this process on other communicators of the same shape, from
 * wisdom, and from the planner. */
#ifndef ATN_PMPI_SELECT_ADVICE_H
#define ATN_PMPI_SELECT_ADVICE_H

#include "pmpi/comm/state.h"
#include "report/job.h"

/* For atn_driver_setup; the context is the communicator. */
atn_advice atn_select_advice_expect(void *context, const atn_call_class *x);
atn_advice atn_select_advice_prepare(void *context, const atn_call_class *x, atn_deferral *off_p);
atn_advice atn_select_advice_give(void *context, const atn_call_class *x,
                                  atn_candidate_set *field_p, atn_deferral *off_p);
void atn_select_advice_received(void *context, const atn_call_class *x, atn_advice advice);
void atn_select_advice_times(void *context, atn_call_class *x, int incumbent_before);

/* The rule of an earlier job for this very context or program, or for nonblocking calls; NULL:
 * none. */
const atn_rule *atn_select_advice_owned(const atn_comm *c, const atn_subject *s);

/* For reports: why native serves a class for good. */
atn_why atn_select_advice_fixed_reason(const atn_comm *c, const atn_call_class *x);

#endif
