/* bars.h - shares between 0 and 1 as horizontal bars: panels, the same rows in each. */
#ifndef ATN_BARS_H
#define ATN_BARS_H

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
    bool apart; /* begins a group: some room above it */
} atn_bars_row;

typedef struct {
    char title[160], subtitle[240];
    ATN_VEC(atn_bars_row) rows;
    ATN_VEC(atn_bars_panel) panels;
} atn_bars;

/* SVG: a bar to the mean, and a line from the least to the most where they differ. */
void atn_bars_write(FILE *f, const atn_bars *b);
void atn_bars_free(atn_bars *b);

#endif
