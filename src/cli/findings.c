/* findings.c - see findings.h. */
#include "cli/findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const atn_cli_findings_formats[] = {"text", "table", "csv", "json", NULL};

static const atn_column columns[] = {{"file", ATN_CELL_TEXT},
                                     {"line", ATN_CELL_NUMBER},
                                     {"severity", ATN_CELL_TEXT},
                                     {"text", ATN_CELL_TEXT}};

atn_reported atn_cli_findings_begin(const atn_args *a)
{
    const bool text = strcmp(atn_cli_arg_format(a), "text") == 0;
    return (atn_reported){.a = a,
                          .text = text ? a->out : NULL,
                          .t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns}};
}

static void put_text(FILE *f, const char *file, int line, const char *text)
{
    if (line > 0)
        fprintf(f, "%s:%d: %s\n", file, line, text);
    else
        fprintf(f, "%s: %s\n", file, text);
}

static void put_row(atn_table *t, const char *file, int line, const char *severity,
                    const char *text)
{
    atn_report_cell(t, "%s", file);
    if (line > 0)
        atn_report_cell(t, "%d", line);
    else
        atn_report_cell(t, "%s", "");
    atn_report_cell(t, "%s", severity);
    atn_report_cell(t, "%s", text);
}

void atn_cli_findings_add(atn_reported *r, const char *file, int line, const char *severity,
                          const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    r->n++;
    if (text == NULL)
        r->t.failed = true;
    else if (r->text != NULL)
        put_text(r->text, file, line, text);
    else
        put_row(&r->t, file, line, severity, text);
    free(text);
}

atn_status atn_cli_findings_end(atn_reported *r, atn_error *err)
{
    if (r->text == NULL)
        return atn_cli_arg_table(r->a, &r->t, err);
    return r->t.failed ? atn_fail(err, ATN_MEMORY, "out of memory") : ATN_OK;
}
