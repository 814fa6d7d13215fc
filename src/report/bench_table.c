/* bench_table.c - the tables of a benchmark, row by row while it runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/bench.h"
#include "report/table.h"

const char *const atn_report_trust_words[] = {"yes", "no", "short", NULL};

/* ---- for programs ---- */

static const atn_column csv_columns[] = {
    {"operation", ATN_CELL_TEXT},
    {"bytes", ATN_CELL_NUMBER},
    {"ranks", ATN_CELL_NUMBER},
    {"variant", ATN_CELL_TEXT},
    {"algorithm", ATN_CELL_TEXT},
    {"median_s", ATN_CELL_NUMBER},
    {"ci_low_s", ATN_CELL_NUMBER},
    {"ci_high_s", ATN_CELL_NUMBER},
    {"vs_native", ATN_CELL_NUMBER},
    {"vs_bound", ATN_CELL_NUMBER},
    {"trusted", ATN_CELL_TEXT},
    /* json only */
    {"vs_native_low", ATN_CELL_NUMBER},
    {"vs_native_high", ATN_CELL_NUMBER},
    {"bound_s", ATN_CELL_NUMBER},
    {"samples", ATN_CELL_NUMBER},
    {"mpi", ATN_CELL_TEXT},
    {"seed", ATN_CELL_NUMBER},
};
enum { CSV_COLUMNS = 11, JSON_COLUMNS = sizeof csv_columns / sizeof *csv_columns };

static void put_number(atn_table *t, double v, const char *format)
{
    char text[32] = "";
    if (v > 0)
        snprintf(text, sizeof text, format, v);
    atn_report_cell(t, "%s", text);
}

static void put_record(atn_table *t, const atn_samples *s, const atn_bench_row *r)
{
    atn_report_cell(t, "%s", r->task->operation);
    atn_report_cell(t, "%" PRId64, r->task->bytes);
    atn_report_cell(t, "%d", r->task->ranks);
    atn_report_cell(t, "%s", r->variant);
    atn_report_cell(t, "%s", r->algorithm);
    atn_report_cell(t, "%.9f", r->time_s.mid);
    atn_report_cell(t, "%.9f", r->time_s.lo);
    atn_report_cell(t, "%.9f", r->time_s.hi);
    put_number(t, r->vs_native.mid, "%.4f");
    put_number(t, r->vs_bound, "%.4f");
    atn_report_cell(t, "%s", atn_report_trust_words[r->trust]);
    if (t->ncolumns == CSV_COLUMNS)
        return;
    put_number(t, r->vs_native.lo, "%.4f");
    put_number(t, r->vs_native.hi, "%.4f");
    put_number(t, r->task->bound_s, "%.9f");
    atn_report_cell(t, "%d", r->samples);
    atn_report_cell(t, "%s", s->mpi);
    atn_report_cell(t, "%s", s->seed);
}

/* ---- for people ---- */

static const atn_column people_columns[] = {
    {"operation", ATN_CELL_TEXT}, {"bytes", ATN_CELL_NUMBER},    {"variant", ATN_CELL_TEXT},
    {"time", ATN_CELL_NUMBER},    {"interval", ATN_CELL_TEXT},   {"vs_native", ATN_CELL_NUMBER},
    {"interval", ATN_CELL_TEXT},  {"vs_bound", ATN_CELL_NUMBER}, {"calls", ATN_CELL_NUMBER},
    {"trusted", ATN_CELL_TEXT},   {"algorithm", ATN_CELL_TEXT},
};
_Static_assert(sizeof people_columns / sizeof *people_columns == ATN_BENCH_COLUMNS,
               "a width for each column");

/* A unit that suits the value, and three digits. */
typedef struct {
    double factor;
    const char *name;
} unit;

static unit unit_of(double seconds)
{
    static const unit units[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}};
    const int i = seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2;
    return units[i];
}

static int decimals(double v) { return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2; }

static void put_time(atn_table *t, atn_estimate e)
{
    const unit u = unit_of(e.mid);
    const int d = decimals(e.mid * u.factor);
    atn_report_cell(t, "%.*f %s", d, e.mid * u.factor, u.name);
    atn_report_cell(t, "%.*f .. %.*f", d, e.lo * u.factor, d, e.hi * u.factor);
}

