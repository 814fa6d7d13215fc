/* twins.c - see twins.h.
 *
 * Most choices differ in what a single rank does with a message in one piece, which is cheap to
 * build; only what is equal there is looked at more closely. */
#include "plan/twins.h"

#include <string.h>

#include "algo/derived.h"
#include "model/expr.h"
#include "plan/trial.h"

/* All ranks are compared in at most FEW segments: if one rank does the same in all segments,
 * others do so in few. */
enum { FEW = 16 };
/* Values below a greater one are not tried one by one. */
enum { TRIED = 64 };
static const uint64_t unknown = 1; /* a hash that equals no other, not even itself */

/* ---- hashes ---- */

typedef struct {
    const atn_problem *q;
    int64_t *steps;
} work;

/* Phases are messages of all ranks to all, which each rank finds anew. */
static int64_t steps_of(const atn_choice *c, const atn_problem *q, int ops)
{
    const bool phases = c->row->algo->cost && atn_model_expr_names(c->row->algo->cost, "phases");
    return (ops + (phases ? (int64_t)q->p * q->p : 0)) * ATN_STEPS_OP + ATN_STEPS_RANK;
}

static uint64_t hash_of(const atn_choice *c, const work *w, int segments, int r)
{
    atn_problem mine = *w->q;
    atn_schedule *s = NULL;
    mine.r = r;
    mine.in_place = false;
    mine.segments = segments;
    if (*w->steps <= 0 || atn_algo_build(c->row, &mine, &c->params, &s, NULL) != ATN_OK)
        return unknown;
    const uint64_t hash = atn_sched_schedule_hash(s);
    *w->steps -= steps_of(c, w->q, s->nops);
    atn_sched_schedule_free(s);
    return hash > unknown ? hash : 2;
}

static uint64_t hash_of_all(const atn_choice *c, const work *w, int segments)
{
    uint64_t sum = 0;
    for (int r = 0; r < w->q->p; r++) {
        const uint64_t one = hash_of(c, w, segments, r);
        if (one == unknown)
            return unknown;
        sum = atn_hash(&one, sizeof one, sum);
    }
    return sum > unknown ? sum : 2;
}

static bool is_same(uint64_t a, uint64_t b) { return a == b && a != unknown; }

static int segments_of(const atn_twin *x, const work *w)
{
    return atn_algo_segments(x->choice.row, w->q, &x->choice.params);
}

/* The root has most to do, and what differs shows there. */
static uint64_t simple(atn_twin *x, const work *w)
{
    if (x->simple == 0)
        x->simple = hash_of(&x->choice, w, 1, w->q->root);
    return x->simple;
}

static uint64_t one(atn_twin *x, const work *w)
{
    const int segments = segments_of(x, w);
    if (x->one == 0)
        x->one = segments == 1 ? simple(x, w) : hash_of(&x->choice, w, segments, w->q->root);
    return x->one;
}

static uint64_t all(atn_twin *x, const work *w)
{
    if (x->all == 0)
        x->all = hash_of_all(&x->choice, w, atn_min(segments_of(x, w), FEW));
    return x->all;
}

/* ---- twins ---- */

/* Native and schedules from files have no twins. */
static bool is_built(const atn_choice *c)
{
    return c->row != NULL && c->row->algo->build != NULL &&
           c->row != atn_algo_catalog_file(c->row->op);
}

bool atn_plan_are_twins(atn_twin *a, atn_twin *b, const atn_problem *q, int64_t *steps)
{
    const work w = {q, steps};
    if (!is_built(&a->choice) || !is_built(&b->choice) || segments_of(a, &w) != segments_of(b, &w))
        return false;
    atn_algo_derived_open(q->topo);
    const bool same = is_same(simple(a, &w), simple(b, &w)) && is_same(one(a, &w), one(b, &w)) &&
                      is_same(all(a, &w), all(b, &w));
    atn_algo_derived_close();
    return same;
}

/* ---- names ---- */

static int written(const atn_choice *c)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(c->row, list);
    int count = 0;
    for (int i = 0; i < n; i++)
        count += c->params.v[i] != list[i]->fallback;
    return count;
}

/* What serves more problems is simpler. */
static int needs(const atn_choice *c) { return __builtin_popcount(c->row->algo->needs); }

bool atn_plan_is_simpler(const atn_choice *a, const atn_choice *b)
{
    const int x = written(a), y = written(b);
    if (x != y)
        return x < y;
    if (a->row != b->row && needs(a) != needs(b))
        return needs(a) < needs(b);
    if (a->row != b->row)
        return strcmp(a->row->name, b->row->name) < 0;
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(a->row, list);
    int order = 0;
    for (int i = 0; i < n && order == 0; i++)
        order = atn_algo_param_compare(list[i], a->params.v[i], b->params.v[i]);
    return order < 0;
}

static bool try_value(const work *w, atn_twin *was, int param, int64_t value)
{
    atn_twin other = {.choice = was->choice};
    other.choice.params.v[param] = value;
    if (atn_plan_choice_refuses(&other.choice, w->q) != NULL ||
        !atn_plan_are_twins(was, &other, w->q, w->steps))
        return false;
    *was = other;
    return true;
}

static void simplify_param(const work *w, atn_twin *x, int i, const atn_param *param)
{
    const int64_t value = x->choice.params.v[i];
    if (param->type == ATN_BYTES || value == param->fallback ||
        try_value(w, x, i, param->fallback) || param->type != ATN_INT)
        return;
    const int64_t end = value < param->min + TRIED ? value : param->min + TRIED;
    for (int64_t v = param->min; v < end; v++)
        if (try_value(w, x, i, v))
            return;
}

void atn_plan_simplify(const atn_problem *q, atn_choice *choice, int64_t *steps)
{
    const work w = {q, steps};
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = is_built(choice) ? atn_algo_row_params(choice->row, list) : 0;
    atn_twin x = {.choice = *choice};
    for (int i = 0; i < n; i++)
        simplify_param(&w, &x, i, list[i]);
    *choice = x.choice;
}
