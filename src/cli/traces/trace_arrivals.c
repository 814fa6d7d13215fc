/* trace_arrivals.c - tables about the collectives of a trace: their time by class and by rank, and
 * the skew of arrivals. */
#include <math.h>

#include "cli/traces/trace.h"
#include "sched/operation.h"

/* ---- classes ---- */

static const atn_column share_columns[] = {
    {"operation", ATN_CELL_TEXT},         {"comm", ATN_CELL_TEXT},
    {"ranks", ATN_CELL_NUMBER},           {"bytes_min", ATN_CELL_NUMBER},
    {"bytes_max", ATN_CELL_NUMBER},       {"calls", ATN_CELL_NUMBER},
    {"time_s", ATN_CELL_NUMBER},          {"percent", ATN_CELL_NUMBER},
    {"mean_us", ATN_CELL_NUMBER},         {"waiting_s", ATN_CELL_NUMBER},
    {"waiting_percent", ATN_CELL_NUMBER}, {"explain", ATN_CELL_TEXT},
};

/* "iallreduce" is an allreduce. */
static bool find_operation(const char *name, atn_operation *op_p)
{
    return atn_sched_operation_find(name, op_p) ||
           (*name == 'i' && atn_sched_operation_find(name + 1, op_p));
}

/* A trace has the sum of the blocks of a rank where their sizes may differ; explain needs one. */
static int64_t explained_bytes(const atn_trace_share *s, atn_operation op)
{
    const bool varying = (atn_sched_operation_get(op)->flags & ATN_VARYING) != 0;
    return llround(varying ? s->bytes / s->p : s->bytes);
}

bool atn_cli_trace_problem(const atn_trace_share *s, char out[ATN_TRACE_PROBLEM])
{
    atn_operation op;
    char size[32];
    *out = '\0';
    if (!find_operation(atn_trace_op_get(s->op)->name, &op) || atn_sched_on_neighbours(op))
        return false;
    const char *const name = atn_sched_operation_get(op)->name;
    const char *const bytes = atn_format_size(explained_bytes(s, op), size);
    return snprintf(out, ATN_TRACE_PROBLEM, "%s:%d:%s", name, s->p, bytes) < ATN_TRACE_PROBLEM;
}

static void put_share(atn_table *t, const atn_trace_view *v, const atn_trace_share *s)
{
    char name[64], problem[ATN_TRACE_PROBLEM];
    atn_report_cell(t, "%s", atn_trace_op_get(s->op)->name);
    atn_report_cell(t, "%s", atn_trace_comm_name(v->t, s->comm, name, sizeof name));
    atn_report_cell(t, "%d", s->p);
    atn_report_cell(t, "%lld", (long long)s->least);
    atn_report_cell(t, "%lld", (long long)s->most);
    atn_report_cell(t, "%lld", (long long)s->calls);
    atn_report_cell(t, "%.6f", s->seconds);
    atn_report_cell(t, "%.2f", v->shares.seconds > 0 ? 100 * s->seconds / v->shares.seconds : 0);
    atn_report_cell(t, "%.3f", 1e6 * s->seconds / ((double)s->calls * s->p));
    atn_report_cell(t, "%.6f", s->waited_s);
    atn_report_cell(t, "%.2f", s->seconds > 0 ? 100 * s->waited_s / s->seconds : 0);
    if (atn_cli_trace_problem(s, problem))
        atn_report_cell(t, "attune explain %s%s%s", problem,
                        v->machine != NULL ? " --machine " : "",
                        v->machine != NULL ? v->machine : "");
    else
        atn_report_cell(t, "%s", "");
}

static void fill_shares(atn_table *t, const atn_trace_view *v)
{
    for (int i = 0; i < v->shares.v.n; i++)
        put_share(t, v, &v->shares.v.v[i]);
}

/* ---- ranks ---- */

static const atn_column waiting_columns[] = {
    {"rank", ATN_CELL_NUMBER},
    {"host", ATN_CELL_TEXT},
    {"calls", ATN_CELL_NUMBER},
    {"last", ATN_CELL_NUMBER},
    {"time_s", ATN_CELL_NUMBER},
    {"waiting_s", ATN_CELL_NUMBER},
    {"waiting_percent", ATN_CELL_NUMBER},
};

static void fill_waiting(atn_table *t, const atn_trace_view *v)
{
    for (int r = 0; r < v->t->p; r++) {
        const atn_trace_waiting *const w = &v->arrivals.ranks[r];
        if (w->calls == 0)
            continue;
        atn_report_cell(t, "%d", r);
        atn_report_cell(t, "%s", v->t->ranks[r].host != NULL ? v->t->ranks[r].host : "");
        atn_report_cell(t, "%lld", (long long)w->calls);
        atn_report_cell(t, "%lld", (long long)w->last);
        atn_report_cell(t, "%.6f", w->inside_s);
        atn_report_cell(t, "%.6f", w->waited_s);
        atn_report_cell(t, "%.2f", w->inside_s > 0 ? 100 * w->waited_s / w->inside_s : 0);
    }
}

/* ---- skew ---- */

static const atn_column operation_columns[] = {
    {"operation", ATN_CELL_TEXT},       {"calls", ATN_CELL_NUMBER},
    {"balanced", ATN_CELL_NUMBER},      {"average_factor", ATN_CELL_NUMBER},
    {"worst_factor", ATN_CELL_NUMBER},  {"largest_factor", ATN_CELL_NUMBER},
    {"elapsed_us", ATN_CELL_NUMBER},    {"imbalance_us", ATN_CELL_NUMBER},
    {"computation_us", ATN_CELL_NUMBER}};

