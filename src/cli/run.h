/* run.h - the steps of `attune run`. */
#ifndef ATN_CLI_RUN_H
#define ATN_CLI_RUN_H

#include "cli/cli.h"
#include "cli/launch.h"
#include "plan/settings.h"

extern const atn_option atn_cli_launch_options[]; /* --mpi, --dry-run */

/* ---- run_check.c ---- */

/* Checks every app context.  *library_p is the library to preload (caller frees), or NULL if no
 * program uses MPI. */
atn_status atn_cli_run_check(const atn_launch *l, const char *flavour, char **library_p,
                             atn_error *err);

/* ---- run_files.c ---- */

/* Rejects files that cannot be read or written or have the wrong format, and makes the paths of the
 * others absolute. */
atn_status atn_cli_run_files(atn_settings *s, atn_error *err);

/* The MPI ("openmpi", "mpich") whose library has this name; NULL: not supported. */
const char *atn_cli_flavour_of(const char *soname);

#endif
