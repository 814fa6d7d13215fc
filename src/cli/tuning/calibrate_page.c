/* calibrate_page.c - calibrations as a page: topology, times of messages, parameters, rules. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tuning/calibrate.h"
#include "cli/tuning/drawing.h"
#include "model/machine.h"
#include "plan/choice.h"
#include "plan/rules.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/topo_report.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- topology ---- */

static atn_status put_topology(FILE *f, const atn_store_entry *e, atn_error *err)
{
    atn_topo *t = NULL;
    if (e->topology == NULL) {
        fputs("<p class=\"note\">All hosts are assumed to be on one switch.</p>\n", f);
        return ATN_OK;
    }
    atn_status status = atn_topo_parse_slurm(e->topology, e->hosts, &t, err);
    fputs("<div class=\"scroll\">\n", f);
    if (status == ATN_OK)
        status = atn_report_topo_draw(f, t, err);
    fputs("</div>\n", f);
    atn_topo_free(t);
    return status;
}

/* ---- machine ---- */

static const char *const channel_classes[] = {"native", "best",   "other1",
                                              "other2", "other3", "other4"};
enum { CLASSES = sizeof channel_classes / sizeof *channel_classes };

/* Messages of 1 byte to 4 MB through each channel. */
static bool fill_plot(const atn_machine *m, atn_plot *p)
{
    atn_plot_panel panel = {.title = "one message",
                            .note = "predicted from the measured parameters"};
    bool ok = true;
    int n = 0;
    for (int c = atn_model_machine_next(m, -1); c >= 0 && ok;
         c = atn_model_machine_next(m, c), n++) {
        atn_plot_series s = {.class = channel_classes[n % CLASSES]};
        snprintf(s.name, sizeof s.name, "%s", m->channel[c].name);
        ok = atn_push(&p->series, s);
    }
    panel.lines = ok ? calloc((size_t)n + 1, sizeof *panel.lines) : NULL;
    if (panel.lines == NULL || !atn_push(&p->panels, panel)) {
        free(panel.lines);
        return false;
    }
    int i = 0;
    for (int c = atn_model_machine_next(m, -1); c >= 0 && ok; c = atn_model_machine_next(m, c), i++)
        for (int64_t bytes = 1; bytes <= 4 << 20 && ok; bytes *= 4) {
            const double s = atn_model_channel_message(m, c, (double)bytes);
            ok = !(s > 0) || atn_push(&p->panels.v[0].lines[i],
                                      (atn_plot_point){bytes, (atn_estimate){s, s, s}});
        }
    return ok;
}

static atn_status draw_machine(FILE *f, const atn_machine *m, atn_error *err)
{
    atn_plot p = {.title = "Time of one message", .subtitle = "by channel, against its size"};
    const bool ok = fill_plot(m, &p);
    if (ok && p.series.n > 0) {
        fputs("<div class=\"scroll\">\n", f);
        atn_report_plot_write(f, &p);
        fputs("</div>\n", f);
    }
    atn_report_plot_free(&p);
    return ok ? ATN_OK : no_memory(err);
}

static const atn_column columns[] = {
    {"channel", ATN_CELL_TEXT},     {"message_us", ATN_CELL_NUMBER},
    {"rate_mb_s", ATN_CELL_NUMBER}, {"eager", ATN_CELL_TEXT},
    {"samples", ATN_CELL_NUMBER},   {"widest_interval_pct", ATN_CELL_NUMBER},
};

static void put_channel(atn_table *t, const atn_machine *m, int c)
{
    enum { SMALL = 8, LARGE = 4 << 20 };
    char size[32];
    const atn_channel *const channel = &m->channel[c];
    atn_report_cell(t, "%s", channel->name);
    atn_report_cell(t, "%.3g", 1e6 * atn_model_channel_message(m, c, SMALL));
    atn_report_cell(t, "%.4g", 1e-6 * LARGE / atn_model_channel_message(m, c, LARGE));
    atn_report_cell(t, "%s", channel->eager > 0 ? atn_format_size(channel->eager, size) : "");
    if (channel->samples > 0)
        atn_report_cell(t, "%" PRId64, channel->samples);
    else
        atn_report_cell(t, "%s", "");
    if (channel->spread > 0)
        atn_report_cell(t, "%.1f", 100 * channel->spread);
    else
        atn_report_cell(t, "%s", "");
}

static atn_status put_machine(FILE *f, const atn_store_entry *e, atn_error *err)
{
    atn_machine *m = NULL;
    if (e->parameters == NULL) {
        fputs("<p class=\"note\">Not measured: a job has sketched the topology.</p>\n", f);
        return ATN_OK;
    }
    atn_status status =
        atn_model_machine_parse(e->parameters, strlen(e->parameters), "parameters", &m, err);
    if (status == ATN_OK)
        status = draw_machine(f, m, err);
    if (status == ATN_OK) {
        atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
        for (int c = atn_model_machine_next(m, -1); c >= 0; c = atn_model_machine_next(m, c))
            put_channel(&t, m, c);
        atn_report_html_table(f, "channels", &t, 0);
        status = t.failed ? no_memory(err) : ATN_OK;
        atn_report_table_free(&t);
    }
    if (status == ATN_OK) {
        fputs("<details><summary>Machine file</summary><pre>\n", f);
        atn_report_html_text(f, e->parameters);
        fputs("</pre></details>\n", f);
    }
    atn_model_machine_free(m);
    return status;
}

/* ---- entries ---- */

