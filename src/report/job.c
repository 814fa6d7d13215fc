/* job.c - the report of a job: totals, table, text, csv and json. */
#include "report/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"

const char *const atn_report_job_formats[] = {"text", "csv", "json", "html", NULL};

void atn_report_lines_free(char **lines)
{
    for (int i = 0; lines != NULL && lines[i] != NULL; i++)
        free(lines[i]);
    free(lines);
}

/* ---- what was saved ---- */

/* The variance of the row's own calls is that of their sum. */
static double doubt(const atn_job_row *row)
{
    const double n = (double)row->calls;
    const double own = n > 1 ? (row->squares - row->seconds * row->seconds / n) * n / (n - 1) : 0;
    return 1.96 * sqrt(row->variance + (own > 0 ? own : 0));
}

atn_job_saving atn_report_job_saved(const atn_job_row *row)
{
    const double n = (double)row->calls;
    atn_job_saving s = {.mean = row->seconds / n};
    if (row->reason.why != ATN_WHY_SERVED || row->compared < row->calls)
        return s;
    s.known = true;
    s.native = row->native / n;
    s.saved = n * (s.native - s.mean);
    s.ci = doubt(row);
    return s;
}

atn_job_totals atn_report_job_total(const atn_job_facts *j)
{
    atn_job_totals sum = {0};
    for (int i = 0; i < j->nrows; i++) {
        const atn_job_row *const row = &j->rows[i];
        const atn_job_saving s = atn_report_job_saved(row);
        sum.total += row->seconds;
        sum.saved += s.saved;
        sum.ci = hypot(sum.ci, s.ci); /* rows are measured apart from each other */
        *(s.known ? &sum.known : &sum.unknown) +=
            row->reason.why == ATN_WHY_SERVED ? row->seconds : 0;
    }
    return sum;
}

/* ---- the table ---- */

static int by_problem(const void *a, const void *b)
{
    const atn_job_row *const x = *(atn_job_row *const *)a, *const y = *(atn_job_row *const *)b;
    const int by[] = {x->op - y->op, x->form - y->form, x->p - y->p, x->size_class - y->size_class,
                      x->reason.why - y->reason.why};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i] != 0)
            return by[i];
    return strcmp(x->algorithm, y->algorithm);
}

static int by_seconds(const void *a, const void *b)
{
    const atn_job_row *const x = *(atn_job_row *const *)a, *const y = *(atn_job_row *const *)b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds ? 1 : -1) : by_problem(a, b);
}

static void class_cell(atn_table *t, int size_class)
{
    char lo[32], hi[32];
    if (size_class < 0)
        atn_report_cell(t, "-");
    else if (size_class == 0)
        atn_report_cell(t, "0");
    else
        atn_report_cell(t, "%s:%s", atn_format_size(INT64_C(1) << (size_class - 1), lo),
                        atn_format_size(INT64_C(1) << size_class, hi));
}

static void known_cell(atn_table *t, bool known, double value)
{
    if (known)
        atn_report_cell(t, "%.3f", value);
    else
        atn_report_cell(t, "%s", "");
}

/* Text marks commands with backquotes, table cells do not. */
static void remedy_cell(atn_table *t, const char *remedy)
{
    char plain[ATN_WHY_WORDS];
    size_t n = 0;
    for (; *remedy != '\0' && n < sizeof plain - 1; remedy++)
        if (*remedy != '`')
            plain[n++] = *remedy;
    plain[n] = '\0';
    atn_report_cell(t, "%s", plain);
}

const char *atn_report_job_operation(const atn_job_row *row, char out[48])
{
    snprintf(out, 48, "%s%s", row->form == ATN_FORM_NONBLOCKING ? "i" : "",
             atn_sched_operation_get((atn_operation)row->op)->name);
    return out;
}

