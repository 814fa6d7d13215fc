/* bench.h - what the samples of a benchmark say: rows by task and variant, table, picture. */
#ifndef ATN_BENCH_H
#define ATN_BENCH_H

#include "base/stats.h"
#include "report/samples.h"

typedef struct {
    const atn_task *task;
    const char *variant;   /* native, control, attune, best, or the algorithm's own name */
    const char *algorithm; /* what ran */
    int samples;
    atn_estimate time_s, vs_native;
    double vs_bound; /* 0: the bound is not known */
} atn_bench_row;

typedef ATN_VEC(atn_bench_row) atn_bench_rows;

/* Rows point into `s`.  `best` is, of native and all candidates and named variants of a task, the
 * one with the smallest median over its odd samples (1st, 3rd ...); its row reports the even ones,
 * so that luck in choosing is not counted as speed.  Those that left the race early are not
 * considered. */
atn_status atn_bench_summarise(const atn_samples *s, atn_bench_rows *rows_p, atn_error *err);

/* Formats of atn_table_formats; csv has exactly the columns operation, bytes, ranks, variant,
 * algorithm, median_s, ci_low_s, ci_high_s, vs_native, vs_bound. */
atn_status atn_bench_write(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                           const char *format, bool terminal, atn_error *err);

/* Time against size, one panel per operation: SVG, or (`html`) a page with picture and table. */
atn_status atn_bench_plot(FILE *f, const atn_samples *s, const atn_bench_rows *rows, bool html,
                          atn_error *err);

#endif
