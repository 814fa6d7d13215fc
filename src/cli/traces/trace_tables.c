/* trace_tables.c - analyses of a trace as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/traces/trace.h"
#include "model/machine.h"

/* ---- a trace and its analyses ---- */

static double by_machine(const void *context, int64_t bytes)
{
    const atn_machine *const m = context;
    return atn_model_channel_message(m, m->nchannels - 1, (double)bytes);
}

static double by_job(const void *context, int64_t bytes)
{
    return atn_trace_message_s(context, bytes);
}

atn_status atn_cli_trace_view_make(const atn_args *a, const char *machine, atn_trace_view *v_p,
                                   atn_error *err)
{
    atn_trace_view v = {.machine = machine,
                        .message_from = machine != NULL ? machine : "the job itself"};
    atn_machine *m = NULL;
    atn_status status = machine != NULL ? atn_model_machine_read(machine, &m, err) : ATN_OK;
    if (status == ATN_OK)
        status = atn_cli_trace_load(a, &v.t, err);
    if (status == ATN_OK)
        status = atn_trace_stats_make(v.t, &v.stats, err);
    if (status == ATN_OK)
        status = atn_trace_arrivals_make(v.t, m != NULL ? by_machine : by_job,
                                         m != NULL ? (const void *)m : v.t, &v.arrivals, err);
    if (status == ATN_OK)
        status = atn_trace_shares_make(&v.arrivals, &v.shares, err);
    atn_model_machine_free(m);
    if (status == ATN_OK)
        *v_p = v;
    else
        atn_cli_trace_view_free(&v);
    return status;
}

void atn_cli_trace_view_free(atn_trace_view *v)
{
    atn_trace_stats_free(&v->stats);
    atn_trace_arrivals_free(&v->arrivals);
    atn_trace_shares_free(&v->shares);
    atn_trace_free(v->t);
    v->t = NULL;
}

/* ---- calls ---- */

#define COLUMNS(c) (c), sizeof(c) / sizeof *(c)

static const atn_column call_columns[] = {
    {"operation", ATN_CELL_TEXT}, {"calls", ATN_CELL_NUMBER}, {"least", ATN_CELL_NUMBER},
    {"most", ATN_CELL_NUMBER},    {"bytes", ATN_CELL_NUMBER}, {"time_s", ATN_CELL_NUMBER},
    {"mean_us", ATN_CELL_NUMBER},
};

static void fill_calls(atn_table *t, const atn_trace_view *v)
{
    for (int i = 0; i < ATN_TRACE_OPS; i++) {
        const atn_trace_op_stats *const s = &v->stats.ops[i];
        if (s->calls == 0)
            continue;
        atn_report_cell(t, "%s", atn_trace_op_get((atn_trace_op)i)->name);
        atn_report_cell(t, "%lld", (long long)s->calls);
        atn_report_cell(t, "%lld", (long long)s->least);
        atn_report_cell(t, "%lld", (long long)s->most);
        atn_report_cell(t, "%lld", (long long)s->bytes);
        atn_report_cell(t, "%.6f", s->seconds);
        atn_report_cell(t, "%.3f", 1e6 * s->seconds / (double)s->calls);
    }
}

/* ---- ranks ---- */

static const atn_column rank_columns[] = {
    {"rank", ATN_CELL_NUMBER},         {"host", ATN_CELL_TEXT},
    {"events", ATN_CELL_NUMBER},       {"sends", ATN_CELL_NUMBER},
    {"destinations", ATN_CELL_NUMBER}, {"receives", ATN_CELL_NUMBER},
    {"bytes_sent", ATN_CELL_NUMBER},   {"mpi_s", ATN_CELL_NUMBER},
    {"compute_s", ATN_CELL_NUMBER},    {"least_between_us", ATN_CELL_NUMBER},
    {"overhead_ns", ATN_CELL_NUMBER},
};

static void fill_ranks(atn_table *t, const atn_trace_view *v)
{
    for (int r = 0; r < v->t->p; r++) {
        const atn_trace_rank_stats *const s = &v->stats.ranks[r];
        const atn_trace_rank *const rank = &v->t->ranks[r];
        atn_report_cell(t, "%d", r);
        atn_report_cell(t, "%s", rank->host != NULL ? rank->host : "");
        atn_report_cell(t, "%d", rank->events.n);
        atn_report_cell(t, "%lld", (long long)s->sends);
        atn_report_cell(t, "%d", s->destinations);
        atn_report_cell(t, "%lld", (long long)s->receives);
        atn_report_cell(t, "%lld", (long long)s->bytes);
        atn_report_cell(t, "%.6f", s->mpi_s);
        atn_report_cell(t, "%.6f", s->compute_s);
        if (isfinite(s->least_between_s))
            atn_report_cell(t, "%.3f", 1e6 * s->least_between_s);
        else
            atn_report_cell(t, "%s", "");
        atn_report_cell(t, "%.1f", rank->inside_ns + rank->around_ns);
    }
}

/* ---- sizes, partners ---- */

static const atn_column size_columns[] = {
    {"bytes", ATN_CELL_NUMBER}, {"messages", ATN_CELL_NUMBER}, {"percent", ATN_CELL_NUMBER}};

