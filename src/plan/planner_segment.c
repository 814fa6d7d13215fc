/* planner_segment.c - see planner_private.h.
 *
 * Candidates have a few sizes of segments.  Between them, the best pipeline may have a better one:
 * it is searched with steps that the others have left. */
#include "plan/planner_private.h"

/* Sizes that are tried; the part of all steps that they may take; what makes a difference. */
enum { TRIED = 6, PART = 8 };
static const double worthwhile = 0.99;

static atn_prospect *fastest(planner *p)
{
    atn_prospect *best = NULL;
    for (int i = 0; i < p->r.n; i++)
        if (best == NULL || p->r.v[i].seconds < best->seconds)
            best = &p->r.v[i];
    return best;
}

/* Replaces its segment; a schedule of its own then. */
static void adopt(planner *p, atn_prospect *x, const atn_choice *c, double seconds)
{
    atn_problem q = p->q;
    double unused = 0;
    x->choice = *c;
    x->seconds = seconds;
    x->segments = q.segments = atn_algo_segments(c->row, &q, &c->params);
    const atn_form_terms terms = atn_plan_estimate_terms(p, x, &q, &p->all, &unused);
    x->latency = terms.latency;
    x->form = terms.latency + terms.bytes;
    x->does = 0;
}

static bool begin(planner *p)
{
    atn_prospect *const x = fastest(p);
    const int64_t most = p->whole / PART, left = p->budget < most ? p->budget : most;
    if (p->reduced || x == NULL || !x->evaluated || x->segments <= 1 || left <= 0)
        return false;
    p->improved = x;
    p->climb = (atn_segment_climb){.best = x->choice};
    p->search = (atn_segment_search){.q = &p->q,
                                     .m = p->m,
                                     .model = p->model,
                                     .few = ATN_FEW_SEGMENTS,
                                     .budget = left,
                                     .tries = TRIED};
    return true;
}

bool atn_plan_segment_improve(planner *p)
{
    if (p->improved == NULL && !begin(p))
        return false;
    const int64_t before = p->search.budget;
    const bool more = atn_plan_segment_step(&p->search, &p->climb);
    p->search.budget = p->search.budget > 0 ? p->search.budget : 0;
    p->r.steps += before - p->search.budget;
    const double seconds = p->climb.seconds * atn_plan_choice_doubt(&p->climb.best);
    if (!more && seconds > 0 && seconds < worthwhile * p->improved->seconds)
        adopt(p, p->improved, &p->climb.best, seconds);
    return more;
}
