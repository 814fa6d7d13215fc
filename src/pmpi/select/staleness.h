/* staleness.h - whether a calibration still describes the machine: times of calls in this job are
 * compared with what its parameters predict and what its wisdom recorded.
 *
 * Reported, never acted upon: online tuning corrects the selection in any case. */
#ifndef ATN_PMPI_SELECT_STALENESS_H
#define ATN_PMPI_SELECT_STALENESS_H

#include "tune/drivers/driver.h"

/* Rank 0 of a communicator: the predicted time of native for a class. */
void atn_select_staleness_expect(const atn_call_class *x, int64_t native_ps);
/* The times of the class that have been agreed so far. */
void atn_select_staleness_note(const atn_call_class *x, const atn_tuner_result *result);
/* At the end of the job: extends what the job reports about its calibration. */
void atn_select_staleness_finish(void);

#endif
