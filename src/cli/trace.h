/* trace.h - what the commands about traces share. */
#ifndef ATN_CLI_TRACE_H
#define ATN_CLI_TRACE_H

#include "cli/cli.h"
#include "report/table.h"
#include "trace/arrivals.h"
#include "trace/stats.h"

/* Whether a job may be recorded into it: not where there is a trace or a file already, nor where
 * it cannot be made.  The job makes it. */
atn_status atn_trace_folder_check(const char *folder, atn_error *err);

/* --partial */
extern const atn_option atn_trace_options[];
/* The trace in the first operand; problems of a part are told on standard error. */
atn_status atn_trace_load(const atn_args *a, atn_trace **t_p, atn_error *err);

/* A trace and what is known about it. */
typedef struct {
    atn_trace *t;
    atn_trace_stats stats;
    atn_trace_arrivals arrivals;
    const char *message_from; /* where the time of a message is from */
} atn_trace_view;

/* `machine`: a file that the time of a message is taken from; NULL: what the job measured. */
atn_status atn_trace_view_make(const atn_args *a, const char *machine, atn_trace_view *v_p,
                               atn_error *err);
void atn_trace_view_free(atn_trace_view *v);

/* A table about a trace: one row of a registry, for the terminal, csv and the report alike. */
typedef struct {
    const char *name, *title;
    const atn_column *columns;
    int ncolumns;
    void (*fill)(atn_table *t, const atn_trace_view *v);
} atn_trace_table;

extern const atn_trace_table atn_stats_tables[], atn_arrival_tables[]; /* end with a NULL name */

/* The named one, or with NULL all of them with their titles. */
atn_status atn_trace_tables_write(const atn_args *a, const atn_trace_table *tables,
                                  const char *name, const atn_trace_view *v, atn_error *err);

/* trace_page.c: a page that needs no other file. */
atn_status atn_trace_page(FILE *f, const atn_trace_view *v, atn_error *err);

#endif
