/* bench_plot.c - the plot of a benchmark. */
#include <stdlib.h>
#include <string.h>

#include "report/bench_page.h"

enum { OTHERS = 4 };
static const char *const other_classes[OTHERS] = {"other1", "other2", "other3", "other4"};
static const char *const known[] = {"native", "attune", "best"};

/* ---- what there is to draw ---- */

static int find_series(const atn_plot *p, const char *name)
{
    for (int i = 0; i < p->series.n; i++)
        if (strcmp(p->series.v[i].name, name) == 0)
            return i;
    return -1;
}

static const char *class_of(const char *name, int others)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(known[i], name) == 0)
            return known[i];
    return other_classes[others % OTHERS];
}

static bool add_series(atn_plot *p, const char *name, const char *class)
{
    atn_plot_series s = {.class = class};
    snprintf(s.name, sizeof s.name, "%s", name);
    return atn_push(&p->series, s);
}

/* The control is noise around native; it belongs into the table. */
static bool is_drawn(const atn_bench_row *r) { return strcmp(r->variant, "control") != 0; }

static bool collect_series(atn_plot *p, const atn_bench_rows *rows)
{
    bool ok = true, bound = false;
    int others = 0;
    for (int i = 0; i < rows->n && ok; i++) {
        const atn_bench_row *r = &rows->v[i];
        bound = bound || r->task->bound_s > 0;
        if (!is_drawn(r) || find_series(p, r->variant) >= 0)
            continue;
        const char *class = class_of(r->variant, others);
        others += class[0] == 'o';
        ok = add_series(p, r->variant, class);
    }
    return ok && (!bound || add_series(p, "physical bound", "bound"));
}

static atn_plot_panel *panel_of(atn_plot *p, const char *operation)
{
    for (int i = 0; i < p->panels.n; i++)
        if (strcmp(p->panels.v[i].title, operation) == 0)
            return &p->panels.v[i];
    atn_plot_panel panel = {.lines = calloc((size_t)p->series.n, sizeof *panel.lines)};
    snprintf(panel.title, sizeof panel.title, "%s", operation);
    if (panel.lines == NULL || !atn_push(&p->panels, panel)) {
        free(panel.lines);
        return NULL;
    }
    return &p->panels.v[p->panels.n - 1];
}

static int by_size(const void *x, const void *y)
{
    const int64_t a = ((const atn_plot_point *)x)->bytes, b = ((const atn_plot_point *)y)->bytes;
    return (a > b) - (a < b);
}

static bool add_point(atn_plot_line *line, int64_t bytes, atn_estimate seconds)
{
    if (!atn_push(line, (atn_plot_point){bytes, seconds}))
        return false;
    qsort(line->v, (size_t)line->n, sizeof *line->v, by_size);
    return true;
}

static bool add_row(atn_plot *p, const atn_bench_row *r)
{
    atn_plot_panel *panel = panel_of(p, r->task->operation);
    const double bound = r->task->bound_s;
    if (panel == NULL ||
        !add_point(&panel->lines[find_series(p, r->variant)], r->task->bytes, r->time_s))
        return false;
    return bound <= 0 || strcmp(r->variant, "native") != 0 ||
           add_point(&panel->lines[p->series.n - 1], r->task->bytes,
                     (atn_estimate){bound, bound, bound});
}

/* ---- words ---- */

/* The row that the caption of a panel cites: the largest size of `best`, or of `attune`. */
static const atn_bench_row *headline(const atn_bench_rows *rows, const char *operation)
{
    const atn_bench_row *found = NULL;
    for (int k = 2; k >= 1 && found == NULL; k--)
        for (int i = 0; i < rows->n; i++) {
            const atn_bench_row *r = &rows->v[i];
            if (strcmp(r->variant, known[k]) == 0 && strcmp(r->task->operation, operation) == 0 &&
                (found == NULL || r->task->bytes > found->task->bytes))
                found = r;
        }
    return found;
}

static void write_note(atn_plot_panel *panel, const atn_bench_rows *rows)
{
    const atn_bench_row *r = headline(rows, panel->title);
    char size[32], at[40] = "", bound[48] = "";
    if (r == NULL || r->vs_native.mid <= 0)
        return;
    if (r->task->bytes > 0)
        snprintf(at, sizeof at, "at %s ", atn_format_size(r->task->bytes, size));
    if (r->vs_bound > 0)
        snprintf(bound, sizeof bound, ", %.2f× the bound", r->vs_bound);
    snprintf(panel->note, sizeof panel->note, "%s%s is %.*f× as fast%s%s", at, r->variant,
             r->vs_native.mid > 0.1 ? 2 : 0, 1 / r->vs_native.mid, bound,
             r->trust == ATN_TRUST_YES ? "" : " (not trusted)");
}

static atn_status fill(atn_plot *p, const atn_samples *s, const atn_bench_rows *rows,
                       atn_error *err)
{
    bool ok = collect_series(p, rows);
    for (int i = 0; i < rows->n && ok; i++)
        ok = !is_drawn(&rows->v[i]) || add_row(p, &rows->v[i]);
    if (!ok)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < p->panels.n; i++)
        write_note(&p->panels.v[i], rows);
    snprintf(p->title, sizeof p->title, "Collectives on %d ranks", s->ranks);
    snprintf(p->subtitle, sizeof p->subtitle,
             "%s · time of a call against message size · medians, shaded: 95 %% confidence",
             s->mpi);
    return ATN_OK;
}

/* ---- writing ---- */

atn_status atn_report_bench_plot(FILE *f, const atn_samples *s, const atn_bench_rows *rows,
                                 bool html, atn_error *err)
{
    atn_plot p = {.title = ""};
    if (rows->n == 0)
        return atn_fail(err, ATN_INPUT, "nothing to plot: no task was measured");
    const atn_status status = fill(&p, s, rows, err);
    if (status == ATN_OK && html)
        atn_report_bench_page(f, &p, s, rows);
    else if (status == ATN_OK)
        atn_report_plot_write(f, &p);
    atn_report_plot_free(&p);
    return status;
}
