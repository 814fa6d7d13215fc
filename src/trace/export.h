/* export.h - traces for other programs. */
#ifndef ATN_TRACE_EXPORT_H
#define ATN_TRACE_EXPORT_H

#include "trace/trace.h"

/* One line per event: rank, op, enter_ns, exit_ns, comm, partner, tag, bytes, count, type, buffer,
 * site, request, depth, thread, part.  Ranks -1: all. */
void atn_trace_csv(FILE *f, const atn_trace *t, int rank);

/* The JSON that chrome://tracing and ui.perfetto.dev read: a process per rank, a slice per call,
 * arrows from sends to receives.  At most `limit` calls (0: all), the longest; *left_out_p: the
 * others. */
atn_status atn_trace_chrome(FILE *f, const atn_trace *t, int64_t limit, int64_t *left_out_p,
                            atn_error *err);

#endif
