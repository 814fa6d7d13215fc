/* test_optimised.c - optimises the schedules of every row of the catalogue: they remain correct,
 * have no more operations, can be printed and read back, and the passes really apply. */
#include "all_ranks.h"
#include "sched/optimise.h"
#include "sched/text.h"
#include "trees.h"

enum { MOST_RANKS = 17, PRINTED = 5 };

typedef struct {
    const atn_row *row;
    int problems, before, after, fused;
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

/* Operations of one kind, on all ranks. */
static int count(atn_schedule *const *s, int p, int kind)
{
    int n = 0;

    for (int r = 0; r < p; r++)
        for (int i = 0; i < s[r]->nops; i++)
            n += s[r]->ops[i].kind == kind;
    return n;
}

/* ---- one problem ---- */

static const char *optimise_all(tally *t, atn_schedule *const *s, int p)
{
    for (int r = 0; r < p; r++) {
        const int before = s[r]->nops;
        const bool chain = atn_sched_is_chain(s[r]);
        if (atn_sched_optimise(s[r]) != ATN_OK)
            return "cannot be optimised";
        if (s[r]->nops > before)
            return "the number of operations grows";
        if (chain && !atn_sched_is_chain(s[r]))
            return "is no chain any more";
        t->before += before;
        t->after += s[r]->nops;
    }
    t->fused += count(s, p, ATN_OP_RECV_REDUCE);
    return NULL;
}

/* Whether the text of the schedules is read back as the same program. */
static bool round_trips(atn_schedule *const *s, int p)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_schedule **read = NULL;
    int n = 0;

    atn_sched_schedule_print(f, s, p);
    fclose(f);
    bool ok = atn_sched_schedule_parse(text, "text", &read, &n, NULL) == ATN_OK && n == p;
    for (int r = 0; r < p && ok; r++)
        ok = atn_sched_schedule_hash(read[r]) == atn_sched_schedule_hash(s[r]);
    free(text);
    free_all(read, n);
    return ok;
}

static bool check(tally *t, const atn_problem *q, const atn_params *prm, in_place_ranks placed)
{
    atn_error err = {0};
    atn_status status;

    if (atn_algo_refuses(t->row, q, prm))
        return true;
    atn_schedule **s = build_all(t->row, q, prm, placed, &status, &err);
    if (!s)
        return complain(t, q, prm, placed, err.text);
    const char *why = optimise_all(t, s, q->p);
    if (!why && atn_sched_verify(s, q->p, NULL, &err) != ATN_OK)
        why = err.text;
    if (!why && q->p <= PRINTED && !round_trips(s, q->p))
        why = "its text is read back as another program";
    t->problems++;
    free_all(s, q->p);
    return !why || complain(t, q, prm, placed, why);
}

/* ---- all problems of a row ---- */

/* Defaults, each number at a small value, and passes together. */
enum { MAX_SETS = 24 };

static int param_sets(const atn_row *row, atn_params sets[MAX_SETS])
{
    static const char *const together[] = {"window=2,sync=pair,every=2", "sync=barrier,every=3"};
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    int count = 1;

    atn_algo_params_default(row, &sets[0]);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") != 0 && 3 >= list[i]->min && 3 <= list[i]->max) {
            sets[count] = sets[0];
            sets[count++].v[i] = 3;
        }
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (atn_algo_params_parse(row, together[i], &sets[count], NULL) == ATN_OK)
            count++;
    return count;
}

static bool check_kinds(tally *t, atn_problem q, const atn_params *prm)
{
    const bool typed = atn_sched_operation_get(q.op)->flags & ATN_TYPED;
    bool ok = true;

    for (int ordered = 0; ok && ordered <= typed; ordered++)
        for (int placed = IN_PLACE_NONE; ok && placed <= IN_PLACE_ODD; placed++) {
            q.ordered = ordered;
            ok = check(t, &q, prm, (in_place_ranks)placed);
        }
    return ok;
}

