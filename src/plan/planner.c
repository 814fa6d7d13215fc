/* planner.c - see planner.h. */
#include "plan/planner.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/levels.h"
#include "model/expr.h"
#include "plan/candidates.h"
#include "plan/planner_private.h"
#include "plan/twins.h"
#include "topo/topo.h"

enum { TRIES = 3 };

/* How many rows of no excess the others are worth. */
enum { STRANGE = 2 };
static const double near_bound = 1.05;

/* Two per cent are below the accuracy of predictions. */
static int grade(double seconds) { return seconds > 0 ? (int)floor(50 * log(seconds)) : INT_MIN; }

/* Of those that are as fast the one that was looked at, then the one of least effort. */
static int by_time(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (grade(x->seconds) != grade(y->seconds))
        return grade(x->seconds) < grade(y->seconds) ? -1 : 1;
    if (x->evaluated != y->evaluated)
        return x->evaluated ? -1 : 1;
    return atn_plan_prospect_by_hope(a, b);
}

static bool equal(double x, double y) { return !(x < y || y < x); }

/* The same under another name, as far as forms and traffic show. */
static bool is_double(const atn_prospect *x, const atn_prospect *y)
{
    return equal(x->hope, y->hope) && equal(x->form, y->form) && equal(x->latency, y->latency) &&
           equal(x->traffic, y->traffic) && equal(x->overlap, y->overlap) &&
           x->segments == y->segments;
}

/* ---- expectations ---- */

/* Pipelines may wait for their receivers in each segment, but hardly longer than for a message to
 * them and back. */
static double wait_of(const planner *p, const atn_prospect *x)
{
    const double most = 2 * (p->message.empty + p->message.handshake);
    return x->segments > 1 ? fmin(most, fmax(0, x->seconds - x->hope) / x->segments) : 0;
}

static void add_excess(atn_plan_excess *e, const atn_prospect *x, double each, int length)
{
    e->sum += log((x->seconds - each * x->segments) / x->hope);
    e->each[length] += each;
    e->of[length]++;
    e->n++;
}

static void learn(planner *p, const atn_prospect *x)
{
    if (x->form > 0)
        p->scale = fmin(p->scale, x->seconds / x->form);
    if (x->hope <= 0 || x->seconds <= 0)
        return;
    const int length = atn_plan_estimate_length(p, x);
    for (int g = 0; g < GROUPS; g++)
        add_excess(&p->like[g][x->group[g]], x, wait_of(p, x), length);
    add_excess(&p->every, x, 0, length);
}

/* Long messages wait at least as short ones do, but short ones not as long ones. */
static double wait_like(const atn_plan_excess *e, const atn_prospect *x, int length)
{
    const int like = e->of[length] > 0 ? length : SHORT;
    return x->segments > 1 && e->of[like] > 0 ? x->segments * e->each[like] / e->of[like] : 0;
}

/* A prospect exceeds what it lets hope by as much as the evaluated ones most like it do; other rows
 * are less alike. */
static double excess_of(const planner *p, const atn_prospect *x)
{
    const int length = atn_plan_estimate_length(p, x);
    for (int g = 0; g < GROUPS; g++) {
        const atn_plan_excess *const e = &p->like[g][x->group[g]];
        if (e->n > 0)
            return exp(e->sum / e->n) + wait_like(e, x, length) / x->hope;
    }
    return exp(p->every.sum / (p->every.n + STRANGE));
}

static bool ranks_share_hosts(const planner *p)
{
    return p->inside.b > 0 || (p->q.topo != NULL && atn_topo_hosts(p->q.topo) < p->q.p);
}

/* Rings are contention-free; what is hoped for if messages are forwarded inside hosts is not as
 * certain. */
static bool is_certain(const planner *p, int i)
{
    const bool forwards = p->r.v[i].choice.row->algo->klass == ATN_STORE_FORWARD;
    return p->probe[i].ring && !(forwards && ranks_share_hosts(p)) &&
           !atn_algo_level_is_row(p->r.v[i].choice.row->algo);
}

