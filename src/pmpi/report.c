/* report.c - which algorithm served what, how often and how long.
 *
 * Every rank keeps a small table; MPI_Finalize merges them with one reduction whose operator joins
 * tables: rows alike on several ranks keep the largest count and the largest time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/watch.h"
#include "report/table.h"

enum { MAX_ROWS = 1024, NAME_ROOM = 64 };

typedef struct {
    int32_t op, p;
    int32_t size_class; /* -1: ranks do not share it; 0: nothing; k: 2^(k-1) <= bytes < 2^k */
    char algorithm[NAME_ROOM];
    int64_t calls;
    double seconds;
} report_row;

typedef struct {
    int32_t n, lost; /* lost: calls without a row */
    report_row row[MAX_ROWS];
} report_rows;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static report_rows own;
static atn_choice choice_of[MAX_ROWS]; /* of the rows of `own`: printing names takes long */

/* ---- during the run ---- */

static int class_of(int64_t bytes)
{
    return bytes <= 0 ? (int)bytes : 64 - __builtin_clzll((unsigned long long)bytes);
}

static bool is_row(int i, const atn_problem *q, const atn_choice *choice)
{
    const report_row *const row = &own.row[i];
    return choice_of[i].row == choice->row && row->p == q->p &&
           row->size_class == class_of(q->bytes) &&
           memcmp(&choice_of[i].params, &choice->params, sizeof choice->params) == 0;
}

static report_row *new_row(const atn_problem *q, const atn_choice *choice)
{
    report_row *const row = &own.row[own.n];
    *row = (report_row){.op = q->op, .p = q->p, .size_class = class_of(q->bytes)};
    choice_of[own.n++] = *choice;
    char name[4 * NAME_ROOM];
    atn_params_print(choice->row, &choice->params, name, sizeof name);
    const char *const slash = strchr(name, '/');
    snprintf(row->algorithm, sizeof row->algorithm, "%.*s", NAME_ROOM - 1,
             slash != NULL ? slash + 1 : name);
    return row;
}

void atn_report_add(const atn_problem *q, const atn_choice *choice, double seconds)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < own.n && !is_row(i, q, choice))
        i++;
    report_row *const row = i < own.n ? &own.row[i] : own.n < MAX_ROWS ? new_row(q, choice) : NULL;
    if (row != NULL) {
        row->calls++;
        row->seconds += seconds;
    } else {
        own.lost++;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- at the end ---- */

static int compare(const void *a, const void *b)
{
    const report_row *const x = a, *const y = b;
    const int by[] = {x->op - y->op, x->p - y->p, x->size_class - y->size_class};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i] != 0)
            return by[i];
    return strcmp(x->algorithm, y->algorithm);
}

static void join_row(report_rows *to, const report_row *from)
{
    int i = 0;
    while (i < to->n && compare(&to->row[i], from) != 0)
        i++;
    if (i == MAX_ROWS) {
        to->lost += (int32_t)from->calls;
    } else if (i == to->n) {
        to->row[to->n++] = *from;
    } else {
        report_row *const row = &to->row[i];
        row->calls = from->calls > row->calls ? from->calls : row->calls;
        row->seconds = from->seconds > row->seconds ? from->seconds : row->seconds;
    }
}

static void join(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int k = 0; k < *n; k++) {
        const report_rows *const from = (const report_rows *)in + k;
        report_rows *const to = (report_rows *)inout + k;
        to->lost = from->lost > to->lost ? from->lost : to->lost;
        for (int i = 0; i < from->n; i++)
            join_row(to, &from->row[i]);
    }
}

static bool gather(report_rows *all)
{
    MPI_Datatype type;
    MPI_Op op;
    PMPI_Type_contiguous((int)sizeof own, MPI_BYTE, &type);
    PMPI_Type_commit(&type);
    PMPI_Op_create(join, 1, &op);
    const int code = atn_real.Reduce(&own, all, 1, type, op, 0, MPI_COMM_WORLD);
    atn_real.Op_free(&op);
    atn_real.Type_free(&type);
    return code == MPI_SUCCESS;
}

static void print_class(atn_table *t, int size_class)
{
    char lo[32], hi[32];
    if (size_class < 0)
        atn_cell(t, "-");
    else if (size_class == 0)
        atn_cell(t, "0");
    else
        atn_cell(t, "%s:%s", atn_format_size(INT64_C(1) << (size_class - 1), lo),
                 atn_format_size(INT64_C(1) << size_class, hi));
}

static void write_rows(FILE *f, const report_rows *all, const char *format)
{
    static const atn_column columns[] = {
        {"operation", ATN_CELL_TEXT}, {"ranks", ATN_CELL_NUMBER}, {"bytes", ATN_CELL_TEXT},
        {"algorithm", ATN_CELL_TEXT}, {"calls", ATN_CELL_NUMBER}, {"total_ms", ATN_CELL_NUMBER},
        {"mean_us", ATN_CELL_NUMBER},
    };
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    atn_error err = {0};
    for (int i = 0; i < all->n; i++) {
        const report_row *const row = &all->row[i];
        atn_cell(&t, "%s", atn_operation_get((atn_operation)row->op)->name);
        atn_cell(&t, "%d", row->p);
        print_class(&t, row->size_class);
        atn_cell(&t, "%s", row->algorithm);
        atn_cell(&t, "%lld", (long long)row->calls);
        atn_cell(&t, "%.3f", 1e3 * row->seconds);
        atn_cell(&t, "%.3f", 1e6 * row->seconds / (double)row->calls);
    }
    if (atn_table_write(f, &t, format, false, &err) != ATN_OK)
        fprintf(f, "attune: %s\n", err.text);
    atn_table_free(&t);
}

/* FILE.csv and FILE.json get what their names say. */
static const char *format_of(const char *path)
{
    const char *const dot = strrchr(path, '.');
    const bool known = dot != NULL && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".json") == 0);
    return known ? dot + 1 : "table";
}

static void print_text(const report_rows *all, const char *path)
{
    const char *const format = format_of(path);
    char *text = NULL;
    size_t bytes = 0;
    atn_error err = {0};
    FILE *const f = open_memstream(&text, &bytes);
    if (f == NULL)
        return;
    if (strcmp(format, "table") == 0)
        fprintf(f, "attune report: %d ranks on %s; calls and times are maxima over ranks\n",
                atn_the_job.p, atn_mpi_built_for());
    write_rows(f, all, format);
    fclose(f);
    if (*path == '\0')
        fputs(text, stderr);
    else if (atn_write_file(path, text, bytes, &err) != ATN_OK)
        atn_say("%s", err.text);
    if (all->lost > 0)
        atn_say("the report leaves out %d calls: more than %d different rows", all->lost, MAX_ROWS);
    free(text);
}

void atn_report_print(void)
{
    static report_rows all;
    if (!gather(&all) || atn_the_job.r != 0)
        return;
    qsort(all.row, (size_t)all.n, sizeof *all.row, compare);
    print_text(&all, atn_the_job.report);
}
