/* form.c - see form.h. */
#include "plan/form.h"

#include <math.h>
#include <stdlib.h>

#include "model/expr.h"
#include "topo/topo.h"

/* Variables of all forms. */
enum { A, B, G, P, N, K, PHASES, SLOTS, HEIGHT, DEPTH, WIDTH, COMMON };

/* Beyond MANY ranks the tree of a smaller topology is found, and extended by as many levels as a
 * complete tree of the arity has more: deriving it takes longer than all else in a plan. */
enum { MANY = 512, FEWER = 256 };

static void measure_tree(const atn_topo *topo, int root, int arity, atn_form_facts *facts)
{
    atn_free_tree t = {0};
    if (!atn_algo_free_tree_begin(topo, root, arity, &t))
        t.slots = t.height = -1;
    facts->tree[arity].slots = t.slots;
    facts->tree[arity].height = t.height;
    atn_algo_free_tree_end(&t);
}

static int root_among(const int *ranks, int n, int root)
{
    int i = 0;
    while (i < n - 1 && ranks[i] != root)
        i++;
    return i;
}

static void estimate_tree(const atn_problem *q, int arity, atn_form_facts *facts)
{
    int *ranks = NULL;
    atn_topo *const small = atn_topo_shrink(q->topo, FEWER, q->root, &ranks);
    if (small == NULL) {
        measure_tree(q->topo, q->root, arity, facts);
        return;
    }
    measure_tree(small, root_among(ranks, small->p, q->root), arity, facts);
    const int height = facts->tree[arity].height;
    if (height > 0) {
        const double more = log((double)q->p / small->p) / log(arity);
        const double slots = facts->tree[arity].slots * (height + more) / height;
        facts->tree[arity].slots = (int)lround(slots);
        facts->tree[arity].height = (int)lround(height + more);
    }
    atn_topo_free(small);
    free(ranks);
}

static void find_tree(const atn_problem *q, int arity, atn_form_facts *facts)
{
    if (facts->tree[arity].slots != 0)
        return;
    if (arity == 1)
        facts->tree[arity].slots = facts->tree[arity].height = q->p - 1; /* a chain */
    else if (q->p > MANY)
        estimate_tree(q, arity, facts);
    else
        measure_tree(q->topo, q->root, arity, facts);
}

/* Phases of an alltoall: messages over the most loaded link. */
static double phases(const atn_problem *q, atn_form_facts *facts)
{
    if (facts->phases > 0)
        return facts->phases;
    int64_t *loads = q->topo ? malloc(sizeof *loads * (size_t)atn_topo_edges(q->topo)) : NULL;
    int64_t most = q->p - 1;
    if (loads)
        atn_topo_loads(q->topo, loads);
    for (int e = 0; loads && e < atn_topo_edges(q->topo); e++)
        most = loads[e] > most ? loads[e] : most;
    free(loads);
    return facts->phases = (double)most;
}

/* ---- a form, read once ---- */

struct atn_cost_form {
    atn_choice choice;
    int users;
    atn_variable vars[COMMON + ATN_MAX_PARAMS];
    atn_expr *x;
    bool phased, segmented, slotted; /* names `phases`, `k`, `slots` */
};

static atn_status read_form(const atn_choice *c, atn_cost_form *f, int n, atn_error *err)
{
    char *const text = atn_algo_cost_text(c->row, &c->params);
    const atn_status status = text ? atn_model_expr_read(text, f->vars, n, &f->x, err)
                                   : atn_fail(err, ATN_MEMORY, "out of memory");
    free(text);
    return status;
}

static atn_status open_form(const atn_choice *choice, atn_cost_form *f, atn_error *err)
{
    static const char *const common[COMMON] = {"a",      "b",     "g",      "p",     "n",    "k",
                                               "phases", "slots", "height", "depth", "width"};
    const atn_algo *algo = choice->row->algo;
    int n = COMMON;

    *f = (atn_cost_form){.choice = *choice};
    if (algo->cost == NULL)
        return atn_fail(err, ATN_INPUT, "%s states no cost", choice->row->name);
    for (int i = 0; i < COMMON; i++)
        f->vars[i] = (atn_variable){common[i], 0};
    for (const atn_param *own = algo->params; own && own->name; own++, n++)
        f->vars[n] = (atn_variable){
            own->name, (double)atn_algo_param_number(own, choice->params.v[n - COMMON])};
    f->phased = atn_model_expr_names(algo->cost, "phases");
    f->segmented = atn_model_expr_names(algo->cost, "k");
    f->slotted = atn_model_expr_names(algo->cost, "slots");
    return read_form(choice, f, n, err);
}