/* Those that seem to be the same are not looked at. */
static void take_doubles(planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    if (!atn_plan_is_job(p) || p->reduced || !x->sampled || !x->evaluated)
        return;
    for (int k = 0; k < p->r.n; k++) {
        atn_prospect *const y = &p->r.v[k];
        if (p->tried[k] || !is_double(x, y))
            continue;
        p->tried[k] = true;
        y->seconds = x->seconds;
        y->evaluated = true;
        y->beyond = x->beyond;
        y->reduced = x->reduced;
        p->r.evaluated++;
    }
}

static atn_status look(planner *p, int i)
{
    atn_prospect *x = &p->r.v[i];
    const int64_t kept = atn_plan_segment_reserve(p), before = p->budget;
    double seconds = 0;
    p->budget -= kept;
    const atn_status status = atn_plan_evaluate(p, i, &seconds);
    p->budget = (p->budget > 0 ? p->budget : 0) + kept;
    p->r.steps += before - p->budget;
    if (status == ATN_OK) {
        x->seconds = seconds;
        x->evaluated = true;
        p->r.evaluated++;
        p->best = fmin(p->best, seconds);
        learn(p, x);
    } else if (is_certain(p, i) && (p->in_order || atn_plan_choice_is_aware(&x->choice))) {
        x->seconds = fmax(x->hope, p->bound);
    } else {
        x->seconds = fmax(x->seconds, seconds); /* so far it got */
    }
    return status == ATN_MEMORY ? status : ATN_OK;
}

/* What was not evaluated is doubtful: where evaluations are exact, or ranks share hosts, above all
 * pipelines, whose traffic is known of few segments. */
static double doubt_about(const planner *p, const atn_prospect *x)
{
    const bool alone = p->like[WAY][x->group[WAY]].n == 0;
    const bool severe = !p->reduced || p->inside.b > 0;
    const bool unknown = p->sampled && !x->sampled && atn_plan_is_job(p) && !p->reduced;
    if (atn_plan_is_exact_job(p) && (unknown || atn_algo_level_is_row(x->choice.row->algo)))
        return 4; /* leaders are not part of forms */
    if (unknown || (atn_plan_is_exact_job(p) && x->segments > 1))
        return 2;
    return (alone && severe && x->segments > 1) || atn_plan_is_exact_job(p) ? 1.5 : 1.1;
}

/* Nothing is expected to be better than hoped for. */
static void judge_the_rest(planner *p)
{
    for (int i = 0; i < p->r.n; i++) {
        atn_prospect *const x = &p->r.v[i];
        const bool certain = is_certain(p, i) && p->like[WAY][x->group[WAY]].n == 0;
        const double factor = certain ? 1 : fmax(1, excess_of(p, x)) * doubt_about(p, x);
        if (!x->evaluated)
            x->seconds = fmax(x->seconds, fmax(x->hope, p->bound) * factor);
    }
}

/* ---- the same under two names ---- */

static int by_what_it_does(const void *a, const void *b)
{
    const atn_prospect *x = a, *y = b;
    if (x->does != y->does)
        return x->does > y->does ? -1 : 1;
    return atn_plan_is_simpler(&x->choice, &y->choice) ? -1 : 1;
}

/* Moves those behind the others whose ranks do the same as those of one with a simpler name. */
static void part_with_twins(atn_ranking *r)
{
    atn_prospect *const twins = r->n > 0 ? malloc((size_t)r->n * sizeof *twins) : NULL;
    int kept = 0;
    if (twins == NULL)
        return;
    qsort(r->v, (size_t)r->n, sizeof *r->v, by_what_it_does);
    for (int i = 0; i < r->n; i++)
        if (kept > 0 && r->v[i].does != 0 && r->v[i].does == r->v[kept - 1].does)
            twins[r->twins++] = r->v[i];
        else
            r->v[kept++] = r->v[i];
    memcpy(r->v + kept, twins, (size_t)r->twins * sizeof *twins);
    free(twins);
    r->n = kept;
    for (int i = kept; i < kept + r->twins; i++)
        r->evaluated -= r->v[i].evaluated;
}

