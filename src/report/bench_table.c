/* bench_table.c - the tables of a benchmark, row by row while it runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/bench.h"
#include "report/table.h"

const char *const atn_report_trust_words[] = {"yes", "no", "short", NULL};

/* ---- for programs ---- */

static const atn_column record_columns[] = {
    {"operation", ATN_CELL_TEXT},  {"bytes", ATN_CELL_NUMBER},     {"ranks", ATN_CELL_NUMBER},
    {"variant", ATN_CELL_TEXT},    {"algorithm", ATN_CELL_TEXT},   {"median_s", ATN_CELL_NUMBER},
    {"ci_low_s", ATN_CELL_NUMBER}, {"ci_high_s", ATN_CELL_NUMBER}, {"vs_native", ATN_CELL_NUMBER},
    {"vs_bound", ATN_CELL_NUMBER}, {"trusted", ATN_CELL_TEXT},
};
static const atn_column overlap_columns[] = {
    {"compute_s", ATN_CELL_NUMBER},
    {"overall_s", ATN_CELL_NUMBER},
    {"overlap", ATN_CELL_NUMBER},
    {"overlap_low", ATN_CELL_NUMBER},
    {"overlap_high", ATN_CELL_NUMBER},
    {"overlap_vs_native", ATN_CELL_NUMBER},
    {"overlap_vs_native_low", ATN_CELL_NUMBER},
    {"overlap_vs_native_high", ATN_CELL_NUMBER},
    {"interference", ATN_CELL_NUMBER},
};
static const atn_column json_columns[] = {
    {"vs_native_low", ATN_CELL_NUMBER},
    {"vs_native_high", ATN_CELL_NUMBER},
    {"bound_s", ATN_CELL_NUMBER},
    {"samples", ATN_CELL_NUMBER},
    {"mpi", ATN_CELL_TEXT},
    {"seed", ATN_CELL_NUMBER},
};
#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))
enum { MOST_COLUMNS = 32 };

static int append(atn_column *list, int n, const atn_column *more, int count)
{
    memcpy(list + n, more, (size_t)count * sizeof *more);
    return n + count;
}

static int choose_columns(bool overlaps, bool json, atn_column list[MOST_COLUMNS])
{
    int n = append(list, 0, record_columns, LENGTH(record_columns));
    if (overlaps)
        n = append(list, n, overlap_columns, LENGTH(overlap_columns));
    return json ? append(list, n, json_columns, LENGTH(json_columns)) : n;
}

static void put_number(atn_table *t, double v, const char *format)
{
    char text[32] = "";
    if (v > 0)
        snprintf(text, sizeof text, format, v);
    atn_report_cell(t, "%s", text);
}

static void put_overlap_record(atn_table *t, const atn_bench_overlap *o)
{
    atn_report_cell(t, "%.9f", o->compute_s.mid);
    atn_report_cell(t, "%.9f", o->overall_s.mid);
    atn_report_cell(t, "%.2f", o->percent.mid);
    atn_report_cell(t, "%.2f", o->percent.lo);
    atn_report_cell(t, "%.2f", o->percent.hi);
    atn_report_cell(t, "%.2f", o->vs_native.mid);
    atn_report_cell(t, "%.2f", o->vs_native.lo);
    atn_report_cell(t, "%.2f", o->vs_native.hi);
    atn_report_cell(t, "%.4f", o->interference.mid);
}

static void put_json_record(atn_table *t, const atn_samples *s, const atn_bench_row *r)
{
    put_number(t, r->vs_native.lo, "%.4f");
    put_number(t, r->vs_native.hi, "%.4f");
    put_number(t, r->task->bound_s, "%.9f");
    atn_report_cell(t, "%d", r->samples);
    atn_report_cell(t, "%s", s->mpi);
    atn_report_cell(t, "%s", s->seed);
}

static void put_record(atn_table *t, const atn_bench_row *r)
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
}

/* ---- for people ---- */

