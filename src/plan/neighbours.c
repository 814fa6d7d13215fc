/* neighbours.c - see neighbours.h. */
#include "plan/neighbours.h"

#include <string.h>

#include "algo/derived.h"
#include "algo/levels.h"
#include "plan/twins.h"

static const int64_t usual_segment = 8192;

typedef struct {
    const atn_problem *q;
    const atn_choice *from;
    const atn_param *params[ATN_MAX_PARAMS];
    int nparams;
    atn_choice *list;
    int64_t steps;                     /* for comparing schedules: ample */
    atn_twin seen[ATN_NEIGHBOURS + 1]; /* the choice itself, then those of the list */
    int n;
} walk;

static int segments_of(const walk *w, const atn_choice *c)
{
    return atn_algo_segments(c->row, w->q, &c->params);
}

static bool is_seen(walk *w, atn_twin *x)
{
    for (int i = 0; i <= w->n; i++)
        if (atn_plan_are_twins(&w->seen[i], x, w->q, &w->steps))
            return true;
    return false;
}

/* With one value changed, if it applies and ranks then do something else; a segment must make
 * another number of segments. */
static void step(walk *w, int param, int64_t value)
{
    atn_choice c = *w->from;
    atn_problem q = *w->q;
    const bool segment = strcmp(w->params[param]->name, "segment") == 0;
    if (value == c.params.v[param] || w->n == ATN_NEIGHBOURS)
        return;
    c.params.v[param] = value;
    q.segments = segments_of(w, &c);
    if ((segment && q.segments == segments_of(w, w->from)) ||
        atn_algo_refuses(c.row, &q, &c.params))
        return;
    atn_plan_simplify(w->q, &c, &w->steps);
    atn_twin x = {.choice = c};
    if (is_seen(w, &x))
        return;
    w->list[w->n++] = c;
    w->seen[w->n] = x;
}

static void step_within(walk *w, int param, int64_t value)
{
    if (value >= w->params[param]->min && value <= w->params[param]->max)
        step(w, param, value);
}

/* ---- kinds of parameters ---- */

/* 0 often means "without": then the usual value is next to it. */
static void walk_number(walk *w, int i)
{
    const atn_param *p = w->params[i];
    const int64_t v = w->from->params.v[i];
    if (p->scale != ATN_LOG2) {
        step_within(w, i, v - 1);
        step_within(w, i, v + 1);
    } else if (v == 0) {
        step_within(w, i, p->type == ATN_BYTES ? usual_segment : 4);
    } else {
        step_within(w, i, v / 2);
        step_within(w, i, 2 * v);
        if (p->type != ATN_BYTES && v > 2)
            step_within(w, i, v - 1);
    }
}

static void walk_words(walk *w, int i)
{
    for (int64_t v = w->params[i]->min; v <= w->params[i]->max; v++)
        step(w, i, v);
}

/* The text with another algorithm for one level. */
static void replace_level(const atn_level_words *words, const char *level, const char *algo,
                          char *out, size_t size)
{
    size_t n = 0;
    bool found = false;
    for (int i = 0; i < words->n && n < size; i++) {
        const bool this = strcmp(words->v[i].name, level) == 0;
        found = found || this;
        n += (size_t)snprintf(out + n, size - n, "%s%s:%s", i ? "," : "", words->v[i].name,
                              this ? algo : words->v[i].algo);
    }
    if (!found && n < size)
        snprintf(out + n, size - n, "%s%s:%s", n ? "," : "", level, algo);
}

static void walk_level(walk *w, int i, const atn_level_words *words, const char *level)
{
    static const char *const algos[] = {"none",  "linear", "binomial",           "chain",
                                        "bruck", "ring",   "recursive_doubling", "reduce_bcast"};
    for (size_t k = 0; k < sizeof algos / sizeof *algos; k++) {
        char text[ATN_NAME_ROOM / 2];
        replace_level(words, level, algos[k], text, sizeof text);
        const bool fits = strlen(text) + 1 < sizeof text;
        const bool good = fits && atn_algo_levels_check(w->from->row, text, NULL) == ATN_OK;
        const int64_t number = good ? atn_intern(text) : -1;
        if (number > 0)
            step(w, i, number);
    }
}

static bool seen_before(const atn_levels *tree, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(tree->clusters[k].level, tree->clusters[i].level) == 0)
            return true;
    return false;
}

static void walk_levels(walk *w, int i)
{
    const char *text = atn_interned(w->from->params.v[i]);
    atn_level_words words = {0};
    char bad[ATN_LEVEL_NAME];
    atn_levels tree;
    if ((*text != '\0' && !atn_algo_level_words_read(text, &words, bad)) || words.given ||
        !atn_algo_levels_begin(w->q->topo, w->q->p, &words, &tree))
        return;
    for (int k = 0; k < tree.n; k++)
        if (!seen_before(&tree, k))
            walk_level(w, i, &words, tree.clusters[k].level);
    atn_algo_levels_end(&tree);
}

int atn_plan_neighbours(const atn_problem *q, const atn_choice *choice,
                        atn_choice list[ATN_NEIGHBOURS])
{
    walk w = {
        .q = q, .from = choice, .list = list, .steps = INT64_MAX, .seen = {{.choice = *choice}}};
    w.nparams = atn_algo_row_params(choice->row, w.params);
    atn_algo_derived_open(q->topo);
    for (int i = 0; i < w.nparams; i++)
        switch (w.params[i]->type) {
        case ATN_INT:
        case ATN_BYTES:
            walk_number(&w, i);
            break;
        case ATN_WORD:
            walk_words(&w, i);
            break;
        case ATN_LEVELS:
            if (q->topo != NULL)
                walk_levels(&w, i);
            break;
        case ATN_FILE:
            break;
        }
    atn_algo_derived_close();
    return w.n;
}