/* All schedules of many ranks are too many, and so they are for the budget of jobs. */
static bool needs_miniature(const planner *p)
{
    return p->q.p > ATN_EXACT_RANKS || (p->q.p > ATN_SMALL_RANKS && atn_plan_is_job(p));
}

/* The more ranks, the more accurate; in a job more candidates are worth more. */
static int small_ranks(const planner *p)
{
    return atn_plan_is_job(p) ? ATN_JOB_RANKS : ATN_SMALL_RANKS;
}

/* Where all schedules might be evaluated, a miniature must save most of the work. */
static bool begin_miniature(planner *p)
{
    if (!needs_miniature(p) || !atn_plan_miniature_begin(&p->q, small_ranks(p), &p->mini))
        return false;
    if (p->q.p > ATN_EXACT_RANKS)
        return true;
    if (p->mini.q.p * 4 > p->q.p) {
        atn_plan_miniature_end(&p->mini);
        return false;
    }
    p->budget = p->whole = p->whole * 4 / 5;
    return true;
}

static bool counts_segments(const atn_choice *c)
{
    return c->row->algo->cost != NULL && atn_model_expr_names(c->row->algo->cost, "k");
}

/* Segments that a form does not count make all rounds each.  Where ranks have other partners and
 * shorter messages in each round, or divide messages into shares, their time cannot be extended
 * from a miniature to all ranks; where many more ranks follow, that of no algorithm can. */
static bool is_extendable(const planner *p, const atn_choice *c)
{
    const atn_algo *const algo = c->row->algo;
    return counts_segments(c) || atn_algo_segments(c->row, &p->q, &c->params) == 1 ||
           (p->q.p <= ATN_EXACT_RANKS && algo->klass != ATN_COORDINATED && !algo->shares);
}

/* Segments of levels are evaluated on all ranks, as far as any are, where ranks share hosts. */
static int keep_extendable(const planner *p, int n)
{
    const bool levels =
        atn_plan_check_applies(p) && p->q.topo != NULL && atn_topo_hosts(p->q.topo) < p->q.p;
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (is_extendable(p, &p->list[i]) ||
            (levels && atn_algo_level_is_row(p->list[i].row->algo)))
            p->list[kept++] = p->list[i];
    return kept;
}

/* In jobs only evaluated schedules are compared; with more time, all are, if ranks are few. */
static atn_status list_prospects(planner *p)
{
    const int64_t more = p->whole - atn_plan_budget(p->q.p);
    p->reduced = begin_miniature(p);
    const int64_t spare = p->reduced ? 0 : more;
    int n = p->q.bytes >= 0 ? atn_plan_candidates_within(&p->q, spare, &p->list) : 0;
    if (p->reduced && n > 0)
        n = keep_extendable(p, n);
    if (n >= 0) {
        p->r.v = calloc((size_t)n + 1, sizeof *p->r.v);
        p->probe = calloc((size_t)n + 1, sizeof *p->probe);
        p->stream = calloc((size_t)n + 1, sizeof *p->stream);
        p->tried = calloc(3 * (size_t)n + 1, sizeof *p->tried);
        p->seen = p->tried ? p->tried + 2 * (size_t)n : NULL;
        p->forms = calloc((size_t)n + 1, sizeof(atn_cost_form *));
        p->like[0] = calloc(GROUPS * ((size_t)n + 1), sizeof *p->like[0]);
    }
    if (!p->r.v || !p->probe || !p->stream || !p->tried || !p->forms || !p->like[0])
        n = -1;
    for (int g = 1; g < GROUPS && n >= 0; g++)
        p->like[g] = p->like[g - 1] + n + 1;
    p->listed = n;
    if (n >= 0)
        for (p->r.n = 0; p->r.n < n; p->r.n++)
            p->r.v[p->r.n].choice = p->list[p->r.n];
    return n >= 0 ? ATN_OK : ATN_MEMORY;
}

