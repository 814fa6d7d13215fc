/* findings.h - what commands that check files report: lines of text, or a table for programs.
 *
 *   atn_reported r = atn_cli_findings_begin(a);
 *   atn_cli_findings_add(&r, file, line, "warning", "fewer than %d samples", 3);
 *   status = atn_cli_findings_end(&r, &err);
 *
 * text   "FILE:LINE: TEXT" at once; a file without findings may have a line of its own
 * table, csv, json   one table with file, line, severity and text */
#ifndef ATN_CLI_FINDINGS_H
#define ATN_CLI_FINDINGS_H

#include "cli/cli.h"

/* "text", "table", "csv", "json" */
extern const char *const atn_cli_findings_formats[];

typedef struct {
    const atn_args *a;
    FILE *text; /* NULL: a table is written at the end */
    atn_table t;
    int n;
} atn_reported;

atn_reported atn_cli_findings_begin(const atn_args *a);
/* `line` 0: the file as a whole.  `severity`: error, warning or note. */
void atn_cli_findings_add(atn_reported *r, const char *file, int line, const char *severity,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
atn_status atn_cli_findings_end(atn_reported *r, atn_error *err);

#endif
