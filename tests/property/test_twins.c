/* test_twins.c - no schedule is proposed under two names: candidates of a problem, their
 * refinements, and rankings; and no parameter value exceeds its effective range. */
#include "all_ranks.h"
#include "plan/candidates.h"
#include "plan/neighbours.h"
#include "plan/planner.h"
#include "topo/topo.h"

enum { LEAST = 2, MOST = 9, QUICK_MOST = 6, STEPS = 8 };
static const int64_t sizes[] = {8, 5000, 100000};

typedef struct {
    const atn_problem *q;
    char why[600];
} context;

/* ---- reference comparison of schedules ---- */

static uint64_t add_number(uint64_t hash, int64_t x) { return atn_hash(&x, sizeof x, hash); }

static uint64_t add_slot(uint64_t hash, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *range = atn_sched_slot_ranges(s, slot);
    hash = add_number(add_number(hash, slot->space), slot->n);
    for (int i = 0; i < slot->n; i++)
        hash = add_number(add_number(hash, range[i].first), range[i].count);
    return hash;
}

static uint64_t add_op(uint64_t hash, const atn_schedule *s, const atn_op *o)
{
    int64_t deps = 0;
    for (int i = 0; i < o->ndeps; i++) {
        const int64_t d = s->deps[o->dep + i];
        deps += (d + 7) * (d + 7) * (d + 3);
    }
    const int64_t numbers[] = {o->kind, o->ssend, o->peer, o->seq, o->ndeps, deps};
    hash = atn_hash(numbers, sizeof numbers, hash);
    if (!atn_sched_is_message(o))
        hash = add_slot(add_slot(hash, s, &o->b), s, &o->c);
    return add_slot(hash, s, &o->a);
}

/* 0: it cannot be built. */
static uint64_t what_ranks_do(const atn_choice *c, const atn_problem *q)
{
    atn_problem whole = *q;
    atn_status status;
    atn_error err = {0};
    uint64_t hash = 1;
    whole.segments = atn_algo_segments(c->row, q, &c->params);
    atn_schedule **s = build_all(c->row, &whole, &c->params, IN_PLACE_NONE, &status, &err);
    if (s == NULL)
        return 0;
    for (int r = 0; r < q->p; r++) {
        hash = add_number(add_number(hash, s[r]->split), s[r]->ntmp);
        for (int i = 0; i < s[r]->ntmp; i++)
            hash = add_number(hash, s[r]->tmp_shape[i]);
        for (int i = 0; i < s[r]->nops; i++)
            hash = add_op(hash, s[r], &s[r]->ops[i]);
    }
    free_all(s, q->p);
    return hash;
}

static bool complain(context *x, const atn_choice *a, const atn_choice *b, const char *what)
{
    char one[ATN_NAME_ROOM], other[ATN_NAME_ROOM];
    atn_algo_params_print(a->row, &a->params, one, sizeof one);
    atn_algo_params_print(b->row, &b->params, other, sizeof other);
    snprintf(x->why, sizeof x->why, "%d ranks%s, %lld bytes: %s, %s: %s", x->q->p,
             x->q->topo ? " with topology" : "", (long long)x->q->bytes, one, other, what);
    return false;
}

/* ---- lists ---- */

static bool all_differ(context *x, const atn_choice *list, int n, bool in_a_row)
{
    uint64_t *does = malloc(((size_t)n + 1) * sizeof *does);
    bool ok = does != NULL;
    for (int i = 0; i < n && ok; i++) {
        does[i] = what_ranks_do(&list[i], x->q);
        for (int k = 0; k < i && ok; k++)
            if (does[k] == does[i] && does[i] != 0 && (!in_a_row || list[k].row == list[i].row))
                ok = complain(x, &list[k], &list[i], "the same schedules");
    }
    free(does);
    return ok;
}

/* Neither the default nor a smaller value gives the same schedule. */
static bool has_meaning(context *x, const atn_choice *c)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(c->row, list);
    const uint64_t does = what_ranks_do(c, x->q);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const int64_t value = c->params.v[i];
        if (list[i]->type != ATN_INT || value == list[i]->fallback)
            continue;
        atn_choice other = *c;
        for (int64_t v = list[i]->min - 1; v < value && ok; v++) {
            other.params.v[i] = v < list[i]->min ? list[i]->fallback : v;
            if (what_ranks_do(&other, x->q) == does)
                ok = complain(x, &other, c, "the value has no effect");
        }
    }
    return ok;
}

