/* calibrate.h - the parts of attune calibrate. */
#ifndef ATN_CLI_TUNING_CALIBRATE_H
#define ATN_CLI_TUNING_CALIBRATE_H

#include <limits.h>

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "plan/store.h"
#include "topo/discovery.h"

enum { ATN_CALIBRATE_STEPS = 4 };

typedef struct {
    const atn_args *a;
    atn_discovery job;     /* hosts, ranks and MPI of the launcher */
    char *hosts;           /* of the entry: "n[0-15]" */
    char store[PATH_MAX];  /* file that receives the entry */
    char wisdom[PATH_MAX]; /* file that receives rules */
    char parts[PATH_MAX];  /* folder for what is complete, until everything is */
    double seconds;        /* limit */
    double began;
    int step; /* that is executed */
} atn_calibrating;

/* ---- calibrate_job.c ---- */

/* Starts a job that only prints where it runs. */
atn_status atn_cli_calibrate_identify(atn_calibrating *c, atn_error *err);
/* Folds names to "n[0-15]"; caller frees; NULL: out of memory. */
char *atn_cli_calibrate_fold(const atn_discovery *d);
/* Ranks per host; 0: not the same on all hosts. */
int64_t atn_cli_calibrate_ranks(const atn_discovery *d);

/* ---- calibrate_steps.c ---- */

/* Files of completed steps. */
#define ATN_PART_OF_TOPOLOGY "topology"
#define ATN_PART_OF_MACHINE  "machine"

void atn_cli_calibrate_part(const atn_calibrating *c, const char *name, char path[PATH_MAX]);
bool atn_cli_calibrate_has(const atn_calibrating *c, const char *name);
/* Runs a command of the command line with these options and the launcher of this one.  Its output:
 * caller frees; text_p NULL: not needed. */
atn_status atn_cli_calibrate_command(const atn_calibrating *c, const atn_command *command,
                                     atn_words *options, char **text_p, atn_error *err);
/* Options: --time, and a file of the folder. */
bool atn_cli_calibrate_seconds(atn_words *words, double seconds);
bool atn_cli_calibrate_file(const atn_calibrating *c, atn_words *words, const char *option,
                            const char *name);

/* Executes all steps that are not complete yet and stores the results. */
atn_status atn_cli_calibrate_run(atn_calibrating *c, atn_error *err);
/* What would be done: a table in --format. */
atn_status atn_cli_calibrate_plan(atn_calibrating *c, atn_error *err);

/* ---- calibrate_tune.c ---- */

/* Tune operations by message size, and those by block size; their rules go to the wisdom file. */
atn_status atn_cli_calibrate_messages(atn_calibrating *c, double seconds, atn_error *err);
atn_status atn_cli_calibrate_blocks(atn_calibrating *c, double seconds, atn_error *err);

/* ---- calibrate_page.c ---- */

/* Writes entries, and the rules of a wisdom file (NULL: none), as a page. */
atn_status atn_cli_calibrate_page(const char *path, const atn_store_entry *const *list, int n,
                                  const char *wisdom, atn_error *err);

#endif
