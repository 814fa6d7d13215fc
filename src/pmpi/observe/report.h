/* report.h - the report: which algorithm served which calls, how often and how long. */
#ifndef ATN_PMPI_OBSERVE_REPORT_H
#define ATN_PMPI_OBSERVE_REPORT_H

#include "exec/exec.h"
#include "report/job.h"

void atn_observe_report_start(void);
/* A call; `class` identifies its call class (`kind` of ledger.h). */
void atn_observe_report_add(const atn_problem *q, atn_job_form form, const atn_choice *choice,
                            const atn_job_reason *reason, const void *class, double seconds,
                            double bytes);
/* A call class ends, with the reason why its native calls were native. */
void atn_observe_report_close(const void *class, const atn_job_reason *reason);
/* A nonblocking or persistent reduction, which is not served. */
void atn_observe_report_nonblocking(void);
/* Nanoseconds that tuning cost on a communicator (budget.h), those of them in calls slower than
 * native, and its budget per mille. */
void atn_observe_report_tuning(int64_t ns, int64_t lost_ns, int budget);
/* Algorithm and parameters without the operation. */
void atn_observe_report_name(const atn_choice *choice, char out[ATN_JOB_NAME]);
/* Collective over MPI_COMM_WORLD; call classes must be closed. */
void atn_observe_report_print(void);

#endif
