/* neighbours.c - see neighbours.h. */
#include "plan/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "algo/levels.h"
#include "algo/order.h"

static const int64_t usual_segment = 8192;

typedef struct {
    const atn_problem *q;
    const atn_choice *from;
    const atn_param *params[ATN_MAX_PARAMS];
    int nparams;
    atn_choice *list;
    int n;
} walk;

static int pieces_of(const walk *w, const atn_choice *c)
{
    return atn_pieces(c->row, w->q, &c->params);
}

/* With one value changed, if it applies; a segment must make another number of pieces. */
static void step(walk *w, int param, int64_t value)
{
    atn_choice c = *w->from;
    atn_problem q = *w->q;
    const bool segment = strcmp(w->params[param]->name, "segment") == 0;
    if (value == c.params.v[param] || w->n == ATN_NEIGHBOURS)
        return;
    c.params.v[param] = value;
    q.pieces = pieces_of(w, &c);
    if ((segment && q.pieces == pieces_of(w, w->from)) || atn_refuses(c.row, &q, &c.params))
        return;
    w->list[w->n++] = c;
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

static bool sequence(const atn_problem *q, int64_t order, int *ranks)
{
    for (int i = 0; i < q->p; i++)
        ranks[i] = i;
    return order == ATN_ORDER_RANK ||
           (q->topo != NULL && atn_order_ranks(q->topo, (atn_order)order, q->root, ranks));
}

/* Ranks are often numbered along the wires: then another word is the same order. */
static bool same_order(const walk *w, int i, int64_t value)
{
    const size_t p = (size_t)w->q->p;
    if (strcmp(w->params[i]->name, "order") != 0)
        return false;
    int *ranks = malloc(2 * p * sizeof *ranks);
    const bool same = ranks != NULL && sequence(w->q, w->from->params.v[i], ranks) &&
                      sequence(w->q, value, ranks + p) &&
                      memcmp(ranks, ranks + p, p * sizeof *ranks) == 0;
    free(ranks);
    return same;
}

static void walk_words(walk *w, int i)
{
    for (int64_t v = w->params[i]->min; v <= w->params[i]->max; v++)
        if (!same_order(w, i, v))
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
        const bool good = fits && atn_levels_check(w->from->row, text, NULL) == ATN_OK;
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
    if ((*text != '\0' && !atn_level_words_read(text, &words, bad)) || words.given ||
        !atn_levels_begin(w->q->topo, w->q->p, &words, &tree))
        return;
    for (int k = 0; k < tree.n; k++)
        if (!seen_before(&tree, k))
            walk_level(w, i, &words, tree.clusters[k].level);
    atn_levels_end(&tree);
}

/* How often ranks wait matters where all wait for all. */
static bool matters(const walk *w, int i)
{
    return strcmp(w->params[i]->name, "every") != 0 ||
           atn_params_get(w->from->row, &w->from->params, "sync", ATN_SYNC_NONE) ==
               ATN_SYNC_BARRIER;
}

int atn_neighbours(const atn_problem *q, const atn_choice *choice, atn_choice list[ATN_NEIGHBOURS])
{
    walk w = {.q = q, .from = choice, .list = list};
    w.nparams = atn_row_params(choice->row, w.params);
    for (int i = 0; i < w.nparams; i++)
        switch (w.params[i]->type) {
        case ATN_INT:
        case ATN_BYTES:
            if (matters(&w, i))
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
    return w.n;
}
