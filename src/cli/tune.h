/* tune.h - the parts of attune tune. */
#ifndef ATN_CLI_TUNE_H
#define ATN_CLI_TUNE_H

#include "cli/cli.h"
#include "cli/launch.h"
#include "report/samples.h"
#include "tune/solution.h"

/* What to search, a word for each problem, and what that is asked for. */
atn_status atn_tune_tasks(const atn_args *a, const atn_sizes *sizes, atn_words *tasks,
                          atn_loads *loads, atn_error *err);

/* Looks at samples, and refuses a file of another kind, which nobody may write over.  With `write`,
 * makes what a killed job left complete: a line that broke off is cut away, an undecided problem is
 * closed; what was measured of it counts as heats.  *tasks_p: problems that were begun;
 * *unfinished_p: the last job did not come to its end. */
atn_status atn_tune_repair(const char *path, bool write, int *tasks_p, bool *unfinished_p,
                           atn_error *err);

/* What came out, one row for each problem, as --format says. */
atn_status atn_tune_table(const atn_args *a, const atn_solutions *solutions, atn_error *err);
/* What would be done. */
atn_status atn_tune_design(const atn_args *a, const atn_samples *s, atn_error *err);

typedef struct {
    const atn_samples *samples;
    const atn_solutions *solutions;
    const atn_rules *rules;
    double seconds; /* of this job */
} atn_tune_result;
/* Everything, as text or (FILE.html) as a page. */
atn_status atn_tune_report(const atn_args *a, const char *path, const atn_tune_result *r,
                           atn_error *err);

#endif
