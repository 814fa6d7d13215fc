/* planner_check.c - see planner_private.h.
 *
 * What few ranks show is mostly near what all do, but not always: on hosts of many ranks several
 * messages of a tree leave each host, of which a miniature has few, and wide trees have more
 * children than a miniature has ranks.  So the candidates that seem best are evaluated on all
 * ranks, if these are not too many: those of rooted operations, whose short schedules take about a
 * millisecond; others take ten times as long to build.  Where no ranks share hosts, a miniature is
 * nearly right for pipelines, and only trees for eager messages are evaluated. */
#include <math.h>
#include <string.h>

#include "plan/planner_private.h"

/* Ranks up to which it is done; steps for each of them, and for trees only; what few ranks may be
 * wrong by; a factor for what was not confirmed where others were. */
enum { MOST_RANKS = 256, STEPS = 1600, STEPS_TREES = 1200 };
static const double margin = 1.15, doubt = 1.1;

static bool has_shared_hosts(const planner *p) { return p->inside.b > 0; }

void atn_plan_check_begin(planner *p)
{
    const bool rooted = (atn_sched_operation_get(p->q.op)->flags & ATN_ROOTED) != 0;
    const bool few = p->q.p > ATN_EXACT_RANKS && p->q.p <= MOST_RANKS;
    const int64_t each = has_shared_hosts(p) ? STEPS : STEPS_TREES;
    p->reserve = p->reduced && rooted && few ? each * p->q.p : 0;
    memset(p->tried, 0, sizeof *p->tried * (size_t)p->r.n);
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

static bool is_affordable(const planner *p, int i)
{
    const atn_prospect *const x = &p->r.v[i];
    const atn_trial_probe *const probe = probe_of(p, i);
    return probe->ops > 0 && !x->choice.row->algo->shares &&
           (has_shared_hosts(p) || is_short_tree(p, x)) &&
           atn_plan_trial_steps(probe, x->segments, ATN_SMALL_SEGMENTS, p->q.p) <= p->reserve;
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

static atn_status evaluate(planner *p, const atn_choice *c, double *seconds_p)
{
    atn_model_trial t;
    atn_trial_probe probe;
    atn_status status =
        atn_plan_trial_make(c, &p->q, ATN_SMALL_SEGMENTS, &p->reserve, &t, &probe, NULL);
    if (status != ATN_OK)
        return status;
    atn_model_bounds bounds = {.until = 2 * p->exact, .most = p->reserve};
    status = atn_plan_trial_time(&t, p->m, p->model, &bounds, seconds_p, NULL);
    p->reserve -= bounds.work;
    atn_plan_trial_free(&t);
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

static bool end(planner *p)
{
    for (int i = 0; i < p->r.n && isfinite(p->exact) && has_shared_hosts(p); i++)
        p->r.v[i].seconds *= p->r.v[i].evaluated && !p->r.v[i].reduced ? 1 : doubt;
    return false;
}

bool atn_plan_check_next(planner *p)
{
    const int i = next_to_check(p);
    const int64_t before = p->reserve;
    double seconds = 0;
    if (i < 0)
        return end(p);
    atn_prospect *const x = &p->r.v[i];
    p->tried[i] = true;
    if (evaluate(p, &x->choice, &seconds) == ATN_OK) {
        x->seconds = seconds * atn_plan_choice_doubt(&x->choice);
        x->reduced = false;
        p->r.evaluated += !x->evaluated;
        x->evaluated = true;
        p->exact = fmin(p->exact, x->seconds);
    } else {
        x->seconds *= doubt; /* too large to be confirmed */
    }
    p->r.steps += before - p->reserve;
    return true;
}