static void row_cells(const atn_job_row *row, atn_table *t)
{
    const atn_job_saving s = atn_report_job_saved(row);
    char why[ATN_WHY_WORDS], name[48];
    atn_report_why_words(&row->reason, why);
    atn_report_cell(t, "%s", atn_report_job_operation(row, name));
    atn_report_cell(t, "%d", row->p);
    class_cell(t, row->size_class);
    atn_report_cell(t, "%s", row->algorithm);
    atn_report_cell(t, "%lld", (long long)row->calls);
    atn_report_cell(t, "%.3f", 1e3 * row->seconds);
    atn_report_cell(t, "%.3f", 1e6 * s.mean);
    known_cell(t, s.known, 1e6 * s.native);
    known_cell(t, s.known, 1e3 * s.saved);
    known_cell(t, s.known, 1e3 * s.ci);
    atn_report_cell(t, "%s", why);
    remedy_cell(t, atn_report_why_remedy((atn_why)row->reason.why));
}

void atn_report_job_table(const atn_job_facts *j, bool by_time, atn_table *t)
{
    static const atn_column columns[] = {
        {"operation", ATN_CELL_TEXT},  {"ranks", ATN_CELL_NUMBER},
        {"bytes", ATN_CELL_TEXT},      {"algorithm", ATN_CELL_TEXT},
        {"calls", ATN_CELL_NUMBER},    {"total_ms", ATN_CELL_NUMBER},
        {"mean_us", ATN_CELL_NUMBER},  {"native_us", ATN_CELL_NUMBER},
        {"saved_ms", ATN_CELL_NUMBER}, {"saved_ci_ms", ATN_CELL_NUMBER},
        {"why", ATN_CELL_TEXT},        {"remedy", ATN_CELL_TEXT},
    };
    *t = (atn_table){.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    const atn_job_row **order = malloc(sizeof *order * ((size_t)j->nrows + 1));
    t->failed = order == NULL;
    for (int i = 0; order != NULL && i < j->nrows; i++)
        order[i] = &j->rows[i];
    if (order != NULL)
        qsort(order, (size_t)j->nrows, sizeof *order, by_time ? by_seconds : by_problem);
    for (int i = 0; order != NULL && i < j->nrows; i++)
        row_cells(order[i], t);
    free(order);
}

/* ---- writing ---- */

enum { JSON_VERSION = 1 }; /* docs/schema/job-report.json */

static void write_lines(FILE *f, const char *head, const char *bullet, char **lines)
{
    if (lines != NULL && lines[0] != NULL && *head != '\0')
        fprintf(f, "%s\n", head);
    for (int i = 0; lines != NULL && lines[i] != NULL; i++)
        fprintf(f, "%s%s\n", bullet, lines[i]);
    atn_report_lines_free(lines);
}

/* A terminal shows the rows with the longest times. */
static atn_status write_text(FILE *f, const atn_job_facts *j, atn_error *err)
{
    enum { MOST_SHOWN = 20 };
    atn_table t;
    write_lines(f, "", "attune report: ", atn_report_job_summary(j));
    atn_report_job_table(j, true, &t);
    const int all = t.cells.n, shown = j->brief ? atn_min(all, MOST_SHOWN * t.ncolumns) : all;
    t.cells.n = shown;
    const atn_status status = atn_report_table_write(f, &t, "table", false, err);
    t.cells.n = all;
    if (shown < all)
        fprintf(f, "and %d rows with less time; --report=FILE.csv lists all\n",
                (all - shown) / t.ncolumns);
    atn_report_table_free(&t);
    write_lines(f, "recommendations:", "- ", atn_report_job_advice(j));
    return status;
}

static void number(atn_json *j, const char *key, bool known, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.3f", value);
    atn_report_json_number(j, key, known ? digits : "");
}

/* "8:16" holds the sizes from 8 to 15. */
static void json_sizes(atn_json *out, const char *class)
{
    char first[32] = "";
    int64_t least = 0, end = 1;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(class, ":"), class);
    const bool known = atn_parse_size(first, &least);
    if (strchr(class, ':') != NULL)
        atn_parse_size(strchr(class, ':') + 1, &end);
    if (known) {
        atn_report_json_int(out, "bytes_min", least);
        atn_report_json_int(out, "bytes_max", end - 1);
    } else {
        atn_report_json_text(out, "bytes_min", NULL);
        atn_report_json_text(out, "bytes_max", NULL);
    }
}

