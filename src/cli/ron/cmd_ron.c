/* cmd_ron.c - attune ron time | circuits | check: schedules on reconfigurable networks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ron/ron.h"
#include "report/ron_draw.h"
#include "research/ron/check.h"
#include "research/ron/forms.h"
#include "research/ron/read.h"

enum { POLICIES = ATN_RON_PRESET + 1 };

/* ---- the network ---- */

static atn_ron network_of(const atn_args *a)
{
    return (atn_ron){.ports = (int)atn_cli_arg_int(a, "ports"),
                     .delay = atn_cli_arg_number(a, "delay"),
                     .start = atn_cli_arg_number(a, "start"),
                     .byte = atn_cli_arg_number(a, "byte") * 1e-3};
}

/* ---- a schedule as a graph ---- */

typedef struct {
    atn_set set;
    atn_op_graph g;
} graph;

static void graph_free(graph *x)
{
    atn_model_op_graph_free(&x->g);
    atn_cli_set_free(&x->set);
}

static atn_status make_graph(const atn_args *a, const atn_request *want, int p, graph *x,
                             atn_error *err)
{
    const int64_t n = want->q.bytes > 0 ? want->q.bytes : atn_cli_arg_int(a, "bytes");
    atn_status st = atn_cli_request_build(a, want, p, &x->set, err);
    if (st)
        return st;
    st = atn_model_op_graph_make(x->set.v, x->set.p, &x->g, err);
    if (st)
        atn_cli_set_free(&x->set);
    else
        atn_model_op_graph_size(&x->g, n);
    return st;
}

/* The schedule named by operand 0. */
static atn_status load(const atn_args *a, graph *x, atn_error *err)
{
    atn_request want;
    int p = 0;
    atn_status st = atn_cli_request_read(a, &want, err);
    if (st)
        return st;
    st = atn_cli_request_ranks(&want, (int)atn_cli_arg_int(a, "ranks"),
                               atn_cli_arg_given(a, "ranks"), &p, err);
    st = st ? st : make_graph(a, &want, p, x, err);
    atn_cli_request_end(&want);
    return st;
}

/* ---- time ---- */

typedef struct {
    char name[ATN_NAME_ROOM];
    double time[POLICIES];
    int changes; /* of circuits with policy `early` */
} line;

typedef struct {
    const atn_args *a;
    atn_request want;
    atn_ron net;
    int p;
    ATN_VEC(line) lines;
} survey;

/* Parameters that follow from the network, by their names in the catalogue. */
static int64_t fitting(const survey *x, const char *name, int64_t fallback)
{
    const double n = (double)atn_cli_arg_int(x->a, "bytes") * x->net.byte, d = x->net.delay;
    const int k = x->net.ports;
    if (strcmp(name, "radix") == 0)
        return k + 1;
    if (strcmp(name, "arity") == 0 || strcmp(name, "ports") == 0)
        return k;
    if (strcmp(name, "delay") == 0)
        return llround(fmin(1e6, d / fmax(x->net.start + n, 1e-300)));
    if (strcmp(name, "steps") == 0)
        return atn_ron_best_steps(x->p, k, (d + x->net.start) / fmax(n, 1e-300));
    return fallback;
}

static void fit_params(const void *context, atn_choice *c)
{
    const survey *const x = context;
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(c->row, list);
    for (int i = 0; i < n; i++) {
        const int64_t v = fitting(x, list[i]->name, c->params.v[i]);
        if (v != c->params.v[i])
            c->params.v[i] = v < list[i]->min ? list[i]->min : v > list[i]->max ? list[i]->max : v;
    }
}

static atn_status measure(const survey *x, const atn_request *want, line *to, atn_error *err)
{
    graph s = {.set = {0}};
    atn_status st = make_graph(x->a, want, x->p, &s, err);
    if (st)
        return st;
    for (int i = 0; i < POLICIES && !st; i++) {
        atn_circuits c;
        st = atn_model_ron_run(&s.g, &x->net, (atn_ron_policy)i, 1, &c, err);
        if (st)
            break;
        to->time[i] = c.time;
        to->changes = i == ATN_RON_EARLY ? c.changes : to->changes;
        atn_model_circuits_free(&c);
    }
    graph_free(&s);
    return st;
}

static atn_status add_line(void *context, const atn_request *want, const char *name, atn_error *err)
{
    survey *const x = context;
    line to = {.name = ""};
    snprintf(to.name, sizeof to.name, "%s", name);
    atn_status st = measure(x, want, &to, err);
    if (!st && !atn_push(&x->lines, to))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    return st;
}

static int by_time(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const double p = x->time[ATN_RON_EARLY], q = y->time[ATN_RON_EARLY];
    return p < q ? -1 : q < p ? 1 : strcmp(x->name, y->name);
}

