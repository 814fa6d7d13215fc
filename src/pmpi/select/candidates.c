/* candidates.c - see candidates.h. */
#include "pmpi/select/candidates.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plan/family.h"
#include "plan/planner.h"
#include "plan/repository.h"
#include "plan/travel.h"
#include "topo/topo.h"

/* Candidates considered, with predictions and without. */
enum { RACE_CANDIDATES = 24, BLIND_CANDIDATES = 8 };
/* Those in canonical order, where results must not change. */
enum { ORDER_CANDIDATES = 6 };
/* All ranks wait for a plan, and races correct it: a part of the usual effort suffices, a smaller
 * one for short calls. */
enum { ROUGH = 2, ROUGHER = 6 };

int atn_select_model_error(void)
{
    const atn_settings *const s = &atn_job_current.settings;
    const char *const topology = atn_plan_setting_given(s, ATN_SET_TOPOLOGY);
    if (atn_job_current.measured)
        return ATN_ERROR_MEASURED;
    if (atn_job_current.sketched)
        return ATN_ERROR_SKETCHED;
    const bool known =
        topology != NULL ? strcmp(topology, ATN_TOPO_HOSTS) != 0 : atn_job_current.switches;
    return known ? ATN_ERROR_TOPOLOGY : ATN_ERROR_UNKNOWN;
}

bool atn_select_is_star(void) { return atn_job_current.procedure != ATN_TUNE_RACE; }

/* ---- cost of planning ---- */

static atn_account account;
static _Atomic int64_t last_ns = 3000000; /* of a plan */
static const int64_t credit_ns =
    40000000; /* of the start credit: a plan for each of some classes */

atn_deferral atn_select_planning_cost(void)
{
    const int64_t now_ns = atn_clock_kernel_ns();
    const atn_account half = {.share = atn_job_current.budget,
                              .of = 2 * 100,
                              .left_ns = credit_ns,
                              .most_ns = INT64_MAX,
                              .now_ns = now_ns};
    atn_tune_account_open(&account, &half);
    return atn_tune_account_check(&account, now_ns, last_ns);
}

bool atn_select_planning_allowed(void)
{
    return atn_select_is_star() || !atn_select_planning_cost().costs;
}

bool atn_select_planning_plentiful(void)
{
    enum { SEVERAL = 4 };
    const atn_deferral off = atn_select_planning_cost();
    return off.left_ns >= SEVERAL * off.cost_ns;
}

/* ---- candidates ---- */

/* What applies to both ends of a size class applies to all its sizes. */
bool atn_select_candidate_fits(const atn_choice *choice, const atn_problem *q)
{
    const atn_span sizes = atn_tune_size_span(q->bytes);
    atn_problem lo = *q, hi = *q;
    lo.bytes = sizes.lo;
    if (q->bytes >= 0)
        hi.bytes = sizes.hi - 1;
    return choice->row->algo->build != NULL && atn_plan_choice_refuses(choice, q) == NULL &&
           atn_plan_choice_refuses(choice, &lo) == NULL &&
           atn_plan_choice_refuses(choice, &hi) == NULL;
}

static bool row_before(const atn_ranking *r, int i)
{
    for (int k = 0; k < i; k++)
        if (r->v[k].choice.row == r->v[i].choice.row)
            return true;
    return false;
}

/* Whether the messages of a candidate take exactly as long on the same topology as those of a
 * better one: the same messages under another name, so a race between them would not end.  Of
 * variants that were not evaluated, one is enough where closed forms predict the same. */
static bool is_twin(const atn_ranking *r, int i)
{
    const atn_prospect *const x = &r->v[i];
    for (int k = 0; k < i && !(x->evaluated && x->beyond) && !atn_select_is_star(); k++) {
        const atn_prospect *const y = &r->v[k];
        if (y->evaluated == x->evaluated && y->seconds == x->seconds &&
            (x->evaluated || (y->choice.row == x->choice.row && y->form == x->form)))
            return true;
    }
    return false;
}

static int most_candidates(int error)
{
    return atn_select_is_star() ? ATN_TUNE_CANDIDATES
           : error >= 0         ? RACE_CANDIDATES
                                : BLIND_CANDIDATES;
}

