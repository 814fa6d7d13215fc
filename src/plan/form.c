/* form.c - see form.h. */
#include "plan/form.h"

#include <math.h>
#include <stdlib.h>

#include "model/expr.h"
#include "topo/topo.h"

enum { A, B, G, COMMON = 10 };

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

/* Properties of trees on the topology that forms use. */
static void add_tree(const atn_choice *c, const atn_problem *q, atn_form_facts *facts,
                     atn_variable vars[2])
{
    const int64_t wanted = atn_algo_params_get(c->row, &c->params, "arity", 1);
    const int arity = wanted <= ATN_MAX_ARITY ? (int)wanted : 0;
    if (q->topo && arity > 0 && atn_model_expr_names(c->row->algo->cost, "slots"))
        find_tree(q, arity, facts);
    vars[0] = (atn_variable){"slots", facts->tree[arity].slots};
    vars[1] = (atn_variable){"height", facts->tree[arity].height};
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

static atn_status evaluate(const atn_choice *c, const char *text, atn_variable *vars, int n,
                           const atn_alpha_beta *m, double *seconds_p, atn_error *err)
{
    vars[A].value = m->a;
    vars[B].value = m->b;
    vars[G].value = m->g;
    const atn_status status = atn_model_expr_eval(text, vars, n, seconds_p, err);
    if (status == ATN_OK && !isfinite(*seconds_p))
        return atn_fail(err, ATN_INPUT, "%s: its cost is not finite", c->row->name);
    return status;
}

atn_status atn_plan_form_times(const atn_choice *choice, const atn_problem *q,
                               atn_form_facts *facts, const atn_alpha_beta *m, int n,
                               double *seconds, atn_error *err)
{
    const atn_algo *algo = choice->row->algo;
    atn_variable vars[COMMON + ATN_MAX_PARAMS] = {
        [A] = {"a", 0}, [B] = {"b", 0},          [G] = {"g", 0},
        {"p", q->p},    {"n", (double)q->bytes}, {"k", q->segments},
    };
    int nvars = COMMON;
    if (algo->cost == NULL)
        return atn_fail(err, ATN_INPUT, "%s states no cost", choice->row->name);
    const bool phased = atn_model_expr_names(algo->cost, "phases");
    vars[6] = (atn_variable){"phases", phased ? phases(q, facts) : 0};
    add_tree(choice, q, facts, &vars[7]);
    vars[9] = (atn_variable){"depth", algo->depth ? algo->depth(q, &choice->params) : -1};
    for (const atn_param *own = algo->params; own && own->name; own++, nvars++)
        vars[nvars] = (atn_variable){own->name, (double)choice->params.v[nvars - COMMON]};
    char *text = atn_algo_cost_text(choice->row, &choice->params);
    atn_status status = text ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < n && status == ATN_OK; i++)
        status = evaluate(choice, text, vars, nvars, &m[i], &seconds[i], err);
    free(text);
    return status;
}
