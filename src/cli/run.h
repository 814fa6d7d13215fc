/* run.h - the steps of `attune run`. */
#ifndef ATN_RUN_H
#define ATN_RUN_H

#include "cli/cli.h"
#include "cli/launch.h"
#include "plan/settings.h"

/* ---- run_check.c: may the command be run under Attune, and with which library ---- */

/* Examines every app context.  *library_p is the library to preload (caller frees), or NULL when
 * there is nothing to preload into. */
atn_status atn_run_check(const atn_launch *l, const char *flavour, char **library_p,
                         atn_error *err);

/* ---- run_files.c ---- */

/* Refuses files that cannot be read or written, or hold something else; the others are named by
 * their full paths from here on. */
atn_status atn_run_files(atn_settings *s, atn_error *err);

/* The MPI whose library has this name ("openmpi", "mpich"); NULL: none that Attune knows. */
const char *atn_flavour_of(const char *soname);

#endif
