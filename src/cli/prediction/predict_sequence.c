/* predict_sequence.c - attune predict --sequence: the requests of one rank, as symbols. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/prediction/predict.h"
#include "research/replay/sequence.h"

typedef ATN_VEC(atn_replay) replays;

static atn_status load(const char *path, atn_sequence *s, atn_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    char *text = NULL;
    size_t bytes = 0;
    atn_status st = (standard ? atn_read_input : atn_read_file)(name, &text, &bytes, err);
    if (st)
        return st;
    st = atn_replay_sequence_parse(text, bytes, name, s, err);
    free(text);
    return st;
}

static atn_status write_hits(const atn_args *a, const atn_predict_request *q, const replays *r,
                             atn_error *err)
{
    static const atn_column columns[] = {{"predictor", ATN_CELL_TEXT},  {"hits", ATN_CELL_NUMBER},
                                         {"requests", ATN_CELL_NUMBER}, {"sites", ATN_CELL_NUMBER},
                                         {"longest", ATN_CELL_NUMBER},  {"heads", ATN_CELL_NUMBER},
                                         {"entries", ATN_CELL_NUMBER},  {"peak", ATN_CELL_NUMBER}};
    atn_table t = {.columns = columns, .ncolumns = q->memory ? 8 : 3};
    for (int i = 0; i < r->n; i++) {
        const atn_replay *x = &r->v[i];
        char name[48];
        atn_report_cell(&t, "%s", atn_predict_predictor_name(&q->list.v[i], name));
        atn_report_cell(&t, "%" PRId64, x->hits);
        atn_report_cell(&t, "%" PRId64, x->requests);
        if (!q->memory)
            continue;
        atn_report_cell(&t, "%d", x->size.sites);
        atn_report_cell(&t, "%d", x->size.longest);
        atn_report_cell(&t, "%d", x->size.heads);
        atn_report_cell(&t, "%" PRId64, atn_replay_predict_entries(&q->list.v[i], x, q->closing));
        atn_report_cell(&t, "%" PRId64, x->size.peak);
    }
    const atn_status st = atn_report_table_write(a->out, &t, q->format, a->terminal, err);
    atn_report_table_free(&t);
    return st;
}

static atn_status draw_hits(const atn_args *a, const atn_predict_request *q, const replays *r,
                            atn_error *err)
{
    atn_bars b = {.title = "Hit rates of predictors"};
    atn_bars_panel panel = {.title = "sequence"};
    bool room = atn_cli_predict_bar_rows(q, &b);
    snprintf(b.subtitle, sizeof b.subtitle, "%" PRId64 " requests", r->v[0].requests);
    for (int i = 0; i < r->n && room; i++) {
        const double ratio = (double)r->v[i].hits / (double)r->v[i].requests;
        room = atn_push(&panel.bars, (atn_bar){ratio, ratio, ratio});
    }
    room = room && atn_push(&b.panels, panel);
    if (room)
        atn_report_bars_write(a->out, &b);
    else
        atn_vec_free(&panel.bars);
    atn_report_bars_free(&b);
    return room ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- offers ---- */

static void offer_cells(atn_table *t, const atn_sequence *s, const atn_symbols *offered, int n,
                        int i)
{
    for (int k = 0; k < n; k++) {
        const int x = offered[k].v[i];
        const bool hit = x == s->stream.v[i].symbol;
        atn_report_cell(t, "%s%s", x == ATN_NO_SYMBOL ? "" : atn_predict_numbered(&s->symbols, x),
                        hit ? "*" : "");
    }
}

