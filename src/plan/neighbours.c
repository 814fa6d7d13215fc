/* neighbours.c - see neighbours.h. */
#include "plan/neighbours.h"

#include <string.h>

#include "algo/derived.h"
#include "algo/levels.h"
#include "plan/twins.h"

static const int64_t usual_segment = 8192;

/* The choice, or a part of it: the row that a parameter of the outer one names. */
typedef struct place {
    atn_algo_use use;
    const atn_param *params[ATN_MAX_PARAMS];
    int nparams;
    const struct place *outer; /* NULL: the choice */
    int at;                    /* parameter of the outer one */
} place;

typedef struct {
    const atn_problem *q;
    const atn_choice *from;
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
static void step(walk *w, const place *x, int param, int64_t value)
{
    atn_choice c = *w->from;
    atn_problem q = *w->q;
    const bool segment = strcmp(x->params[param]->name, "segment") == 0;
    if (value < 0 || value == x->use.prm.v[param] || w->n == ATN_NEIGHBOURS)
        return;
    if (x->outer != NULL) {
        atn_algo_use other = x->use;
        other.prm.v[param] = value;
        step(w, x->outer, x->at, atn_algo_part_value(x->outer->params[x->at], &other));
        return;
    }
    c.params.v[param] = value;
    q.segments = segments_of(w, &c);
    if ((segment && q.segments == segments_of(w, w->from)) ||
        atn_algo_refuses(c.row, &q, &c.params))
        return;
    atn_plan_simplify(w->q, &c, &w->steps);
    atn_twin other = {.choice = c};
    if (is_seen(w, &other))
        return;
    w->list[w->n++] = c;
    w->seen[w->n] = other;
}

static void step_within(walk *w, const place *x, int param, int64_t value)
{
    if (value >= x->params[param]->min && value <= x->params[param]->max)
        step(w, x, param, value);
}

/* ---- kinds of parameters ---- */

/* 0 often means "without": then the usual value is next to it. */
static void walk_number(walk *w, const place *x, int i)
{
    const atn_param *p = x->params[i];
    const int64_t v = x->use.prm.v[i];
    if (p->scale != ATN_LOG2) {
        step_within(w, x, i, v - 1);
        step_within(w, x, i, v + 1);
    } else if (v == 0) {
        step_within(w, x, i, p->type == ATN_BYTES ? usual_segment : 4);
    } else {
        step_within(w, x, i, v / 2);
        step_within(w, x, i, 2 * v);
        if (p->type != ATN_BYTES && v > 2)
            step_within(w, x, i, v - 1);
    }
}

static void walk_params(walk *w, const place *x);

static place place_of(const atn_algo_use *use, const place *outer, int at)
{
    place x = {.use = *use, .outer = outer, .at = at};
    x.nparams = atn_algo_row_params(use->row, x.params);
    return x;
}

/* Other words; parameters of the row that the present one names, to any depth. */
static void walk_words(walk *w, const place *x, int i)
{
    const atn_operation op = atn_algo_part_operation(x->use.row->algo, i);
    for (int64_t v = x->params[i]->min; v <= x->params[i]->max; v++)
        step(w, x, i, v);
    if (op == ATN_BARRIER)
        return;
    const atn_algo_use use = atn_algo_part(op, x->params[i], x->use.prm.v[i]);
    const place part = place_of(&use, x, i);
    walk_params(w, &part);
}

/* The text with another algorithm for one level. */
static void replace_level(const atn_level_words *words, const char *level, const char *algo,
                          char *out, size_t size)
{
    size_t n = 0;
    bool found = false;
    for (int i = 0; i < words->n && n < size; i++) {
        const atn_level_word *const word = &words->v[i];
        const bool this = strcmp(word->name, level) == 0, params = !this && word->params[0];
        found = found || this;
        n += (size_t)snprintf(out + n, size - n, "%s%s:%s%s%s%s", i ? "," : "", word->name,
                              this ? algo : word->algo, params ? "{" : "",
                              params ? word->params : "", params ? "}" : "");
    }
    if (!found && n < size)
        snprintf(out + n, size - n, "%s%s:%s", n ? "," : "", level, algo);
}

static void walk_level(walk *w, const place *x, int i, const atn_level_words *words,
                       const char *level)
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
            step(w, x, i, number);
    }
}

static bool seen_before(const atn_levels *tree, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(tree->clusters[k].level, tree->clusters[i].level) == 0)
            return true;
    return false;
}

static void walk_levels(walk *w, const place *x, int i)
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
            walk_level(w, x, i, &words, tree.clusters[k].level);
    atn_algo_levels_end(&tree);
}

static void walk_params(walk *w, const place *x)
{
    for (int i = 0; i < x->nparams; i++)
        switch (x->params[i]->type) {
        case ATN_INT:
        case ATN_BYTES:
            if (x->outer == NULL || strcmp(x->params[i]->name, "segment") != 0)
                walk_number(w, x, i);
            break;
        case ATN_WORD:
            walk_words(w, x, i);
            break;
        case ATN_LEVELS:
            if (w->q->topo != NULL)
                walk_levels(w, x, i);
            break;
        case ATN_FILE:
            break;
        }
}

int atn_plan_neighbours(const atn_problem *q, const atn_choice *choice,
                        atn_choice list[ATN_NEIGHBOURS])
{
    walk w = {
        .q = q, .from = choice, .list = list, .steps = INT64_MAX, .seen = {{.choice = *choice}}};
    const atn_algo_use whole = {choice->row, choice->params};
    const place x = place_of(&whole, NULL, 0);
    atn_algo_derived_open(q->topo);
    walk_params(&w, &x);
    atn_algo_derived_close();
    return w.n;
}
