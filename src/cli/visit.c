/* visit.c - see atn_visit in lookup.h. */
#include <string.h>

#include "cli/lookup.h"

/* *why_p NULL: it is applicable. */
static atn_status refusal(const atn_request *want, const char **why_p, atn_error *err)
{
    atn_problem q = want->q;
    atn_neighbourhood *n;
    const atn_status st = atn_cli_request_neighbours(want, q.op, q.p, &n, err);
    if (st)
        return st;
    q.neighbourhood = n;
    *why_p = atn_algo_refuses(want->choice.row, &q, &want->choice.params);
    atn_sched_neighbourhood_free(n);
    return ATN_OK;
}

/* Algorithms that are not applicable are skipped, unless named individually. */
static atn_status visit(const atn_visit *v, const atn_choice *choice, bool named, atn_error *err)
{
    atn_request want = *v->want;
    char name[ATN_NAME_ROOM];
    atn_status st = atn_cli_request_operation(v->a, choice->row->op, &want, err);
    if (st)
        return st;
    want.choice = *choice;
    st = named ? atn_cli_lookup_params(v->a, &want.choice, err) : ATN_OK;
    want.q.p = v->p;
    if (!named && !want.topo) /* without a topology every rank may be on another host */
        want.q.shared = ATN_SHARED_NONE;
    want.q.segments = atn_algo_segments(choice->row, &want.q, &want.choice.params);
    const char *why = NULL;
    st = st ? st : refusal(&want, &why, err);
    if (!st && why)
        return named ? atn_fail(err, ATN_INPUT, "%s: %s", choice->row->name, why) : ATN_OK;
    atn_algo_params_print(choice->row, &want.choice.params, name, sizeof name);
    return st ? st : v->visit(v->context, &want, name, err);
}

static atn_status visit_operation(const atn_visit *v, const char *name, atn_error *err)
{
    atn_operation op;
    atn_status st = atn_cli_lookup_operation(name, &op, err);
    for (int i = 0; i < atn_algo_catalog_rows() && !st; i++) {
        atn_choice c = {.row = atn_algo_catalog_row(i)};
        if (c.row->op != op || !c.row->algo->build)
            continue;
        atn_algo_params_default(c.row, &c.params);
        if (v->fit)
            v->fit(v->context, &c);
        st = visit(v, &c, false, err);
    }
    return st;
}

atn_status atn_cli_visit_operand(const atn_visit *v, const char *name, atn_error *err)
{
    atn_choice c;
    if (!strchr(name, '/'))
        return visit_operation(v, name, err);
    const atn_status st = atn_cli_lookup_choice(name, &c, err);
    if (!st && !c.row->algo->build)
        return atn_fail(err, ATN_INPUT, "%s has no schedule", c.row->name);
    return st ? st : visit(v, &c, true, err);
}
