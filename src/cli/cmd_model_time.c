/* cmd_model_time.c - attune model time | check: predicted times; machine files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "model/model.h"
#include "report/table.h"

enum { MAX_MODELS = 16 };

typedef struct {
    char name[ATN_NAME_ROOM];
    double seconds[MAX_MODELS], order; /* order: of the last model, which sees most */
} line;

typedef struct {
    const atn_args *a;
    atn_request want;
    atn_machine *machine;
    const atn_model *model[MAX_MODELS]; /* those that fit the machine */
    int p, nmodels;
    ATN_VEC(line) lines;
} prediction;

/* ---- time ---- */

static atn_status evaluate(const prediction *x, const atn_request *want, line *to, atn_error *err)
{
    const int64_t n = want->q.bytes > 0 ? want->q.bytes : atn_arg_int(x->a, "bytes");
    atn_op_graph g;
    atn_set set;
    atn_status st = atn_request_build(x->a, want, x->p, &set, err);
    if (st)
        return st;
    st = atn_op_graph_make(set.v, set.p, &g, err);
    if (!st) {
        const atn_model_case c = {.g = &g, .m = x->machine, .t = want->topo};
        atn_op_graph_size(&g, n);
        for (int i = 0; i < x->nmodels && !st; i++)
            st = x->model[i]->evaluate(&c, &to->seconds[i], err);
        atn_op_graph_free(&g);
    }
    atn_set_free(&set);
    return st;
}

static void choose_models(prediction *x)
{
    for (int i = 0; i < atn_models() && x->nmodels < MAX_MODELS; i++)
        if (atn_model_fits(atn_model_at(i), x->machine))
            x->model[x->nmodels++] = atn_model_at(i);
}

static atn_status add_line(void *context, const atn_request *want, const char *name, atn_error *err)
{
    prediction *const x = context;
    line to = {.name = ""};
    snprintf(to.name, sizeof to.name, "%s", name);
    atn_status st = evaluate(x, want, &to, err);
    to.order = to.seconds[x->nmodels - 1];
    if (!st && !atn_push(&x->lines, to))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    return st;
}

static int by_time(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return x->order < y->order ? -1 : y->order < x->order ? 1 : strcmp(x->name, y->name);
}

static atn_status write_lines(prediction *x, atn_error *err)
{
    atn_column columns[MAX_MODELS + 1] = {{"algorithm", ATN_CELL_TEXT}};
    atn_table t = {.columns = columns, .ncolumns = x->nmodels + 1};
    for (int i = 0; i < x->nmodels; i++)
        columns[i + 1] = (atn_column){x->model[i]->name, ATN_CELL_NUMBER};
    qsort(x->lines.v, (size_t)x->lines.n, sizeof *x->lines.v, by_time);
    for (int k = 0; k < x->lines.n; k++) {
        atn_cell(&t, "%s", x->lines.v[k].name);
        for (int i = 0; i < x->nmodels; i++)
            atn_cell(&t, "%.4g", x->lines.v[k].seconds[i] * 1e6);
    }
    const atn_status st = atn_table_write(x->a->out, &t, atn_arg_format(x->a), x->a->terminal, err);
    atn_table_free(&t);
    return st;
}

static int run_time(const atn_args *a, atn_error *err)
{
    prediction x = {.a = a};
    atn_status st = atn_request_topology(a, &x.want, err);
    st = st ? st : atn_forecast_place(a, &x.want.topo, err);
    st = st ? st : atn_forecast_load(a, x.want.topo, &x.machine, err);
    if (!st)
        choose_models(&x);
    if (!st)
        st = atn_request_ranks(&x.want, (int)atn_arg_int(a, "ranks"), atn_arg_given(a, "ranks"),
                               &x.p, err);
    const atn_visit all = {.a = a, .want = &x.want, .p = x.p, .visit = add_line, .context = &x};
    for (int i = 0; i < a->noperands && !st; i++)
        st = atn_visit_operand(&all, a->operands[i], err);
    st = st ? st : write_lines(&x, err);
    atn_vec_free(&x.lines);
    atn_machine_free(x.machine);
    atn_request_end(&x.want);
    return st;
}

/* ---- check ---- */

static void tell(void *to, const char *text) { fprintf(to, "%s\n", text); }

static int run_check(const atn_args *a, atn_error *err)
{
    atn_machine *m = NULL;
    atn_topo *t = NULL;
    atn_status st = atn_machine_read(a->operands[0], &m, err);
    if (!st && atn_arg_given(a, "topology"))
        st = atn_lookup_topology(atn_arg_text(a, "topology"), &t, err);
    const char *why = st ? NULL : atn_machine_refuses(m, t);
    if (why)
        st = atn_fail(err, ATN_INPUT, "%s: %s", a->operands[0], why);
    if (!st) {
        const int odd = atn_machine_warnings(m, tell, a->out);
        fprintf(a->out, "%s: %d channel%s, %d reduction%s, %s\n", a->operands[0], m->nchannels,
                m->nchannels == 1 ? "" : "s", m->ngammas, m->ngammas == 1 ? "" : "s",
                odd ? "odd values as told above" : "nothing odd");
        st = odd ? ATN_FINDING : ATN_OK;
    }
    atn_topo_free(t);
    atn_machine_free(m);
    return st;
}

/* ---- descriptors ---- */

static const atn_option time_options[] = {
    ATN_OPTION_RANKS(2),
    {.name = "machine",
     .argument = "FILE",
     .doc = "Measured parameters; without it a built-in machine with Gigabit Ethernet",
     .type = ATN_OPT_FILE},
    {.name = "map",
     .argument = "ORDER",
     .doc = "Ranks on the hosts of the topology: sequential, roundrobin, or hosts in order",
     .type = ATN_OPT_TEXT},
    {0},
};

const atn_command atn_cmd_model_time = {
    .noun = "model",
    .verb = "time",
    .operands = "OPERATION|NAME ...",
    .min_operands = 1,
    .max_operands = 64,
    .help = "Predict the time of algorithms by every model, side by side",
    .detail = "An operation stands for all its algorithms that apply, with default parameters; "
              "--param counts for those named in full. Times are microseconds; rows are sorted by "
              "the last model, 'links', which sees most: docs/models.md tells what each assumes. "
              "Machines with circuits (docs/ron.md) have two models more. "
              "Without --topology every rank has a host of its own on one switch, or all share a "
              "host if the machine has no network.",
    .options = time_options,
    .shared = atn_schedule_options,
    .formats = atn_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_time,
};

static const atn_option check_options[] = {
    {.name = "topology",
     .argument = "FILE|STRING",
     .doc = "Also test whether it was measured there",
     .type = ATN_OPT_FILE},
    {0},
};

const atn_command atn_cmd_model_check = {
    .noun = "model",
    .verb = "check",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Test a machine file",
    .detail = "Bad files are refused with line and reason (exit code 3). Odd values - concurrent "
              "transfers that are faster than single ones, or slower than one after the other, "
              "times that fall with the size - are told with their lines (exit code 1).",
    .options = check_options,
    .flags = ATN_CMD_OUTPUT,
    .run = run_check,
};
