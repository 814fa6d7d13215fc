/* files.h - checks of files that a job reads or writes, before it is started, so that an error does
 * not waste the time of a job.  Nothing is created. */
#ifndef ATN_CLI_FILES_H
#define ATN_CLI_FILES_H

#include "cli/cli.h"

/* One check for each file type; the message names a remedy. */
typedef atn_status atn_file_check(const char *name, atn_error *err);

atn_file_check atn_cli_check_machine;
atn_file_check atn_cli_check_calibration;
atn_file_check atn_cli_check_topology;     /* a file, a string, or `hosts` */
atn_file_check atn_cli_check_wisdom;       /* exists, or can be created */
atn_file_check atn_cli_check_partners;     /* likewise, for --warmup */
atn_file_check atn_cli_check_written;      /* can be created or replaced */
atn_file_check atn_cli_check_trace_folder; /* can be created, or holds no trace */

/* The name by which a job reads a topology: another file, in the cache of the user, for a format of
 * another tool, which only the command line reads; else the name itself.  The caller frees it. */
atn_status atn_cli_job_topology(const char *name, char **job_p, atn_error *err);

/* The report of a job: its suffix must name a format, unless `format` is given (not NULL). */
atn_status atn_cli_check_report(const char *path, const char *format, atn_error *err);

/* For ATN_CMD_JOB: files named by options, or else by the environment. */
atn_status atn_cli_check_job_files(const atn_args *a, atn_error *err);

#endif
