/* cmd_model_summa.c - attune model summa: traffic and cost of matrix multiplication. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "research/taulop/compare.h"
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

/* Prints the terms as "what: formula" and frees them. */
static atn_status print_cost(const atn_args *a, const char *what, atn_terms *t, atn_status st,
                             atn_error *err)
{
    st = st ? st : atn_tau_terms_merge(t, err);
    char *text = st ? NULL : atn_tau_terms_text(t, style_of(a));
    if (text)
        fprintf(a->out, "%-10s %s\n", what, text);
    free(text);
    atn_tau_terms_free(t);
    return st || text ? st : no_memory(err);
}

static atn_status print_flows(const atn_args *a, const atn_summa *s, atn_error *err)
{
    const size_t p = (size_t)s->processes.n;
    atn_summa_flow *flows = malloc(sizeof *flows * p * p);
    if (!flows)
        return no_memory(err);
    fprintf(a->out, "column  from  to  blocks  channel\n");
    for (int j = 0; j < s->columns.n; j++) {
        const int n = atn_tau_summa_flows(s, j, flows);
        for (int i = 0; i < n; i++)
            fprintf(a->out, "%6d  %4d  %2d  %6d  %7d\n", j, flows[i].from, flows[i].to,
                    flows[i].blocks, flows[i].channel);
    }
    free(flows);
    return ATN_OK;
}

static atn_status print_costs(const atn_args *a, const atn_summa *s, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int j = 0; j < s->columns.n && !st; j++) {
        char what[24];
        atn_terms t = {0};
        snprintf(what, sizeof what, "rows %d:", j);
        st = print_cost(a, what, &t, atn_tau_summa_rows(s, j, &t, err), err);
    }
    atn_terms t = {0};
    return st ? st : print_cost(a, "columns:", &t, atn_tau_summa_columns(s, &t, err), err);
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
static atn_status print_time(const atn_args *a, const atn_summa *s, const atn_terms *total,
                             atn_error *err)
{
    block_costs c = {.block = (double)s->block_bytes};
    const atn_tau_costs costs = {.data = &c, .o = overhead, .L = transfer};
    double seconds = 0;
    atn_tau *x = atn_tau_terms_tau(total);
    atn_status st =
        x ? atn_tau_machine_load(atn_cli_arg_text(a, "machine"), &c.bytes, err) : no_memory(err);
    if (!st) {
        st = atn_tau_value(x, &costs, NULL, 0, &seconds, err);
        atn_tau_machine_free(&c.bytes);
    }
    if (!st)
        fprintf(a->out, "%-10s %.4g s\n", "time:", seconds);
    atn_tau_free(x);
    return st;
}

static atn_status show(const atn_args *a, const char *path, const atn_summa *s,
                       const atn_terms *total, atn_error *err)
{
    const int64_t volume = atn_tau_summa_volume(s);
    atn_terms copy;
    fprintf(a->out, "%s\n", path);
    atn_status st = atn_cli_arg_given(a, "traffic") ? print_flows(a, s, err) : ATN_OK;
    st = st ? st : print_costs(a, s, err);
    if (!st)
        st = print_cost(a, "total:", &copy,
                        atn_tau_terms_copy(total, &copy) ? ATN_OK : no_memory(err), err);
    if (!st)
        fprintf(a->out, "%-10s %" PRId64 " blocks, %.0f MiB\n", "volume:", volume,
                (double)volume * (double)s->block_bytes / (1 << 20));
    if (!st && atn_cli_arg_given(a, "machine"))
        st = print_time(a, s, total, err);
    return st;
}

static atn_status prove(const atn_args *a, const atn_terms *x, const atn_terms *y, atn_error *err)
{
    atn_tau_proof proof = {.style = style_of(a)};
    const atn_tau_verdict v = atn_tau_terms_compare(x, y, true, &proof);
    fprintf(a->out, "first compared with second\n");
    for (int i = 0; i < proof.v.n; i++)
        fprintf(a->out, "  %s\n", proof.v.v[i]);
    fprintf(a->out, "%s\n", atn_tau_verdicts[v]);
    atn_tau_proof_free(&proof);
    return proof.failed ? no_memory(err) : ATN_OK;
}

static int summa(const atn_args *a, atn_error *err)
{
    atn_summa s[2] = {{0}, {0}};
    atn_terms total[2] = {{0}, {0}};
    atn_status st = ATN_OK;
    for (int i = 0; i < a->noperands && !st; i++) {
        st = load(a->operands[i], &s[i], err);
        st = st ? st : atn_tau_summa_total(&s[i], &total[i], err);
        st = st ? st : show(a, a->operands[i], &s[i], &total[i], err);
    }
    if (!st && a->noperands == 2)
        st = prove(a, &total[0], &total[1], err);
    for (int i = 0; i < 2; i++) {
        atn_tau_summa_free(&s[i]);
        atn_tau_terms_free(&total[i]);
    }
    return st;
}

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
    .flags = ATN_CMD_OUTPUT,
    .run = summa,
};
