/* generate_build.c - the schedules of one algorithm for a generated routine. */
#include <stdlib.h>
#include <string.h>

#include "cli/schedule/generate.h"
#include "sched/verify.h"

static bool is_rooted(atn_operation op) { return atn_sched_operation_get(op)->flags & ATN_ROOTED; }

const char *atn_cli_generate_names(char out[ATN_ERROR_ROOM])
{
    const char *names[ATN_OPERATIONS];
    int n = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_sched_generates((atn_operation)op))
            names[n++] = atn_sched_operation_get((atn_operation)op)->name;
    return atn_enumerate(names, n, ", ", out);
}

atn_status atn_cli_generate_roots(const atn_args *a, atn_generate_ranks *ranks, atn_error *err)
{
    const int root = (int)atn_cli_arg_int(a, "root");
    const bool one = atn_cli_arg_given(a, "root");
    if (one && root >= ranks->p)
        return atn_fail(err, ATN_USAGE, "--root %d: the ranks are 0 to %d", root, ranks->p - 1);
    ranks->first_root = one ? root : 0;
    ranks->roots = one ? 1 : ranks->p;
    return ATN_OK;
}

/* Reductions combine in the order of ranks if the algorithm can. */
atn_problem atn_cli_generate_problem(const atn_generate_ranks *ranks, const atn_choice *choice,
                                     int set, int r)
{
    const atn_operation op = choice->row->op;
    atn_problem q = {.op = op, .p = ranks->p, .r = r, .segments = 1, .topo = ranks->topo};
    if (is_rooted(op))
        q.root = ranks->first_root + set;
    q.ordered = atn_sched_operation_get(op)->flags & ATN_TYPED;
    q.ordered = q.ordered && !atn_algo_refuses(choice->row, &q, &choice->params);
    return q;
}

void atn_cli_generate_describe(const atn_choice *choice, const atn_generate_ranks *ranks,
                               atn_generated *v)
{
    const atn_algo *algo = choice->row->algo;
    const int64_t segment = atn_algo_params_get(choice->row, &choice->params, "segment", 0);
    const bool typed = atn_sched_operation_get(choice->row->op)->flags & ATN_TYPED;
    v->segment = algo->segments_inside ? 0 : segment;
    v->chunk = algo->segments_inside ? segment : 0;
    v->shares = algo->shares;
    v->commutative = typed && !atn_cli_generate_problem(ranks, choice, 0, 0).ordered;
}

static atn_status build_set(const atn_choice *choice, const atn_generate_ranks *ranks, int set,
                            atn_schedule **v, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int r = 0; !st && r < ranks->p; r++) {
        const atn_problem q = atn_cli_generate_problem(ranks, choice, set, r);
        st = atn_algo_build(choice->row, &q, &choice->params, &v[r], err);
    }
    for (int r = 0; !st && r < ranks->p; r++) {
        const char *why = atn_sched_generate_refuses(v[r]);
        if (why)
            st = atn_fail(err, ATN_NOT_APPLICABLE, "%s: no routine can be generated: %s",
                          choice->row->name, why);
    }
    return st ? st : atn_sched_verify(v, ranks->p, NULL, err);
}

atn_status atn_cli_generate_build(const atn_choice *choice, const atn_generate_ranks *ranks,
                                  atn_generated *v, atn_error *err)
{
    const int sets = is_rooted(choice->row->op) ? ranks->roots : 1;
    atn_status st = ATN_OK;
    if ((int64_t)sets * ranks->p > ATN_MOST_PROGRAMS)
        return atn_fail(err, ATN_USAGE,
                        "a routine for all %d roots would be too large; choose one with --root",
                        ranks->p);
    atn_cli_generate_describe(choice, ranks, v);
    v->sets = calloc((size_t)sets, sizeof *v->sets);
    for (v->nsets = 0; v->sets && v->nsets < sets && !st; v->nsets++) {
        v->sets[v->nsets] = calloc((size_t)ranks->p, sizeof **v->sets);
        st = v->sets[v->nsets] ? build_set(choice, ranks, v->nsets, v->sets[v->nsets], err)
                               : atn_fail(err, ATN_MEMORY, "out of memory");
    }
    return v->sets ? st : atn_fail(err, ATN_MEMORY, "out of memory");
}

void atn_cli_generate_free(atn_generated *v, int p)
{
    for (int i = 0; v->sets && i < v->nsets; i++) {
        for (int r = 0; v->sets[i] && r < p; r++)
            atn_sched_schedule_free(v->sets[i][r]);
        free(v->sets[i]);
    }
    free(v->sets);
    *v = (atn_generated){0};
}
