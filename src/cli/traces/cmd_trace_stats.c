/* cmd_trace_stats.c - attune trace show, stats, arrivals, report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/traces/trace.h"

/* ---- show ---- */

static const atn_column event_columns[] = {
    {"rank", ATN_CELL_NUMBER},  {"begin_us", ATN_CELL_NUMBER}, {"time_us", ATN_CELL_NUMBER},
    {"call", ATN_CELL_TEXT},    {"partner", ATN_CELL_VALUE},   {"tag", ATN_CELL_VALUE},
    {"bytes", ATN_CELL_NUMBER}, {"comm", ATN_CELL_TEXT},       {"request", ATN_CELL_VALUE},
    {"site", ATN_CELL_TEXT},
};
enum { EVENT_COLUMNS = sizeof event_columns / sizeof *event_columns };

static void put_event(atn_table *table, const atn_trace *t, int r, const atn_trace_event *e)
{
    char text[300];
    const char *const name = atn_trace_op_get((atn_trace_op)e->op)->name;
    atn_report_cell(table, "%d", r);
    atn_report_cell(table, "%.3f", 1e-3 * (double)e->enter);
    atn_report_cell(table, "%.3f", 1e-3 * (double)(e->exit - e->enter));
    atn_report_cell(table, "%s%s", atn_trace_is_part(e) ? "+ " : e->depth > 0 ? "> " : "", name);
    atn_report_cell(table, "%s",
                    e->partner == ATN_TRACE_NO_RANK ? ""
                                                    : atn_trace_partner_name(e->partner, text));
    if (e->tag >= 0)
        atn_report_cell(table, "%d", e->tag);
    else
        atn_report_cell(table, "%s", e->tag == ATN_TRACE_ANY_TAG ? "any" : "");
    atn_report_cell(table, "%lld", (long long)e->bytes);
    atn_report_cell(table, "%s",
                    e->comm >= 0 ? atn_trace_comm_name(t, e->comm, text, sizeof text) : "");
    if (e->request > 0)
        atn_report_cell(table, "%u", e->request);
    else
        atn_report_cell(table, "%s", "");
    atn_report_cell(table, "%s",
                    e->site >= 0 ? atn_trace_site_name(t, e->site, text, sizeof text) : "");
}

/* Events of all ranks, in the order in which calls began. */
static void put_events(atn_table *table, const atn_trace *t, int only, int64_t most)
{
    int *const next = calloc((size_t)t->p, sizeof *next);
    for (int64_t n = 0; next != NULL && (n < most || most == 0); n++) {
        int best = -1;
        for (int r = 0; r < t->p; r++) {
            if (next[r] == t->ranks[r].events.n || (only >= 0 && r != only))
                continue;
            if (best < 0 ||
                t->ranks[r].events.v[next[r]].enter < t->ranks[best].events.v[next[best]].enter)
                best = r;
        }
        if (best < 0)
            break;
        put_event(table, t, best, &t->ranks[best].events.v[next[best]++]);
    }
    table->failed = table->failed || next == NULL;
    free(next);
}

static int show(const atn_args *a, atn_error *err)
{
    atn_trace *t = NULL;
    atn_table table = {.columns = event_columns, .ncolumns = EVENT_COLUMNS};
    atn_status status = atn_cli_trace_load(a, &t, err);
    if (status != ATN_OK)
        return status;
    const int only = atn_cli_arg_given(a, "rank") ? (int)atn_cli_arg_int(a, "rank") : -1;
    if (only >= t->p)
        status = atn_fail(err, ATN_USAGE, "--rank %d: the job has ranks 0 to %d", only, t->p - 1);
    if (status == ATN_OK) {
        put_events(&table, t, only, atn_cli_arg_int(a, "events"));
        status = atn_report_table_write(a->out, &table, atn_cli_arg_format(a), a->terminal, err);
    }
    atn_report_table_free(&table);
    atn_trace_free(t);
    return status;
}

static const atn_option show_options[] = {
    {.name = "rank", .letter = 'r', .argument = "R", .type = ATN_OPT_INT, .doc = "Only this rank"},
    {.name = "events",
     .letter = 'n',
     .argument = "N",
     .type = ATN_OPT_INT,
     .fallback = "50",
     .doc = "Maximum number of events; 0: all"},
    {0},
};

const atn_command atn_cmd_trace_show = {
    .noun = "trace",
    .verb = "show",
    ATN_OPERANDS("FOLDER", 1, 1),
    .help = "List the calls of a trace by start time",
    .detail =
        "'+' marks parts of the preceding call: the receive of a sendrecv, or a request that a "
        "wait completed. '>' marks messages inside a collective.",
    .examples = ATN_NOTES(
        {"attune trace show trace --rank 0 --events 20", "List the first calls of rank 0"}),
    .options = show_options,
    .shared = atn_cli_trace_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = show,
};

/* ---- tables ---- */

