/* cmd_ron_hide.c - attune ron hide: how much of the delay of circuits hides behind computation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "model/ron_hide.h"
#include "report/table.h"

typedef ATN_VEC(double) numbers;

/* "1,5,10": numbers above 0. */
static atn_status read_list(const atn_args *a, const char *name, numbers *to, atn_error *err)
{
    const char *at = atn_arg_text(a, name);
    for (char *end;; at = end + 1) {
        const double v = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !isfinite(v) || v <= 0)
            return atn_fail(err, ATN_USAGE, "--%s %s: must be numbers above 0, such as 1,5,10",
                            name, atn_arg_text(a, name));
        if (!atn_push(to, v))
            return atn_fail(err, ATN_MEMORY, "out of memory");
        if (*end == '\0')
            return ATN_OK;
    }
}

static const atn_column columns[] = {
    {"delay_us", ATN_CELL_NUMBER}, {"cpu", ATN_CELL_NUMBER},       {"ranks", ATN_CELL_NUMBER},
    {"sends", ATN_CELL_NUMBER},    {"predicted", ATN_CELL_NUMBER}, {"least", ATN_CELL_NUMBER},
    {"mean", ATN_CELL_NUMBER},     {"most", ATN_CELL_NUMBER},      {"cached", ATN_CELL_NUMBER},
};

static void add_row(atn_table *t, double delay_us, double cpu, const atn_ron_hidden *h)
{
    atn_cell(t, "%g", delay_us);
    atn_cell(t, "%g", cpu);
    atn_cell(t, "%d", h->ranks);
    atn_cell(t, "%" PRId64, h->intervals);
    atn_cell(t, "%.4f", (double)h->hits / (double)h->intervals);
    atn_cell(t, "%.4f", h->least);
    atn_cell(t, "%.4f", h->mean);
    atn_cell(t, "%.4f", h->most);
    if (h->cached_ranks > 0)
        atn_cell(t, "%.4f", h->cached);
    else
        atn_cell(t, "%s", "");
}

static atn_status add_rows(const atn_args *a, const atn_ron_sends *sends, const numbers *delays,
                           const numbers *cpus, atn_table *t, atn_error *err)
{
    const double rate = (double)atn_arg_int(a, "rate") * 1e6;
    atn_status st = ATN_OK;
    for (int i = 0; i < delays->n * cpus->n && !st; i++) {
        const double delay = delays->v[i / cpus->n], cpu = cpus->v[i % cpus->n];
        const atn_ron_hide_rules rules = {.delay = delay * 1e-6, .rate = rate, .cpu = cpu};
        atn_ron_hidden h;
        st = atn_ron_hide(sends->v, sends->n, &rules, &h, err);
        if (!st)
            add_row(t, delay, cpu, &h);
    }
    return st;
}

static atn_status load(const char *path, atn_ron_sends *sends, atn_error *err)
{
    bool offers = false;
    const atn_status st = atn_ron_sends_read(path, sends, &offers, err);
    if (!st && !offers)
        return atn_fail(err, ATN_INPUT,
                        "%s:1: nothing is predicted; add a column 'predicted' with the rank that "
                        "was expected, or -",
                        path);
    return st;
}

static int run_hide(const atn_args *a, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    atn_ron_sends sends = {0};
    numbers delays = {0}, cpus = {0};
    atn_status st = read_list(a, "delays", &delays, err);
    st = st ? st : read_list(a, "cpu", &cpus, err);
    st = st ? st : load(a->operands[0], &sends, err);
    st = st ? st : add_rows(a, &sends, &delays, &cpus, &t, err);
    st = st ? st : atn_table_write(a->out, &t, atn_arg_format(a), a->terminal, err);
    atn_vec_free(&sends);
    atn_vec_free(&delays);
    atn_vec_free(&cpus);
    atn_table_free(&t);
    return st;
}

static const atn_option options[] = {
    {.name = "delays",
     .argument = "US,...",
     .fallback = "1,5,10,25",
     .doc = "Microseconds to change a circuit",
     .type = ATN_OPT_TEXT},
    {.name = "rate",
     .argument = "MB",
     .fallback = "1000",
     .doc = "Megabytes per second of a circuit",
     .type = ATN_OPT_INT,
     .min = 1,
     .max = 1000000000},
    {.name = "cpu",
     .argument = "X,...",
     .fallback = "1,10",
     .doc = "Computation so many times faster than recorded",
     .type = ATN_OPT_TEXT},
    {0},
};

const atn_command atn_cmd_ron_hide = {
    .noun = "ron",
    .verb = "hide",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Which part of the delay of circuits is left when they are set by prediction",
    .detail =
        "FILE has a line for every send: rank,compute_us,bytes,partner,predicted, in the order "
        "of each rank (docs/ron.md). 'least', 'mean' and 'most' are over ranks; 1 is all of "
        "the delay. In 'cached' circuits stand between sends to the same partner.",
    .options = options,
    .formats = atn_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = run_hide,
};
