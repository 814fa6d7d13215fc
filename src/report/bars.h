/* bars.h - horizontal bar charts of shares between 0 and 1; all panels have the same rows. */
#ifndef ATN_REPORT_BARS_H
#define ATN_REPORT_BARS_H

#include "base/base.h"

typedef struct {
    double least, mean, most;
} atn_bar;

typedef struct {
    char title[96];
    ATN_VEC(atn_bar) bars; /* one per row */
} atn_bars_panel;

typedef struct {
    char name[48];
    bool apart; /* first row of a group: extra space above */
} atn_bars_row;

typedef struct {
    char title[160], subtitle[240];
    ATN_VEC(atn_bars_row) rows;
    ATN_VEC(atn_bars_panel) panels;
} atn_bars;

/* SVG: a bar for the mean, and a line from minimum to maximum where they differ. */
void atn_report_bars_write(FILE *f, const atn_bars *b);
void atn_report_bars_free(atn_bars *b);

#endif
