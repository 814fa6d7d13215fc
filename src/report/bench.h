/* bench.h - the results of a benchmark: rows by task and variant, table, plot. */
#ifndef ATN_REPORT_BENCH_H
#define ATN_REPORT_BENCH_H

#include "base/stats.h"
#include "report/samples.h"

/* Whether the control of a problem (operation and size) agrees with native. */
typedef enum {
    ATN_TRUST_YES,
    ATN_TRUST_NO,   /* its interval excludes 1: the same disturbance may affect any row */
    ATN_TRUST_SHORT /* too few rounds for a 95 % interval */
} atn_bench_trust;
enum { ATN_FEWEST_SAMPLES = 6 };
extern const char *const atn_report_trust_words[]; /* "yes", "no", "short"; NULL-terminated */

/* Overlap of communication and computation (docs/benchmarking.md).  Percent are at least 0. */
typedef struct {
    atn_estimate compute_s, overall_s;
    atn_estimate percent, vs_native; /* overlap; its difference from native's, in points */
    atn_estimate interference;       /* time of the computation, with / without an open call */
} atn_bench_overlap;

typedef struct {
    const atn_task *task;
    const char *variant;   /* native, control, attune, best, or the algorithm's own name */
    const char *algorithm; /* executed */
    int samples;
    atn_estimate time_s, vs_native;
    double vs_bound; /* 0: unknown */
    atn_bench_trust trust;
    bool overlaps; /* overlap was measured */
    atn_bench_overlap overlap;
} atn_bench_row;

typedef ATN_VEC(atn_bench_row) atn_bench_rows;

/* Rows point into `s`.  vs_native compares samples of the same rounds.  `best` is, of native and
 * all candidates and named variants of a task, the one with the smallest median over its odd
 * samples (1st, 3rd ...); its row reports the even ones, which avoids selection bias.  Candidates
 * dropped early are not considered. */
atn_status atn_report_bench_summarise(const atn_samples *s, atn_bench_rows *rows_p, atn_error *err);

/* Adds the rows of one task. */
atn_status atn_report_bench_task(const atn_task *t, atn_bench_rows *rows, atn_error *err);

/* Deviation of the controls from 1, and the number of trusted problems. */
typedef struct {
    int tasks, count[ATN_TRUST_SHORT + 1];
    double median, most;
} atn_bench_noise;
/* False: there is no control. */
bool atn_report_bench_noise_of(const atn_bench_rows *rows, atn_bench_noise *noise_p);
/* The same as text, each line prefixed by `before`. */
void atn_report_bench_put_noise(FILE *f, const char *before, const atn_bench_rows *rows);

/* ---- tables ---- */

/* "1.23 ms" and "1.20 .. 1.31": the unit and the digits of the median serve the interval, too. */
void atn_report_bench_time(atn_estimate e, char mid[32], char interval[64]);

/* Formats of atn_report_table_formats; csv has exactly the columns operation, bytes, ranks,
 * variant, algorithm, median_s, ci_low_s, ci_high_s, vs_native, vs_bound, trusted, and, where
 * overlap was measured, compute_s, overall_s, overlap, overlap_low, overlap_high,
 * overlap_vs_native, overlap_vs_native_low, overlap_vs_native_high, interference. */
atn_status atn_report_bench_write(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                                  const char *format, bool terminal, atn_error *err);

/* The same while a job runs: the rows of each completed task (json: all at the end), then the
 * noise.  `widths` holds the least width of each column; columns never become narrower. */
enum { ATN_BENCH_COLUMNS = 14 };
typedef struct {
    FILE *f;
    const char *format;
    bool terminal;
    int widths[ATN_BENCH_COLUMNS];
    bool begun; /* the heading is written */
} atn_bench_writer;
atn_status atn_report_bench_stream(atn_bench_writer *w, const atn_samples *s,
                                   const atn_bench_rows *rows, atn_error *err);
/* `rows` are those of all tasks. */
atn_status atn_report_bench_finish(atn_bench_writer *w, const atn_samples *s,
                                   const atn_bench_rows *rows, atn_error *err);

/* Time against size, one panel per operation: SVG, or (`html`) a page with plot and table. */
atn_status atn_report_bench_plot(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                                 bool html, atn_error *err);

#endif