static bool all_have_meaning(context *x, const atn_choice *list, int n)
{
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = has_meaning(x, &list[i]);
    return ok;
}

/* Neighbours of neighbours, always towards the largest values. */
static int64_t greatness(const atn_choice *c)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(c->row, list);
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += list[i]->type == ATN_INT ? c->params.v[i] : 0;
    return sum;
}

static bool refine(context *x, atn_choice from)
{
    static atn_choice list[ATN_NEIGHBOURS + 1];
    bool ok = true;
    for (int step = 0; step < STEPS && ok; step++) {
        const int n = atn_plan_neighbours(x->q, &from, list);
        const atn_choice before = from;
        list[n] = from;
        ok = all_differ(x, list, n + 1, true) && all_have_meaning(x, list, n);
        for (int i = 0; i < n; i++)
            from = greatness(&list[i]) > greatness(&from) ? list[i] : from;
        if (memcmp(&from, &before, sizeof from) == 0)
            break;
    }
    return ok;
}

static bool rank(context *x)
{
    atn_machine *const m = atn_model_machine_builtin();
    atn_ranking r = {0};
    int n = 0;
    bool ok = m != NULL && atn_plan_planner_rank(x->q, m, NULL, 10000000, &r, NULL) == ATN_OK;
    atn_choice *const evaluated = malloc(((size_t)r.n + 1) * sizeof *evaluated);
    for (int i = 0; i < r.n && ok; i++)
        if (r.v[i].evaluated)
            evaluated[n++] = r.v[i].choice;
    ok = ok && all_differ(x, evaluated, n, false);
    free(evaluated);
    atn_plan_ranking_free(&r);
    atn_model_machine_free(m);
    return ok;
}

/* ---- problems ---- */

static bool check_problem(const atn_problem *q, char why[600])
{
    context x = {.q = q};
    atn_choice *list = NULL;
    const int n = atn_plan_candidates(q, &list);
    bool ok = n >= 0 && all_differ(&x, list, n, true) && all_have_meaning(&x, list, n);
    for (int i = 0; i < n && ok && q->bytes != 5000; i++)
        if (i == 0 || list[i].row != list[i - 1].row)
            ok = refine(&x, list[i]);
    ok = ok && (q->bytes < 0 || rank(&x));
    free(list);
    memcpy(why, x.why, sizeof x.why);
    return ok;
}

/* The ranks on hosts of two or three, if they fill them. */
static atn_topo *place_on_hosts(int p)
{
    char text[40];
    atn_topo *t = NULL;
    const int each = p % 2 == 0 ? 2 : 3;
    snprintf(text, sizeof text, "%dx%d@100M", p / each, each);
    return p % each == 0 && p > each && atn_topo_parse_synthetic(text, &t, NULL) == ATN_OK ? t
                                                                                           : NULL;
}

static bool check_operation(atn_operation op, int p, char why[600])
{
    atn_topo *const topo = place_on_hosts(p);
    atn_neighbourhood *const near = neighbours_for(op, p);
    bool ok = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && ok; k++)
        for (int placed = 0; placed <= (topo != NULL) && ok; placed++) {
            const atn_problem q = {.op = op,
                                   .p = p,
                                   .segments = 1,
                                   .bytes = atn_plan_shares_bytes(op) ? sizes[k] : -1,
                                   .topo = placed ? topo : NULL,
                                   .neighbourhood = near};
            ok = check_problem(&q, why);
        }
    atn_sched_neighbourhood_free(near);
    atn_topo_free(topo);
    return ok;
}

int main(void)
{
    const int most = getenv("ATN_TEST_QUICK") != NULL ? QUICK_MOST : MOST;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        for (int p = LEAST; p <= most; p++) {
            char name[60], why[600] = "";
            const bool ok = check_operation((atn_operation)op, p, why);
            snprintf(name, sizeof name, "%s on %d ranks",
                     atn_sched_operation_get((atn_operation)op)->name, p);
            tap(ok, name, why);
        }
    return tap_end();
}
