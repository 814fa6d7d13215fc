/* test_optimised.c - optimises the schedules of every row of the catalogue: they remain correct. */
#include "all_ranks.h"
#include "sched/optimise.h"

/* Operations of one kind, on all ranks. */
static int count(atn_schedule *const *s, int p, int kind)
{
    int n = 0;

    for (int r = 0; r < p; r++)
        for (int i = 0; i < s[r]->nops; i++)
            n += s[r]->ops[i].kind == kind;
    return n;
}

typedef struct {
    const atn_row *row;
    int checked, before, after, copies, fused, chains, lost, swaps;
    char why[ATN_ERROR_ROOM + 512];
} tally;

static bool complain(tally *t, const atn_problem *q, const atn_params *prm, in_place_ranks placed,
                     const char *what)
{
    char name[160];

    atn_algo_params_print(t->row, prm, name, sizeof name);
    snprintf(t->why, sizeof t->why, "%s p=%d root=%d%s%s segments=%d: %s", name, q->p, q->root,
             placed == IN_PLACE_ALL   ? " in place"
             : placed == IN_PLACE_ODD ? " odd ranks in place"
                                      : "",
             q->ordered ? " ordered" : "", q->segments, what);
    return false;
}

static bool optimise_all(tally *t, atn_schedule *const *s, int p)
{
    for (int r = 0; r < p; r++) {
        const int before = s[r]->nops;
        const bool chain = atn_sched_is_chain(s[r]);
        if (atn_sched_optimise(s[r]) != ATN_OK || s[r]->nops > before)
            return false;
        t->before += before;
        t->after += s[r]->nops;
        t->chains += chain;
        t->lost += chain && !atn_sched_is_chain(s[r]);
    }
    return true;
}

static bool check(tally *t, const atn_problem *q, const atn_params *prm, in_place_ranks placed)
{
    atn_error err = {0};
    atn_status status;
    atn_schedule **s = build_all(t->row, q, prm, placed, &status, &err);
    bool ok = true;

    if (!s)
        return status == ATN_NOT_APPLICABLE || complain(t, q, prm, placed, err.text);
    const int copies = count(s, q->p, ATN_OP_COPY);
    if (!optimise_all(t, s, q->p))
        ok = complain(t, q, prm, placed, "the number of operations grows");
    else if (atn_sched_verify(s, q->p, NULL, &err) != ATN_OK)
        ok = complain(t, q, prm, placed, err.text);
    t->checked++;
    t->copies += copies - count(s, q->p, ATN_OP_COPY);
    t->fused += count(s, q->p, ATN_OP_RECV_REDUCE);
    free_all(s, q->p);
    return ok;
}

static bool check_problem(tally *t, atn_problem q)
{
    static const int segments[] = {1, 3};
    const bool ordered = atn_sched_operation_get(q.op)->flags & ATN_TYPED;
    atn_params prm;
    bool ok = true;

    atn_algo_params_default(t->row, &prm);
    for (int i = 0; i < 2 && ok; i++)
        for (int placed = 0; placed < 3 && ok; placed++)
            for (int o = 0; o <= ordered && ok; o++) {
                q.segments = segments[i];
                q.ordered = o;
                ok = check(t, &q, &prm, (in_place_ranks)placed);
            }
    return ok;
}

static bool check_row(tally *t)
{
    const bool rooted = atn_sched_operation_get(t->row->op)->flags & ATN_ROOTED;
    bool ok = true;

    for (int p = 1; p <= 17 && ok; p++) {
        const int roots[] = {0, 1, p - 1};
        for (int i = 0; i < (rooted ? 3 : 1) && ok; i++)
            if (roots[i] < p)
                ok = check_problem(t, (atn_problem){.op = t->row->op, .p = p, .root = roots[i]});
    }
    return ok;
}

int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        tally t = {.row = atn_algo_catalog_row(i)};
        if (!wanted(t.row, argv))
            continue;
        tap(check_row(&t), t.row->name, t.why);
        printf("# %d problems, operations %d -> %d, copies -%d, fused %d, chains lost %d of %d\n",
               t.checked, t.before, t.after, t.copies, t.fused, t.lost, t.chains);
    }
    return tap_end();
}
