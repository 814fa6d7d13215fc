/* test_catalog.c - verifies every row of the catalogue for many problems, one TAP line per row. */
#include "algo/levels.h"
#include "all_ranks.h"
#include "trees.h"

/* ---- the problems ---- */

static const int more_ranks[] = {64, 100, 128};
enum { SMALL = 9, ALL_UP_TO = 33 }; /* every combination; every number of ranks */

static bool quick; /* under sanitizers: fewer numbers of ranks */

static int next_p(int p)
{
    if (quick && p >= SMALL)
        return p < 16 ? 16 : p < 17 ? 17 : 0; /* 17: the first of 5 bits */
    if (p < ALL_UP_TO)
        return p + 1;
    for (size_t i = 0; i < sizeof more_ranks / sizeof *more_ranks; i++)
        if (more_ranks[i] > p)
            return more_ranks[i];
    return 0;
}

/* Roots 0, 1, p / 2 and p - 1, without duplicates. */
static int roots_of(const atn_row *row, int p, int roots[4])
{
    const int all[] = {0, 1, p / 2, p - 1};
    const bool rooted = atn_sched_operation_get(row->op)->flags & ATN_ROOTED;
    int n = 0;

    for (int i = 0; i < (rooted ? 4 : 1); i++) {
        bool seen = all[i] >= p;
        for (int j = 0; j < n; j++)
            seen = seen || roots[j] == all[i];
        if (!seen)
            roots[n++] = all[i];
    }
    return n;
}

/* Parameters: defaults, then each alone at its minimum, some in between and its maximum, then all
 * numbers at their maximum, then all passes together. */
enum { MAX_SETS = 40 };

static int add_value(int64_t value, int i, const atn_params *base, atn_params *sets, int n)
{
    if (value == base->v[i])
        return n;
    sets[n] = *base;
    sets[n].v[i] = value;
    return n + 1;
}

static int add_values(const atn_param *p, int i, const atn_params *base, atn_params *sets, int n)
{
    const int64_t values[] = {p->min, 1, 2, 3, 7, p->max};
    int64_t last = -1;

    for (int64_t word = p->min; p->type == ATN_WORD && word <= p->max; word++)
        n = add_value(word, i, base, sets, n);
    for (size_t v = 0; p->type != ATN_WORD && v < sizeof values / sizeof *values; v++) {
        if (values[v] < p->min || values[v] > p->max || values[v] <= last)
            continue;
        last = values[v];
        n = add_value(last, i, base, sets, n);
    }
    return n;
}

/* Products of large numbers may overflow; those of powers of two only to 0. */
static int add_most(const atn_param *const *list, int n, int less, atn_params *sets, int count)
{
    sets[count] = sets[0];
    for (int i = 0; i < n; i++)
        if (list[i]->type == ATN_INT)
            sets[count].v[i] = atn_max(list[i]->min, list[i]->max - less);
    return memcmp(&sets[count], &sets[0], sizeof *sets) != 0 ? count + 1 : count;
}

static int param_sets(const atn_row *row, atn_params sets[MAX_SETS])
{
    static const char *const together[] = {"window=2,sync=pair,every=2", "sync=barrier,every=3",
                                           "window=1,sync=pair"};
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    int count = 1;

    atn_algo_params_default(row, &sets[0]);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") != 0) /* set by the number of segments */
            count = add_values(list[i], i, &sets[0], sets, count);
    for (int less = 0; less < 2; less++)
        count = add_most(list, n, less, sets, count);
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (atn_algo_params_parse(row, together[i], &sets[count], NULL) == ATN_OK)
            count++;
    return count;
}

/* ---- one problem ---- */

typedef struct {
    const atn_row *row;
    int proofs, refusals;
    long messages;
    char why[ATN_ERROR_ROOM + 512];
} tally;

static bool prime(int p)
{
    int i = 2;
    while (i * i <= p && p % i != 0)
        i++;
    return i * i > p;
}

static bool must_refuse(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    const unsigned needs = row->algo->needs;
    const bool moves = atn_algo_params_get(row, prm, "order", 0) != 0;

    if (atn_sched_on_neighbours(q->op) && (!q->neighbourhood || q->neighbourhood->p != q->p))
        return true;
    return (q->ordered && (moves || needs & ATN_NEEDS_COMMUTATIVE)) ||
           (!q->topo && (moves || needs & ATN_NEEDS_TOPOLOGY)) ||
           (!q->shared && (needs & ATN_NEEDS_SHARED)) ||
           ((q->p & (q->p - 1)) != 0 && (needs & ATN_NEEDS_POW2)) ||
           (q->p % 2 != 0 && (needs & ATN_NEEDS_EVEN)) ||
           (prime(q->p) && (needs & ATN_NEEDS_COMPOSITE)) ||
           (row->algo->refuses && row->algo->refuses(q, prm));
}

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