static atn_status write_lines(survey *x, atn_error *err)
{
    static const atn_column columns[] = {
        {"algorithm", ATN_CELL_TEXT}, {"anew", ATN_CELL_NUMBER},   {"demand", ATN_CELL_NUMBER},
        {"early", ATN_CELL_NUMBER},   {"preset", ATN_CELL_NUMBER}, {"changes", ATN_CELL_NUMBER},
    };
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    if (x->lines.n > 0)
        qsort(x->lines.v, (size_t)x->lines.n, sizeof *x->lines.v, by_time);
    for (int k = 0; k < x->lines.n; k++) {
        atn_report_cell(&t, "%s", x->lines.v[k].name);
        for (int i = 0; i < POLICIES; i++)
            atn_report_cell(&t, "%.6g", x->lines.v[k].time[i]);
        atn_report_cell(&t, "%d", x->lines.v[k].changes);
    }
    return atn_cli_arg_table(x->a, &t, err);
}

static int run_time(const atn_args *a, atn_error *err)
{
    survey x = {.a = a, .net = network_of(a)};
    atn_status st = atn_cli_request_topology(a, &x.want, err);
    if (!st)
        st = atn_cli_request_ranks(&x.want, (int)atn_cli_arg_int(a, "ranks"),
                                   atn_cli_arg_given(a, "ranks"), &x.p, err);
    const atn_visit all = {
        .a = a, .want = &x.want, .p = x.p, .fit = fit_params, .visit = add_line, .context = &x};
    for (int i = 0; i < a->noperands && !st; i++)
        st = atn_cli_visit_operand(&all, a->operands[i], err);
    st = st ? st : write_lines(&x, err);
    atn_vec_free(&x.lines);
    atn_cli_request_end(&x.want);
    return st;
}

/* ---- circuits ---- */

static atn_ron_policy policy_of(const char *name)
{
    int i = 0;
    while (strcmp(atn_model_ron_policies[i], name) != 0)
        i++;
    return (atn_ron_policy)i;
}

static void transfer_row(atn_table *t, const atn_op_graph *g, const atn_ron_transfer *x)
{
    atn_report_cell(t, "%d", x->rank);
    atn_report_cell(t, "%d", x->port);
    atn_report_cell(t, "%d", x->to);
    if (x->changed) {
        atn_report_cell(t, "%.12g", x->since);
        atn_report_cell(t, "%.12g", x->ready);
    } else {
        atn_report_cell(t, "%s", "");
        atn_report_cell(t, "%s", "");
    }
    atn_report_cell(t, "%.12g", x->begin);
    atn_report_cell(t, "%.12g", x->end);
    atn_report_cell(t, "%" PRId64, g->nodes[x->send].bytes);
}

static atn_status write_circuits(const atn_args *a, const atn_op_graph *g, const atn_circuits *c,
                                 atn_error *err)
{
    enum { MOST = 16 };
    atn_column columns[MOST];
    int n = 0;
    for (; atn_ron_circuit_columns[n]; n++)
        columns[n] = (atn_column){atn_ron_circuit_columns[n], ATN_CELL_NUMBER};
    columns[n++] = (atn_column){"bytes", ATN_CELL_NUMBER};
    atn_table t = {.columns = columns, .ncolumns = n};
    for (int i = 0; i < c->n; i++)
        transfer_row(&t, g, &c->v[i]);
    return atn_cli_arg_table(a, &t, err);
}

static int run_circuits(const atn_args *a, atn_error *err)
{
    const atn_ron net = network_of(a);
    graph x;
    atn_circuits c;
    atn_status st = load(a, &x, err);
    if (st)
        return st;
    st = atn_model_ron_run(&x.g, &net, policy_of(atn_cli_arg_text(a, "policy")), 1, &c, err);
    if (!st) {
        st = atn_ron_check(&x.g, &net, &c, err); /* never print unverified circuits */
        if (!st && strcmp(atn_cli_arg_format(a), "svg") == 0)
            st = atn_report_circuits_draw(a->out, x.set.v[0]->name, &net, &c, x.g.p, err);
        else if (!st)
            st = write_circuits(a, &x.g, &c, err);
        atn_model_circuits_free(&c);
    }
    graph_free(&x);
    return st;
}

/* ---- check ---- */

/* `why` has no text if the circuits are proven. */
static void write_verdict(const atn_args *a, const atn_circuits *c, int ranks, const atn_error *why)
{
    const char *const path = a->operands[1];
    const bool proven = why->status == ATN_OK;
    if (!proven)
        fprintf(a->out, "%s: %s\n", path, why->text);
    else
        fprintf(a->out,
                "%s: %d messages of %d ranks, %d changes of circuits, complete at %.6g: proven\n",
                path, c->n, ranks, c->changes, c->time);
}

