/* predict_request.c - the options of attune predict. */
#include <stdlib.h>
#include <string.h>

#include "cli/prediction/predict.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A row with a size gives one predictor for every size of --window. */
static atn_status add(const atn_predictor_choice *c, const atn_sizes *windows,
                      atn_predict_request *q, atn_error *err)
{
    bool room = true;
    if (c->row->size != ATN_SIZE_NEEDED || c->size > 0)
        room = atn_push(&q->list, *c);
    else
        for (int i = 0; i < windows->n && room; i++)
            room = atn_push(&q->list, (atn_predictor_choice){c->row, (int)windows->v[i]});
    return room ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status add_named(const char *names, const atn_sizes *windows, atn_predict_request *q,
                            atn_error *err)
{
    atn_status st = atn_check_list("--predictor", names, ATN_USAGE, err);
    char *copy = strdup(names), *rest = copy;
    if (!copy)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (const char *w; !st && (w = atn_next_item(&rest, ", "));) {
        atn_predictor_choice c;
        st = atn_predict_predictor_find(w, &c, err);
        st = st ? st : add(&c, windows, q, err);
    }
    free(copy);
    return st;
}

static atn_status read_windows(const atn_args *a, atn_sizes *windows, atn_error *err)
{
    const atn_status st = atn_parse_sizes(atn_cli_arg_text(a, "window"), windows, err);
    for (int i = 0; i < windows->n && !st; i++)
        if (windows->v[i] < 1 || windows->v[i] > 1000000)
            return atn_fail(err, ATN_USAGE, "--window %s: sizes must be 1 .. 1000000",
                            atn_cli_arg_text(a, "window"));
    return st;
}

static atn_status read_list(const atn_args *a, atn_predict_request *q, atn_error *err)
{
    const char *names = atn_cli_arg_text(a, "predictor");
    atn_sizes windows = {0};
    atn_status st = read_windows(a, &windows, err);
    if (!st && names)
        st = add_named(names, &windows, q, err);
    for (int i = 0; i < atn_predict_predictor_rows() && !names && !st; i++) {
        const atn_predictor_choice c = {.row = atn_predict_predictor_row_at(i)};
        st = add(&c, &windows, q, err);
    }
    if (!st && q->list.n == 0)
        st = atn_fail(err, ATN_USAGE, "--predictor: empty list; see --list");
    atn_vec_free(&windows);
    return st;
}

static atn_status read_foresees(const atn_args *a, atn_predict_request *q, atn_error *err)
{
    const char *name = atn_cli_arg_text(a, "sites-by");
    atn_predictor_choice c;
    const atn_status st = atn_predict_predictor_find(name, &c, err);
    if (st)
        return st;
    if (c.row->sites != ATN_SITES_NONE || c.row->size == ATN_SIZE_NEEDED)
        return atn_fail(err, ATN_USAGE,
                        "--sites-by %s: must offer one symbol and not use call sites itself", name);
    q->rules.rules.site_predictor = c.row;
    return ATN_OK;
}

atn_status atn_cli_predict_request_read(const atn_args *a, atn_predict_request *q_p, atn_error *err)
{
    const char *output = atn_cli_arg_text(a, "output");
    const char *memory = atn_cli_arg_text(a, "memory");
    atn_predict_request q = {
        .rules = {.rules = {.max_log = (int)atn_cli_arg_int(a, "max-log")},
                  .ahead = (int)atn_cli_arg_int(a, "ahead"),
                  .ports = (int)atn_cli_arg_int(a, "ports")},
        .memory = atn_cli_arg_given(a, "memory"),
        .closing = memory && strcmp(memory, "closing") == 0,
        .format = atn_cli_arg_format(a),
    };
    if (!atn_cli_arg_given(a, "format") && output && ends_with(output, ".svg"))
        q.format = "svg";
    if (memory && *memory && !q.closing)
        return atn_fail(err, ATN_USAGE, "--memory=%s: must be closing", memory);
    atn_status st = read_foresees(a, &q, err);
    st = st ? st : read_list(a, &q, err);
    if (st)
        atn_cli_predict_request_free(&q);
    else
        *q_p = q;
    return st;
}

bool atn_cli_predict_bar_rows(const atn_predict_request *q, atn_bars *b)
{
    for (int i = 0; i < q->list.n; i++) {
        const atn_predictor_row *row = q->list.v[i].row,
                                *above = i > 0 ? q->list.v[i - 1].row : row;
        const bool plain = row->sites == ATN_SITES_NONE;
        atn_bars_row x = {.apart = row->sites != above->sites ||
                                   (plain && row->memory != above->memory)};
        atn_predict_predictor_name(&q->list.v[i], x.name);
        if (!atn_push(&b->rows, x))
            return false;
    }
    return true;
}

void atn_cli_predict_request_free(atn_predict_request *q) { atn_vec_free(&q->list); }

const atn_option atn_cli_predict_options[] = {
    ATN_TEXT("predictor", "LIST", NULL,
             "Predictors, separated by commas, such as lru-4,better-cycle; default: all"),
    {.name = "window",
     .letter = 'k',
     .argument = "SIZES",
     .fallback = "1,2,3,4,5",
     .doc = "Window sizes of lru, fifo and lfu",
     .type = ATN_OPT_TEXT},
    ATN_INT("ahead", "M", "1", 1, 100000, "Look-ahead: predict each request M requests in advance"),
    ATN_INT("ports", "K", "1", 1, 100000, "Predict K consecutive requests; any of them is a hit"),
    ATN_TEXT("sites-by", "NAME", "better-cycle2",
             "Predictor of the call site of two-level predictors"),
    ATN_INT("max-log", "N", "0", 0, 0, "Restart if no cycle closes within N requests; 0: never"),
    {.name = "memory",
     .argument = "closing",
     .doc = "Also show memory use; with =closing, cycles include their closing request",
     .type = ATN_OPT_MAYBE},
    ATN_FLAG("list", "List the predictors"),
    {0},
};
