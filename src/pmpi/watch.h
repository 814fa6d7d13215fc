/* watch.h - looking on: report, check of arguments, watchdog.  None of it runs unless asked. */
#ifndef ATN_WATCH_H
#define ATN_WATCH_H

#include "pmpi/comm.h"
#include "report/job.h"

/* Starts what the job asked for; stopping prints the report (collective over MPI_COMM_WORLD). */
void atn_watch_start(void);
void atn_watch_stop(void);

/* report.c */
void atn_report_start(void);
/* A call; `kind` as in ledger.h. */
void atn_report_add(const atn_problem *q, const atn_choice *choice, const atn_job_reason *reason,
                    const void *kind, double seconds, double bytes);
/* A kind ends, and why its native calls were native is known. */
void atn_report_close(const void *kind, const atn_job_reason *reason);
/* Algorithm and parameters without the operation. */
void atn_report_name(const atn_choice *choice, char out[ATN_JOB_NAME]);
void atn_report_print(void);
/* A nonblocking or persistent reduction, which is not served. */
void atn_report_later(void);

/* Nanoseconds that tuning cost on the communicator (account.h), and its budget per mille. */
void atn_report_spent(int64_t ns, int budget);

/* reasons.c: a call has ended with this code after so many seconds. */
void atn_report_call(const atn_observed *o, int code, double seconds);

/* record.c: sizes of calls that differ between ranks; writing is collective over MPI_COMM_WORLD. */
void atn_record_add(const atn_comm *c, const atn_call *call);
void atn_record_write(const char *path);

/* check.c: compares the call across the ranks of its communicator (collective); false: they
 * differ, it has been said how, and *code_p is the error to return. */
bool atn_check(atn_comm *c, const atn_call *call, int *code_p);

/* watchdog.c */
void atn_watchdog_start(int seconds);
void atn_watchdog_stop(void);

#endif