static const atn_column people_columns[] = {
    {"operation", ATN_CELL_TEXT}, {"bytes", ATN_CELL_NUMBER},    {"variant", ATN_CELL_TEXT},
    {"time", ATN_CELL_NUMBER},    {"interval", ATN_CELL_TEXT},   {"vs_native", ATN_CELL_NUMBER},
    {"interval", ATN_CELL_TEXT},  {"vs_bound", ATN_CELL_NUMBER}, {"calls", ATN_CELL_NUMBER},
    {"trusted", ATN_CELL_TEXT},   {"algorithm", ATN_CELL_TEXT},
};
static const atn_column people_overlap_columns[] = {
    {"operation", ATN_CELL_TEXT},      {"bytes", ATN_CELL_NUMBER},
    {"variant", ATN_CELL_TEXT},        {"time", ATN_CELL_NUMBER},
    {"compute", ATN_CELL_NUMBER},      {"overall", ATN_CELL_NUMBER},
    {"overlap_%", ATN_CELL_NUMBER},    {"interval", ATN_CELL_TEXT},
    {"vs_native", ATN_CELL_NUMBER},    {"interval", ATN_CELL_TEXT},
    {"interference", ATN_CELL_NUMBER}, {"calls", ATN_CELL_NUMBER},
    {"trusted", ATN_CELL_TEXT},        {"algorithm", ATN_CELL_TEXT},
};
_Static_assert(sizeof people_columns <= sizeof people_overlap_columns &&
                   LENGTH(people_overlap_columns) == ATN_BENCH_COLUMNS,
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

static void put_seconds(atn_table *t, double seconds)
{
    const unit u = unit_of(seconds);
    atn_report_cell(t, "%.*f %s", decimals(seconds * u.factor), seconds * u.factor, u.name);
}

void atn_report_bench_time(atn_estimate e, char mid[32], char interval[64])
{
    const unit u = unit_of(e.mid);
    const int d = decimals(e.mid * u.factor);
    snprintf(mid, 32, "%.*f %s", d, e.mid * u.factor, u.name);
    snprintf(interval, 64, "%.*f .. %.*f", d, e.lo * u.factor, d, e.hi * u.factor);
}

static void put_time(atn_table *t, atn_estimate e)
{
    char mid[32], interval[64];
    atn_report_bench_time(e, mid, interval);
    atn_report_cell(t, "%s", mid);
    atn_report_cell(t, "%s", interval);
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

static void put_points(atn_table *t, const atn_bench_row *r)
{
    const atn_estimate e = r->overlap.vs_native;
    if (strcmp(r->variant, "native") == 0) {
        atn_report_cell(t, "%s", "");
        atn_report_cell(t, "%s", "");
        return;
    }
    atn_report_cell(t, "%+.1f", e.mid);
    atn_report_cell(t, "%+.1f .. %+.1f", e.lo, e.hi);
}

static void put_overlap(atn_table *t, const atn_bench_row *r)
{
    const atn_bench_overlap *const o = &r->overlap;
    put_seconds(t, r->time_s.mid);
    put_seconds(t, o->compute_s.mid);
    put_seconds(t, o->overall_s.mid);
    atn_report_cell(t, "%.1f", o->percent.mid);
    atn_report_cell(t, "%.1f .. %.1f", o->percent.lo, o->percent.hi);
    put_points(t, r);
    atn_report_cell(t, "%.2f", o->interference.mid);
}

static void put_times(atn_table *t, const atn_bench_row *r)
{
    put_time(t, r->time_s);
    put_ratio(t, r);
    put_number(t, r->vs_bound, "%.2f");
}

static void put_line(atn_table *t, const atn_bench_row *r)
{
    char size[32];
    atn_report_cell(t, "%s", r->task->operation);
    atn_report_cell(t, "%s", atn_format_size(r->task->bytes, size));
    atn_report_cell(t, "%s", r->variant);
    if (r->overlaps)
        put_overlap(t, r);
    else
        put_times(t, r);
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

static void put_lines(atn_table *t, bool overlaps, const atn_bench_rows *rows)
{
    t->columns = overlaps ? people_overlap_columns : people_columns;
    t->ncolumns = overlaps ? LENGTH(people_overlap_columns) : LENGTH(people_columns);
    for (int i = 0; i < rows->n; i++)
        put_line(t, &rows->v[i]);
}

static void put_records(atn_table *t, bool overlaps, bool json, const atn_samples *s,
                        const atn_bench_rows *rows, atn_column list[MOST_COLUMNS])
{
    t->columns = list;
    t->ncolumns = choose_columns(overlaps, json, list);
    for (int i = 0; i < rows->n; i++) {
        put_record(t, &rows->v[i]);
        if (overlaps)
            put_overlap_record(t, &rows->v[i].overlap);
        if (json)
            put_json_record(t, s, &rows->v[i]);
    }
}

static atn_status write_rows(atn_bench_writer *w, const atn_samples *s, const atn_bench_rows *rows,
                             atn_error *err)
{
    const bool people = is_for_people(w), overlaps = rows->n > 0 && rows->v[0].overlaps;
    atn_column list[MOST_COLUMNS];
    atn_table t = {.widths = people ? w->widths : NULL, .headless = w->begun};
    if (people && !w->begun)
        write_head(w, s);
    w->begun = true;
    if (people)
        put_lines(&t, overlaps, rows);
    else
        put_records(&t, overlaps, is_format(w, "json"), s, rows, list);
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
