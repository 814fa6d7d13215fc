/* watch.h - looking on: report, check of arguments, watchdog.  None of it runs unless asked. */
#ifndef ATN_WATCH_H
#define ATN_WATCH_H

#include "pmpi/comm.h"

/* Starts what the job asked for; stopping prints the report (collective over MPI_COMM_WORLD). */
void atn_watch_start(void);
void atn_watch_stop(void);

/* report.c */
void atn_report_add(const atn_problem *q, const atn_choice *choice, double seconds);
void atn_report_print(void);

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
