/* files.h - files that a job reads or writes, examined before it is started: a mistake must not
 * cost the time that a job waits and runs.  Nothing is created. */
#ifndef ATN_FILES_H
#define ATN_FILES_H

#include "cli/cli.h"

/* One check for each kind of file; the message names a remedy. */
typedef atn_status atn_file_check(const char *name, atn_error *err);

atn_file_check atn_check_machine;
atn_file_check atn_check_topology; /* a file, a string, or `hosts` */
atn_file_check atn_check_wisdom; /* need not be there, but then it must be possible to create it */
atn_file_check atn_check_partners; /* likewise; of --warmup */
atn_file_check atn_check_written;  /* will be created or replaced */

/* The report of a job: its suffix must name a format, unless `format` does (not NULL). */
atn_status atn_check_report(const char *path, const char *format, atn_error *err);

/* For commands that start a job of Attune's own: what their options, or else the environment, name.
 */
atn_status atn_check_job_files(const atn_args *a, atn_error *err);

#endif
