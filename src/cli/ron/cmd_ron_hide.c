/* cmd_ron_hide.c - attune ron hide: reconfiguration delay hidden behind computation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ron/ron.h"
#include "cli/traces/trace.h"

typedef ATN_VEC(double) numbers;

/* "1,5,10": numbers above 0. */
static atn_status read_list(const atn_args *a, const char *name, numbers *to, atn_error *err)
{
    const char *at = atn_cli_arg_text(a, name);
    for (char *end;; at = end + 1) {
        const double v = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !isfinite(v) || v <= 0)
            return atn_fail(err, ATN_USAGE, "--%s %s: must be numbers above 0, such as 1,5,10",
                            name, atn_cli_arg_text(a, name));
        if (!atn_push(to, v))
            return atn_fail(err, ATN_MEMORY, "out of memory");
        if (*end == '\0')
            return ATN_OK;
    }
}

static const atn_column columns[] = {
    {"predictor", ATN_CELL_TEXT}, {"delay_us", ATN_CELL_NUMBER}, {"cpu", ATN_CELL_NUMBER},
    {"ranks", ATN_CELL_NUMBER},   {"sends", ATN_CELL_NUMBER},    {"predicted", ATN_CELL_NUMBER},
    {"least", ATN_CELL_NUMBER},   {"mean", ATN_CELL_NUMBER},     {"most", ATN_CELL_NUMBER},
    {"cached", ATN_CELL_NUMBER},
};

static void add_row(atn_table *t, const char *name, double delay_us, double cpu,
                    const atn_ron_hidden *h)
{
    atn_report_cell(t, "%s", name);
    atn_report_cell(t, "%g", delay_us);
    atn_report_cell(t, "%g", cpu);
    atn_report_cell(t, "%d", h->ranks);
    atn_report_cell(t, "%" PRId64, h->intervals);
    atn_report_cell(t, "%.4f", (double)h->hits / (double)h->intervals);
    atn_report_cell(t, "%.4f", h->least);
    atn_report_cell(t, "%.4f", h->mean);
    atn_report_cell(t, "%.4f", h->most);
    if (h->cached_ranks > 0)
        atn_report_cell(t, "%.4f", h->cached);
    else
        atn_report_cell(t, "%s", "");
}

/* What the options request. */
typedef struct {
    const atn_args *a;
    numbers delays, cpus;
    atn_ron_sends sends;
    bool offers; /* the list contains predictions */
    atn_table t;
} evaluation;

static atn_status add_rows(evaluation *x, const char *name, atn_error *err)
{
    const double rate = (double)atn_cli_arg_int(x->a, "rate") * 1e6;
    atn_status st = ATN_OK;
    for (int i = 0; i < x->delays.n * x->cpus.n && !st; i++) {
        const double delay = x->delays.v[i / x->cpus.n], cpu = x->cpus.v[i % x->cpus.n];
        const atn_ron_hide_rules rules = {.delay = delay * 1e-6, .rate = rate, .cpu = cpu};
        atn_ron_hidden h;
        st = atn_ron_hide(x->sends.v, x->sends.n, &rules, &h, err);
        if (!st)
            add_row(&x->t, name, delay, cpu, &h);
    }
    return st;
}

static atn_status predict(evaluation *x, const char *word, atn_error *err)
{
    atn_predictor_choice c;
    atn_status st = atn_predict_predictor_find(word, &c, err);
    if (!st && c.row->size == ATN_SIZE_NEEDED && c.size == 0)
        return atn_fail(err, ATN_USAGE, "--predictor %s: requires a size, as in %s-1", word, word);
    st = st ? st : atn_cli_ron_sends_predict(&c, &x->sends, err);
    return st ? st : add_rows(x, word, err);
}

/* Predictions in the list are used unless --predictor is given. */
static atn_status evaluate(evaluation *x, atn_error *err)
{
    static const char usual[] = "better-cycle2,tag-bettercycle2,lru-1";
    const char *const requested = atn_cli_arg_text(x->a, "predictor");
    atn_status st = ATN_OK;
    if (x->offers && !requested)
        return add_rows(x, "given", err);
    if (requested)
        st = atn_check_list("--predictor", requested, ATN_USAGE, err);
    char *names = strdup(requested ? requested : usual), *rest = names;
    if (!names)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (const char *w; !st && (w = atn_next_item(&rest, ", "));)
        st = predict(x, w, err);
    free(names);
    return st;
}

static int run_hide(const atn_args *a, atn_error *err)
{
    evaluation x = {.a = a,
                    .t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns}};
    atn_status st = read_list(a, "delays", &x.delays, err);
    st = st ? st : read_list(a, "cpu", &x.cpus, err);
    st = st ? st : atn_cli_ron_sends_load(a, &x.sends, &x.offers, err);
    st = st ? st : evaluate(&x, err);
    st = st ? st : atn_report_table_write(a->out, &x.t, atn_cli_arg_format(a), a->terminal, err);
    atn_vec_free(&x.sends);
    atn_vec_free(&x.delays);
    atn_vec_free(&x.cpus);
    atn_report_table_free(&x.t);
    return st;
}

static const atn_option options[] = {
    ATN_TEXT("predictor", "LIST", NULL,
             "Predictors of 'attune predict', such as better-cycle2,tag-bettercycle2,lru-1"),
    ATN_TEXT("delays", "US,...", "1,5,10,25", "Reconfiguration delays in microseconds"),
    ATN_INT("rate", "MB", "1000", 1, 1000000000, "Bandwidth of a circuit in megabytes per second"),
    ATN_TEXT("cpu", "X,...", "1,10", "Speedups of the recorded computation"),
    {0},
};

const atn_command atn_cmd_ron_hide = {
    .noun = "ron",
    .verb = "hide",
    ATN_OPERANDS("TRACE|FILE", 1, 1),
    .help = "Share of reconfiguration delay that remains with predicted circuits",
    .detail =
        "TRACE is a folder of 'attune trace record'; FILE is a list with a line for every send: "
        "rank,compute_us,bytes,partner and optionally site and predicted, in the order of each "
        "rank (docs/ron.md). 'least', 'mean' and 'most' are over ranks; 1 is the whole delay. For "
        "'cached', circuits persist between sends to the same partner. Predictors that use call "
        "sites have the site before the call, as assumed in the literature.",
    .examples = ATN_NOTES(
        {"attune ron hide trace --delays 5,25 --cpu 1", "Evaluate a recorded job for two delays"}),
    .options = options,
    .shared = atn_cli_trace_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_hide,
};
