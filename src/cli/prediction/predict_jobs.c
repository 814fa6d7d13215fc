/* predict_jobs.c - attune predict TRACE ..., --skeleton: hit rates over the ranks of jobs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/prediction/predict.h"

/* A job, a side (send or receive), and the counts of each predictor. */
typedef struct {
    char name[64];
    int ranks;
    atn_direction side;
    atn_tally *tallies;
} outcome;

typedef struct {
    const atn_args *a;
    const atn_predict_request *q;
    bool sides[ATN_DIRECTIONS];
    ATN_VEC(outcome) outcomes;
} survey;

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- one job ---- */

static atn_status replay_rank(const survey *s, const atn_message_list *list, outcome *x,
                              atn_error *err)
{
    atn_stream stream;
    atn_status st = atn_replay_messages_stream(
        list, x->side, atn_cli_arg_given(s->a, "whole-ranks"), &stream, err);
    if (st)
        return st;
    for (int i = 0; i < s->q->list.n && stream.n > 0 && !st; i++) {
        atn_replay r;
        st = atn_replay_predict_replay(&s->q->list.v[i], &s->q->rules, &stream, &r, NULL, err);
        if (!st)
            atn_replay_tally_add(&x->tallies[i], &r);
    }
    atn_vec_free(&stream);
    return st;
}

static atn_status replay_side(survey *s, const atn_messages *m, atn_direction side, atn_error *err)
{
    outcome x = {.ranks = m->ranks.n, .side = side};
    atn_status st = ATN_OK;
    snprintf(x.name, sizeof x.name, "%s", m->name);
    x.tallies = calloc((size_t)s->q->list.n, sizeof *x.tallies);
    if (!x.tallies)
        return no_memory(err);
    for (int r = 0; r < m->ranks.n && !st; r++)
        st = replay_rank(s, &m->ranks.v[r], &x, err);
    if (!st && x.tallies[0].ranks > 0 && atn_push(&s->outcomes, x))
        return ATN_OK;
    const bool empty = !st && x.tallies[0].ranks == 0;
    free(x.tallies);
    return st || empty ? st : no_memory(err);
}

/* Wildcard receives do not name a source, so the receives of such jobs are skipped. */
static bool is_left_out(const survey *s, const atn_messages *m, atn_direction side)
{
    const int64_t n = side == ATN_RECEIVES ? atn_replay_messages_wildcards(m) : 0;
    if (n == 0 || atn_cli_arg_given(s->a, "wildcards"))
        return false;
    fprintf(stderr,
            "attune: note: %s on %d ranks: %" PRId64
            " receives use MPI_ANY_SOURCE, so its receives are skipped; --wildcards includes "
            "them\n",
            m->name, m->ranks.n, n);
    return true;
}

static atn_status replay_job(survey *s, const atn_messages *m, atn_error *err)
{
    atn_status st = ATN_OK;
    if (atn_cli_arg_given(s->a, "messages")) {
        atn_replay_messages_write(s->a->out, m);
        return ATN_OK;
    }
    for (atn_direction side = 0; side < ATN_DIRECTIONS && !st; side++)
        if (s->sides[side] && !is_left_out(s, m, side))
            st = replay_side(s, m, side, err);
    return st;
}

/* ---- traces and skeletons ---- */

static atn_status replay_skeleton(survey *s, const atn_skeleton *skeleton, int p, atn_error *err)
{
    atn_messages m = {0};
    atn_status st = atn_replay_messages_skeleton(skeleton, p,
                                                 (int)atn_cli_arg_int(s->a, "iterations"), &m, err);
    st = st ? st : replay_job(s, &m, err);
    atn_replay_messages_free(&m);
    return st;
}

static atn_status unknown_skeleton(const char *name, atn_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char offer[ATN_ERROR_ROOM];
    const int n = atn_min(atn_skeletons(), MOST);
    for (int i = 0; i < n; i++)
        names[i] = atn_skeleton_at(i)->name;
    return atn_fail(err, ATN_USAGE, "--skeleton %s: unknown skeleton; %s", name,
                    atn_offer(name, names, n, offer));
}

