/* run.h - the steps of `attune run`. */
#ifndef ATN_CLI_RUN_H
#define ATN_CLI_RUN_H

#include "cli/cli.h"
#include "cli/launch/launch.h"
#include "plan/settings.h"

extern const atn_option atn_cli_launch_options[]; /* --mpi, --dry-run */

/* ---- run_settings.c ---- */

/* From the environment and the options of a command with ATN_CMD_SETTINGS, for the job it runs. */
atn_status atn_cli_run_settings(const atn_args *a, atn_settings *s, atn_error *err);
/* Rejects settings that the job would reject, and makes the paths of files absolute. */
atn_status atn_cli_run_settings_check(atn_settings *s, atn_error *err);

/* The environment of the job; the texts belong to the settings. */
typedef struct {
    const char *names[ATN_SETTINGS], *values[ATN_SETTINGS];
    int n;
} atn_run_variables;
void atn_cli_run_variables(const atn_settings *s, atn_run_variables *set);

/* ---- run_check.c ---- */

/* Checks every app context.  *library_p is the library to preload (caller frees), or NULL if no
 * program uses MPI. */
atn_status atn_cli_run_check(const atn_launch *l, const char *flavour, char **library_p,
                             atn_error *err);

/* An MPI that Attune supports. */
typedef struct {
    const char *flavour, *title;
    const char *sonames; /* of its MPI library, separated by blanks */
} atn_flavour;
const atn_flavour *atn_cli_flavour_at(int i); /* NULL at the end */
/* The library to preload; relative to the command: ../lib/attune if installed, ../lib in a build
 * folder.  False: there is none. */
bool atn_cli_flavour_library(const char *flavour, char out[4096]);

/* ---- run_files.c ---- */

/* Rejects files that cannot be read or written or have the wrong format, and makes the paths of the
 * others absolute. */
atn_status atn_cli_run_files(atn_settings *s, atn_error *err);

/* The MPI ("openmpi", "mpich") whose library has this name; NULL: not supported. */
const char *atn_cli_flavour_of(const char *soname);

#endif
