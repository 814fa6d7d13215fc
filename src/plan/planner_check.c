/* planner_check.c - see planner_private.h.
 *
 * What few ranks show is mostly near what all do, but not always: on hosts of many ranks several
 * messages of a tree leave each host, of which a miniature has few, and wide trees have more
 * children than a miniature has ranks.  So the candidates that seem best are evaluated on all
 * ranks, or on a miniature of the most that are affordable: those of rooted operations, whose short
 * schedules take about a millisecond; others take ten times as long to build.  Where no ranks share
 * hosts, a miniature is nearly right for pipelines, and only trees for eager messages are
 * evaluated. */
#include <math.h>
#include <string.h>

#include "algo/levels.h"
#include "plan/planner_private.h"

/* The most ranks; steps for each of them, and for trees only; what few ranks may be wrong by; a
 * factor for what was not confirmed where others were; what is left of the time of two levels if
 * segments overlap in them. */
enum { MOST_RANKS = 256, STEPS = 2600, STEPS_TREES = 2000 };
static const double margin = 1.15, doubt = 1.1, overlapped = 0.5;

static bool has_shared_hosts(const planner *p) { return p->inside.b > 0; }

bool atn_plan_check_applies(const planner *p)
{
    const bool rooted = (atn_sched_operation_get(p->q.op)->flags & ATN_ROOTED) != 0;
    return p->reduced && rooted;
}

/* The miniature that shows the traffic of more ranks; NULL: these are all. */
static const atn_miniature *many_of(const planner *p)
{
    const atn_miniature *const mini = &p->place[MANY].mini;
    return p->q.p > MOST_RANKS && mini->p > 0 ? mini : NULL;
}

static int ranks_of(const planner *p)
{
    const atn_miniature *const mini = many_of(p);
    return mini != NULL ? mini->q.p : p->q.p;
}

/* Nothing is known of segments of levels but what one segment takes. */
static void expect_overlap(const planner *p, atn_prospect *x)
{
    if (x->segments <= 1 || x->evaluated || !atn_algo_level_is_row(x->choice.row->algo))
        return;
    for (int i = 0; i < p->r.n; i++)
        if (p->r.v[i].group[SHAPE] == x->group[SHAPE] && p->r.v[i].segments == 1)
            x->seconds = overlapped * p->r.v[i].seconds;
}

void atn_plan_check_begin(planner *p)
{
    const int64_t each = has_shared_hosts(p) ? STEPS : STEPS_TREES;
    p->reserve = atn_plan_check_applies(p) && ranks_of(p) <= MOST_RANKS ? each * ranks_of(p) : 0;
    const int64_t left = p->budget - atn_plan_segment_reserve(p);
    if (p->q.p <= ATN_EXACT_RANKS && p->reserve > left)
        p->reserve = left; /* what is left */
    memset(p->tried, 0, sizeof *p->tried * (size_t)p->r.n);
    for (int i = 0; i < p->r.n && p->reserve > 0; i++)
        expect_overlap(p, &p->r.v[i]);
}

/* What was found out about it or one like it. */
static const atn_trial_probe *probe_of(const planner *p, int i)
{
    for (int k = 0; k < p->r.n && p->probe[i].ops == 0; k++)
        if (p->probe[k].ops > 0 && atn_plan_prospect_is_like(&p->r.v[k], &p->r.v[i]))
            return &p->probe[k];
    return &p->probe[i];
}

/* Long messages are pipelined, or divided. */
static bool is_short_tree(const planner *p, const atn_prospect *x)
{
    return x->segments <= 1 && x->choice.row->algo->klass == ATN_STORE_FORWARD &&
           (double)p->q.bytes < p->message.eager;
}

static bool is_worth_it(const planner *p, const atn_prospect *x)
{
    return has_shared_hosts(p) || is_short_tree(p, x);
}

static bool is_affordable(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    const atn_trial_probe *const probe = probe_of(p, i);
    return probe->ops > 0 && !x->choice.row->algo->shares && is_worth_it(p, x) &&
           atn_plan_trial_steps(probe, x->segments, ATN_SMALL_SEGMENTS, ranks_of(p)) * 3 / 2 <=
               p->reserve;
}

