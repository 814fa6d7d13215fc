/* test_cost.c - the closed form of every row equals its schedule evaluated in the same model. */
#include <math.h>

#include "algo/free_tree.h"
#include "all_ranks.h"
#include "model/alpha_beta.h"
#include "model/expr.h"
#include "trees.h"

/* Latency or bandwidth may dominate, and reductions may be slow or free. */
static const atn_alpha_beta machines[] = {
    {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {100.0, 0.25, 0.0625}, {3.0, 0.125, 0.5}, {3.0, 0.125, 8.0},
};

enum { MAX_P = 64, QUICK_P = 17 };
static bool quick; /* under sanitizers: fewer numbers of ranks */

static int next_p(int p)
{
    if (quick && p >= QUICK_P)
        return 0;
    return p < 33 ? p + 1 : p < MAX_P ? MAX_P : 0;
}

/* Bytes that p ranks, powers of 2 and 3, and k segments divide without remainder. */
static int64_t bytes_for(int p, int k) { return (int64_t)p * (1 << atn_ceil_log2(p)) * k * 27; }

/* Properties of the topology that a form may use. */
static void add_tree(const atn_row *row, const atn_problem *q, const atn_params *prm,
                     atn_variable vars[2])
{
    const int arity = (int)atn_algo_params_get(row, prm, "arity", 1);
    atn_free_tree t = {0};

    if (atn_model_expr_names(row->algo->cost, "slots") &&
        !atn_algo_free_tree_begin(q->topo, 0, arity, &t))
        t.slots = t.height = -1;
    vars[0] = (atn_variable){"slots", t.slots};
    vars[1] = (atn_variable){"height", t.height};
    atn_algo_free_tree_end(&t);
}

static atn_status closed_form(const atn_row *row, const atn_problem *q, const atn_params *prm,
                              const atn_alpha_beta *m, double *value_p, atn_error *err)
{
    enum { COMMON = 11 };
    atn_variable vars[COMMON + ATN_MAX_PARAMS] = {
        {"p", q->p}, {"n", (double)q->bytes}, {"k", q->segments}, {"a", m->a}, {"b", m->b},
        {"g", m->g},
    };
    int n = COMMON;

    vars[6] = (atn_variable){"phases", q->p - 1};
    add_tree(row, q, prm, &vars[7]);
    vars[9] = (atn_variable){"depth", row->algo->depth ? row->algo->depth(q, prm) : -1};
    vars[10] = (atn_variable){"width", row->algo->width ? row->algo->width(q, prm) : -1};
    for (const atn_param *own = row->algo->params; own && own->name; own++, n++)
        vars[n] = (atn_variable){own->name, (double)prm->v[n - COMMON]};
    char *text = atn_algo_cost_text(row, prm);
    const atn_status status = text ? atn_model_expr_eval(text, vars, n, value_p, err)
                                   : atn_fail(err, ATN_MEMORY, "no closed form");
    free(text);
    return status;
}

typedef struct {
    const atn_row *row;
    int compared;
    char why[ATN_ERROR_ROOM + 512];
} tally;

static bool compare(tally *t, const atn_problem *q, const atn_params *prm, atn_schedule *const *s,
                    const atn_alpha_beta *m)
{
    atn_error err = {0};
    double form = -1, time = -1;

    t->compared++;
    if (closed_form(t->row, q, prm, m, &form, &err) == ATN_OK &&
        atn_model_alpha_beta_time(s, q->p, q->bytes, m, &time, &err) == ATN_OK &&
        fabs(form - time) <= 1e-9 * fmax(fabs(time), 1e-300))
        return true;
    char name[160];
    atn_algo_params_print(t->row, prm, name, sizeof name);
    snprintf(t->why, sizeof t->why,
             "%s p=%d k=%d n=%lld a=%g b=%g g=%g: form %.12g, schedule %.12g %s", name, q->p,
             q->segments, (long long)q->bytes, m->a, m->b, m->g, form, time, err.text);
    return false;
}

/* Every rank has two edges to the rank before and two to the rank after it. */
static atn_neighbourhood *double_ring(atn_operation op, int p)
{
    int first[MAX_P + 1], out[4 * MAX_P], in[4 * MAX_P];
    atn_neighbourhood *n = NULL;

    for (int r = 0; r <= p; r++)
        first[r] = 4 * r;
    for (int e = 0; e < 4 * p; e++) {
        out[e] = atn_mod(e / 4 + (e % 2 ? 1 : -1), p);
        in[e] = atn_mod(e / 4 + (e % 2 ? -1 : 1), p);
    }
    if (atn_sched_on_neighbours(op))
        atn_sched_neighbourhood_graph(p, (const int *[]){first, first}, (const int *[]){in, out},
                                      &n, NULL);
    return n;
}

/* The box stencil of a torus; NULL: none has this many ranks. */
static atn_neighbourhood *box(atn_operation op, int p)
{
    atn_neighbourhood *n = NULL;
    char word[60];

    snprintf(word, sizeof word, p % 27 == 0 ? "box:3px3px%dp" : "box:3px%dp",
             p % 27 == 0 ? p / 9 : p / 3);
    if (atn_sched_on_neighbours(op) && p % 3 == 0 && p >= 9)
        atn_sched_neighbourhood_parse(word, p, &n, NULL);
    return n;
}

static bool check(tally *t, int p, int segments, const atn_params *prm)
{
    atn_topo *star = tree_star(p);
    atn_neighbourhood *near = double_ring(t->row->op, p);
    atn_problem q = {.op = t->row->op,
                     .p = p,
                     .shared = ATN_SHARED_ALL,
                     .segments = segments,
                     .bytes = bytes_for(p, segments),
                     .topo = star,
                     .neighbourhood = near};
    const char *why = atn_algo_refuses(t->row, &q, prm);
    if (why && near) {
        atn_sched_neighbourhood_free(near);
        q.neighbourhood = near = box(t->row->op, p);
        why = atn_algo_refuses(t->row, &q, prm);
    }
    atn_error err = {0};
    atn_status status = ATN_OK;
    atn_schedule **s = why ? NULL : build_all(t->row, &q, prm, IN_PLACE_NONE, &status, &err);
    bool ok = status == ATN_OK;

    if (!ok)
        snprintf(t->why, sizeof t->why, "%s", err.text);
    for (size_t i = 0; s && ok && i < sizeof machines / sizeof *machines; i++)
        ok = compare(t, &q, prm, s, &machines[i]);
    free_all(s, p);
    atn_sched_neighbourhood_free(near);
    atn_topo_free(star);
    return ok;
}

enum { MAX_VALUES = 32 };

/* Parts with a parameter of their own. */
static int add_nested(const atn_row *row, const atn_param *own, int64_t values[MAX_VALUES], int n)
{
    static const char *const settings[] = {"dims=3", "arity=3", "radix=3", "chains=2"};
    const atn_operation op = atn_algo_part_operation(row->algo, (int)(own - row->algo->params));

    for (int64_t w = own->min; op != ATN_BARRIER && w <= own->max; w++)
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            atn_algo_use part = atn_algo_part(op, own, w);
            if (atn_algo_params_parse(part.row, settings[i], &part.prm, NULL) == ATN_OK)
                values[n++] = atn_algo_part_value(own, &part);
        }
    return n;
}