/* Properties of trees on the topology that forms use. */
static void add_tree(atn_cost_form *f, const atn_problem *q, atn_form_facts *facts)
{
    const int64_t wanted = atn_algo_params_get(f->choice.row, &f->choice.params, "arity", 1);
    const int arity = wanted <= ATN_MAX_ARITY ? (int)wanted : 0;
    if (q->topo && arity > 0 && f->slotted)
        find_tree(q, arity, facts);
    f->vars[SLOTS].value = facts->tree[arity].slots;
    f->vars[HEIGHT].value = facts->tree[arity].height;
}

static void set_problem(atn_cost_form *f, const atn_problem *q, atn_form_facts *facts)
{
    const atn_algo *algo = f->choice.row->algo;

    f->vars[P].value = q->p;
    f->vars[N].value = (double)q->bytes;
    f->vars[K].value = q->segments;
    f->vars[PHASES].value = f->phased ? phases(q, facts) : 0;
    add_tree(f, q, facts);
    f->vars[DEPTH].value = algo->depth ? algo->depth(q, &f->choice.params) : -1;
    f->vars[WIDTH].value = algo->width ? algo->width(q, &f->choice.params) : -1;
}

static atn_status evaluate(atn_cost_form *f, const atn_alpha_beta *m, double *seconds_p,
                           atn_error *err)
{
    f->vars[A].value = m->a;
    f->vars[B].value = m->b;
    f->vars[G].value = m->g;
    *seconds_p = atn_model_expr_value(f->x, f->vars);
    if (!isfinite(*seconds_p))
        return atn_fail(err, ATN_INPUT, "%s: its cost is not finite", f->choice.row->name);
    return ATN_OK;
}

atn_status atn_plan_form_times(const atn_choice *choice, const atn_problem *q,
                               atn_form_facts *facts, const atn_alpha_beta *m, int n,
                               double *seconds, atn_error *err)
{
    atn_cost_form f;
    atn_status status = open_form(choice, &f, err);
    if (status == ATN_OK)
        set_problem(&f, q, facts);
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = evaluate(&f, &m[i], &seconds[i], err);
    atn_model_expr_free(f.x);
    return status;
}

/* ---- forms that are kept ---- */

/* To read a form takes longer than to evaluate it, and plans of all sizes and communicators use the
 * same ones. */
enum { KEPT = 1024 };
static _Thread_local ATN_VEC(atn_cost_form *) kept;

static bool is_form_of(const atn_cost_form *f, const atn_choice *c)
{
    const atn_param *own = c->row->algo->params;
    if (f->choice.row != c->row)
        return false;
    for (int i = 0; own && own[i].name; i++)
        if (f->choice.params.v[i] != c->params.v[i])
            return false;
    return true;
}

static void drop_unused(void)
{
    int n = 0;
    for (int i = 0; i < kept.n; i++) {
        if (kept.v[i]->users > 0) {
            kept.v[n++] = kept.v[i];
            continue;
        }
        atn_model_expr_free(kept.v[i]->x);
        free(kept.v[i]);
    }
    kept.n = n;
}

static atn_cost_form *find_kept(const atn_choice *choice)
{
    for (int i = 0; i < kept.n; i++)
        if (is_form_of(kept.v[i], choice))
            return kept.v[i];
    return NULL;
}

atn_cost_form *atn_plan_form_open(const atn_choice *choice)
{
    atn_cost_form *f = find_kept(choice);
    if (f == NULL) {
        if (kept.n >= KEPT)
            drop_unused();
        f = malloc(sizeof *f);
        if (f == NULL || open_form(choice, f, NULL) != ATN_OK || !atn_push(&kept, f)) {
            if (f)
                atn_model_expr_free(f->x);
            free(f);
            return NULL;
        }
    }
    f->users++;
    return f;
}

void atn_plan_form_close(atn_cost_form *f)
{
    if (f)
        f->users--;
}

bool atn_plan_form_terms(atn_cost_form *f, const atn_problem *q, atn_form_facts *facts,
                         const atn_alpha_beta *m, atn_form_terms *terms_p, double *more_p)
{
    const atn_alpha_beta empty = {m->a, 0, 0};
    const bool streams = f->segmented && q->segments != 1;
    double all = 0, latency = 0;

    set_problem(f, q, facts);
    if (evaluate(f, m, &all, NULL) != ATN_OK || evaluate(f, &empty, &latency, NULL) != ATN_OK)
        return false;
    const double bytes = all - latency;
    double first = latency;
    f->vars[K].value = 1;
    if (streams && evaluate(f, &empty, &first, NULL) != ATN_OK)
        return false;
    if (!f->segmented)
        latency = first * q->segments; /* each of them makes all rounds */
    *terms_p = (atn_form_terms){fmin(first, latency), bytes};
    *more_p = fmax(0, latency - first);
    return true;
}
