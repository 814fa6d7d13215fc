/* trace_page.h - the sections of the HTML report of a trace. */
#ifndef ATN_CLI_TRACES_TRACE_PAGE_H
#define ATN_CLI_TRACES_TRACE_PAGE_H

#include "cli/traces/trace.h"
#include "report/html.h"

/* ---- trace_charts.c; each writes nothing and returns false if it has nothing to show ---- */

/* A bar per operation and communicator, divided by size. */
bool atn_cli_trace_draw_shares(FILE *f, const atn_trace_view *v);
/* A column per rank: computation, waiting, collectives, other calls. */
bool atn_cli_trace_draw_ranks(FILE *f, const atn_trace_view *v);
bool atn_cli_trace_draw_factors(FILE *f, const atn_trace_view *v);

/* ---- trace_traffic.c; likewise ---- */

bool atn_cli_trace_draw_matrix(FILE *f, const atn_trace_view *v);
bool atn_cli_trace_draw_sizes(FILE *f, const atn_trace_view *v);
bool atn_cli_trace_draw_between(FILE *f, const atn_trace_view *v);

/* ---- trace_explain.c ---- */

/* What Attune would do for the longest classes of calls; nothing if there are none. */
void atn_cli_trace_put_explained(FILE *f, const atn_trace_view *v);

/* ---- trace_line.c ---- */

/* The time line, drawn by trace_line.js from embedded data. */
atn_status atn_cli_trace_put_line(FILE *f, const atn_trace_view *v, atn_error *err);

#endif