/* Reports missing figures and their reason. */
static void report_gaps(const atn_trace_arrivals *a)
{
    if (a->cut > 0)
        fprintf(stderr,
                "attune: note: %lld collective calls are ignored, because they are not recorded on "
                "all ranks of their communicator\n",
                (long long)a->cut);
    if (a->calls.n > 0 && isnan(a->calls.v[0].worst))
        fputs("attune: note: no imbalance factors, because rank 0 recorded no message times; add "
              "--machine FILE\n",
              stderr);
}

static int tables(const atn_args *a, const atn_trace_table *list, const char *machine,
                  atn_error *err)
{
    atn_trace_view v = {0};
    atn_status status = atn_cli_trace_view_make(a, machine, &v, err);
    if (status != ATN_OK)
        return status;
    if (list == atn_arrival_tables)
        report_gaps(&v.arrivals);
    status = atn_cli_trace_tables_write(a, list, atn_cli_arg_text(a, "table"), &v, err);
    atn_cli_trace_view_free(&v);
    return status;
}

static int stats(const atn_args *a, atn_error *err)
{
    return tables(a, atn_cli_stats_tables, NULL, err);
}

static int arrivals(const atn_args *a, atn_error *err)
{
    return tables(a, atn_arrival_tables, atn_cli_arg_text(a, "machine"), err);
}

static const char *const stats_words[] = {"summary",  "calls",   "ranks", "sizes",
                                          "partners", "between", NULL};
static const char *const arrival_words[] = {"collectives", "waiting",     "operations",
                                            "factors",     "invocations", NULL};

static const atn_option stats_options[] = {
    ATN_WORD("table", "NAME", NULL, stats_words, "Only this table"),
    {0},
};

const atn_command atn_cmd_trace_stats = {
    .noun = "trace",
    .verb = "stats",
    ATN_OPERANDS("FOLDER", 1, 1),
    .help = "Summarise the communication of a recorded program",
    .detail =
        "Calls with times, sizes and partners; computation between two sends of a rank, without "
        "MPI calls in between; and early receives: the share of messages whose receiver posted "
        "the receive, or waited for it, before the message was sent (wildcard receives are not "
        "counted). The overhead of recording is subtracted.",
    .examples = ATN_NOTES({"attune trace stats trace --table calls", "Time of each MPI function"}),
    .options = stats_options,
    .shared = atn_cli_trace_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = stats,
};

static const atn_option arrivals_options[] = {
    ATN_WORD("table", "NAME", NULL, arrival_words,
             "Only this table; 'collectives': time by operation, communicator and size; "
             "'invocations': every call by time"),
    ATN_OPTION_MACHINE("Machine file for message times; default: measured by the job"),
    {0},
};

const atn_command atn_cmd_trace_arrivals = {
    .noun = "trace",
    .verb = "arrivals",
    ATN_OPERANDS("FOLDER", 1, 1),
    .help = "Analyse the arrival skew of collectives",
    .detail =
        "The average imbalance of a call is the mean deviation of its ranks from their mean "
        "arrival time; the worst imbalance is the time from the first to the last arrival. Divided "
        "by the time of one message of the same size, they are imbalance factors; a call is "
        "balanced if its worst factor is below 1. The first tables have the time of collectives, "
        "summed over ranks, by operation, communicator and size (powers of two), and by rank; the "
        "time before the last rank enters is waiting. The computation since the last collective "
        "shows "
        "whether work imbalance causes the skew.",
    .examples = ATN_NOTES(
        {"attune trace arrivals trace --table collectives", "Where the time of collectives goes"},
        {"attune trace arrivals trace --table factors", "Distribution of imbalance factors"}),
    .options = arrivals_options,
    .shared = atn_cli_trace_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = arrivals,
};

/* ---- report ---- */

static int report(const atn_args *a, atn_error *err)
{
    atn_trace_view v = {0};
    atn_status status = atn_cli_trace_view_make(a, atn_cli_arg_text(a, "machine"), &v, err);
    if (status != ATN_OK)
        return status;
    report_gaps(&v.arrivals);
    status = atn_cli_trace_page(a->out, &v, err);
    atn_cli_trace_view_free(&v);
    return status;
}

static const atn_option report_options[] = {
    ATN_OPTION_MACHINE("Machine file for message times; default: measured by the job"),
    {0},
};

const atn_command atn_cmd_trace_report = {
    .noun = "trace",
    .verb = "report",
    ATN_OPERANDS("FOLDER", 1, 1),
    .help = "Write an HTML report of a trace: time line, plots and tables",
    .detail = "The page needs no other file. Its tables are those of 'attune trace stats' and "
              "'attune trace arrivals'.",
    .examples = ATN_NOTES({"attune trace report trace -o trace.html", "Write a report"}),
    .options = report_options,
    .shared = atn_cli_trace_options,
    .flags = ATN_CMD_OUTPUT,
    .run = report,
};