static void put_ratio(atn_table *t, const atn_bench_row *r)
{
    const bool itself = strcmp(r->variant, "native") == 0;
    put_number(t, r->vs_native.mid, "%.2f");
    if (r->vs_native.mid > 0 && !itself)
        atn_report_cell(t, "%.2f .. %.2f", r->vs_native.lo, r->vs_native.hi);
    else
        atn_report_cell(t, "%s", "");
}

static void put_line(atn_table *t, const atn_bench_row *r)
{
    char size[32];
    atn_report_cell(t, "%s", r->task->operation);
    atn_report_cell(t, "%s", atn_format_size(r->task->bytes, size));
    atn_report_cell(t, "%s", r->variant);
    put_time(t, r->time_s);
    put_ratio(t, r);
    put_number(t, r->vs_bound, "%.2f");
    atn_report_cell(t, "%d", r->samples);
    atn_report_cell(t, "%s", atn_report_trust_words[r->trust]);
    atn_report_cell(t, "%s", strcmp(r->variant, r->algorithm) == 0 ? "" : r->algorithm);
}

/* ---- writing ---- */

static bool is_format(const atn_bench_writer *w, const char *name)
{
    return strcmp(w->format, name) == 0;
}

static bool is_for_people(const atn_bench_writer *w)
{
    return !is_format(w, "csv") && !is_format(w, "json");
}

static void write_head(const atn_bench_writer *w, const atn_samples *s)
{
    fprintf(w->f, "%d ranks, %s; medians and 95 %% confidence intervals%s%s\n\n", s->ranks, s->mpi,
            s->seed[0] != '\0' ? "; seed " : "", s->seed);
}

static atn_status write_rows(atn_bench_writer *w, const atn_samples *s, const atn_bench_rows *rows,
                             atn_error *err)
{
    const bool people = is_for_people(w);
    atn_table t = {.columns = people ? people_columns : csv_columns,
                   .ncolumns = people                 ? ATN_BENCH_COLUMNS
                               : is_format(w, "json") ? JSON_COLUMNS
                                                      : CSV_COLUMNS,
                   .widths = people ? w->widths : NULL,
                   .headless = w->begun};
    if (people && !w->begun)
        write_head(w, s);
    w->begun = true;
    for (int i = 0; i < rows->n; i++) {
        if (people)
            put_line(&t, &rows->v[i]);
        else
            put_record(&t, s, &rows->v[i]);
    }
    const atn_status status = atn_report_table_write(w->f, &t, w->format, w->terminal, err);
    atn_report_table_free(&t);
    return status;
}

atn_status atn_report_bench_stream(atn_bench_writer *w, const atn_samples *s,
                                   const atn_bench_rows *rows, atn_error *err)
{
    return is_format(w, "json") ? ATN_OK : write_rows(w, s, rows, err);
}

void atn_report_bench_put_noise(FILE *f, const char *before, const atn_bench_rows *rows)
{
    atn_bench_noise x;
    if (atn_report_bench_noise_of(rows, &x))
        fprintf(f,
                "%sNoise: native differs from itself by %.1f %% in the median, %.1f %% at most.\n",
                before, 100 * x.median, 100 * x.most);
    if (x.count[ATN_TRUST_NO] > 0)
        fprintf(
            f,
            "%sNot trusted: %d of %d problems, where the interval of the control excludes "
            "1 (1 in 20 does by chance). Repeat the measurement, longer or on an idle machine.\n",
            before, x.count[ATN_TRUST_NO], x.tasks);
    if (x.count[ATN_TRUST_SHORT] > 0)
        fprintf(f,
                "%sToo short: %d of %d problems, with fewer than %d rounds for the control. Give "
                "more --seconds.\n",
                before, x.count[ATN_TRUST_SHORT], x.tasks, ATN_FEWEST_SAMPLES);
}

atn_status atn_report_bench_finish(atn_bench_writer *w, const atn_samples *s,
                                   const atn_bench_rows *rows, atn_error *err)
{
    const bool json = is_format(w, "json");
    const atn_status status = json || !w->begun ? write_rows(w, s, rows, err) : ATN_OK;
    if (status == ATN_OK && is_for_people(w) && rows->n > 0) {
        fputc('\n', w->f);
        atn_report_bench_put_noise(w->f, "", rows);
    }
    return status;
}

atn_status atn_report_bench_write(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                                  const char *format, bool terminal, atn_error *err)
{
    atn_bench_writer w = {.f = f, .format = format, .terminal = terminal};
    return atn_report_bench_finish(&w, s, rows, err);
}
