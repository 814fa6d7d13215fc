/* bench.h - the steps of `attune bench`. */
#ifndef ATN_CLI_TUNING_BENCH_H
#define ATN_CLI_TUNING_BENCH_H

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "report/bench.h"

/* What to measure: lists as given on the command line. */
typedef struct {
    const char *ops, *sizes, *variants;
    const char *candidates; /* NULL: all promising algorithms */
} atn_bench_request;

/* One argument per task for the program: "bcast/131072/attune;?chain{segment=8K}".  All names are
 * checked.  Caller frees. */
atn_status atn_cli_bench_tasks(const atn_bench_request *request, atn_words *tasks_p,
                               atn_error *err);

/* Writes a second table: mean and best row of each class of algorithms (coordinated,
 * store-and-forward, direct). */
atn_status atn_cli_bench_classes(const atn_args *a, const atn_bench_rows *rows, atn_error *err);

#endif
