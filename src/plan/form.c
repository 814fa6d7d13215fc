/* form.c - see form.h. */
#include "plan/form.h"

#include <math.h>
#include <stdlib.h>

#include "algo/free_tree.h"
#include "model/expr.h"
#include "topo/topo.h"

enum { COMMON = 10 };

/* What a form may ask about the topology. */
static void add_tree(const atn_choice *c, const atn_problem *q, atn_variable vars[2])
{
    const int arity = (int)atn_params_get(c->row, &c->params, "arity", 1);
    atn_free_tree t = {0};

    if (q->topo && atn_expr_names(c->row->algo->cost, "slots") &&
        !atn_free_tree_begin(q->topo, q->root, arity, &t))
        t.slots = t.height = -1;
    vars[0] = (atn_variable){"slots", t.slots};
    vars[1] = (atn_variable){"height", t.height};
    atn_free_tree_end(&t);
}

/* Phases of an alltoall: messages over the most loaded link. */
static double phases(const atn_problem *q)
{
    int64_t *loads = q->topo ? malloc(sizeof *loads * (size_t)atn_topo_edges(q->topo)) : NULL;
    int64_t most = q->p - 1;
    if (loads)
        atn_topo_loads(q->topo, loads);
    for (int e = 0; loads && e < atn_topo_edges(q->topo); e++)
        most = loads[e] > most ? loads[e] : most;
    free(loads);
    return (double)most;
}

atn_status atn_form_time(const atn_choice *choice, const atn_problem *q, const atn_alpha_beta *m,
                         double *seconds_p, atn_error *err)
{
    const atn_algo *algo = choice->row->algo;
    atn_variable vars[COMMON + ATN_MAX_PARAMS] = {
        {"p", q->p}, {"n", (double)q->bytes}, {"k", q->pieces}, {"a", m->a}, {"b", m->b},
        {"g", m->g},
    };
    int n = COMMON;
    if (algo->cost == NULL)
        return atn_fail(err, ATN_INPUT, "%s states no cost", choice->row->name);
    vars[6] = (atn_variable){"phases", atn_expr_names(algo->cost, "phases") ? phases(q) : 0};
    add_tree(choice, q, &vars[7]);
    vars[9] = (atn_variable){"depth", algo->depth ? algo->depth(q, &choice->params) : -1};
    for (const atn_param *own = algo->params; own && own->name; own++, n++)
        vars[n] = (atn_variable){own->name, (double)choice->params.v[n - COMMON]};
    char *text = atn_cost_text(choice->row, &choice->params);
    atn_status status = text ? atn_expr_eval(text, vars, n, seconds_p, err)
                             : atn_fail(err, ATN_MEMORY, "out of memory");
    free(text);
    if (status == ATN_OK && !isfinite(*seconds_p))
        status = atn_fail(err, ATN_INPUT, "%s: its cost is not finite", choice->row->name);
    return status;
}
