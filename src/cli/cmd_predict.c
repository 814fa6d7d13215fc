/* cmd_predict.c - attune predict: how well the next message can be foreseen. */
#include <string.h>

#include "cli/predict.h"
#include "report/table.h"

static atn_status write_list(const atn_args *a, const char *format, atn_error *err)
{
    static const atn_column columns[] = {{"predictor", ATN_CELL_TEXT}, {"summary", ATN_CELL_TEXT}};
    static const char *const suffix[] = {"", "-K", "[-N]"};
    atn_table t = {.columns = columns, .ncolumns = 2};
    for (int i = 0; i < atn_predictor_rows(); i++) {
        const atn_predictor_row *row = atn_predictor_row_at(i);
        atn_cell(&t, "%s%s", row->name, suffix[row->size]);
        atn_cell(&t, "%s", row->summary);
    }
    const atn_status st = atn_table_write(a->out, &t, format, a->terminal, err);
    atn_table_free(&t);
    return st;
}

/* Nothing that was asked for is passed over. */
static atn_status check_options(const atn_args *a, atn_error *err)
{
    static const struct {
        const char *option, *about;
    } belong[] = {
        {"offers", "sequence"},
        {"hints", "sequence"},
        {"ranks", "skeleton"},
        {"iterations", "skeleton"},
    };
    for (size_t i = 0; i < sizeof belong / sizeof *belong; i++)
        if (atn_arg_given(a, belong[i].option) && !atn_arg_given(a, belong[i].about))
            return atn_fail(err, ATN_USAGE, "--%s belongs to --%s; give that, or leave it out",
                            belong[i].option, belong[i].about);
    if (!atn_arg_given(a, "sequence"))
        return ATN_OK;
    if (a->noperands > 0 || atn_arg_given(a, "skeleton") || atn_arg_given(a, "messages"))
        return atn_fail(err, ATN_USAGE,
                        "--sequence is all that is predicted; leave out traces, --skeleton and "
                        "--messages");
    return ATN_OK;
}

static int predict(const atn_args *a, atn_error *err)
{
    atn_predict_request q;
    atn_status st = check_options(a, err);
    st = st ? st : atn_predict_request_read(a, &q, err);
    if (st)
        return st;
    if (atn_arg_given(a, "list"))
        st = write_list(a, q.format, err);
    else if (atn_arg_given(a, "sequence"))
        st = atn_predict_sequence(a, &q, err);
    else if (a->noperands > 0 || atn_arg_given(a, "skeleton"))
        st = atn_predict_jobs(a, &q, err);
    else
        st = atn_fail(err, ATN_USAGE,
                      "nothing to predict: name traces, --skeleton or --sequence (try --help)");
    atn_predict_request_free(&q);
    return st;
}

/* ---- descriptor ---- */

static const char *const side_words[] = {"both", "send", "receive", NULL};

static const atn_option options[] = {
    {.name = "sequence",
     .argument = "FILE",
     .doc = "Replay symbols, or SITE:SYMBOL, between blanks, commas or lines; - is standard input",
     .type = ATN_OPT_FILE},
    {.name = "offers",
     .doc = "With --sequence: show what was offered for every request; * is a hit",
     .type = ATN_OPT_FLAG},
    {.name = "hints",
     .argument = "SITES",
     .doc = "With --sequence: only these call sites are told ahead; two-level predictors foresee "
            "the others",
     .type = ATN_OPT_TEXT},
    {.name = "skeleton",
     .argument = "NAMES",
     .doc = "Replay programs known by heart: bt, cg, lu, mg, qcd, sp, transpose, or all",
     .type = ATN_OPT_TEXT},
    {.name = "ranks",
     .letter = 'p',
     .argument = "SIZES",
     .fallback = "16",
     .doc = "Numbers of ranks of skeletons; with 'all', each takes those that fit",
     .type = ATN_OPT_TEXT},
    {.name = "iterations",
     .argument = "N",
     .fallback = "0",
     .doc = "Iterations of skeletons; 0: enough for habits to show",
     .type = ATN_OPT_INT,
     .min = 0,
     .max = 1000000},
    {.name = "side",
     .argument = "SIDE",
     .fallback = "both",
     .doc = "Predict sends, receives or both",
     .type = ATN_OPT_WORD,
     .words = side_words},
    {.name = "whole-ranks",
     .doc = "A destination is a rank, through whatever communicator",
     .type = ATN_OPT_FLAG},
    {.name = "wildcards",
     .doc = "Predict the receives of programs that receive from anyone, too",
     .type = ATN_OPT_FLAG},
    {.name = "partial",
     .doc = "Use what can be used of traces that are damaged or not complete",
     .type = ATN_OPT_FLAG},
    {.name = "messages",
     .doc = "Print the messages as CSV instead of predicting them",
     .type = ATN_OPT_FLAG},
    {0},
};

static const char *const formats[] = {"table", "csv", "json", "markdown", "svg", NULL};

const atn_command atn_cmd_predict = {
    .noun = "predict",
    .operands = "[TRACE ...]",
    .max_operands = 64,
    .help = "Tell how well predictors foresee the next message",
    .detail =
        "TRACE is a folder of 'attune trace record', or a file of comma-separated values with a "
        "heading that names at least rank, op and partner (docs/prediction.md). A predictor offers "
        "a symbol before each request, from the "
        "requests before it; the request "
        "is a hit if it is the symbol offered. lru, fifo and lfu offer a window of K symbols, the "
        "cycle predictors the next element of a cycle that they found, those called tag- have a "
        "cycle for every call site, which a hint in the program tells ahead, and those called "
        "two-level foresee the call site too. -o FILE.svg draws the hit ratios.",
    .options = options,
    .shared = atn_predict_options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = predict,
};
