/* trace.h - what the commands about traces share. */
#ifndef ATN_CLI_TRACE_H
#define ATN_CLI_TRACE_H

#include "cli/cli.h"
#include "trace/trace.h"

/* --partial */
extern const atn_option atn_trace_options[];
/* The trace in the first operand; problems of a part are told on standard error. */
atn_status atn_trace_load(const atn_args *a, atn_trace **t_p, atn_error *err);

#endif
