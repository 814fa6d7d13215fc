/* tune_report.c - tables and report of `attune tune`. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "cli/tuning/tune.h"
#include "tune/offline.h"

/* ---- counting ---- */

typedef struct {
    int fates[ATN_FATE_WON + 1];
    int contenders, calls;
    double seconds; /* of all samples */
} tally;

static tally count(const atn_task *t)
{
    tally n = {.contenders = 0};
    for (int i = 0; i < t->variants.n; i++) {
        const atn_variant *v = &t->variants.v[i];
        for (int k = 0; k <= ATN_FATE_WON; k++)
            n.fates[k] += strcmp(v->fate, atn_tune_fate_words[k]) == 0;
        n.contenders += v->fate[0] != '\0' && v->role == ATN_ROLE_CANDIDATE;
        n.calls += v->seconds.n;
        for (int k = 0; k < v->seconds.n; k++)
            n.seconds += v->seconds.v[k];
    }
    return n;
}

/* ---- the table ---- */

static const atn_column columns[] = {
    {"operation", ATN_CELL_TEXT},   {"bytes", ATN_CELL_NUMBER},     {"ranks", ATN_CELL_NUMBER},
    {"use", ATN_CELL_TEXT},         {"median_us", ATN_CELL_NUMBER}, {"ci_us", ATN_CELL_NUMBER},
    {"vs_native", ATN_CELL_NUMBER}, {"ci_low", ATN_CELL_NUMBER},    {"ci_high", ATN_CELL_NUMBER},
    {"next", ATN_CELL_TEXT},        {"next_us", ATN_CELL_NUMBER},   {"tried", ATN_CELL_NUMBER},
    {"of", ATN_CELL_NUMBER},
};

static void put_row(atn_table *t, const atn_solution *x)
{
    const tally n = count(x->task);
    const bool native = strcmp(x->use, "native") == 0;
    atn_report_cell(t, "%s", x->task->operation);
    atn_report_cell(t, "%" PRId64, x->task->bytes);
    atn_report_cell(t, "%d", x->task->ranks);
    atn_report_cell(t, "%s", x->use);
    atn_report_cell(t, "%.4g", 1e6 * x->time_s.mid);
    atn_report_cell(t, "%.2g", 0.5e6 * (x->time_s.hi - x->time_s.lo));
    atn_report_cell(t, "%.3f", native ? 1 : x->vs_native.mid);
    atn_report_cell(t, "%.3f", native ? 1 : x->vs_native.lo);
    atn_report_cell(t, "%.3f", native ? 1 : x->vs_native.hi);
    atn_report_cell(t, "%s", x->next != NULL ? x->next : "");
    if (x->next != NULL)
        atn_report_cell(t, "%.4g", 1e6 * x->next_s);
    else
        atn_report_cell(t, "%s", "");
    atn_report_cell(t, "%d", n.contenders - n.fates[ATN_FATE_HOPELESS] - n.fates[ATN_FATE_WAITING]);
    atn_report_cell(t, "%d", n.contenders);
}

void atn_cli_tune_fill(atn_table *t, const atn_solutions *list)
{
    *t = (atn_table){.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < list->n; i++)
        put_row(t, &list->v[i]);
}

static atn_status write_table(FILE *f, const atn_solutions *list, const char *format, bool terminal,
                              atn_error *err)
{
    atn_table t;
    atn_cli_tune_fill(&t, list);
    const atn_status status = atn_report_table_write(f, &t, format, terminal, err);
    atn_report_table_free(&t);
    return status;
}

atn_status atn_cli_tune_table(const atn_args *a, const atn_solutions *solutions, atn_error *err)
{
    return write_table(a->out, solutions, atn_cli_arg_format(a), a->terminal, err);
}

/* ---- the design ---- */

static const atn_column design_columns[] = {
    {"operation", ATN_CELL_TEXT},      {"bytes", ATN_CELL_NUMBER}, {"algorithm", ATN_CELL_TEXT},
    {"predicted_us", ATN_CELL_NUMBER}, {"plan", ATN_CELL_TEXT},
};

static const char *plan_word(const char *fate)
{
    if (strcmp(fate, atn_tune_fate_words[ATN_FATE_RACING]) == 0)
        return "begins";
    return strcmp(fate, atn_tune_fate_words[ATN_FATE_WAITING]) == 0 ? "follows if promising"
                                                                    : "hopeless";
}

static void put_plan(atn_table *t, const atn_task *task, const atn_variant *v)
{
    atn_report_cell(t, "%s", task->operation);
    atn_report_cell(t, "%" PRId64, task->bytes);
    atn_report_cell(t, "%s", v->algorithm);
    if (v->predicted_s > 0)
        atn_report_cell(t, "%.4g", 1e6 * v->predicted_s);
    else
        atn_report_cell(t, "%s", "");
    atn_report_cell(t, "%s", plan_word(v->fate));
}

atn_status atn_cli_tune_design(const atn_args *a, const atn_samples *s, atn_error *err)
{
    atn_table t = {.columns = design_columns,
                   .ncolumns = sizeof design_columns / sizeof *design_columns};
    for (int i = 0; i < s->tasks.n; i++)
        for (int k = 0; k < s->tasks.v[i].variants.n; k++)
            put_plan(&t, &s->tasks.v[i], &s->tasks.v[i].variants.v[k]);
    return atn_cli_arg_table(a, &t, err);
}