/* Supported numbers among `ranks`; unsupported ones are an error unless the name is "all". */
static atn_status skeleton_sizes(survey *s, const atn_skeleton *skeleton, const atn_sizes *ranks,
                                 bool all, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < ranks->n && !st; i++)
        if (!all || skeleton->fits((int)ranks->v[i]))
            st = replay_skeleton(s, skeleton, (int)ranks->v[i], err);
    return st;
}

static atn_status replay_skeletons(survey *s, const char *names, const atn_sizes *ranks,
                                   atn_error *err)
{
    const bool all = strcmp(names, "all") == 0;
    atn_status st = atn_check_list("--skeleton", names, ATN_USAGE, err);
    for (int i = 0; all && i < atn_skeletons() && !st; i++)
        st = skeleton_sizes(s, atn_skeleton_at(i), ranks, true, err);
    char *copy = strdup(names), *rest = copy;
    if (!copy)
        return no_memory(err);
    for (const char *w; !all && !st && (w = atn_next_item(&rest, ", "));) {
        const atn_skeleton *skeleton = atn_skeleton_find(w);
        st = skeleton ? skeleton_sizes(s, skeleton, ranks, false, err) : unknown_skeleton(w, err);
    }
    free(copy);
    return st;
}

static atn_status read_ranks(const atn_args *a, atn_sizes *ranks, atn_error *err)
{
    const char *text = atn_cli_arg_text(a, "ranks");
    const atn_status st = atn_parse_sizes(text, ranks, err);
    for (int i = 0; i < ranks->n && !st; i++)
        if (ranks->v[i] < 1 || ranks->v[i] > 4096)
            return atn_fail(err, ATN_USAGE, "--ranks %s: must be 1 .. 4096", text);
    return st;
}

/* The last part of a path, up to a dot. */
static void name_after(const char *path, char name[64])
{
    size_t end = strlen(path), start;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
        start--;
    const size_t letters = strcspn(path + start, "./");
    snprintf(name, 64, "%.*s", (int)(letters > 0 ? letters : end - start), path + start);
}

static atn_status read_text(const char *path, atn_messages *m, atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_status st = atn_read_file(path, &text, &bytes, err);
    if (!st && memchr(text, '\0', bytes))
        st = atn_fail(err, ATN_INPUT,
                      "%s: contains NUL bytes; it must be CSV or a folder with a trace", path);
    st = st ? st : atn_replay_messages_parse(text, path, m, err);
    free(text);
    return st;
}

static atn_status replay_trace(survey *s, const char *path, atn_error *err)
{
    struct stat info;
    atn_messages m = {0};
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    atn_status st =
        folder ? atn_cli_predict_trace_read(path, atn_cli_arg_given(s->a, "partial"), &m, err)
               : read_text(path, &m, err);
    name_after(path, m.name);
    st = st ? st : replay_job(s, &m, err);
    atn_replay_messages_free(&m);
    return st;
}

static atn_status replay_all(survey *s, atn_error *err)
{
    const char *skeletons = atn_cli_arg_text(s->a, "skeleton");
    atn_sizes ranks = {0};
    atn_status st = ATN_OK;
    for (int i = 0; i < s->a->noperands && !st; i++)
        st = replay_trace(s, s->a->operands[i], err);
    st = st ? st : read_ranks(s->a, &ranks, err);
    if (!st && skeletons)
        st = replay_skeletons(s, skeletons, &ranks, err);
    atn_vec_free(&ranks);
    return st;
}

/* ---- writing ---- */

