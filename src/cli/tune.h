/* tune.h - the parts of attune tune. */
#ifndef ATN_CLI_TUNE_H
#define ATN_CLI_TUNE_H

#include "cli/cli.h"
#include "cli/launch.h"
#include "report/samples.h"
#include "tune/solution.h"

/* The problems to tune, as arguments of the program and as loads. */
atn_status atn_cli_tune_tasks(const atn_args *a, const atn_sizes *sizes, atn_words *tasks,
                              atn_loads *loads, atn_error *err);

/* Examines a file of samples; rejects other files, which must not be overwritten.  With `write`,
 * completes the file of a killed job: removes an incomplete line and closes an undecided problem,
 * whose samples count as those of racing rounds.  *tasks_p: problems started; *unfinished_p: the
 * last job did not finish. */
atn_status atn_cli_tune_repair(const char *path, bool write, int *tasks_p, bool *unfinished_p,
                               atn_error *err);

/* Writes the result in --format, one row per problem. */
atn_status atn_cli_tune_table(const atn_args *a, const atn_solutions *solutions, atn_error *err);
/* Writes the design (--dry-run). */
atn_status atn_cli_tune_design(const atn_args *a, const atn_samples *s, atn_error *err);

typedef struct {
    const atn_samples *samples;
    const atn_solutions *solutions;
    const atn_rules *rules;
    double seconds; /* of this job */
} atn_tune_result;
/* Writes the full report, as text or (FILE.html) as a page. */
atn_status atn_cli_tune_report(const atn_args *a, const char *path, const atn_tune_result *r,
                               atn_error *err);

#endif
