/* wisdom_table.c - wisdom as a table and as JSON, for programs. */
#include "cli/wisdom/wisdom.h"

#include <string.h>

#include "plan/rules.h"
#include "report/table.h"
#include "sched/schedule.h"

const atn_column atn_cli_wisdom_columns[ATN_WISDOM_COLUMNS] = {
    {"machine", ATN_CELL_TEXT},     {"layout", ATN_CELL_TEXT},
    {"operation", ATN_CELL_TEXT},   {"ranks_min", ATN_CELL_NUMBER},
    {"ranks_max", ATN_CELL_NUMBER}, {"bytes_min", ATN_CELL_NUMBER},
    {"bytes_max", ATN_CELL_NUMBER}, {"use", ATN_CELL_TEXT},
    {"time_us", ATN_CELL_NUMBER},   {"ci_us", ATN_CELL_NUMBER},
    {"next", ATN_CELL_TEXT},        {"next_time_us", ATN_CELL_NUMBER},
    {"samples", ATN_CELL_NUMBER},   {"date", ATN_CELL_TEXT},
    {"guess", ATN_CELL_TEXT},       {"line", ATN_CELL_NUMBER},
};

/* First and last value; empty where there is no limit. */
static void span_cells(atn_table *t, atn_span span)
{
    if (span.lo < 0)
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%lld", (long long)span.lo);
    if (span.hi == INT64_MAX)
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%lld", (long long)span.hi - 1);
}

static void duration_cell(atn_table *t, int64_t ps)
{
    if (ps < 0)
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%lld.%06lld", (long long)(ps / 1000000), (long long)(ps % 1000000));
}

static void choice_cell(atn_table *t, const atn_choice *choice)
{
    char name[ATN_NAME_ROOM] = "";
    if (choice->row != NULL)
        atn_plan_choice_print(choice, name);
    atn_report_cell(t, "%s", name);
}

static void place_cells(atn_table *t, const atn_rule *rule)
{
    const char *const place = rule->place != 0 ? atn_interned(rule->place) : "*/*";
    const size_t n = strcspn(place, "/");
    atn_report_cell(t, "%.*s", (int)n, place);
    atn_report_cell(t, "%s", place[n] == '/' ? place + n + 1 : "*");
}

void atn_cli_wisdom_cells(atn_table *t, const atn_rule *rule)
{
    char date[ATN_NAME_ROOM] = "";
    place_cells(t, rule);
    atn_report_cell(t, "%s", atn_sched_operation_get(rule->op)->name);
    span_cells(t, rule->ranks);
    span_cells(t, rule->bytes);
    choice_cell(t, &rule->use);
    duration_cell(t, rule->time_ps);
    duration_cell(t, rule->ci_ps);
    choice_cell(t, &rule->next);
    duration_cell(t, rule->next_ps);
    if (rule->samples < 0)
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%lld", (long long)rule->samples);
    if (rule->date >= 0)
        atn_plan_date_print(rule->date, date);
    atn_report_cell(t, "%s", date);
    atn_report_cell(t, "%s", atn_plan_guess_words[rule->guess]);
    atn_report_cell(t, "%d", rule->line);
}

static void write_json(FILE *f, const atn_rules *rules, const atn_table *t)
{
    const char *key, *value;
    atn_json j = {.f = f};
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/wisdom-show.json */
    atn_report_json_open(&j, "provenance", '{');
    for (int i = 0; atn_plan_rules_entry(rules, i, &key, &value); i++)
        atn_report_json_text(&j, key, value);
    atn_report_json_close(&j, '}');
    atn_report_table_json(&j, "rules", t);
    atn_report_json_close(&j, '}');
}

atn_status atn_cli_wisdom_table(const atn_args *a, const atn_rules *rules, atn_error *err)
{
    const char *const format = atn_cli_arg_format(a);
    atn_table t = {.columns = atn_cli_wisdom_columns, .ncolumns = ATN_WISDOM_COLUMNS};
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        atn_cli_wisdom_cells(&t, atn_plan_rules_at(rules, i));
    if (strcmp(format, "json") != 0 || t.failed)
        return atn_cli_arg_table(a, &t, err);
    write_json(a->out, rules, &t);
    atn_report_table_free(&t);
    return ATN_OK;
}
