/* bench.c - medians, intervals and ratios of a benchmark, and its tables. */
#include "report/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

/* ---- from samples to rows ---- */

enum { ALL = 0, ODD = 1, EVEN = 2 };

/* Median of all samples, or of the 1st, 3rd ... (ODD) or the 2nd, 4th ... (EVEN).  A lone sample is
 * its own even half.  n is 0 without memory. */
static atn_estimate estimate(const atn_times *t, int half, int *n_p)
{
    double *copy = malloc(sizeof *copy * (size_t)t->n);
    int n = 0;
    const int step = half == ALL ? 1 : 2;
    for (int i = half == EVEN && t->n > 1; copy != NULL && i < t->n; i += step)
        copy[n++] = t->v[i];
    const atn_estimate e = n > 0 ? atn_median(copy, n) : (atn_estimate){0};
    free(copy);
    *n_p = n;
    return e;
}

static const atn_variant *find_role(const atn_task *t, atn_role role)
{
    for (int i = 0; i < t->variants.n; i++)
        if (t->variants.v[i].role == role)
            return &t->variants.v[i];
    return NULL;
}

/* Native is always a candidate; the control stands for it, because the others are compared with
 * the samples of `native`. */
static bool contends(const atn_variant *v)
{
    return v->role == ATN_ROLE_CANDIDATE || v->role == ATN_ROLE_NAMED ||
           v->role == ATN_ROLE_CONTROL;
}

static int most_samples(const atn_task *t)
{
    int most = 0;
    for (int i = 0; i < t->variants.n; i++)
        if (contends(&t->variants.v[i]))
            most = atn_max(most, t->variants.v[i].seconds.n);
    return most;
}

static const atn_variant *choose_best(const atn_task *t)
{
    const atn_variant *best = NULL;
    const int most = most_samples(t);
    double least = 0;
    for (int i = 0; i < t->variants.n; i++) {
        const atn_variant *v = &t->variants.v[i];
        int n;
        if (!contends(v) || v->seconds.n == 0 || 2 * v->seconds.n < most)
            continue;
        const double median = estimate(&v->seconds, ODD, &n).mid;
        if (n > 0 && (best == NULL || median < least)) {
            best = v;
            least = median;
        }
    }
    return best;
}

typedef struct {
    const atn_task *task;
    atn_estimate native; /* mid 0: was not measured */
    atn_bench_rows *rows;
} summary;

static bool add_row(summary *s, const char *name, const atn_variant *v, int half)
{
    atn_bench_row row = {.task = s->task, .variant = name, .algorithm = v->algorithm};
    row.time_s = estimate(&v->seconds, half, &row.samples);
    if (row.samples == 0)
        return false;
    if (v->role == ATN_ROLE_NATIVE)
        s->native = row.time_s;
    if (s->native.mid > 0)
        row.vs_native = atn_ratio(row.time_s, s->native);
    if (v->role == ATN_ROLE_NATIVE)
        row.vs_native = (atn_estimate){1, 1, 1};
    if (s->task->bound_s > 0)
        row.vs_bound = row.time_s.mid / s->task->bound_s;
    return atn_push(s->rows, row);
}

static bool add_task(const atn_task *t, atn_bench_rows *rows)
{
    static const atn_role first[] = {ATN_ROLE_NATIVE, ATN_ROLE_CONTROL, ATN_ROLE_ATTUNE};
    summary s = {.task = t, .rows = rows};
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++) {
        const atn_variant *v = find_role(t, first[i]);
        ok = v == NULL || add_row(&s, atn_role_names[first[i]], v, ALL);
    }
    const atn_variant *best = t->seeks_best ? choose_best(t) : NULL;
    ok = ok && (best == NULL || add_row(&s, "best", best, EVEN));
    for (int i = 0; i < t->variants.n && ok; i++) {
        const atn_variant *v = &t->variants.v[i];
        ok = v->role != ATN_ROLE_NAMED || add_row(&s, v->algorithm, v, ALL);
    }
    return ok;
}

atn_status atn_bench_summarise(const atn_samples *s, atn_bench_rows *rows_p, atn_error *err)
{
    atn_bench_rows rows = {0};
    for (int i = 0; i < s->tasks.n; i++)
        if (!add_task(&s->tasks.v[i], &rows)) {
            atn_vec_free(&rows);
            return atn_fail(err, ATN_MEMORY, "out of memory");
        }
    *rows_p = rows;
    return ATN_OK;
}

