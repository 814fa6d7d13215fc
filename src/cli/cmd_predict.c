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

static int predict(const atn_args *a, atn_error *err)
{
    atn_predict_request q;
    atn_status st = atn_predict_request_read(a, &q, err);
    if (st)
        return st;
    if (atn_arg_given(a, "list"))
        st = write_list(a, q.format, err);
    else if (atn_arg_given(a, "sequence"))
        st = atn_predict_sequence(a, &q, err);
    else
        st = atn_fail(err, ATN_USAGE,
                      "nothing to predict: give --sequence FILE, or - for standard input");
    atn_predict_request_free(&q);
    return st;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    {.name = "sequence",
     .argument = "FILE",
     .doc = "Replay symbols, or SITE:SYMBOL, between blanks or lines; - is standard input",
     .type = ATN_OPT_FILE},
    {.name = "offers",
     .doc = "With --sequence: show what was offered for every request; * is a hit",
     .type = ATN_OPT_FLAG},
    {0},
};

static const char *const formats[] = {"table", "csv", "json", "markdown", "svg", NULL};

const atn_command atn_cmd_predict = {
    .noun = "predict",
    .help = "Tell how well predictors foresee the next message",
    .detail =
        "A predictor offers a symbol before each request, from the requests before it; the request "
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
