/* cmd_model_time.c - attune model time | check: predicted times; machine files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/forecast.h"
#include "model/model.h"

enum { MAX_MODELS = 16 };

typedef struct {
    char name[ATN_NAME_ROOM];
    double seconds[MAX_MODELS], order; /* order: of the last model, the most detailed one */
} line;

typedef struct {
    const atn_args *a;
    atn_request want;
    atn_machine *machine;
    const atn_model *model[MAX_MODELS]; /* models that the machine has parameters for */
    int p, nmodels;
    ATN_VEC(line) lines;
} prediction;

/* ---- time ---- */

static atn_status evaluate(const prediction *x, const atn_request *want, line *to, atn_error *err)
{
    const int64_t n = want->q.bytes > 0 ? want->q.bytes : atn_cli_arg_int(x->a, "bytes");
    atn_op_graph g;
    atn_set set;
    atn_status st = atn_cli_request_build(x->a, want, x->p, &set, err);
    if (st)
        return st;
    st = atn_model_op_graph_make(set.v, set.p, &g, err);
    if (!st) {
        const atn_model_case c = {.g = &g, .m = x->machine, .t = want->topo};
        atn_model_op_graph_size(&g, n);
        for (int i = 0; i < x->nmodels && !st; i++)
            st = x->model[i]->evaluate(&c, &to->seconds[i], err);
        atn_model_op_graph_free(&g);
    }
    atn_cli_set_free(&set);
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
        atn_report_cell(&t, "%s", x->lines.v[k].name);
        for (int i = 0; i < x->nmodels; i++)
            atn_report_cell(&t, "%.4g", x->lines.v[k].seconds[i] * 1e6);
    }
    return atn_cli_arg_table(x->a, &t, err);
}

static int run_time(const atn_args *a, atn_error *err)
{
    prediction x = {.a = a};
    atn_status st = atn_cli_request_topology(a, &x.want, err);
    st = st ? st : atn_cli_forecast_place(a, &x.want.topo, err);
    st = st ? st : atn_cli_forecast_load(a, x.want.topo, &x.machine, err);
    if (!st)
        choose_models(&x);
    if (!st)
        st = atn_cli_request_ranks(&x.want, (int)atn_cli_arg_int(a, "ranks"),
                                   atn_cli_arg_given(a, "ranks"), &x.p, err);
    const atn_visit all = {.a = a, .want = &x.want, .p = x.p, .visit = add_line, .context = &x};
    for (int i = 0; i < a->noperands && !st; i++)
        st = atn_cli_visit_operand(&all, a->operands[i], err);
    st = st ? st : write_lines(&x, err);
    atn_vec_free(&x.lines);
    atn_model_machine_free(x.machine);
    atn_cli_request_end(&x.want);
    return st;
}

/* ---- check ---- */

typedef struct {
    atn_reported r;
    const char *file;
} checking;

static void add_warning(void *to, int number, const char *text)
{
    checking *const c = to;
    atn_cli_findings_add(&c->r, c->file, number, "warning", "%s", text);
}

static void print_machine(FILE *f, const char *file, const atn_machine *m, int odd)
{
    fprintf(f, "%s: %d channel%s%s, %d reduction%s, %s\n", file, m->nchannels,
            m->nchannels == 1 ? "" : "s", atn_model_machine_shares(m) ? " and shared memory" : "",
            m->ngammas, m->ngammas == 1 ? "" : "s",
            odd ? "implausible values listed above" : "all values plausible");
}

static atn_status write_warnings(const atn_args *a, const atn_machine *m, atn_error *err)
{
    checking c = {atn_cli_findings_begin(a), a->operands[0]};
    const int odd = atn_model_machine_warnings(m, add_warning, &c);
    if (c.r.text)
        print_machine(c.r.text, c.file, m, odd);
    const atn_status st = atn_cli_findings_end(&c.r, err);
    if (st)
        return st;
    return odd ? ATN_FINDING : ATN_OK;
}

static int run_check(const atn_args *a, atn_error *err)
{
    atn_machine *m = NULL;
    atn_topo *t = NULL;
    atn_status st = atn_model_machine_read(a->operands[0], &m, err);
    if (!st && atn_cli_arg_given(a, "topology"))
        st = atn_cli_lookup_topology(atn_cli_arg_text(a, "topology"), &t, err);
    const char *why = st ? NULL : atn_model_machine_refuses(m, t);
    if (why)
        st = atn_fail(err, ATN_INPUT, "%s: %s", a->operands[0], why);
    st = st ? st : write_warnings(a, m, err);
    atn_topo_free(t);
    atn_model_machine_free(m);
    return st;
}

/* ---- descriptors ---- */

static const atn_option time_options[] = {
    ATN_OPTION_RANKS(2),
    ATN_OPTION_MACHINE(ATN_DOC_MACHINE),
    ATN_OPTION_MAP,
    {0},
};

const atn_command atn_cmd_model_time = {
    .noun = "model",
    .verb = "time",
    ATN_OPERANDS("OPERATION|NAME ...", 1, 64),
    .help = "Predict the time of algorithms with every model",
    .detail = "An operation selects all its applicable algorithms with default parameters; --param "
              "applies to algorithms named individually. Times are microseconds; rows are sorted "
              "by the last model, 'links', the most detailed one. docs/models.md describes the "
              "models. Machines with circuits (docs/ron.md) have two further models. Without "
              "--topology, every rank has its own host on one switch, or all ranks share a host if "
              "the machine has no network.",
    .examples = ATN_NOTES(
        {"attune model time allreduce -p 16 --bytes 1M", "Predict all allreduce algorithms"}),
    .options = time_options,
    .shared = atn_cli_schedule_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_time,
};

static const atn_option check_options[] = {
    ATN_OPTION_TOPOLOGY("Also check that the machine was measured on this topology"),
    {0},
};

const atn_command atn_cmd_model_check = {
    .noun = "model",
    .verb = "check",
    ATN_OPERANDS("FILE", 1, 1),
    .help = "Check a machine file",
    .detail =
        "Invalid files are rejected with line and reason (exit status 3). Implausible values - "
        "concurrent transfers that are faster than single ones or slower than consecutive "
        "ones, times that decrease with size - are reported with their lines (exit status "
        "1).",
    .examples = ATN_NOTES({"attune model check cluster.machine", "Check a measured machine"}),
    .options = check_options,
    .formats = atn_cli_findings_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_check,
};