static bool check_p(tally *t, int p, const atn_params *sets, int nsets)
{
    static const int segments[] = {1, 3};
    const bool rooted = atn_sched_operation_get(t->row->op)->flags & ATN_ROOTED;
    const bool pipelines = t->row->algo->passes & ATN_PASS_SEGMENT;
    atn_topo *topo = tree_row(p);
    atn_neighbourhood *near = neighbours_of(t->row, p);
    bool ok = topo != NULL;

    for (int root = 0; ok && root < (rooted ? p : 1); root += atn_max(1, p - 1))
        for (int j = 0; ok && j < nsets; j++)
            for (int k = 0; ok && k <= pipelines; k++)
                ok = check_kinds(t,
                                 (atn_problem){.op = t->row->op,
                                               .p = p,
                                               .root = root,
                                               .shared = ATN_SHARED_ALL,
                                               .segments = segments[k],
                                               .topo = topo,
                                               .neighbourhood = near},
                                 &sets[j]);
    atn_sched_neighbourhood_free(near);
    atn_topo_free(topo);
    return ok;
}

static void check_row(const atn_row *row)
{
    tally t = {.row = row};
    atn_params sets[MAX_SETS];
    const int nsets = param_sets(row, sets);
    bool ok = true;
    char name[200];

    for (int p = 1; ok && p <= MOST_RANKS; p++)
        ok = check_p(&t, p, sets, nsets);
    snprintf(name, sizeof name, "%s: %d problems, %d -> %d operations, %d fused", row->name,
             t.problems, t.before, t.after, t.fused);
    tap(ok, name, t.why);
}

/* ---- where the passes apply ---- */

/* What remains on all ranks together. */
static const struct {
    const char *row;
    int p;
    bool in_place;
    int copies, reductions, fused;
} results[] = {
    {"allreduce/rabenseifner", 2, false, 0, 0, 2},
    {"allreduce/rabenseifner", 2, true, 0, 0, 2},
    {"allreduce/rabenseifner", 8, false, 0, 0, 8 * 3},
    {"allreduce/ring", 5, false, 0, 0, 5 * 4},
    {"allreduce/ring", 5, true, 0, 0, 5 * 4},
    {"allreduce/recursive_doubling", 4, false, 0, 4, 4}, /* its second exchange sends its result */
    {"reduce_scatter/recursive_halving", 8, false, 0, 0, 8 * 3},
    {"reduce_scatter/ring", 6, false, 0, 0, 6 * 5},
    {"reduce_scatter/pairwise", 4, false, 0, 0, 4 * 3},
    {"reduce/binomial", 8, false, 0, 0, 7},
    {"reduce/chain", 4, false, 0, 0, 3},
    {"scan/linear", 4, false, 1, 0, 3}, /* rank 0 has to copy its operand */
};

static void check_results(void)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        tally t = {.row = atn_algo_catalog_by_name(results[i].row)};
        const atn_problem q = {.op = t.row->op, .p = results[i].p, .segments = 1};
        const in_place_ranks placed = results[i].in_place ? IN_PLACE_ALL : IN_PLACE_NONE;
        atn_params prm;
        atn_status status;
        atn_error err = {0};
        char name[200], why[200] = "cannot be built";
        atn_algo_params_default(t.row, &prm);
        atn_schedule **s = build_all(t.row, &q, &prm, placed, &status, &err);
        bool ok = s && !optimise_all(&t, s, q.p);
        if (ok) {
            const int copies = count(s, q.p, ATN_OP_COPY),
                      reductions = count(s, q.p, ATN_OP_REDUCE);
            ok = copies == results[i].copies && reductions == results[i].reductions &&
                 t.fused == results[i].fused;
            snprintf(why, sizeof why, "%d copies, %d reductions, %d fused", copies, reductions,
                     t.fused);
        }
        free_all(s, q.p);
        snprintf(name, sizeof name, "%s on %d ranks%s: %d copies, %d reductions, %d fused",
                 results[i].row, q.p, placed ? " in place" : "", results[i].copies,
                 results[i].reductions, results[i].fused);
        tap(ok, name, why);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    check_results();
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (wanted(atn_algo_catalog_row(i), argv))
            check_row(atn_algo_catalog_row(i));
    return tap_end();
}