/* ---- tables ---- */

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
    /* json only */
    {"vs_native_low", ATN_CELL_NUMBER},
    {"vs_native_high", ATN_CELL_NUMBER},
    {"bound_s", ATN_CELL_NUMBER},
    {"samples", ATN_CELL_NUMBER},
    {"mpi", ATN_CELL_TEXT},
};
enum { CSV_COLUMNS = 10, JSON_COLUMNS = sizeof csv_columns / sizeof *csv_columns };

static void put_number(atn_table *t, double v, const char *format)
{
    char text[32] = "";
    if (v > 0)
        snprintf(text, sizeof text, format, v);
    atn_cell(t, "%s", text);
}

static void put_record(atn_table *t, const atn_samples *s, const atn_bench_row *r)
{
    atn_cell(t, "%s", r->task->operation);
    atn_cell(t, "%" PRId64, r->task->bytes);
    atn_cell(t, "%d", r->task->ranks);
    atn_cell(t, "%s", r->variant);
    atn_cell(t, "%s", r->algorithm);
    atn_cell(t, "%.9f", r->time_s.mid);
    atn_cell(t, "%.9f", r->time_s.lo);
    atn_cell(t, "%.9f", r->time_s.hi);
    put_number(t, r->vs_native.mid, "%.4f");
    put_number(t, r->vs_bound, "%.4f");
    if (t->ncolumns == CSV_COLUMNS)
        return;
    put_number(t, r->vs_native.lo, "%.4f");
    put_number(t, r->vs_native.hi, "%.4f");
    put_number(t, r->task->bound_s, "%.9f");
    atn_cell(t, "%d", r->samples);
    atn_cell(t, "%s", s->mpi);
}

static const atn_column people_columns[] = {
    {"operation", ATN_CELL_TEXT}, {"bytes", ATN_CELL_NUMBER},    {"variant", ATN_CELL_TEXT},
    {"time", ATN_CELL_NUMBER},    {"interval", ATN_CELL_TEXT},   {"vs_native", ATN_CELL_NUMBER},
    {"interval", ATN_CELL_TEXT},  {"vs_bound", ATN_CELL_NUMBER}, {"calls", ATN_CELL_NUMBER},
    {"algorithm", ATN_CELL_TEXT},
};
enum { PEOPLE_COLUMNS = sizeof people_columns / sizeof *people_columns };

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
    atn_cell(t, "%.*f %s", d, e.mid * u.factor, u.name);
    atn_cell(t, "%.*f .. %.*f", d, e.lo * u.factor, d, e.hi * u.factor);
}

static void put_ratio(atn_table *t, const atn_bench_row *r)
{
    const bool itself = strcmp(r->variant, "native") == 0;
    put_number(t, r->vs_native.mid, "%.2f");
    if (r->vs_native.mid > 0 && !itself)
        atn_cell(t, "%.2f .. %.2f", r->vs_native.lo, r->vs_native.hi);
    else
        atn_cell(t, "%s", "");
}

static void put_line(atn_table *t, const atn_bench_row *r)
{
    char size[32];
    atn_cell(t, "%s", r->task->operation);
    atn_cell(t, "%s", atn_format_size(r->task->bytes, size));
    atn_cell(t, "%s", r->variant);
    put_time(t, r->time_s);
    put_ratio(t, r);
    put_number(t, r->vs_bound, "%.2f");
    atn_cell(t, "%d", r->samples);
    atn_cell(t, "%s", strcmp(r->variant, r->algorithm) == 0 ? "" : r->algorithm);
}

atn_status atn_bench_write(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                           const char *format, bool terminal, atn_error *err)
{
    const bool csv = strcmp(format, "csv") == 0, json = strcmp(format, "json") == 0;
    atn_table t = {.columns = csv || json ? csv_columns : people_columns,
                   .ncolumns = csv    ? CSV_COLUMNS
                               : json ? JSON_COLUMNS
                                      : PEOPLE_COLUMNS};
    if (!csv && !json)
        fprintf(f, "%d ranks, %s; medians and 95 %% confidence intervals\n\n", s->ranks, s->mpi);
    for (int i = 0; i < rows->n; i++) {
        if (csv || json)
            put_record(&t, s, &rows->v[i]);
        else
            put_line(&t, &rows->v[i]);
    }
    const atn_status status = atn_table_write(f, &t, format, terminal, err);
    atn_table_free(&t);
    return status;
}
