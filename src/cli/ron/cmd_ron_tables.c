/* cmd_ron_tables.c - attune ron tables: published tables, from formulas and from schedules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ron/ron.h"
#include "research/ron/tables.h"

/* Consecutive messages: each with its own circuits (MB1), or all with the same (MB2). */
static atn_status time_of(const atn_op_graph *g, const atn_ron *net, const atn_ron_form *f,
                          int more, double *time_p, atn_error *err)
{
    const bool many = strncmp(f->name, "MB", 2) == 0, again = strcmp(f->name, "MB1") == 0;
    atn_circuits c;
    atn_status st = atn_model_ron_run(g, net, f->policy, many && !again ? more : 1, &c, err);
    if (!st) {
        *time_p = again ? more * c.time : c.time;
        atn_model_circuits_free(&c);
    }
    return st;
}

/* Time of the circuits for the schedules of the catalogue. */
static atn_status schedule_time(const atn_args *a, const atn_ron_entry *e, double *time_p,
                                atn_error *err)
{
    const atn_ron_form *f = atn_ron_form_find(e->form);
    const bool plain = f->model == 'A';
    const atn_ron net = {
        .ports = e->ports, .delay = e->delay, .start = plain, .byte = plain ? 0 : 1};
    atn_request want = {.file = false};
    char row[ATN_NAME_ROOM];
    atn_set set;
    atn_op_graph g;
    atn_ron_form_row(f, e->ports, e->delay, e->more, row, sizeof row);
    atn_status st = atn_cli_lookup_choice(row, &want.choice, err);
    if (st)
        return st;
    want.q = (atn_problem){.op = want.choice.row->op, .bytes = 1};
    st = atn_cli_request_build(a, &want, e->ranks, &set, err);
    if (st)
        return st;
    st = atn_model_op_graph_make(set.v, set.p, &g, err);
    if (!st) {
        atn_model_op_graph_size(&g, 1);
        st = time_of(&g, &net, f, e->more, time_p, err);
        atn_model_op_graph_free(&g);
    }
    atn_cli_set_free(&set);
    return st;
}

static const atn_column columns[] = {
    {"table", ATN_CELL_TEXT},      {"algorithm", ATN_CELL_TEXT}, {"ports", ATN_CELL_NUMBER},
    {"delay", ATN_CELL_NUMBER},    {"ranks", ATN_CELL_NUMBER},   {"messages", ATN_CELL_NUMBER},
    {"steps", ATN_CELL_NUMBER},    {"time", ATN_CELL_NUMBER},    {"printed", ATN_CELL_NUMBER},
    {"schedule", ATN_CELL_NUMBER}, {"remark", ATN_CELL_TEXT},
};

static void number_if(atn_table *t, bool there, double v)
{
    if (there)
        atn_report_cell(t, "%.10g", v);
    else
        atn_report_cell(t, "%s", "");
}

static atn_status add_entry(const atn_args *a, const atn_ron_entry *e, atn_table *t, atn_error *err)
{
    const atn_ron_form *f = atn_ron_form_find(e->form);
    const double time = f->time(e->ranks, e->ports, e->delay, e->more);
    const bool many = strncmp(f->name, "MB", 2) == 0, steps = strcmp(f->name, "TE3") == 0;
    const bool built = e->ranks <= atn_cli_arg_int(a, "schedules");
    double schedule = 0;
    const atn_status st = built ? schedule_time(a, e, &schedule, err) : ATN_OK;
    atn_report_cell(t, "%s", e->table);
    atn_report_cell(t, "%s", e->form);
    atn_report_cell(t, "%d", e->ports);
    atn_report_cell(t, "%d", e->delay);
    atn_report_cell(t, "%d", e->ranks);
    number_if(t, many, e->more);
    number_if(t, steps, e->more);
    atn_report_cell(t, "%.10g", time);
    atn_report_cell(t, "%d", e->printed);
    number_if(t, built, schedule);
    if (e->printed_ranks != e->ranks)
        atn_report_cell(t, "printed as %d ranks", e->printed_ranks);
    else
        atn_report_cell(t, "%s", fabs(time - e->printed) < 0.5 ? "" : "misprint");
    if (!st && built && fabs(schedule - time) > 1e-6 * time)
        return atn_fail(err, ATN_FINDING, "table %s, %s, %d ranks: the schedule takes %g", e->table,
                        e->form, e->ranks, schedule);
    return st;
}

static int run_tables(const atn_args *a, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    atn_status st = ATN_OK;
    for (int i = 0; i < atn_ron_entries() && !st; i++) {
        const atn_ron_entry e = atn_ron_entry_at(i);
        st = add_entry(a, &e, &t, err);
    }
    st = st ? st : atn_cli_arg_table(a, &t, err);
    atn_report_table_free(&t);
    return st;
}

static const atn_option options[] = {
    ATN_INT("schedules", "N", "100", 0, ATN_RANKS_MAX,
            "Also evaluate the schedules of up to N ranks"),
    {0},
};

const atn_command atn_cmd_ron_tables = {
    .noun = "ron",
    .verb = "tables",
    .help = "Recompute published tables of collectives on reconfigurable networks",
    .detail = "Times are in units of a message (tables 5.1 to 5.4) or of a block (5.5, 5.6). "
              "'printed' is the published value; two entries there are misprints. --schedules 1400 "
              "takes some seconds and, for alltoall on 1024 ranks, some gigabytes of memory.",
    .examples = ATN_NOTES({"attune ron tables --schedules 20", "Recompute all tables"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_tables,
};