static atn_status put_entry(FILE *f, const atn_store_entry *e, int number, atn_error *err)
{
    char id[32], date[32];
    snprintf(id, sizeof id, "entry-%d", number);
    atn_report_html_section(f, id, e->hosts);
    fputs("<p>", f);
    atn_report_html_text(f, e->machine);
    fputs(", network ", f);
    atn_report_html_text(f, e->fabric);
    if (e->ranks > 0)
        fprintf(f, ", %" PRId64 " rank%s per host", e->ranks, e->ranks == 1 ? "" : "s");
    fprintf(f, ", measured %s", atn_report_html_date(e->date, date));
    if (e->launcher != NULL) {
        fputs(" with <code>", f);
        atn_report_html_text(f, e->launcher);
        fputs("</code>", f);
    }
    fputs("</p>\n<h3>Topology</h3>\n", f);
    atn_status status = put_topology(f, e, err);
    fputs("<h3>Machine</h3>\n", f);
    return status == ATN_OK ? put_machine(f, e, err) : status;
}

/* ---- rules ---- */

static const atn_column rule_columns[] = {
    {"operation", ATN_CELL_TEXT},
    {"bytes", ATN_CELL_TEXT},
    {"use", ATN_CELL_TEXT},
    {"time_us", ATN_CELL_NUMBER},
};

static void put_rule(atn_table *t, const atn_rule *rule)
{
    char use[ATN_NAME_ROOM], from[32] = "", to[32] = "";
    const char *const operation = atn_sched_operation_get(rule->op)->name;
    atn_plan_choice_print(&rule->use, use);
    if (rule->bytes.lo > 0)
        atn_format_size(rule->bytes.lo, from);
    if (rule->bytes.hi < INT64_MAX)
        atn_format_size(rule->bytes.hi, to);
    atn_report_cell(t, "%s", operation);
    atn_report_cell(t, "%s:%s", from, to);
    atn_report_cell(t, "%s", use);
    if (rule->time_ps >= 0)
        atn_report_cell(t, "%.4g", 1e-6 * (double)rule->time_ps);
    else
        atn_report_cell(t, "%s", "");
}

/* An earlier rule has the same algorithm. */
static bool was_drawn(const atn_rules *rules, int i, const char *use)
{
    char other[ATN_NAME_ROOM];
    for (int k = 0; k < i; k++) {
        atn_plan_choice_print(&atn_plan_rules_at(rules, k)->use, other);
        if (atn_plan_rules_at(rules, k)->op == atn_plan_rules_at(rules, i)->op &&
            strcmp(other, use) == 0)
            return true;
    }
    return false;
}

enum { MOST_DRAWINGS = 20 };

static void put_drawings(FILE *f, const atn_rules *rules)
{
    char use[ATN_NAME_ROOM];
    for (int i = 0, n = 0; i < atn_plan_rules_count(rules) && n < MOST_DRAWINGS; i++) {
        const atn_rule *const rule = atn_plan_rules_at(rules, i);
        atn_plan_choice_print(&rule->use, use);
        if (strcmp(use, "native") == 0 || was_drawn(rules, i, use))
            continue;
        atn_cli_drawing_put(f, atn_sched_operation_get(rule->op)->name, use, ATN_DRAWN_RANKS);
        n++;
    }
}

static atn_status put_rules(FILE *f, const char *wisdom, atn_error *err)
{
    atn_rules *rules = NULL;
    if (wisdom == NULL || access(wisdom, F_OK) != 0)
        return ATN_OK;
    if (atn_plan_rules_read(wisdom, &rules, err) != ATN_OK)
        return err->status;
    atn_table t = {.columns = rule_columns, .ncolumns = sizeof rule_columns / sizeof *rule_columns};
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        put_rule(&t, atn_plan_rules_at(rules, i));
    if (t.cells.n > 0) {
        atn_report_html_section(f, "rules", "Rules");
        fputs("<p class=\"note\">All rules of ", f);
        atn_report_html_text(f, wisdom);
        fputs(", also those of other machines.</p>\n", f);
        atn_report_html_table(f, "rules-table", &t, 0);
        put_drawings(f, rules);
    }
    const bool ok = !t.failed;
    atn_report_table_free(&t);
    atn_plan_rules_free(rules);
    return ok ? ATN_OK : no_memory(err);
}

/* ---- the page ---- */

static int64_t newest(const atn_store_entry *const *list, int n)
{
    int64_t date = 0;
    for (int i = 0; i < n; i++)
        date = list[i]->date > date ? list[i]->date : date;
    return date;
}

static atn_status put_page(FILE *f, const atn_store_entry *const *list, int n, const char *wisdom,
                           atn_error *err)
{
    char key[64];
    atn_status status = ATN_OK;
    snprintf(key, sizeof key, "%d calibration%s", n, n == 1 ? "" : "s");
    atn_report_html_begin(f, &(atn_html_page){.kind = "calibration",
                                              .title = n == 1 ? list[0]->hosts : "Calibrations",
                                              .about = n == 1 ? list[0]->machine : key,
                                              .key = key,
                                              .date = newest(list, n)});
    if (n == 0)
        fputs("<p class=\"note\">No calibration is stored.</p>\n", f);
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = put_entry(f, list[i], i + 1, err);
    if (status == ATN_OK)
        status = put_rules(f, wisdom, err);
    atn_report_html_end(f, NULL);
    return status;
}

atn_status atn_cli_calibrate_page(const char *path, const atn_store_entry *const *list, int n,
                                  const char *wisdom, atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return no_memory(err);
    atn_status status = put_page(f, list, n, wisdom, err);
    if (fclose(f) != 0 && status == ATN_OK)
        status = no_memory(err);
    if (status == ATN_OK)
        status = atn_write_file(path, text, bytes, err);
    free(text);
    return status;
}
