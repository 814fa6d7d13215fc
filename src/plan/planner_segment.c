/* planner_segment.c - see planner_private.h.
 *
 * Candidates have a few sizes of segments.  Between them, the best pipeline may have a better one:
 * it is searched with steps that the others have left. */
#include <math.h>

#include "plan/planner_private.h"

/* Sizes that are tried; the part of all steps that they may take; what makes a difference. */
enum { TRIED = 6, PART = 8 };
static const double worthwhile = 0.99;

static int fastest(const planner *p)
{
    int best = -1;
    for (int i = 0; i < p->r.n; i++)
        if (best < 0 || p->r.v[i].seconds < p->r.v[best].seconds)
            best = i;
    return best;
}

static int fastest_evaluated(const planner *p)
{
    int best = -1;
    for (int i = 0; i < p->r.n; i++)
        if (p->r.v[i].evaluated && (best < 0 || p->r.v[i].seconds < p->r.v[best].seconds))
            best = i;
    return best;
}

int64_t atn_plan_segment_reserve(const planner *p)
{
    const int i = atn_plan_is_job(p) ? fastest_evaluated(p) : -1;
    return i >= 0 && p->r.v[i].segments > 1 ? p->whole / PART : 0;
}

/* The same with other segments: what depends on them. */
static void resegment(planner *p, atn_prospect *x, const atn_choice *c)
{
    atn_problem q = p->q;
    x->choice = *c;
    x->segments = q.segments = atn_algo_segments(c->row, &q, &c->params);
    const atn_form_terms terms = atn_plan_estimate_terms(p, x, &q, &p->all, NULL);
    x->latency = terms.latency;
    x->form = terms.latency + terms.bytes;
    x->does = 0;
}

/* In the place behind all prospects, as they are evaluated. */
static atn_status time_of(void *context, const atn_choice *c, double *seconds_p)
{
    planner *const p = context;
    const int spare = p->r.n;
    const int64_t before = p->budget;
    p->r.v[spare] = *p->improved;
    p->probe[spare] = (atn_trial_probe){.ops = 0};
    resegment(p, &p->r.v[spare], c);
    const atn_status status = atn_plan_evaluate(p, spare, seconds_p);
    p->budget = p->budget > 0 ? p->budget : 0;
    p->search.budget = p->budget;
    p->r.steps += before - p->budget;
    return status;
}

/* Other sizes of the same pipeline that were evaluated, next to its own. */
static void find_neighbours(planner *p, const atn_prospect *x)
{
    const double here = atn_plan_segment_size(&x->choice);
    for (int i = 0; i < p->r.n; i++) {
        const atn_prospect *const y = &p->r.v[i];
        const double size = atn_plan_segment_size(&y->choice);
        if (y->group[SHAPE] != x->group[SHAPE] || !y->evaluated || y->beyond || y->segments <= 1)
            continue;
        atn_segment_point *const side = size < here ? &p->climb.shorter : &p->climb.longer;
        if (size < here || size > here)
            if (!(side->seconds > 0) || fabs(size - here) < fabs(side->size - here))
                *side = (atn_segment_point){size, y->seconds};
    }
}

static bool begin(planner *p)
{
    const int i = fastest(p);
    const int64_t most = p->whole / PART;
    atn_prospect *const x = i >= 0 ? &p->r.v[i] : NULL;
    p->budget = p->budget < most ? p->budget : most;
    if (x == NULL || x->segments <= 1 || p->budget <= 0 ||
        (!x->evaluated && (p->reduced || !atn_plan_prospect_is_stream(p, x))))
        return false;
    p->improved = x;
    const bool known = x->evaluated && !x->confirmed;
    p->confirmed = x->confirmed ? 0 : 1; /* 0: not known yet */
    p->climb = (atn_segment_climb){.best = x->choice, .seconds = known ? x->seconds : 0};
    if (!x->confirmed)
        find_neighbours(p, x);
    p->search = (atn_segment_search){
        .q = &p->q, .time = time_of, .context = p, .budget = p->budget, .tries = TRIED};
    return true;
}

/* What was confirmed on all ranks is searched on few of them; what was not evaluated before is
 * now. */
static void finish(planner *p, bool more)
{
    atn_prospect *const x = p->improved;
    if (!x->evaluated && p->climb.seconds > 0) {
        x->seconds = p->climb.seconds;
        x->evaluated = true;
        p->r.evaluated++;
    }
    if (!(p->confirmed > 0) && p->climb.seconds > 0)
        p->confirmed = x->seconds / p->climb.seconds;
    const double seconds = p->confirmed * p->climb.seconds;
    if (more || !(seconds > 0) || !(seconds < worthwhile * x->seconds))
        return;
    resegment(p, x, &p->climb.best);
    x->seconds = seconds;
}

bool atn_plan_segment_improve(planner *p)
{
    if (p->improved == NULL && !begin(p))
        return false;
    const bool more = atn_plan_segment_step(&p->search, &p->climb);
    finish(p, more);
    return more;
}