/* Values of a parameter that the form uses: some numbers, every word. */
static int values_of(const atn_row *row, const atn_param *own, int64_t values[MAX_VALUES])
{
    static const int64_t numbers[] = {1, 2, 3, 8};
    int n = 0;

    if (!atn_model_expr_names(row->algo->cost, own->name)) {
        values[n++] = own->fallback;
        return n;
    }
    for (int64_t v = own->min; own->type == ATN_WORD && v <= own->max; v++)
        values[n++] = v;
    for (size_t i = 0; own->type != ATN_WORD && i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] >= own->min && numbers[i] <= own->max)
            values[n++] = numbers[i];
    return add_nested(row, own, values, n);
}

/* All combinations of the algorithm's own parameters from the i-th on. */
static bool check_params(tally *t, int p, int segments, atn_params *prm, int i)
{
    const atn_param *own = t->row->algo->params ? &t->row->algo->params[i] : NULL;
    int64_t values[MAX_VALUES];
    bool ok = true;

    if (!own || !own->name)
        return check(t, p, segments, prm);
    const int n = values_of(t->row, own, values);
    for (int j = 0; ok && j < n; j++) {
        prm->v[i] = values[j];
        ok = check_params(t, p, segments, prm, i + 1);
    }
    return ok;
}

static void check_row(const atn_row *row)
{
    const bool segments_too = atn_model_expr_names(row->algo->cost, "k");
    tally t = {.row = row};
    atn_params prm;
    bool ok = true;
    char name[160];

    atn_algo_params_default(row, &prm);
    for (int p = 1; ok && p > 0; p = next_p(p))
        for (int k = 1; ok && k <= (segments_too ? 5 : 1); k += 2)
            ok = check_params(&t, p, k, &prm, 0);
    snprintf(name, sizeof name, "%s: %d comparisons", row->name, t.compared);
    tap(ok, name, t.why);
}

int main(int argc, char **argv)
{
    (void)argc;
    quick = getenv("ATN_TEST_QUICK") != NULL;
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (wanted(atn_algo_catalog_row(i), argv))
            check_row(atn_algo_catalog_row(i));
    return tap_end();
}
