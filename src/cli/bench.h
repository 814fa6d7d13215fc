/* bench.h - the steps of `attune bench`. */
#ifndef ATN_CLI_BENCH_H
#define ATN_CLI_BENCH_H

#include "cli/cli.h"
#include "cli/launch.h"
#include "report/bench.h"

/* What is to be measured: lists as the user wrote them. */
typedef struct {
    const char *ops, *sizes, *variants;
    const char *candidates; /* NULL: everything that is worth trying */
} atn_bench_wish;

/* One word per task for the program: "bcast/131072/attune;?chain{segment=8K}".  Every name is
 * checked.  Caller frees. */
atn_status atn_bench_tasks(const atn_bench_wish *wish, atn_words *tasks_p, atn_error *err);

/* A second table behind the first: each class of algorithms (coordinated, store-and-forward,
 * direct) in the mean and its best row. */
atn_status atn_bench_classes(const atn_args *a, const atn_bench_rows *rows, atn_error *err);

#endif
