/* tune.h - the parts of attune tune. */
#ifndef ATN_CLI_TUNING_TUNE_H
#define ATN_CLI_TUNING_TUNE_H

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "report/samples.h"
#include "tune/solution.h"

/* The problems to tune, as arguments of the program and as loads: calls of a pattern file; NULL:
 * operations and sizes. */
atn_status atn_cli_tune_tasks(const atn_args *a, const char *patterns, const atn_sizes *sizes,
                              atn_words *tasks, atn_loads *loads, atn_error *err);

/* The same for one operation and lists of sizes; for calls whose sizes differ between ranks. */
atn_status atn_cli_tune_sized(const atn_args *a, const char *ops, const char *sizes,
                              atn_words *tasks, atn_error *err);
atn_status atn_cli_tune_patterns(const atn_args *a, const char *file, atn_words *tasks,
                                 atn_loads *loads, atn_error *err);

/* The irregular calls of a trace as the text of a pattern file, and the program that made them. */
atn_status atn_cli_tune_trace(const char *folder, char **text_p, char **program_p, atn_error *err);

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

/* The table of problems, which the caller frees. */
void atn_cli_tune_fill(atn_table *t, const atn_solutions *list);
/* tune_page.c; `text`: the report as text. */
atn_status atn_cli_tune_page(FILE *f, const atn_args *a, const atn_tune_result *r, const char *text,
                             atn_error *err);

#endif