/* The one that seems fastest, unless it cannot be the fastest any more; -1: none. */
static int most_promising(const planner *p, bool pipelines)
{
    double least = margin * (pipelines ? p->exact : fmin(p->exact, p->best));
    int found = -1;
    for (int i = 0; i < p->r.n; i++) {
        const atn_prospect *const x = &p->r.v[i];
        if (p->tried[i] || !(x->seconds < least) || (!pipelines && x->segments > 1) ||
            !is_affordable(p, i))
            continue;
        least = x->seconds;
        found = i;
    }
    return found;
}

/* First those that cost little. */
static int next_to_check(const planner *p)
{
    const int i = p->reserve > 0 ? most_promising(p, false) : -1;
    return i >= 0 || p->reserve <= 0 ? i : most_promising(p, true);
}

static atn_problem problem_of(const planner *p, const atn_choice *c)
{
    const atn_miniature *const mini = many_of(p);
    return mini != NULL ? atn_plan_miniature_problem(mini, c) : p->q;
}

/* Traffic is that of the miniature in both. */
static double extend(planner *p, const atn_prospect *x, const atn_problem *q, double seconds)
{
    const double traffic = x->traffic > 0 ? x->traffic : 1;
    atn_problem cut = *q;
    if (many_of(p) == NULL)
        return seconds;
    cut.segments = x->segments;
    const atn_form_terms few = atn_plan_estimate_terms(p, x, &cut, &p->place[MANY].facts, NULL);
    const atn_form_terms here = {few.latency * x->overlap, few.bytes * traffic};
    const atn_form_terms all = {x->latency * x->overlap, (x->form - x->latency) * traffic};
    return here.latency + here.bytes > 0 ? atn_plan_miniature_extend(&here, &all, seconds)
                                         : seconds;
}

static atn_status evaluate(planner *p, const atn_prospect *x, double *seconds_p)
{
    const atn_problem q = problem_of(p, &x->choice);
    atn_model_trial t;
    atn_trial_probe probe;
    atn_status status =
        atn_plan_trial_make(&x->choice, &q, ATN_SMALL_SEGMENTS, &p->reserve, &t, &probe, NULL);
    if (status != ATN_OK)
        return status;
    atn_model_bounds bounds = {.until = 2 * p->exact, .most = p->reserve};
    double seconds = 0;
    status = atn_plan_trial_time(&t, p->m, p->model, &bounds, &seconds, NULL);
    p->reserve -= bounds.work;
    atn_plan_trial_free(&t);
    *seconds_p = extend(p, x, &q, seconds);
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

static bool end(planner *p)
{
    for (int i = 0; i < p->r.n && isfinite(p->exact); i++)
        if (is_worth_it(p, &p->r.v[i]) && !p->r.v[i].confirmed)
            p->r.v[i].seconds *= doubt;
    return false;
}

static bool equal(double x, double y) { return !(x < y || y < x); }

/* The same under another name, as far as few ranks and forms show. */
static bool is_same(const atn_prospect *x, const atn_prospect *y)
{
    return x->evaluated && y->evaluated && equal(x->seconds, y->seconds) &&
           equal(x->hope, y->hope) && equal(x->form, y->form);
}

static void confirm(planner *p, atn_prospect *x, double seconds)
{
    p->r.evaluated += !x->evaluated;
    x->seconds = seconds;
    x->reduced = many_of(p) != NULL;
    x->confirmed = true;
    x->evaluated = true;
    p->exact = fmin(p->exact, seconds);
}

bool atn_plan_check_next(planner *p)
{
    const int i = next_to_check(p);
    const int64_t before = p->reserve;
    double seconds = 0;
    if (i < 0)
        return end(p);
    const atn_prospect x = p->r.v[i];
    p->tried[i] = true;
    const bool ok = evaluate(p, &x, &seconds) == ATN_OK;
    if (ok)
        confirm(p, &p->r.v[i], seconds * atn_plan_choice_doubt(&x.choice));
    else
        p->r.v[i].seconds *= doubt; /* too large to be confirmed */
    for (int k = 0; k < p->r.n && ok; k++)
        if (!p->tried[k] && is_same(&p->r.v[k], &x)) {
            p->tried[k] = true;
            confirm(p, &p->r.v[k], p->r.v[i].seconds);
        }
    p->r.steps += before - p->reserve;
    if (p->q.p <= ATN_EXACT_RANKS)
        p->budget -= before - p->reserve;
    return true;
}
