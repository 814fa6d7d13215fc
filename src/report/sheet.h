/* sheet.h - a table of values beside those that a publication has, as text or as a picture.
 *
 *   atn_sheet s = {.title = "Table 5.1: ...", .source = "Afsahi 2000"};
 *   atn_report_sheet_put(&s, "99", "B1", "12", true);    published
 *   atn_report_sheet_put(&s, "99", "B1", "12", false);   ours
 *
 * Rows and columns appear in the order in which they are first put. */
#ifndef ATN_REPORT_SHEET_H
#define ATN_REPORT_SHEET_H

#include "base/base.h"

typedef ATN_VEC(char *) atn_sheet_names;

typedef struct {
    int row, column;
    char *ours, *published; /* NULL: none */
} atn_sheet_cell;

typedef struct {
    const char *title, *source; /* not owned */
    atn_sheet_names rows, columns;
    ATN_VEC(atn_sheet_cell) cells;
} atn_sheet;

/* False: no memory. */
bool atn_report_sheet_put(atn_sheet *s, const char *row, const char *column, const char *value,
                          bool published);
/* Fixes the place of a column before it has values. */
bool atn_report_sheet_column(atn_sheet *s, const char *column);
void atn_report_sheet_free(atn_sheet *s);
/* NULL: neither value exists. */
const atn_sheet_cell *atn_report_sheet_at(const atn_sheet *s, int row, int column);
/* A number, also with a remark behind it, as in "2558 (i = 3)"; false: text. */
bool atn_report_sheet_number(const char *text, double *v_p);
/* Equal texts, or numbers of which neither exceeds the other by more than this share. */
bool atn_report_sheet_agrees(const atn_sheet_cell *c, double share);

/* `format`: table (aligned text) or markdown. */
atn_status atn_report_sheet_write(FILE *f, const atn_sheet *s, const char *format, bool terminal,
                                  atn_error *err);

/* ---- sheet_draw.c ---- */

/* SVG, a panel for each sheet: lines where the rows are numbers, else dots; a grid of text where
 * there are no numbers.  Published values are hollow. */
void atn_report_sheet_draw(FILE *f, const char *title, const char *subtitle,
                           const atn_sheet *sheets, int n);

#endif