static void tally_cells(atn_table *t, const survey *s, const outcome *x, int i)
{
    const atn_tally *tally = &x->tallies[i];
    char name[48];
    atn_report_cell(t, "%s", x->name);
    atn_report_cell(t, "%d", x->ranks);
    atn_report_cell(t, "%s", atn_replay_direction_names[x->side]);
    atn_report_cell(t, "%s", atn_predict_predictor_name(&s->q->list.v[i], name));
    atn_report_cell(t, "%.4f", tally->least);
    atn_report_cell(t, "%.4f", atn_replay_tally_mean(tally));
    atn_report_cell(t, "%.4f", tally->most);
    atn_report_cell(t, "%" PRId64, tally->all.hits);
    atn_report_cell(t, "%" PRId64, tally->all.requests);
    if (!s->q->memory)
        return;
    atn_report_cell(t, "%d", tally->all.size.sites);
    atn_report_cell(t, "%d", tally->all.size.longest);
    atn_report_cell(t, "%d", tally->all.size.heads);
    atn_report_cell(t, "%" PRId64,
                    atn_replay_predict_entries(&s->q->list.v[i], &tally->all, s->q->closing));
    atn_report_cell(t, "%" PRId64, tally->all.size.peak);
}

static atn_status write_table(const survey *s, atn_error *err)
{
    static const atn_column columns[] = {
        {"application", ATN_CELL_TEXT}, {"ranks", ATN_CELL_NUMBER},   {"side", ATN_CELL_TEXT},
        {"predictor", ATN_CELL_TEXT},   {"least", ATN_CELL_NUMBER},   {"mean", ATN_CELL_NUMBER},
        {"most", ATN_CELL_NUMBER},      {"hits", ATN_CELL_NUMBER},    {"requests", ATN_CELL_NUMBER},
        {"sites", ATN_CELL_NUMBER},     {"longest", ATN_CELL_NUMBER}, {"heads", ATN_CELL_NUMBER},
        {"entries", ATN_CELL_NUMBER},   {"peak", ATN_CELL_NUMBER}};
    atn_table t = {.columns = columns, .ncolumns = s->q->memory ? 14 : 9};
    for (int k = 0; k < s->outcomes.n; k++)
        for (int i = 0; i < s->q->list.n; i++)
            tally_cells(&t, s, &s->outcomes.v[k], i);
    const atn_status st = atn_report_table_write(s->a->out, &t, s->q->format, s->a->terminal, err);
    atn_report_table_free(&t);
    return st;
}

static bool add_panel(const survey *s, const outcome *x, atn_bars *b)
{
    atn_bars_panel panel = {0};
    bool room = true;
    snprintf(panel.title, sizeof panel.title, "%s, %d ranks, %ss", x->name, x->ranks,
             atn_replay_direction_names[x->side]);
    for (int i = 0; i < s->q->list.n && room; i++) {
        const atn_tally *t = &x->tallies[i];
        room = atn_push(&panel.bars, (atn_bar){t->least, atn_replay_tally_mean(t), t->most});
    }
    if (room && atn_push(&b->panels, panel))
        return true;
    atn_vec_free(&panel.bars);
    return false;
}

static atn_status draw(const survey *s, atn_error *err)
{
    atn_bars b = {.title = "Hit rates of predictors",
                  .subtitle = "Mean over ranks; lines extend from the worst to the best rank."};
    bool room = atn_cli_predict_bar_rows(s->q, &b);
    for (int k = 0; k < s->outcomes.n && room; k++)
        room = add_panel(s, &s->outcomes.v[k], &b);
    if (room)
        atn_report_bars_write(s->a->out, &b);
    atn_report_bars_free(&b);
    return room ? ATN_OK : no_memory(err);
}

atn_status atn_cli_predict_jobs(const atn_args *a, const atn_predict_request *q, atn_error *err)
{
    const char *side = atn_cli_arg_text(a, "side");
    survey s = {.a = a, .q = q};
    for (int i = 0; i < ATN_DIRECTIONS; i++)
        s.sides[i] = strcmp(side, "both") == 0 || strcmp(side, atn_replay_direction_names[i]) == 0;
    atn_status st = replay_all(&s, err);
    if (!st && !atn_cli_arg_given(a, "messages"))
        st = strcmp(q->format, "svg") == 0 ? draw(&s, err) : write_table(&s, err);
    for (int i = 0; i < s.outcomes.n; i++)
        free(s.outcomes.v[i].tallies);
    atn_vec_free(&s.outcomes);
    return st;
}
