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
void atn_report_add(const atn_problem *q, const atn_choice *choice, atn_why why, double seconds);
void atn_report_print(void);
/* A nonblocking or persistent reduction, which is not served. */
void atn_report_later(void);

/* ---- what tuners tell the report (tuned_facts.c); nothing happens when none is wanted ---- */

typedef struct {
    atn_operation op;
    int p;
    int64_t bytes;     /* any size of the problem's class, -1: ranks do not share it */
    atn_choice choice; /* what is used now */
    /* Of one call, from blocks that were agreed on: median and half width of its 95 % interval in
     * picoseconds; -1: not measured. */
    int64_t time_ps, ci_ps;
    int64_t native_ps, native_ci_ps;
} atn_tuned_fact;
void atn_report_tuned(const atn_tuned_fact *fact);
/* Nanoseconds that tuning cost on the communicator (account.h), and its budget per mille. */
void atn_report_spent(int64_t ns, int budget);

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
