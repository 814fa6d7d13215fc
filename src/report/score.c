/* score.c - see score.h. */
#include "report/score.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "report/table.h"

static bool counts(const atn_score_row *x, int model, const char *operation)
{
    return x->predicted[model] > 0 && (!operation || strcmp(x->operation, operation) == 0);
}

static bool same_task(const atn_score_row *x, const atn_score_row *y)
{
    return x->bytes == y->bytes && strcmp(x->operation, y->operation) == 0;
}

/* The rows from `i` on that belong to the same task. */
static int task_end(const atn_score *s, int i)
{
    int end = i + 1;
    while (end < s->rows.n && same_task(&s->rows.v[i], &s->rows.v[end]))
        end++;
    return end;
}

enum { CHOICES = -1 }; /* instead of a model */

static bool is_better(const atn_score_row *x, const atn_score_row *than, int model)
{
    if (model == CHOICES)
        return x->chosen;
    return x->predicted[model] > 0 && (!than || x->predicted[model] < than->predicted[model]);
}

/* Measured time of the model's selection over the least; 0: no prediction for the task. */
static double price(const atn_score *s, int from, int end, int model)
{
    const atn_score_row *chosen = NULL;
    double least = INFINITY;
    for (int i = from; i < end; i++) {
        const atn_score_row *x = &s->rows.v[i];
        least = fmin(least, x->measured);
        if (is_better(x, chosen, model))
            chosen = x;
    }
    return chosen ? chosen->measured / least : 0;
}

static void add_prices(const atn_score *s, int model, const char *operation, atn_merit *m)
{
    for (int i = 0, end; i < s->rows.n; i = end) {
        end = task_end(s, i);
        if (operation && strcmp(s->rows.v[i].operation, operation) != 0)
            continue;
        const double x = price(s, i, end, model);
        if (x == 0)
            continue;
        m->price += x;
        m->worst_price = fmax(m->worst_price, x);
        m->tasks++;
    }
    if (m->tasks > 0)
        m->price /= m->tasks;
}

atn_merit atn_report_score_merit(const atn_score *s, int model, const char *operation)
{
    atn_merit m = {0};
    for (int i = 0; i < s->rows.n; i++) {
        const atn_score_row *x = &s->rows.v[i];
        if (!counts(x, model, operation))
            continue;
        const double mu = atn_mu(x->predicted[model], x->measured);
        m.mu += mu;
        m.worst_mu = fmax(m.worst_mu, mu);
        m.bias += log(x->predicted[model] / x->measured);
        m.rho += atn_rho(x->predicted[model], x->measured);
        m.within += mu <= atn_mu_of_rho(s->within, x->predicted[model] > x->measured);
        m.rows++;
    }
    if (m.rows > 0) {
        m.mu /= m.rows;
        m.rho /= m.rows;
        m.within /= m.rows;
        m.bias = exp(m.bias / m.rows);
    }
    add_prices(s, model, operation, &m);
    return m;
}

atn_merit atn_report_score_choices(const atn_score *s, const char *operation)
{
    atn_merit m = {0};
    add_prices(s, CHOICES, operation, &m);
    m.rows = m.tasks;
    return m;
}

/* ---- tables ---- */

atn_status atn_report_score_write_rows(FILE *f, const atn_score *s, const char *format,
                                       bool terminal, atn_error *err)
{
    atn_column columns[4 + ATN_SCORE_MODELS] = {{"operation", ATN_CELL_TEXT},
                                                {"bytes", ATN_CELL_NUMBER},
                                                {"algorithm", ATN_CELL_TEXT},
                                                {"measured_s", ATN_CELL_NUMBER}};
    atn_table t = {.columns = columns, .ncolumns = 4 + s->nmodels};
    for (int k = 0; k < s->nmodels; k++)
        columns[4 + k] = (atn_column){s->model[k], ATN_CELL_NUMBER};
    for (int i = 0; i < s->rows.n; i++) {
        const atn_score_row *x = &s->rows.v[i];
        if (x->chosen)
            continue;
        atn_report_cell(&t, "%s", x->operation);
        atn_report_cell(&t, "%" PRId64, x->bytes);
        atn_report_cell(&t, "%s", x->algorithm);
        atn_report_cell(&t, "%.9f", x->measured);
        for (int k = 0; k < s->nmodels; k++)
            if (x->predicted[k] > 0)
                atn_report_cell(&t, "%.9f", x->predicted[k]);
            else
                atn_report_cell(&t, "%s", "");
    }
    const atn_status st = atn_report_table_write(f, &t, format, terminal, err);
    atn_report_table_free(&t);
    return st;
}

static void merit_line(atn_table *t, const char *name, const atn_merit *m, const char *operation)
{
    const double v[] = {m->mu, m->worst_mu, m->bias, m->price, m->worst_price};
    const double errors[] = {m->rho, m->within};
    atn_report_cell(t, "%s", operation ? operation : "all");
    atn_report_cell(t, "%s", name);
    atn_report_cell(t, "%d", m->rows);
    for (int i = 0; i < 5; i++)
        if (v[i] > 0)
            atn_report_cell(t, "%.3f", v[i]);
        else
            atn_report_cell(t, "%s", "");
    for (int i = 0; i < 2; i++)
        if (m->mu > 0)
            atn_report_cell(t, "%.3f", errors[i]);
        else
            atn_report_cell(t, "%s", "");
}

static void merit_lines(atn_table *t, const atn_score *s, const char *operation)
{
    for (int k = 0; k < s->nmodels; k++) {
        const atn_merit m = atn_report_score_merit(s, k, operation);
        merit_line(t, s->model[k], &m, operation);
    }
    const atn_merit m = atn_report_score_choices(s, operation);
    if (m.tasks > 0)
        merit_line(t, "planner", &m, operation);
}

static bool first_of_operation(const atn_score *s, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(s->rows.v[k].operation, s->rows.v[i].operation) == 0)
            return false;
    return true;
}

atn_status atn_report_score_write_merits(FILE *f, const atn_score *s, const char *format,
                                         bool terminal, atn_error *err)
{
    static const atn_column columns[] = {{"operation", ATN_CELL_TEXT}, {"model", ATN_CELL_TEXT},
                                         {"rows", ATN_CELL_NUMBER},    {"mu", ATN_CELL_NUMBER},
                                         {"worst", ATN_CELL_NUMBER},   {"bias", ATN_CELL_NUMBER},
                                         {"price", ATN_CELL_NUMBER},   {"dearest", ATN_CELL_NUMBER},
                                         {"rho", ATN_CELL_NUMBER},     {"within", ATN_CELL_NUMBER}};
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < s->rows.n; i++)
        if (first_of_operation(s, i))
            merit_lines(&t, s, s->rows.v[i].operation);
    merit_lines(&t, s, NULL);
    const atn_status st = atn_report_table_write(f, &t, format, terminal, err);
    atn_report_table_free(&t);
    return st;
}
