/* plot.h - time against message size, both logarithmic; all panels have the same series. */
#ifndef ATN_REPORT_PLOT_H
#define ATN_REPORT_PLOT_H

#include "base/base.h"
#include "base/stats.h"

typedef struct {
    int64_t bytes;
    atn_estimate seconds;
} atn_plot_point;

typedef ATN_VEC(atn_plot_point) atn_plot_line; /* from small to large sizes */

typedef struct {
    char title[64];
    char note[160];       /* caption; may be empty */
    atn_plot_line *lines; /* one per series of the plot */
} atn_plot_panel;

typedef struct {
    char name[128];    /* in the legend */
    const char *class; /* style: native, attune, best, bound, or other1 .. other4 */
} atn_plot_series;

typedef struct {
    char title[160], subtitle[240];
    ATN_VEC(atn_plot_series) series;
    ATN_VEC(atn_plot_panel) panels;
} atn_plot;

/* The area below a series of class `bound` is shaded. */
void atn_report_plot_write(FILE *f, const atn_plot *p);
void atn_report_plot_free(atn_plot *p);

#endif