static bool check_refusal(tally *t, const atn_problem *q, const atn_params *prm)
{
    atn_schedule *s = NULL;
    atn_error err = {0};

    t->refusals++;
    if (!atn_algo_refuses(t->row, q, prm))
        return complain(t, q, prm, IN_PLACE_NONE, "is not refused");
    if (atn_algo_build(t->row, q, prm, &s, &err) != ATN_NOT_APPLICABLE || err.text[0] == '\0' || s)
        return complain(t, q, prm, IN_PLACE_NONE, "is built although it is refused");
    return true;
}

static bool same_rounds(atn_schedule *const *s, int p)
{
    for (int r = 1; r < p; r++)
        if (s[r]->nrounds != s[0]->nrounds)
            return false;
    return true;
}

/* Leaders of clusters store blocks of others; otherwise a multiple of the operation's vector is
 * enough, or the operands of all other ranks. */
static bool scratch_fits(const atn_schedule *s, const atn_verify_counts *proof)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const int p = s->q.p, vec = atn_max(atn_sched_side_blocks(o->source, p),
                                        atn_sched_side_blocks(o->result, p));
    const int most = s->q.neighbourhood ? 2 * s->q.neighbourhood->most : 1;

    return proof->max_scratch <= atn_max(4 * vec, p + 1) * most * s->split;
}

/* A row that stores blocks of others must declare that it needs sizes that ranks do not share. */
static bool requests_sizes(const atn_row *row, atn_schedule *const *s, int p)
{
    const bool unknown =
        row->op == ATN_GATHERV || row->op == ATN_SCATTERV || atn_sched_is_padded(row->op);

    for (int r = 0; unknown && r < p; r++)
        if (s[r]->ntmp > 0 && !(row->algo->needs & ATN_NEEDS_SIZES))
            return false;
    return true;
}

static bool prove(tally *t, const atn_problem *q, const atn_params *prm, in_place_ranks placed)
{
    atn_error err = {0};
    atn_status status;
    atn_verify_counts proof = {0};

    if (must_refuse(t->row, q, prm))
        return check_refusal(t, q, prm);
    atn_schedule **s = build_all(t->row, q, prm, placed, &status, &err);
    if (!s)
        return complain(t, q, prm, placed, err.text);
    status = atn_sched_verify(s, q->p, &proof, &err);
    const bool lean = atn_algo_level_is_row(t->row->algo) || scratch_fits(s[0], &proof);
    const bool requests = requests_sizes(t->row, s, q->p);
    const bool even = !(t->row->algo->passes & ATN_PASS_SYNC) || same_rounds(s, q->p);
    free_all(s, q->p);
    if (status != ATN_OK)
        return complain(t, q, prm, placed, err.text);
    if (!requests)
        return complain(t, q, prm, placed, "stores blocks without ATN_NEEDS_SIZES");
    t->proofs++;
    t->messages += proof.messages;
    if (!lean)
        return complain(t, q, prm, placed, "uses too much scratch");
    return even || complain(t, q, prm, placed, "ranks have different numbers of rounds");
}

/* ---- all problems of a row ---- */

static bool has_in_place(const atn_row *row)
{
    const atn_place place = atn_sched_operation_place(row->op, true);
    return place != ATN_PLACE_NONE && place != ATN_PLACE_STAGED;
}

/* IN_PLACE may differ between ranks only where they do not share it. */
static bool may_differ(const atn_row *row) { return row->op == ATN_SCAN || row->op == ATN_EXSCAN; }

/* In-place and operator order for given parameters and segments. */
static bool prove_kinds(tally *t, atn_problem q, const atn_params *prm)
{
    const bool typed = atn_sched_operation_get(q.op)->flags & ATN_TYPED;
    const in_place_ranks most = !has_in_place(t->row) ? IN_PLACE_NONE
                                : may_differ(t->row)  ? IN_PLACE_ODD
                                                      : IN_PLACE_ALL;
    bool ok = true;

    for (int ordered = 0; ok && ordered <= typed; ordered++)
        for (int placed = IN_PLACE_NONE; ok && placed <= (int)most; placed++) {
            q.ordered = ordered;
            ok = prove(t, &q, prm, (in_place_ranks)placed);
        }
    return ok;
}

/* Small: every combination.  Larger: parameters and segments one at a time; the largest: defaults
 * and one set with passes. */