static int64_t prediction(const atn_prospect *x, int error)
{
    return error >= 0 && x->seconds > 0 && x->seconds < 1e6 ? (int64_t)(x->seconds * 1e12) : -1;
}

/* Closed forms do not include contention. */
static int error_of(const atn_prospect *x, int error)
{
    return error >= 0 && error < ATN_ERROR_TOPOLOGY && !x->evaluated ? ATN_ERROR_TOPOLOGY : error;
}

/* The best variant of every algorithm, then other variants. */
static void add_ranking(const atn_ranking *r, const atn_problem *q, int most, atn_candidate_set *f)
{
    const int error = atn_select_model_error();
    for (int again = 0; again <= 1; again++)
        for (int i = 0; i < r->n && f->n < most; i++)
            if (row_before(r, i) == (again == 1) && !is_twin(r, i) &&
                atn_select_candidate_fits(&r->v[i].choice, q))
                atn_tune_candidate_set_add(f, &r->v[i].choice, prediction(&r->v[i], error),
                                           error_of(&r->v[i], error));
}

/* Those in canonical order, which may replace each other where results must not change, are twins
 * only of each other. */
static void add_in_order(const atn_ranking *r, const atn_problem *q, atn_candidate_set *f)
{
    atn_ranking some = {.v = calloc((size_t)r->n + 1, sizeof *some.v)};
    for (int i = 0; i < r->n && some.v != NULL; i++)
        if (atn_plan_family_of(&r->v[i].choice, q) == ATN_FAMILY_RANK)
            some.v[some.n++] = r->v[i];
    add_ranking(&some, q, f->n + ORDER_CANDIDATES, f);
    free(some.v);
}

/* Like algorithms of MPI libraries, which send messages. */
static bool is_like_native(const atn_prospect *x)
{
    return x->plain && (x->choice.row->algo->needs & ATN_NEEDS_SHARED) == 0;
}

/* The best time that native may take; 0: unknown. */
static int64_t native_ps_of(const atn_ranking *r)
{
    int64_t best = 0;
    for (int i = 0; i < r->n; i++) {
        const int64_t ps = is_like_native(&r->v[i]) ? prediction(&r->v[i], 0) : 0;
        best = ps > 0 && (best == 0 || ps < best) ? ps : best;
    }
    return best;
}

static int64_t effort_for(const atn_comm *c, const atn_problem *q)
{
    return atn_plan_budget(c->p) / (q->bytes < ATN_SHORT_BYTES ? ROUGHER : ROUGH);
}

/* The algorithms that STAR-MPI has for the operation; false: it has none. */
static bool add_repository(const atn_problem *q, atn_candidate_set *f)
{
    if (!atn_select_is_star() || !atn_plan_repository_has(q->op))
        return false;
    for (int i = 0; i < atn_plan_repository_entries(); i++) {
        atn_choice choice;
        if (atn_plan_repository_choice(atn_plan_repository_entry(i), q, &choice) &&
            atn_select_candidate_fits(&choice, q))
            atn_tune_candidate_set_add(f, &choice, -1, ATN_ERROR_UNKNOWN);
    }
    return true;
}

/* Planned for the mean size where ranks do not share sizes; candidates must apply to any size. */
int64_t atn_select_candidates_plan(const atn_comm *c, const atn_call_class *x, atn_candidate_set *f)
{
    atn_ranking r = {.n = 0};
    atn_problem q = x->subject.q;
    if (add_repository(&q, f))
        return 0;
    if (q.bytes < 0)
        q.bytes = x->mean;
    const int64_t start = atn_clock_thread_ns();
    const int64_t effort = effort_for(c, &q);
    const atn_machine *const m = atn_job_current.machine;
    const bool done = m != NULL && atn_plan_planner_rank(&q, m, NULL, effort, &r, NULL) == ATN_OK;
    last_ns = atn_clock_thread_ns() - start;
    atn_tune_account_spend(&account, last_ns);
    if (!done)
        return 0;
    atn_plan_travel_apply(c->wisdom, &q, m, &r);
    const int before = f->n;
    if (x->subject.stable)
        add_in_order(&r, &x->subject.q, f);
    add_ranking(&r, &x->subject.q, most_candidates(atn_select_model_error()) + f->n - before, f);
    const int64_t native_ps = native_ps_of(&r);
    atn_plan_ranking_free(&r);
    return native_ps;
}
