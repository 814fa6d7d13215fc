/* cmd_predict.c - attune predict: hit rates of message predictors. */
#include <string.h>

#include "cli/prediction/predict.h"

static atn_status write_list(const atn_args *a, const char *format, atn_error *err)
{
    static const atn_column columns[] = {{"predictor", ATN_CELL_TEXT}, {"summary", ATN_CELL_TEXT}};
    static const char *const suffix[] = {"", "-K", "[-N]"};
    atn_table t = {.columns = columns, .ncolumns = 2};
    for (int i = 0; i < atn_predict_predictor_rows(); i++) {
        const atn_predictor_row *row = atn_predict_predictor_row_at(i);
        atn_report_cell(&t, "%s%s", row->name, suffix[row->size]);
        atn_report_cell(&t, "%s", row->summary);
    }
    const atn_status st = atn_report_table_write(a->out, &t, format, a->terminal, err);
    atn_report_table_free(&t);
    return st;
}

/* Options without effect are errors. */
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
        if (atn_cli_arg_given(a, belong[i].option) && !atn_cli_arg_given(a, belong[i].about))
            return atn_fail(err, ATN_USAGE, "--%s requires --%s", belong[i].option,
                            belong[i].about);
    if (!atn_cli_arg_given(a, "sequence"))
        return ATN_OK;
    if (a->noperands > 0 || atn_cli_arg_given(a, "skeleton") || atn_cli_arg_given(a, "messages"))
        return atn_fail(err, ATN_USAGE,
                        "--sequence excludes traces, --skeleton and --messages; omit them");
    return ATN_OK;
}

static int predict(const atn_args *a, atn_error *err)
{
    atn_predict_request q;
    atn_status st = check_options(a, err);
    st = st ? st : atn_cli_predict_request_read(a, &q, err);
    if (st)
        return st;
    if (atn_cli_arg_given(a, "list"))
        st = write_list(a, q.format, err);
    else if (atn_cli_arg_given(a, "sequence"))
        st = atn_cli_predict_sequence(a, &q, err);
    else if (a->noperands > 0 || atn_cli_arg_given(a, "skeleton"))
        st = atn_cli_predict_jobs(a, &q, err);
    else
        st = atn_fail(err, ATN_USAGE,
                      "nothing to predict; name traces, --skeleton or --sequence (try --help)");
    atn_cli_predict_request_free(&q);
    return st;
}

/* ---- descriptor ---- */

static const char *const side_words[] = {"both", "send", "receive", NULL};

static const atn_option options[] = {
    ATN_FILE("sequence", "FILE",
             "Replay symbols, or SITE:SYMBOL, separated by blanks, commas or lines; -: stdin"),
    ATN_FLAG("offers", "With --sequence: show the offer for every request; * marks a hit"),
    ATN_TEXT("hints", "SITES", NULL,
             "With --sequence: hints are available for these call sites only; two-level predictors "
             "predict the others"),
    ATN_TEXT("skeleton", "NAMES", NULL,
             "Replay built-in communication skeletons: bt, cg, lu, mg, qcd, sp, transpose, or all"),
    {.name = "ranks",
     .letter = 'p',
     .argument = "SIZES",
     .fallback = "16",
     .doc = "Numbers of ranks of skeletons; with 'all', those that each skeleton supports",
     .type = ATN_OPT_TEXT},
    ATN_INT("iterations", "N", "0", 0, 1000000,
            "Iterations of skeletons; 0: enough for repeating patterns"),
    ATN_WORD("side", "SIDE", "both", side_words, "Predict sends, receives or both"),
    ATN_FLAG("whole-ranks", "Identify destinations by rank, regardless of the communicator"),
    ATN_FLAG("wildcards", "Also predict the receives of programs that use MPI_ANY_SOURCE"),
    ATN_FLAG("partial", "Use the readable part of damaged or incomplete traces"),
    ATN_FLAG("messages", "Print the messages as CSV instead of predicting them"),
    {0},
};

static const char *const formats[] = {"table", "csv", "json", "markdown", "svg", NULL};

const atn_command atn_cmd_predict = {
    .noun = "predict",
    ATN_OPERANDS("[TRACE ...]", 0, 64),
    .help = "Evaluate message predictors on traces and communication skeletons",
    .detail =
        "TRACE is a folder of 'attune trace record', or a CSV file whose header names at least "
        "rank, op and partner (docs/prediction.md). Before each request, a predictor offers a "
        "symbol, computed from the preceding requests; a request that equals the offer is a hit. "
        "lru, fifo and lfu offer a window of K symbols; cycle predictors offer the next element of "
        "a detected cycle; tag- predictors keep a cycle for every call site, which a hint in the "
        "program announces; two-level predictors also predict the call site. -o FILE.svg plots hit "
        "rates.",
    .examples = ATN_NOTES({"attune predict --skeleton all -p 16", "Evaluate all skeletons"},
                          {"attune predict trace --side receive", "Evaluate a recorded job"},
                          {"attune predict --list", "List the predictors"}),
    .options = options,
    .shared = atn_cli_predict_options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = predict,
};