/* Rounds with tokens cannot be cut, so they take much of a budget; they rarely gain. */
static bool is_dearer(const planner *p, const atn_prospect *x)
{
    return atn_plan_is_exact_job(p) && p->like[WAY][x->group[WAY]].n > 0 &&
           atn_algo_params_get(x->choice.row, &x->choice.params, "sync", 0) > 0;
}

/* Those are spared whose form is worse than the best even if they kept as much more than their form
 * promises as the best of those looked at, and a bit. */
static bool is_open(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    return !p->tried[i] && p->probe[i].ops == 0 && !is_dearer(p, x) &&
           (p->relaxed || 0.9 * p->scale * atn_plan_estimate_least(p, x) < p->best) &&
           p->like[SHAPE][x->group[SHAPE]].n < TRIES;
}

/* What a prospect is expected to take.  Pipelines take several times as long to evaluate as others,
 * so they must promise more. */
static double expected(const planner *p, const atn_prospect *x)
{
    const double dear = x->segments > 1 && !atn_plan_prospect_is_stream(p, x) ? 1.15 : 1;
    const double unknown = p->sampled && !x->sampled && atn_plan_is_exact_job(p) ? 2 : 1;
    return x->hope * excess_of(p, x) * dear * unknown;
}

/* Not a pipeline; where all ranks are evaluated, neither of many rounds nor of many segments. */
static bool is_short(const planner *p, const atn_prospect *x)
{
    if (atn_plan_is_exact_job(p))
        return x->segments <= 1 ? x->rounds <= p->q.p / 2 : atn_plan_prospect_is_stream(p, x);
    return x->segments <= 1;
}

/* The one that is expected to be fastest; in jobs, unless that is far behind.  -1: none.
 * `pipelines`: may be one. */
static int most_promising(const planner *p, bool pipelines)
{
    double least = atn_plan_is_job(p) && !p->relaxed ? PROMISING * p->best : INFINITY;
    int found = -1;
    for (int i = 0; i < p->r.n; i++) {
        const bool considered = is_open(p, i) && (pipelines || is_short(p, &p->r.v[i]));
        const double seconds = considered ? expected(p, &p->r.v[i]) : INFINITY;
        if (seconds < least) {
            least = seconds;
            found = i;
        }
    }
    return found;
}

/* On many ranks that share hosts a pipeline may use up the budget: first one that does not. */
static int next_to_look_at(const planner *p)
{
    const bool dear = p->inside.b > 0 || atn_plan_is_exact_job(p);
    const int first = dear && p->r.evaluated == 0 ? most_promising(p, false) : -1;
    return first >= 0 ? first : most_promising(p, true);
}

/* On few ranks what is left of the budget suffices for some that promise less: messages may overlap
 * more, and share links less, than is expected of them. */
static bool may_relax(const planner *p)
{
    const int64_t spare = atn_plan_is_exact_job(p) ? p->whole / 2 : 0;
    return (p->reduced || atn_plan_is_exact_job(p)) && !p->relaxed && p->budget > spare &&
           p->q.p <= ATN_EXACT_RANKS;
}

/* Hardly anything can be better. */
static bool is_found(const planner *p)
{
    return atn_plan_is_exact_job(p) && p->best <= near_bound * p->bound;
}

static atn_status look_at_next(planner *p)
{
    const int64_t half = p->relaxed && atn_plan_is_exact_job(p) ? p->whole / 2 : 0;
    const int64_t segments = atn_plan_segment_reserve(p), spare = half > segments ? half : segments;
    int i = p->budget > spare && !is_found(p) ? next_to_look_at(p) : -1;
    if (i < 0 && may_relax(p) && !is_found(p)) {
        p->relaxed = true;
        i = next_to_look_at(p);
    }
    if (i < 0) {
        judge_the_rest(p);
        atn_plan_check_begin(p);
        p->next = CHECK;
        return ATN_OK;
    }
    p->tried[i] = true;
    const atn_status status = look(p, i);
    take_doubles(p, i);
    return status;
}