static void fill_sizes(atn_table *t, const atn_trace_view *v)
{
    int64_t all = 0;
    for (int i = 0; i < v->stats.sizes.n; i++)
        all += v->stats.sizes.v[i].messages;
    for (int i = 0; i < v->stats.sizes.n; i++) {
        atn_report_cell(t, "%lld", (long long)v->stats.sizes.v[i].bytes);
        atn_report_cell(t, "%lld", (long long)v->stats.sizes.v[i].messages);
        atn_report_cell(t, "%.2f", atn_trace_percent(v->stats.sizes.v[i].messages, all));
    }
}

static const atn_column partner_columns[] = {{"from", ATN_CELL_NUMBER},
                                             {"to", ATN_CELL_NUMBER},
                                             {"messages", ATN_CELL_NUMBER},
                                             {"bytes", ATN_CELL_NUMBER}};

static void fill_partners(atn_table *t, const atn_trace_view *v)
{
    const int p = v->t->p;
    for (int from = 0; from < p; from++)
        for (int to = 0; to < p; to++) {
            const size_t at = (size_t)from * (size_t)p + (size_t)to;
            if (v->stats.messages[at] == 0)
                continue;
            atn_report_cell(t, "%d", from);
            atn_report_cell(t, "%d", to);
            atn_report_cell(t, "%lld", (long long)v->stats.messages[at]);
            atn_report_cell(t, "%lld", (long long)v->stats.bytes[at]);
        }
}

/* ---- computation between sends ---- */

static const atn_column between_columns[] = {{"percent", ATN_CELL_NUMBER},
                                             {"at_most_us", ATN_CELL_NUMBER}};

static void fill_between(atn_table *t, const atn_trace_view *v)
{
    static const double percents[] = {0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents && v->stats.between.n > 0; i++) {
        atn_report_cell(t, "%g", percents[i]);
        atn_report_cell(t, "%.3f", 1e6 * atn_trace_percentile(&v->stats, percents[i]));
    }
}

/* ---- summary ---- */

static const atn_column summary_columns[] = {{"what", ATN_CELL_TEXT}, {"value", ATN_CELL_VALUE}};

static void fill_summary(atn_table *t, const atn_trace_view *v)
{
    const atn_trace_stats *const s = &v->stats;
    const int64_t n = s->between.n;
    atn_report_cell(t, "ranks"), atn_report_cell(t, "%d", v->t->p);
    atn_report_cell(t, "duration_s"), atn_report_cell(t, "%.6f", 1e-9 * (double)v->t->end);
    atn_report_cell(t, "communication_over_computation"), atn_report_cell(t, "%.4f", s->ratio);
    atn_report_cell(t, "messages_matched"), atn_report_cell(t, "%lld", (long long)s->matched);
    atn_report_cell(t, "early_receive_percent");
    atn_report_cell(t, "%.2f", atn_trace_percent(s->early, s->matched));
    atn_report_cell(t, "between_sends"), atn_report_cell(t, "%lld", (long long)n);
    for (int i = 0; i < 3; i++) {
        static const int us[] = {5, 10, 25};
        atn_report_cell(t, "between_above_%d_us_percent", us[i]);
        atn_report_cell(t, "%.2f", atn_trace_percent(atn_trace_above(s, 1e-6 * us[i]), n));
    }
    int64_t polls = 0;
    for (int r = 0; r < v->t->p; r++)
        polls += v->t->ranks[r].polls;
    atn_report_cell(t, "polls_that_found_nothing"), atn_report_cell(t, "%lld", (long long)polls);
}

const atn_trace_table atn_cli_stats_tables[] = {
    {"summary", "Summary", COLUMNS(summary_columns), fill_summary},
    {"calls", "Calls", COLUMNS(call_columns), fill_calls},
    {"ranks", "Ranks", COLUMNS(rank_columns), fill_ranks},
    {"sizes", "Sizes of messages", COLUMNS(size_columns), fill_sizes},
    {"partners", "Traffic between ranks", COLUMNS(partner_columns), fill_partners},
    {"between", "Computation between two sends of a rank", COLUMNS(between_columns), fill_between},
    {0},
};

/* ---- writing ---- */

static atn_status write_one(const atn_args *a, const atn_trace_table *table,
                            const atn_trace_view *v, atn_error *err)
{
    atn_table t = {.columns = table->columns, .ncolumns = table->ncolumns};
    table->fill(&t, v);
    return atn_cli_arg_table(a, &t, err);
}

/* Only the table format can have several tables. */
atn_status atn_cli_trace_tables_write(const atn_args *a, const atn_trace_table *tables,
                                      const char *name, const atn_trace_view *v, atn_error *err)
{
    const char *const format = atn_cli_arg_format(a);
    const bool readable = strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0;
    atn_status status = ATN_OK;
    if (name == NULL && !readable)
        return atn_fail(err, ATN_USAGE, "--format %s: has one table; add --table NAME", format);
    for (int i = 0; tables[i].name != NULL && status == ATN_OK; i++) {
        if (name != NULL && strcmp(name, tables[i].name) != 0)
            continue;
        if (name == NULL && strcmp(tables[i].name, "invocations") == 0)
            continue;
        if (name == NULL)
            fprintf(a->out, "%s%s\n", i > 0 ? "\n" : "", tables[i].title);
        status = write_one(a, &tables[i], v, err);
    }
    return status;
}
