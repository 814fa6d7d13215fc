/* trace.h - shared by the commands of `attune trace`. */
#ifndef ATN_CLI_TRACES_TRACE_H
#define ATN_CLI_TRACES_TRACE_H

#include "cli/cli.h"
#include "trace/shares.h"
#include "trace/stats.h"

/* --partial */
extern const atn_option atn_cli_trace_options[];
/* Reads the trace of operand 0; reports problems of a partial trace on standard error. */
atn_status atn_cli_trace_load(const atn_args *a, atn_trace **t_p, atn_error *err);

/* A trace and its analyses. */
typedef struct {
    atn_trace *t;
    atn_trace_stats stats;
    atn_trace_arrivals arrivals;
    atn_trace_shares shares;
    const char *machine;      /* machine file; NULL: none */
    const char *message_from; /* source of message times */
} atn_trace_view;

/* `machine`: machine file for message times; NULL: measured by the job. */
atn_status atn_cli_trace_view_make(const atn_args *a, const char *machine, atn_trace_view *v_p,
                                   atn_error *err);
void atn_cli_trace_view_free(atn_trace_view *v);

/* A table about a trace, used by all output formats and the report. */
typedef struct {
    const char *name, *title;
    const atn_column *columns;
    int ncolumns;
    void (*fill)(atn_table *t, const atn_trace_view *v);
} atn_trace_table;

extern const atn_trace_table atn_cli_stats_tables[],
    atn_arrival_tables[]; /* end with a NULL name */

/* Writes the named table; NULL: all, with titles. */
atn_status atn_cli_trace_tables_write(const atn_args *a, const atn_trace_table *tables,
                                      const char *name, const atn_trace_view *v, atn_error *err);

/* The problem of `attune explain` that a class of calls is: "allreduce:16:64K".  False: it has none
 * ("" then). */
enum { ATN_TRACE_PROBLEM = 96 };
bool atn_cli_trace_problem(const atn_trace_share *s, char out[ATN_TRACE_PROBLEM]);

/* trace_page.c: a self-contained HTML page. */
atn_status atn_cli_trace_page(FILE *f, const atn_trace_view *v, atn_error *err);

#endif
