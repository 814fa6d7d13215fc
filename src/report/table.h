/* table.h - a table of results, and its writers.
 *
 *   atn_table t = {.columns = columns, .ncolumns = 3};
 *   atn_report_cell(&t, "%s", name);   row by row, left to right
 *   atn_report_table_write(f, &t, "csv", false, &err);
 *   atn_report_table_free(&t);
 *
 * table     aligned text; on a terminal the heading is bold and the last column is wrapped; a pipe
 *           gets fixed columns and "-" for an empty cell
 * csv       quoted according to RFC 4180, with a heading; lines end with LF
 * json      an array of objects; numbers stay numbers, an empty number or value is null
 * markdown  a GitHub table */
#ifndef ATN_REPORT_TABLE_H
#define ATN_REPORT_TABLE_H

#include "base/base.h"
#include "report/json.h"

typedef enum {
    ATN_CELL_TEXT,
    ATN_CELL_NUMBER,
    ATN_CELL_VALUE /* text, of which JSON has numbers as numbers: a rank, or "any" */
} atn_cell_type;

typedef struct {
    const char *name; /* one word: heading, csv name and json key */
    atn_cell_type type;
} atn_column;

typedef struct {
    const atn_column *columns;
    int ncolumns;
    ATN_VEC(char *) cells;
    /* Aligned text: the least width of each column, updated so that a table can be written in
     * parts; NULL: as needed. */
    int *widths;
    bool headless; /* a further part: no heading */
    bool failed;   /* out of memory; reported by atn_report_table_write */
} atn_table;

/* The next cell; rows fill from left to right. */
void atn_report_cell(atn_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void atn_report_table_free(atn_table *t);

/* The formats in the order above: table, csv, json, markdown; NULL-terminated. */
extern const char *const atn_report_table_formats[];
/* ATN_USAGE: unknown format. */
atn_status atn_report_table_write(FILE *f, const atn_table *t, const char *format, bool terminal,
                                  atn_error *err);

/* A cell as JSON, by the type of its column. */
void atn_report_cell_json(atn_json *j, const atn_column *column, const char *text);
/* The rows as an array of objects inside of other JSON. */
void atn_report_table_json(atn_json *j, const char *key, const atn_table *t);

#endif
