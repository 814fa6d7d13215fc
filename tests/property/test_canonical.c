/* test_canonical.c - rows listed as canonical combine operands in canonical order for all
 * parameters, segments, roots and message sizes; and no other rows do. */
#include "all_ranks.h"
#include "sched/canonical.h"

enum { MAX_SETS = 32, MOST_RANKS = 20 };

/* Defaults, then each parameter with some of its values. */
static int param_sets(const atn_row *row, atn_params sets[MAX_SETS])
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    int count = 1;

    atn_algo_params_default(row, &sets[0]);
    for (int i = 0; i < n; i++)
        for (int64_t v = list[i]->min; v <= list[i]->max && v <= list[i]->min + 14; v++) {
            if (strcmp(list[i]->name, "segment") == 0 || v == sets[0].v[i] || count == MAX_SETS)
                continue;
            sets[count] = sets[0];
            sets[count++].v[i] = v;
        }
    return count;
}

typedef struct {
    const atn_row *row;
    int proofs, others;
    char why[ATN_ERROR_ROOM + 512];
} tally;

static void complain(tally *t, const atn_problem *q, const atn_params *prm, const char *what)
{
    char name[ATN_NAME_ROOM];

    atn_algo_params_print(t->row, prm, name, sizeof name);
    snprintf(t->why, sizeof t->why, "%s p=%d root=%d segments=%d: %s", name, q->p, q->root,
             q->segments, what);
}

/* Whether the schedule is canonical; built without requiring it, because the row may refuse. */
static atn_status verify(tally *t, const atn_problem *q, const atn_params *prm, atn_error *err)
{
    atn_problem plain = *q;
    atn_status status;

    plain.canonical = false;
    atn_schedule **s = build_all(t->row, &plain, prm, IN_PLACE_NONE, &status, err);
    for (int r = 0; s && r < q->p; r++)
        s[r]->q.canonical = true;
    if (s)
        status = atn_sched_verify(s, q->p, NULL, err);
    free_all(s, q->p);
    return status;
}

static void prove(tally *t, const atn_problem *q, const atn_params *prm)
{
    atn_error err = {0};

    if (atn_algo_refuses(t->row, q, prm))
        return;
    t->proofs++;
    if (verify(t, q, prm, &err) != ATN_OK)
        complain(t, q, prm, err.text);
}

/* A single number of ranks may give the same tree by chance, two different ones do not. */
static void differ(tally *t, const atn_params *prm, int p, int other)
{
    const int both[] = {p, other};
    atn_problem q = {.op = t->row->op, .ordered = true, .segments = 1};
    atn_error err = {0};

    for (int i = 0; i < 2; i++) {
        q.p = both[i];
        q.canonical = false;
        if (atn_algo_refuses(t->row, &q, prm))
            return;
        q.canonical = true;
        if (!atn_algo_refuses(t->row, &q, prm))
            return;
        if (verify(t, &q, prm, &err) != ATN_OK) {
            t->others++;
            return;
        }
    }
    complain(t, &q, prm, "is canonical, but not in the list of canonical.c");
}

/* A numeric parameter may give any row the canonical tree for some ranks; words must not. */
static bool has_odd_numbers(const atn_row *row, const atn_params *plain, const atn_params *prm)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);

    for (int i = 0; i < n; i++)
        if (list[i]->type != ATN_WORD && prm->v[i] != plain->v[i])
            return true;
    return false;
}

static void judge_row(const atn_row *row)
{
    static const int segments[] = {1, 3};
    const atn_operation_info *o = atn_sched_operation_get(row->op);
    tally t = {.row = row};
    atn_params sets[MAX_SETS];
    const int n = param_sets(row, sets);
    char name[200];

    for (int p = 1; p <= 128; p += p < MOST_RANKS ? 1 : p < 64 ? 11 : 32)
        for (int root = 0; root < (o->flags & ATN_ROOTED ? p : 1); root += p <= 9 ? 1 : 5)
            for (int i = 0; i < (p <= MOST_RANKS ? n : 1); i++)
                for (int k = 0; k < (row->algo->passes & ATN_PASS_SEGMENT ? 2 : 1); k++)
                    prove(&t,
                          &(atn_problem){.op = row->op,
                                         .p = p,
                                         .root = root,
                                         .ordered = true,
                                         .canonical = true,
                                         .segments = segments[k]},
                          &sets[i]);
    for (int i = 0; i < n; i++) {
        if (has_odd_numbers(row, &sets[0], &sets[i]))
            continue;
        differ(&t, &sets[i], 5, 7);
        differ(&t, &sets[i], 8, 16);
    }
    snprintf(name, sizeof name, "%s: %d proofs, %d others", row->name, t.proofs, t.others);
    tap(t.why[0] == '\0', name, t.why);
}

/* The default rows. */
static void usual_rows_apply(atn_operation op)
{
    static const int64_t sizes[] = {-1, 0, 8, 65536, INT64_C(1) << 33};
    char why[200] = "", name[100];

    for (int p = 1; p <= 128; p++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            atn_problem q = {.op = op, .p = p, .ordered = true, .canonical = true};
            atn_params prm;
            q.bytes = sizes[i];
            const atn_row *row = atn_algo_canonical_default(&q, &prm);
            q.segments = row ? atn_algo_segments(row, &q, &prm) : 1;
            if (!row || atn_algo_refuses(row, &q, &prm))
                snprintf(why, sizeof why, "p=%d bytes=%lld: %s", p, (long long)sizes[i],
                         row ? atn_algo_refuses(row, &q, &prm) : "there is none");
        }
    snprintf(name, sizeof name, "%s has a canonical row for all ranks and sizes",
             atn_sched_operation_get(op)->name);
    tap(why[0] == '\0', name, why);
}

static void native_is_refused(void)
{
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 4, .ordered = true, .canonical = true};
    atn_params prm = {0};

    tap(atn_algo_refuses(atn_algo_catalog_native(ATN_ALLREDUCE), &q, &prm) != NULL,
        "the native routine, whose order is unknown, refuses", "it does not");
}

int main(int argc, char **argv)
{
    (void)argc;
    native_is_refused();
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_sched_operation_get((atn_operation)op)->flags & ATN_TYPED)
            usual_rows_apply((atn_operation)op);
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        if (wanted(row, argv) && (atn_sched_operation_get(row->op)->flags & ATN_TYPED))
            judge_row(row);
    }
    return tap_end();
}
