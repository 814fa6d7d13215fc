/* tune_page.c - the page of `attune tune`: winner map, crossing points, margins, schedules. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/tuning/drawing.h"
#include "cli/tuning/tune.h"
#include "report/html.h"
#include "report/map.h"

static bool is_native(const atn_solution *x) { return strcmp(x->use, "native") == 0; }

/* ---- winners ---- */

static bool put_map(FILE *f, const atn_solutions *list)
{
    atn_map map = {0};
    bool ok = true;
    for (int i = 0; i < list->n && ok; i++) {
        const atn_solution *const x = &list->v[i];
        const atn_map_cell cell = {.operation = x->task->operation,
                                   .bytes = x->task->bytes,
                                   .use = x->use,
                                   .vs_native =
                                       x->rival != NULL ? x->vs_native : (atn_estimate){0}};
        ok = atn_push(&map, cell);
    }
    ok = ok && atn_report_map_write(f, &map);
    atn_vec_free(&map);
    return ok;
}

/* ---- crossing points: neighbouring sizes with different winners ---- */

static bool is_crossing(const atn_solution *a, const atn_solution *b)
{
    return a->op == b->op && strcmp(a->use, b->use) != 0;
}

static void put_crossings(FILE *f, const atn_solutions *list)
{
    int n = 0;
    char from[32], to[32];
    for (int i = 0; i + 1 < list->n; i++) {
        const atn_solution *const a = &list->v[i], *const b = a + 1;
        if (!is_crossing(a, b))
            continue;
        if (n++ == 0)
            fputs("<ul>\n", f);
        fprintf(f, "<li>%s: between %s and %s bytes from <code>", a->task->operation,
                atn_format_size(a->task->bytes, from), atn_format_size(b->task->bytes, to));
        atn_report_html_text(f, a->use);
        fputs("</code> to <code>", f);
        atn_report_html_text(f, b->use);
        fputs("</code></li>\n", f);
    }
    fputs(n > 0 ? "</ul>\n"
                : "<p class=\"note\">Each operation has one winner for all sizes.</p>\n",
          f);
}

/* ---- uncertainty: margins that are smaller than their intervals ---- */

static void put_doubts(FILE *f, const atn_solutions *list)
{
    int n = 0;
    char size[32];
    for (int i = 0; i < list->n; i++) {
        const atn_solution *const x = &list->v[i];
        if (x->next == NULL || x->next_s > x->time_s.hi)
            continue;
        if (n++ == 0)
            fputs("<p>The runner-up is within the 95 % interval of the winner:</p>\n<ul>\n", f);
        fprintf(f, "<li>%s %s: <code>", x->task->operation, atn_format_size(x->task->bytes, size));
        atn_report_html_text(f, x->next);
        fprintf(f, "</code> takes %.3f of the time of <code>", x->next_s / x->time_s.mid);
        atn_report_html_text(f, x->use);
        fputs("</code></li>\n", f);
    }
    fputs(n > 0 ? "</ul>\n"
                : "<p class=\"note\">No runner-up is within the 95 % interval of its winner.</p>\n",
          f);
}

/* ---- schedules ---- */

static bool was_listed(const atn_solutions *list, int i)
{
    for (int k = 0; k < i; k++)
        if (list->v[k].op == list->v[i].op && strcmp(list->v[k].use, list->v[i].use) == 0)
            return true;
    return false;
}

enum { MOST_DRAWINGS = 20 };

static void put_schedules(FILE *f, const atn_solutions *list)
{
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        const atn_solution *const x = &list->v[i];
        if (is_native(x) || was_listed(list, i) || strstr(x->use, "schedule=") != NULL)
            continue;
        if (n++ < MOST_DRAWINGS)
            atn_cli_drawing_put(f, x->task->operation, x->use, x->task->ranks);
    }
    if (n == 0)
        fputs("<p class=\"note\">Native routines are always used.</p>\n", f);
    if (n > MOST_DRAWINGS)
        fprintf(f, "<p class=\"note\">The first %d of %d.</p>\n", MOST_DRAWINGS, n);
}

/* ---- the page ---- */

static void begin(FILE *f, const atn_args *a, const atn_tune_result *r)
{
    int faster = 0;
    char about[600], key[96];
    for (int i = 0; i < r->solutions->n; i++)
        faster += !is_native(&r->solutions->v[i]);
    snprintf(about, sizeof about, "%s, %d ranks, timing %s%s, %.0f s", r->samples->mpi,
             r->samples->ranks, atn_cli_arg_text(a, "timing"),
             atn_cli_arg_given(a, "exhaustive") ? ", exhaustive" : "", r->seconds);
    snprintf(key, sizeof key, "%d of %d problems faster than native", faster, r->solutions->n);
    atn_report_html_begin(f, &(atn_html_page){.kind = "tune",
                                              .title = "Result of tuning",
                                              .about = about,
                                              .key = key,
                                              .date = (int64_t)time(NULL)});
    fprintf(f, "<div class=\"tiles\">\n");
    atn_report_html_tile(f, "problems", "%d", r->solutions->n);
    atn_report_html_tile(f, "with an algorithm faster than native", "%d", faster);
    atn_report_html_tile(f, "rules", "%d", atn_plan_rules_count(r->rules));
    fputs("</div>\n", f);
}

static void put_rules(FILE *f, const atn_tune_result *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const m = atn_open_text(&text, &bytes);
    if (m == NULL)
        return;
    for (int i = 0; i < atn_plan_rules_count(r->rules); i++)
        atn_plan_rule_print(m, atn_plan_rules_at(r->rules, i));
    if (fclose(m) == 0) {
        fputs("<pre>\n", f);
        atn_report_html_text(f, text);
        fputs("</pre>\n", f);
    }
    free(text);
}

atn_status atn_cli_tune_page(FILE *f, const atn_args *a, const atn_tune_result *r, const char *text,
                             atn_error *err)
{
    atn_table t;
    begin(f, a, r);
    atn_report_html_section(f, "winners", "Winners");
    const bool ok = put_map(f, r->solutions);
    atn_report_html_section(f, "crossings", "Crossing points");
    put_crossings(f, r->solutions);
    atn_report_html_section(f, "uncertainty", "Uncertainty");
    put_doubts(f, r->solutions);
    atn_report_html_section(f, "problems", "Problems");
    atn_cli_tune_fill(&t, r->solutions);
    atn_report_html_table(f, "solutions", &t, 0);
    atn_report_html_section(f, "schedules", "Schedules of the winners");
    put_schedules(f, r->solutions);
    atn_report_html_section(f, "rules", "Rules");
    put_rules(f, r);
    atn_report_html_section(f, "candidates", "Candidates");
    fputs("<details><summary>All candidates and why they were dropped</summary>\n<pre>\n", f);
    atn_report_html_text(f, text);
    fputs("</pre></details>\n", f);
    atn_report_html_end(f, NULL);
    const bool complete = ok && !t.failed;
    atn_report_table_free(&t);
    return complete ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
