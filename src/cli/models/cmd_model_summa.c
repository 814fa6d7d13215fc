/* cmd_model_summa.c - attune model summa: traffic and cost of matrix multiplication. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/models/proof.h"
#include "research/taulop/machine.h"
#include "research/taulop/summa.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

static atn_tau_style style_of(const atn_args *a)
{
    return atn_cli_arg_given(a, "ascii") ? ATN_TAU_ASCII : ATN_TAU_SIGNS;
}

static atn_status load(const char *path, atn_summa *s, atn_error *err)
{
    char *text;
    size_t bytes;
    atn_status st = atn_read_file(path, &text, &bytes, err);
    if (st)
        return st;
    st = atn_tau_summa_parse(text, path, s, err);
    free(text);
    return st;
}

/* ---- output ---- */

typedef struct {
    const atn_args *a;
    atn_json *j; /* NULL: lines of text */
} output;

/* Writes the terms as "what: formula" and frees them. */
static atn_status put_cost(const output *to, const char *what, atn_terms *t, atn_status st,
                           atn_error *err)
{
    st = st ? st : atn_tau_terms_merge(t, err);
    char *text = st ? NULL : atn_tau_terms_text(t, style_of(to->a));
    if (text && to->j)
        atn_report_json_text(to->j, what, text);
    else if (text)
        fprintf(to->a->out, "%s:%*s %s\n", what, atn_max(0, 9 - (int)strlen(what)), "", text);
    free(text);
    atn_tau_terms_free(t);
    return st || text ? st : no_memory(err);
}

static void put_flow(const output *to, int column, const atn_summa_flow *f)
{
    static const char *const names[] = {"column", "from", "to", "blocks", "channel"};
    const int values[] = {column, f->from, f->to, f->blocks, f->channel};
    if (!to->j) {
        fprintf(to->a->out, "%6d  %4d  %2d  %6d  %7d\n", column, f->from, f->to, f->blocks,
                f->channel);
        return;
    }
    atn_report_json_open(to->j, NULL, '{');
    for (int i = 0; i < 5; i++)
        atn_report_json_int(to->j, names[i], values[i]);
    atn_report_json_close(to->j, '}');
}

static atn_status put_flows(const output *to, const atn_summa *s, atn_error *err)
{
    const size_t p = (size_t)s->processes.n;
    atn_summa_flow *flows = malloc(sizeof *flows * p * p);
    if (!flows)
        return no_memory(err);
    if (to->j)
        atn_report_json_open(to->j, "flows", '[');
    else
        fprintf(to->a->out, "column  from  to  blocks  channel\n");
    for (int j = 0; j < s->columns.n; j++) {
        const int n = atn_tau_summa_flows(s, j, flows);
        for (int i = 0; i < n; i++)
            put_flow(to, j, &flows[i]);
    }
    if (to->j)
        atn_report_json_close(to->j, ']');
    free(flows);
    return ATN_OK;
}

static atn_status put_rows(const output *to, const atn_summa *s, atn_error *err)
{
    atn_status st = ATN_OK;
    if (to->j)
        atn_report_json_open(to->j, "rows", '[');
    for (int j = 0; j < s->columns.n && !st; j++) {
        char what[24];
        atn_terms t = {0};
        snprintf(what, sizeof what, "rows %d", j);
        st = put_cost(to, to->j ? NULL : what, &t, atn_tau_summa_rows(s, j, &t, err), err);
    }
    if (to->j)
        atn_report_json_close(to->j, ']');
    return st;
}

static void put_volume(const output *to, const atn_summa *s)
{
    const int64_t blocks = atn_tau_summa_volume(s);
    if (to->j) {
        atn_report_json_int(to->j, "volume_blocks", blocks);
        atn_report_json_int(to->j, "volume_bytes", blocks * s->block_bytes);
    } else {
        fprintf(to->a->out, "%-10s %" PRId64 " blocks, %.0f MiB\n", "volume:", blocks,
                (double)blocks * (double)s->block_bytes / (1 << 20));
    }
}

/* ---- time ---- */

/* The costs of a machine for sizes in blocks. */
typedef struct {
    atn_tau_costs bytes;
    double block;
} block_costs;

static double overhead(void *data, int channel, double blocks)
{
    const block_costs *c = data;
    return c->bytes.o(c->bytes.data, channel, blocks * c->block);
}

static double transfer(void *data, int channel, double blocks, double tau)
{
    const block_costs *c = data;
    return c->bytes.L(c->bytes.data, channel, blocks * c->block, tau);
}

/* The formula adds up all messages of a kind, so it has few overheads. */
static atn_status find_seconds(const atn_args *a, const atn_summa *s, const atn_terms *total,
                               double *seconds_p, atn_error *err)
{
    block_costs c = {.block = (double)s->block_bytes};
    const atn_tau_costs costs = {.data = &c, .o = overhead, .L = transfer};
    atn_tau *x = atn_tau_terms_tau(total);
    atn_status st =
        x ? atn_tau_machine_load(atn_cli_arg_text(a, "machine"), &c.bytes, err) : no_memory(err);
    if (!st) {
        st = atn_tau_value(x, &costs, NULL, 0, seconds_p, err);
        atn_tau_machine_free(&c.bytes);
    }
    atn_tau_free(x);
    return st;
}