/* ---- the report ---- */

static const char *const reasons[] = {
    [ATN_FATE_WAITING] = "not measured: no time left",
    [ATN_FATE_HOPELESS] = "not measured: predicted slower, allowing for the error of the model",
    [ATN_FATE_SLOW] = "dropped: slower with confidence, or by a large factor",
    [ATN_FATE_SURPLUS] = "dropped: too many candidates were faster",
    [ATN_FATE_BEATEN] = "not dropped, but not in the final",
    [ATN_FATE_SECOND] = "in the final",
    [ATN_FATE_FIRST] = "in the final",
};
enum { REASONS = sizeof reasons / sizeof *reasons };

static double median_of(const atn_variant *v)
{
    double *copy = malloc((size_t)(v->seconds.n + 1) * sizeof *copy), mid = 0;
    if (copy != NULL && v->seconds.n > 0) {
        memcpy(copy, v->seconds.v, (size_t)v->seconds.n * sizeof *copy);
        mid = atn_median(copy, v->seconds.n).mid;
    }
    free(copy);
    return mid;
}

static void put_contender(FILE *f, const atn_variant *v)
{
    char measured[32] = "-", predicted[32] = "-";
    if (v->seconds.n > 0)
        atn_cli_forecast_time(median_of(v), measured);
    if (v->predicted_s > 0)
        atn_cli_forecast_time(v->predicted_s, predicted);
    fprintf(f, "    %-44s measured %9s (%2d)  predicted %9s\n", v->algorithm, measured,
            v->seconds.n, predicted);
}

static void put_verdict(FILE *f, const atn_solution *x)
{
    char time[32];
    fprintf(f, "  %s, %s", x->use, atn_cli_forecast_time(x->time_s.mid, time));
    if (x->rival != NULL)
        fprintf(f, "; %s takes %.3f [%.3f, %.3f] of native's %s", x->rival, x->vs_native.mid,
                x->vs_native.lo, x->vs_native.hi, atn_cli_forecast_time(x->native_s.mid, time));
    if (x->next != NULL)
        fprintf(f, "; runner-up %s, %s", x->next, atn_cli_forecast_time(x->next_s, time));
    fputc('\n', f);
}

static void put_problem(FILE *f, const atn_solution *x)
{
    char size[32];
    const tally n = count(x->task);
    fprintf(f, "\n%s %s on %d ranks: %d samples, %.2f s\n", x->task->operation,
            atn_format_size(x->task->bytes, size), x->task->ranks, n.calls, n.seconds);
    put_verdict(f, x);
    for (int k = 0; k < REASONS; k++) {
        if (reasons[k] == NULL || n.fates[k] == 0)
            continue;
        fprintf(f, "  %d %s:\n", n.fates[k], reasons[k]);
        for (int i = 0; i < x->task->variants.n; i++)
            if (strcmp(x->task->variants.v[i].fate, atn_tune_fate_words[k]) == 0)
                put_contender(f, &x->task->variants.v[i]);
    }
}

static atn_status write_text(FILE *f, const atn_args *a, const atn_tune_result *r, atn_error *err)
{
    fprintf(f, "attune tune %s: %s, %d ranks, timing %s%s, %.0f s\nlauncher:", ATN_VERSION,
            r->samples->mpi, r->samples->ranks, atn_cli_arg_text(a, "timing"),
            atn_cli_arg_given(a, "exhaustive") ? ", exhaustive" : "", r->seconds);
    for (int i = 0; i < a->nrest; i++)
        fprintf(f, " %s", a->rest[i]);
    fputs("\n\n", f);
    const atn_status status = write_table(f, r->solutions, "table", false, err);
    fputs("\nrules\n", f);
    for (int i = 0; i < atn_plan_rules_count(r->rules); i++) {
        fputs("  ", f);
        atn_plan_rule_print(f, atn_plan_rules_at(r->rules, i));
    }
    for (int i = 0; i < r->solutions->n; i++)
        put_problem(f, &r->solutions->v[i]);
    return status;
}

static bool is_page(const char *path)
{
    const size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".html") == 0;
}

static atn_status make_page(const atn_args *a, const atn_tune_result *r, const char *text,
                            char **page_p, size_t *bytes_p, atn_error *err)
{
    FILE *const f = atn_open_text(page_p, bytes_p);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_cli_tune_page(f, a, r, text, err);
    if (fclose(f) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    return status;
}

atn_status atn_cli_tune_report(const atn_args *a, const char *path, const atn_tune_result *r,
                               atn_error *err)
{
    char *text = NULL, *page = NULL;
    size_t bytes = 0;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = write_text(f, a, r, err);
    if (fclose(f) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && is_page(path))
        status = make_page(a, r, text, &page, &bytes, err);
    if (status == ATN_OK)
        status = atn_write_file(path, page != NULL ? page : text, bytes, err);
    free(page);
    free(text);
    return status;
}