atn_planning *atn_plan_planning_begin(const atn_problem *q, const atn_machine *m,
                                      const atn_model *model, int64_t budget)
{
    planner *const p = calloc(1, sizeof *p);
    if (p)
        *p = (planner){.q = *q,
                       .m = m,
                       .model = model ? model : atn_plan_planner_model(m, q->topo, q->p),
                       .whole = budget,
                       .budget = budget,
                       .best = INFINITY,
                       .hoped = INFINITY,
                       .exact = INFINITY,
                       .scale = 1};
    return p;
}

static void step(planner *p)
{
    switch (p->next) {
    case LIST:
        p->status = list_prospects(p);
        p->next = FORMS;
        break;
    case FORMS:
        atn_plan_estimate_begin(p);
        p->next = TRAFFIC;
        break;
    case TRAFFIC:
        atn_plan_estimate_next(p);
        break;
    case LOOK:
        p->status = look_at_next(p);
        break;
    case CHECK:
        p->next = atn_plan_check_next(p) ? CHECK : SEGMENT;
        break;
    case SEGMENT:
        p->next = atn_plan_segment_improve(p) ? SEGMENT : DONE;
        break;
    case DONE:
        break;
    }
}

bool atn_plan_planning_step(atn_planning *p)
{
    atn_builder_pool_open();
    step(p);
    atn_builder_pool_close();
    if (p->status != ATN_OK)
        p->next = DONE;
    return p->next != DONE;
}

atn_status atn_plan_planning_end(atn_planning *p, atn_ranking *ranking_p, atn_error *err)
{
    const atn_status status = p->status;
    if (status == ATN_OK) {
        judge_the_rest(p);
        part_with_twins(&p->r);
        atn_plan_ranking_sort(&p->r);
        *ranking_p = p->r;
        p->r.v = NULL;
    }
    atn_plan_planning_drop(p);
    return status == ATN_OK ? ATN_OK : atn_fail(err, status, "out of memory");
}

static void free_parts(planner *p)
{
    for (int i = 0; p->forms && i < p->listed; i++)
        atn_plan_form_close(p->forms[i]);
    for (int i = 0; p->stream && i < p->listed; i++) {
        if (p->stream[i])
            atn_plan_trial_free(p->stream[i]);
        free(p->stream[i]);
    }
    for (int i = 0; i < PLACES; i++) {
        atn_plan_traffic_end(&p->place[i].traffic);
        atn_plan_miniature_end(&p->place[i].mini);
    }
    atn_plan_miniature_end(&p->mini);
}

void atn_plan_planning_drop(atn_planning *p)
{
    if (p) {
        free_parts(p);
        free(p->forms);
        free(p->list);
        free(p->r.v);
        free(p->probe);
        free(p->stream);
        free(p->tried);
        free(p->like[0]);
    }
    free(p);
}

atn_status atn_plan_planner_rank(const atn_problem *q, const atn_machine *m, const atn_model *model,
                                 int64_t budget, atn_ranking *ranking_p, atn_error *err)
{
    atn_planning *const p = atn_plan_planning_begin(q, m, model, budget);
    if (p == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_builder_pool_open();
    while (atn_plan_planning_step(p)) {
    }
    atn_builder_pool_close();
    return atn_plan_planning_end(p, ranking_p, err);
}

void atn_plan_ranking_sort(atn_ranking *r) { qsort(r->v, (size_t)r->n, sizeof *r->v, by_time); }

void atn_plan_ranking_free(atn_ranking *r)
{
    free(r->v);
    *r = (atn_ranking){.n = 0};
}
