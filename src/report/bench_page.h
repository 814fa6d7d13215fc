/* bench_page.h - the page of a benchmark: plot, table, and which differences are certain. */
#ifndef ATN_REPORT_BENCH_PAGE_H
#define ATN_REPORT_BENCH_PAGE_H

#include "report/bench.h"
#include "report/plot.h"

void atn_report_bench_page(FILE *f, const atn_plot *p, const atn_samples *s,
                           const atn_bench_rows *rows);

#endif