static bool prove_p(tally *t, int p, const atn_params *sets, int nsets)
{
    static const int segments[] = {1, 2, 5};
    const bool pipelines = t->row->algo->passes & ATN_PASS_SEGMENT;
    int roots[4];
    const int nroots = roots_of(t->row, p, roots);
    atn_topo *topo = tree_row(p);
    atn_neighbourhood *near = neighbours_of(t->row, p);
    bool ok = topo != NULL;

    for (int i = 0; ok && i < nroots; i++)
        for (int j = 0; ok && j < nsets; j++)
            for (int k = 0; ok && k < (pipelines ? 3 : 1); k++) {
                const bool plain = j == 0 && k == 0, alone = j == 0 || k == 0;
                const atn_problem q = {.op = t->row->op,
                                       .p = p,
                                       .root = roots[i],
                                       .shared = ATN_SHARED_ALL,
                                       .segments = segments[k],
                                       .topo = topo,
                                       .neighbourhood = near};
                if (p <= SMALL || plain || (p <= ALL_UP_TO && alone) ||
                    (alone && i == 0 && (j == nsets - 1 || k == 1)))
                    ok = prove_kinds(t, q, &sets[j]);
            }
    atn_sched_neighbourhood_free(near);
    atn_topo_free(topo);
    return ok;
}

/* A row that needs a topology refuses without one, and with one for another number of ranks; a row
 * that needs shared memory refuses without it. */
static bool prove_refusals(tally *t, const atn_params *sets, int nsets)
{
    atn_topo *other = tree_row(7);
    atn_problem q = {.op = t->row->op, .p = 8, .segments = 1};
    bool ok = true;

    for (int j = 0; ok && j < nsets; j++)
        if (must_refuse(t->row, &q, &sets[j])) {
            ok = check_refusal(t, &q, &sets[j]);
            q.topo = other;
            ok = ok && check_refusal(t, &q, &sets[j]);
            q.topo = NULL;
        }
    atn_topo_free(other);
    return ok;
}

static void prove_row(const atn_row *row)
{
    tally t = {.row = row};
    atn_params sets[MAX_SETS];
    const int nsets = param_sets(row, sets);
    bool ok = prove_refusals(&t, sets, nsets);
    char name[200];

    for (int p = 1; ok && p > 0; p = next_p(p))
        ok = prove_p(&t, p, sets, nsets);
    snprintf(name, sizeof name, "%s: %d proofs, %d refusals, %ld messages", row->name, t.proofs,
             t.refusals, t.messages);
    tap(ok, name, t.why);
}

/* ---- the catalogue as a whole ---- */

static bool served(atn_operation op, int p, bool ordered, const atn_neighbourhood *near)
{
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        const atn_problem q = {
            .op = op, .p = p, .ordered = ordered, .segments = 1, .neighbourhood = near};
        atn_params prm;
        atn_algo_params_default(row, &prm);
        if (row->op == op && row->algo->build && !atn_algo_refuses(row, &q, &prm))
            return true;
    }
    return false;
}

static void every_operation_is_served(void)
{
    char why[100] = "";

    for (int op = 0; op < ATN_OPERATIONS; op++)
        for (int p = 1; p > 0; p = next_p(p))
            for (int ordered = 0; ordered < 2; ordered++) {
                atn_neighbourhood *near = neighbours_for((atn_operation)op, p);
                if (!served((atn_operation)op, p, ordered, near))
                    snprintf(why, sizeof why, "%s p=%d%s", atn_sched_operation_get(op)->name, p,
                             ordered ? " ordered" : "");
                atn_sched_neighbourhood_free(near);
            }
    tap(why[0] == '\0', "every operation has an algorithm for every p and operator", why);
}

static bool described(const atn_row *row)
{
    const atn_algo *a = row->algo;
    const char *slash = strchr(row->name, '/');

    return slash && strcmp(slash + 1, a->name) == 0 && a->summary && a->summary[0] && a->group &&
           (!a->build || (a->cost && a->cost[0] && a->reference && a->reference[0])) &&
           atn_algo_catalog_by_name(row->name) == row &&
           atn_algo_catalog_find(row->op, a->name) == row;
}

static void rows_are_described(void)
{
    const char *why = "";

    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (!described(atn_algo_catalog_row(i)))
            why = atn_algo_catalog_row(i)->name;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (atn_algo_catalog_native((atn_operation)op)->op != (atn_operation)op)
            why = "native";
    tap(why[0] == '\0', "every row has its name, summary, reference and cost", why);
}

int main(int argc, char **argv)
{
    (void)argc;
    quick = getenv("ATN_TEST_QUICK") != NULL;
    rows_are_described();
    every_operation_is_served();
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (wanted(atn_algo_catalog_row(i), argv))
            prove_row(atn_algo_catalog_row(i));
    return tap_end();
}