static atn_status write_offers(const atn_args *a, const atn_predict_request *q,
                               const atn_sequence *s, const atn_symbols *offered, atn_error *err)
{
    const int n = q->list.n;
    atn_column *columns = calloc((size_t)n + 2, sizeof *columns);
    char(*names)[48] = calloc((size_t)n, sizeof *names);
    atn_status st = ATN_MEMORY;
    if (columns && names) {
        columns[0] = (atn_column){"site", ATN_CELL_TEXT};
        columns[1] = (atn_column){"symbol", ATN_CELL_TEXT};
        for (int k = 0; k < n; k++)
            columns[k + 2] =
                (atn_column){atn_predict_predictor_name(&q->list.v[k], names[k]), ATN_CELL_TEXT};
        atn_table t = {.columns = columns, .ncolumns = n + 2};
        for (int i = 0; i < s->stream.n; i++) {
            atn_report_cell(&t, "%s", atn_predict_numbered(&s->sites, s->stream.v[i].site));
            atn_report_cell(&t, "%s", atn_predict_numbered(&s->symbols, s->stream.v[i].symbol));
            offer_cells(&t, s, offered, n, i);
        }
        st = atn_report_table_write(a->out, &t, q->format, a->terminal, err);
        atn_report_table_free(&t);
    }
    free(columns);
    free(names);
    return st == ATN_MEMORY ? atn_fail(err, ATN_MEMORY, "out of memory") : st;
}

/* ---- hints ---- */

/* The sites of --hints; NULL with ATN_OK: the option is not given. */
static atn_status read_hints(const char *names, const atn_sequence *s, bool **hinted_p,
                             atn_error *err)
{
    bool *hinted = names ? calloc((size_t)s->sites.keys.n, sizeof *hinted) : NULL;
    char *copy = names ? strdup(names) : NULL, *rest = copy;
    atn_status st = ATN_OK;
    if (names && (!hinted || !copy))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    else if (names)
        st = atn_check_list("--hints", names, ATN_USAGE, err);
    for (const char *w; copy && !st && (w = atn_next_item(&rest, ", "));) {
        int i = 0;
        while (i < s->sites.keys.n && strcmp(atn_predict_numbered(&s->sites, i), w) != 0)
            i++;
        if (i == s->sites.keys.n)
            st = atn_fail(err, ATN_USAGE, "--hints %s: no request has call site \"%s\"", names, w);
        else
            hinted[i] = true;
    }
    free(copy);
    if (st)
        free(hinted);
    else
        *hinted_p = hinted;
    return st;
}

/* ---- the command ---- */

static atn_status replay_all(const atn_predict_request *q, const char *hints, const atn_sequence *s,
                             replays *r, atn_symbols *offered, atn_error *err)
{
    atn_replay_rules rules = q->rules;
    bool *hinted = NULL;
    atn_status st = read_hints(hints, s, &hinted, err);
    rules.hinted = hinted;
    rules.nhinted = s->sites.keys.n;
    for (int i = 0; i < q->list.n && !st; i++) {
        atn_replay x;
        st = atn_replay_predict_replay(&q->list.v[i], &rules, &s->stream, &x, &offered[i], err);
        if (!st && !atn_push(r, x))
            st = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free(hinted);
    return st;
}

static atn_status write_all(const atn_args *a, const atn_predict_request *q, const atn_sequence *s,
                            const replays *r, const atn_symbols *offered, atn_error *err)
{
    const bool picture = strcmp(q->format, "svg") == 0;
    if (!atn_cli_arg_given(a, "offers"))
        return (picture ? draw_hits : write_hits)(a, q, r, err);
    if (picture)
        return atn_fail(err, ATN_USAGE, "--offers has no plot; use another --format");
    return write_offers(a, q, s, offered, err);
}

atn_status atn_cli_predict_sequence(const atn_args *a, const atn_predict_request *q, atn_error *err)
{
    atn_sequence s = {0};
    replays r = {0};
    atn_symbols *offered = calloc((size_t)q->list.n, sizeof *offered);
    atn_status st = offered ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    st = st ? st : load(atn_cli_arg_text(a, "sequence"), &s, err);
    st = st ? st : replay_all(q, atn_cli_arg_text(a, "hints"), &s, &r, offered, err);
    st = st ? st : write_all(a, q, &s, &r, offered, err);
    for (int i = 0; offered && i < q->list.n; i++)
        atn_vec_free(&offered[i]);
    free(offered);
    atn_vec_free(&r);
    atn_replay_sequence_free(&s);
    return st;
}
