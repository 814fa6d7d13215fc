/* planner_segment.c - see planner_private.h.
 *
 * Candidates have a few sizes of segments.  Between them, the best pipeline may have a better one:
 * it is searched with steps that the others have left. */
#include "plan/planner_private.h"
#include "plan/segment.h"

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

void atn_plan_segment_improve(planner *p)
{
    atn_prospect *const x = fastest(p);
    const int64_t most = p->whole / PART, left = p->budget < most ? p->budget : most;
    atn_segment_search s = {.q = &p->q,
                            .m = p->m,
                            .model = p->model,
                            .few = ATN_FEW_SEGMENTS,
                            .budget = left,
                            .tries = TRIED};
    double seconds = 0;

    if (p->reduced || x == NULL || !x->evaluated || x->segments <= 1 || left <= 0)
        return;
    atn_choice c = x->choice;
    const atn_status status = atn_plan_segment_refine(&s, &c, &seconds);
    p->r.steps += left - (s.budget > 0 ? s.budget : 0);
    seconds *= atn_plan_choice_doubt(&c);
    if (status == ATN_OK && seconds < worthwhile * x->seconds)
        adopt(p, x, &c, seconds);
}