static void json_table(atn_json *out, const atn_job_facts *j)
{
    atn_table t;
    atn_report_job_table(j, false, &t);
    atn_report_json_open(out, "rows", '[');
    for (int i = 0; i < t.cells.n; i++) {
        const atn_column *const c = &t.columns[i % t.ncolumns];
        if (i % t.ncolumns == 0)
            atn_report_json_open(out, NULL, '{');
        if (c->type == ATN_CELL_NUMBER)
            atn_report_json_number(out, c->name, t.cells.v[i]);
        else if (strcmp(c->name, "bytes") == 0)
            json_sizes(out, t.cells.v[i]);
        else
            atn_report_json_text(out, c->name, t.cells.v[i]);
        if (i % t.ncolumns == t.ncolumns - 1)
            atn_report_json_close(out, '}');
    }
    atn_report_json_close(out, ']');
    atn_report_table_free(&t);
}

static void write_json(FILE *f, const atn_job_facts *j)
{
    const atn_job_totals sum = atn_report_job_total(j);
    const atn_job_outcome o = atn_report_job_outcome(j);
    char limit[ATN_OBSTACLE_WORDS];
    char **const advice = atn_report_job_advice(j);
    atn_report_job_obstacle(&o, limit);
    atn_json out = {.f = f};
    atn_report_json_open(&out, NULL, '{');
    atn_report_json_int(&out, "version", JSON_VERSION);
    atn_report_json_int(&out, "ranks", j->ranks);
    atn_report_json_int(&out, "hosts", j->hosts);
    atn_report_json_text(&out, "mpi", j->mpi);
    atn_report_json_text(&out, "transport", j->transport);
    atn_report_json_text(&out, "calibration", j->calibration);
    number(&out, "job_ms", true, 1e3 * j->seconds);
    number(&out, "native_job_ms", o.known, 1e3 * o.native);
    number(&out, "native_job_ci_ms", o.known, 1e3 * o.ci);
    number(&out, "gained_ms", o.known, 1e3 * o.gained);
    atn_report_json_text(&out, "obstacle", limit);
    number(&out, "collectives_ms", true, 1e3 * j->collectives);
    number(&out, "native_ms", true, 1e3 * j->native);
    number(&out, "saved_ms", sum.known > 0, 1e3 * sum.saved);
    number(&out, "saved_ci_ms", sum.known > 0, 1e3 * sum.ci);
    number(&out, "start_ms", true, 1e3 * j->start_seconds);
    number(&out, "tuning_ms", j->tuning_seconds >= 0, 1e3 * j->tuning_seconds);
    number(&out, "lost_ms", j->tuning_seconds >= 0, 1e3 * j->lost_seconds);
    json_table(&out, j);
    atn_report_json_open(&out, "advice", '[');
    for (int i = 0; advice != NULL && advice[i] != NULL; i++)
        atn_report_json_text(&out, NULL, advice[i]);
    atn_report_json_close(&out, ']');
    atn_report_json_close(&out, '}');
    fputc('\n', f);
    atn_report_lines_free(advice);
}

const char *atn_report_job_format(const char *path)
{
    const char *const dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && atn_report_job_formats[i] != NULL; i++)
        if (strcmp(dot + 1, atn_report_job_formats[i]) == 0)
            return atn_report_job_formats[i];
    return "text";
}

static atn_status write_csv(FILE *f, const atn_job_facts *j, atn_error *err)
{
    atn_table t;
    atn_report_job_table(j, false, &t);
    const atn_status status = atn_report_table_write(f, &t, "csv", false, err);
    atn_report_table_free(&t);
    return status;
}

atn_status atn_report_job_write(FILE *f, const atn_job_facts *j, const char *format, atn_error *err)
{
    if (strcmp(format, "csv") == 0)
        return write_csv(f, j, err);
    if (strcmp(format, "json") == 0)
        write_json(f, j);
    else if (strcmp(format, "html") == 0)
        atn_report_job_html(f, j);
    else
        return write_text(f, j, err);
    return ATN_OK;
}
