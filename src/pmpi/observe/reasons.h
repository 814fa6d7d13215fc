/* reasons.h - why calls are native, for the report. */
#ifndef ATN_PMPI_OBSERVE_REASONS_H
#define ATN_PMPI_OBSERVE_REASONS_H

#include "pmpi/nonblocking/tuning.h"
#include "pmpi/observe/observe.h"

/* A call has ended with this code after this time. */
void atn_observe_report_call(const atn_observed_call *o, int code, double seconds);
/* The same for nonblocking calls. */
void atn_observe_report_started(const atn_timed_start *x);
/* Reports the outcome of all call classes of c; before its tuners are freed, and at the end, on all
 * ranks of c. */
void atn_observe_classes_close(atn_comm *c);

#endif