/* Empty if unknown. */
static void put_known(atn_table *t, double v)
{
    if (isnan(v))
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%.3f", v);
}

static void put_operation(atn_table *t, const char *name, const atn_trace_imbalance *m)
{
    if (m->calls == 0)
        return;
    atn_report_cell(t, "%s", name);
    atn_report_cell(t, "%lld", (long long)m->calls);
    if (isnan(m->worst))
        atn_report_cell(t, "%s", "");
    else
        atn_report_cell(t, "%lld", (long long)m->balanced);
    put_known(t, m->average);
    put_known(t, m->worst);
    put_known(t, m->worst_ever);
    atn_report_cell(t, "%.3f", 1e6 * m->elapsed_s);
    atn_report_cell(t, "%.3f", 1e6 * m->imbalance_s);
    atn_report_cell(t, "%.3f", 1e6 * m->compute_worst_s);
}

static void fill_operations(atn_table *t, const atn_trace_view *v)
{
    for (int i = 0; i <= ATN_TRACE_OPS; i++) {
        const atn_trace_imbalance m =
            atn_trace_imbalance_of(&v->arrivals, (atn_trace_op)i, -1, INT64_MAX);
        put_operation(t, i < ATN_TRACE_OPS ? atn_trace_op_get((atn_trace_op)i)->name : "all", &m);
    }
}

static const atn_column factor_columns[] = {{"worst_factor", ATN_CELL_TEXT},
                                            {"calls_to_1000_bytes", ATN_CELL_NUMBER},
                                            {"percent_to_1000_bytes", ATN_CELL_NUMBER},
                                            {"calls_above_1000_bytes", ATN_CELL_NUMBER},
                                            {"percent_above_1000_bytes", ATN_CELL_NUMBER}};

static void fill_factors(atn_table *t, const atn_trace_view *v)
{
    int64_t small[ATN_TRACE_BINS], large[ATN_TRACE_BINS], nsmall = 0, nlarge = 0;
    char name[16];
    atn_trace_distribution(&v->arrivals, -1, 1000, small);
    atn_trace_distribution(&v->arrivals, 1000, INT64_MAX, large);
    for (int i = 0; i < ATN_TRACE_BINS; i++) {
        nsmall += small[i];
        nlarge += large[i];
    }
    for (int i = 0; i < ATN_TRACE_BINS && nsmall + nlarge > 0; i++) {
        atn_report_cell(t, "%s", atn_trace_bin_name(i, name));
        atn_report_cell(t, "%lld", (long long)small[i]);
        atn_report_cell(t, "%.2f", atn_trace_percent(small[i], nsmall));
        atn_report_cell(t, "%lld", (long long)large[i]);
        atn_report_cell(t, "%.2f", atn_trace_percent(large[i], nlarge));
    }
}

static const atn_column invocation_columns[] = {{"site", ATN_CELL_TEXT},
                                                {"invocation", ATN_CELL_NUMBER},
                                                {"operation", ATN_CELL_TEXT},
                                                {"comm", ATN_CELL_NUMBER},
                                                {"ranks", ATN_CELL_NUMBER},
                                                {"bytes", ATN_CELL_NUMBER},
                                                {"first_us", ATN_CELL_NUMBER},
                                                {"elapsed_us", ATN_CELL_NUMBER},
                                                {"average_us", ATN_CELL_NUMBER},
                                                {"worst_us", ATN_CELL_NUMBER},
                                                {"message_us", ATN_CELL_NUMBER},
                                                {"average_factor", ATN_CELL_NUMBER},
                                                {"worst_factor", ATN_CELL_NUMBER},
                                                {"computation_us", ATN_CELL_NUMBER},
                                                {"computation_imbalance_us", ATN_CELL_NUMBER}};

static void fill_invocations(atn_table *t, const atn_trace_view *v)
{
    for (int i = 0; i < v->arrivals.calls.n; i++) {
        const atn_trace_call *const c = &v->arrivals.calls.v[i];
        char site[300];
        atn_report_cell(t, "%s", atn_trace_site_name(v->t, c->site, site, sizeof site));
        atn_report_cell(t, "%d", c->invocation);
        atn_report_cell(t, "%s", atn_trace_op_get(c->op)->name);
        atn_report_cell(t, "%d", c->comm);
        atn_report_cell(t, "%d", c->p);
        atn_report_cell(t, "%lld", (long long)c->bytes);
        atn_report_cell(t, "%.3f", 1e-3 * (double)c->first);
        atn_report_cell(t, "%.3f", 1e6 * c->elapsed_s);
        atn_report_cell(t, "%.3f", 1e6 * c->average_s);
        atn_report_cell(t, "%.3f", 1e6 * c->worst_s);
        put_known(t, c->message_s > 0 ? 1e6 * c->message_s : NAN);
        put_known(t, c->average);
        put_known(t, c->worst);
        atn_report_cell(t, "%.3f", 1e6 * c->computed_s);
        atn_report_cell(t, "%.3f", 1e6 * c->compute_worst_s);
    }
}

#define COLUMNS(c) (c), sizeof(c) / sizeof *(c)

const atn_trace_table atn_arrival_tables[] = {
    {"collectives", "Time of collectives", COLUMNS(share_columns), fill_shares},
    {"waiting", "Waiting for the last rank", COLUMNS(waiting_columns), fill_waiting},
    {"operations", "Imbalance of arrivals by operation", COLUMNS(operation_columns),
     fill_operations},
    {"factors", "Distribution of worst factors", COLUMNS(factor_columns), fill_factors},
    {"invocations", "Every call", COLUMNS(invocation_columns), fill_invocations},
    {0},
};