static atn_status put_time(const output *to, const atn_summa *s, const atn_terms *total,
                           atn_error *err)
{
    const bool timed = atn_cli_arg_given(to->a, "machine");
    char text[32] = "";
    double seconds = 0;
    const atn_status st = timed ? find_seconds(to->a, s, total, &seconds, err) : ATN_OK;
    if (timed && !st)
        snprintf(text, sizeof text, "%.4g", seconds);
    if (to->j)
        atn_report_json_number(to->j, "time_s", text);
    else if (*text)
        fprintf(to->a->out, "%-10s %s s\n", "time:", text);
    return st;
}

static atn_status put_layout(const output *to, const char *path, const atn_summa *s,
                             const atn_terms *total, atn_error *err)
{
    atn_terms columns = {0}, copy;
    if (to->j) {
        atn_report_json_open(to->j, NULL, '{');
        atn_report_json_text(to->j, "file", path);
    } else {
        fprintf(to->a->out, "%s\n", path);
    }
    atn_status st = atn_cli_arg_given(to->a, "traffic") ? put_flows(to, s, err) : ATN_OK;
    st = st ? st : put_rows(to, s, err);
    st = st ? st : put_cost(to, "columns", &columns, atn_tau_summa_columns(s, &columns, err), err);
    st = st ? st
            : put_cost(to, "total", &copy,
                       atn_tau_terms_copy(total, &copy) ? ATN_OK : no_memory(err), err);
    if (!st)
        put_volume(to, s);
    st = st ? st : put_time(to, s, total, err);
    if (to->j)
        atn_report_json_close(to->j, '}');
    return st;
}

/* ---- the command ---- */

static atn_status put_layouts(const output *to, atn_summa s[2], atn_terms total[2], atn_error *err)
{
    const atn_args *const a = to->a;
    const atn_proof_output proof = {
        .text = a->out, .j = to->j, .style = style_of(a), .slower = true};
    atn_status st = ATN_OK;
    if (to->j)
        atn_report_json_open(to->j, "layouts", '[');
    for (int i = 0; i < a->noperands && !st; i++) {
        st = load(a->operands[i], &s[i], err);
        st = st ? st : atn_tau_summa_total(&s[i], &total[i], err);
        st = st ? st : put_layout(to, a->operands[i], &s[i], &total[i], err);
    }
    if (to->j)
        atn_report_json_close(to->j, ']');
    if (st || a->noperands < 2)
        return st;
    if (!to->j)
        fprintf(a->out, "first compared with second\n");
    return atn_cli_proof_write(&proof, &total[0], &total[1], err);
}

static int summa(const atn_args *a, atn_error *err)
{
    atn_summa s[2] = {{0}, {0}};
    atn_terms total[2] = {{0}, {0}};
    atn_json j = {.f = a->out};
    const output to = {.a = a, .j = strcmp(atn_cli_arg_format(a), "json") == 0 ? &j : NULL};
    if (to.j) {
        atn_report_json_open(&j, NULL, '{');
        atn_report_json_int(&j, "version", 1); /* docs/schema/model-summa.json */
    }
    const atn_status st = put_layouts(&to, s, total, err);
    if (to.j)
        atn_report_json_close(&j, '}');
    for (int i = 0; i < 2; i++) {
        atn_tau_summa_free(&s[i]);
        atn_tau_terms_free(&total[i]);
    }
    return st;
}

static const char *const formats[] = {"text", "json", NULL};

static const atn_option options[] = {
    ATN_FLAG("traffic", "List sender, receiver and number of blocks of each iteration"),
    ATN_FLAG("ascii", "Write formulas in ASCII"),
    ATN_OPTION_MACHINE("Also print the time on this machine ('builtin': built-in one)"),
    {0},
};

const atn_command atn_cmd_model_summa = {
    .noun = "model",
    .verb = "summa",
    ATN_OPERANDS("LAYOUT [LAYOUT]", 1, 2),
    .help = "Cost of SUMMA matrix multiplication on heterogeneous processes",
    .detail =
        "LAYOUT is a file such as examples/summa/config1.conf: the processes with their nodes, and "
        "their rectangles of the matrix, column by column. 'rows' is the cost of messages from the "
        "processes of a column to the other columns, 'columns' that of broadcasts inside columns; "
        "3||T1(20) stands for three concurrent transmissions of 20 blocks between nodes (T0: "
        "inside a node). Two layouts are compared by proof.",
    .examples = ATN_NOTES({"attune model summa examples/summa/config1.conf "
                           "examples/summa/config2.conf",
                           "Compare two layouts"}),
    .options = options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = summa,
};