static void write_verdict_json(const atn_args *a, const atn_circuits *c, int ranks,
                               const atn_error *why)
{
    const bool proven = why->status == ATN_OK;
    atn_json j = {.f = a->out};
    char digits[32] = "";
    if (proven)
        snprintf(digits, sizeof digits, "%.6g", c->time);
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/ron-check.json */
    atn_report_json_text(&j, "file", a->operands[1]);
    atn_report_json_bool(&j, "proven", proven);
    atn_report_json_int(&j, "ranks", ranks);
    atn_report_json_int(&j, "messages", c->n);
    atn_report_json_int(&j, "changes", c->changes);
    atn_report_json_number(&j, "time_us", digits);
    atn_report_json_text(&j, "why", proven ? NULL : why->text);
    atn_report_json_close(&j, '}');
}

static int run_check(const atn_args *a, atn_error *err)
{
    atn_error why = {.status = ATN_OK};
    const atn_ron net = network_of(a);
    const bool json = strcmp(atn_cli_arg_format(a), "json") == 0;
    graph x;
    atn_circuits c;
    atn_status st = load(a, &x, err);
    if (st)
        return st;
    st = atn_ron_circuits_read(a->operands[1], &x.g, &c, err);
    if (!st) {
        st = atn_ron_check(&x.g, &net, &c, &why);
        (json ? write_verdict_json : write_verdict)(a, &c, x.g.p, &why);
        atn_model_circuits_free(&c);
    }
    graph_free(&x);
    return st;
}

/* ---- descriptors ---- */

#define NETWORK                                                                                    \
    ATN_OPTION_RANKS(1),                                                                           \
        {.name = "ports",                                                                          \
         .letter = 'k',                                                                            \
         .argument = "K",                                                                          \
         .type = ATN_OPT_INT,                                                                      \
         .fallback = "1",                                                                          \
         .min = 1,                                                                                 \
         .max = 1024,                                                                              \
         .doc = "Ports of each rank"},                                                             \
        {.name = "delay",                                                                          \
         .letter = 'd',                                                                            \
         .argument = "US",                                                                         \
         .type = ATN_OPT_NUMBER,                                                                   \
         .fallback = "10",                                                                         \
         .doc = "Reconfiguration delay in microseconds"},                                          \
        ATN_NUMBER("start", "US", "1", 0, 0, "Time of an empty message in microseconds"),          \
        ATN_NUMBER("byte", "NS", "1", 0, 0, "Nanoseconds per byte")

static const atn_option net_options[] = {NETWORK, {0}};

static const atn_option circuit_options[] = {
    NETWORK,
    ATN_WORD("policy", "WORD", "early", atn_model_ron_policies,
             "When a port is connected to its next receiver"),
    {0},
};

const atn_command atn_cmd_ron_time = {
    .noun = "ron",
    .verb = "time",
    ATN_OPERANDS("OPERATION|NAME ...", 1, 64),
    .help = "Predict the time of algorithms on a reconfigurable network",
    .detail =
        "An operation selects all its applicable algorithms, with parameters that fit the network: "
        "radix, arity, ports, delay, steps. Times are microseconds by reconfiguration policy: a "
        "circuit for every message (anew); circuits kept until a message to another rank is ready "
        "(demand); changed as soon as the port is free (early); as early, with the first circuits "
        "set up before the call (preset). Rows are sorted by early, and 'changes' counts its "
        "circuit changes.",
    .examples = ATN_NOTES({"attune ron time alltoall -p 16 --ports 4 --delay 20",
                           "Compare alltoall algorithms with 4 ports"}),
    .options = net_options,
    .shared = atn_cli_schedule_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_time,
};

static const char *const circuit_formats[] = {"table", "csv", "json", "svg", NULL};

const atn_command atn_cmd_ron_circuits = {
    .noun = "ron",
    .verb = "circuits",
    ATN_OPERANDS("NAME|FILE", 1, 1),
    .help = "List circuits and messages over time, for a switch controller",
    .detail =
        "A line per message: sending rank and port, receiving rank, reconfiguration (since, ready; "
        "empty if the circuit existed) and transfer (begin, end), in microseconds. The list is "
        "verified: ports, delays and dependencies.",
    .examples = ATN_NOTES({"attune ron circuits allgather/ring -p 8 --format csv -o circuits.csv",
                           "Write the circuits of a ring"}),
    .options = circuit_options,
    .shared = atn_cli_schedule_options,
    .formats = circuit_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_circuits,
};

static const char *const check_formats[] = {"text", "json", NULL};

const atn_command atn_cmd_ron_check = {
    .noun = "ron",
    .verb = "check",
    ATN_OPERANDS("NAME|FILE CIRCUITS", 2, 2),
    .help = "Verify a list of circuits for a schedule",
    .detail = "CIRCUITS is a file in the format of 'attune ron circuits --format csv'.",
    .examples = ATN_NOTES(
        {"attune ron check allgather/ring circuits.csv -p 8", "Verify a list of circuits"}),
    .options = net_options,
    .shared = atn_cli_schedule_options,
    .formats = check_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_check,
};
