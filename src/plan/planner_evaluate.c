/* planner_evaluate.c - see planner_private.h: the schedules of one prospect, on the ranks that are
 * seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/planner_private.h"

/* What was found out about one like it; NULL: nothing yet. */
static const atn_trial_probe *probe_like(const planner *p, int i)
{
    const atn_trial_probe *const size = &p->r.v[i].size;
    for (int k = 0; k < i; k++)
        if (p->probe[k].ops > 0 && atn_plan_prospect_is_like(&p->r.v[k], &p->r.v[i]))
            return &p->probe[k];
    return size->ops > 0 ? size : NULL;
}

int atn_plan_few_segments(const planner *p)
{
    const bool many = p->q.p > ATN_SMALL_RANKS && p->whole <= atn_plan_budget(p->q.p);
    return p->reduced || many ? ATN_SMALL_SEGMENTS : ATN_FEW_SEGMENTS;
}

/* Whether it is not worth being built to see that it is too large. */
static bool is_too_large(planner *p, int i)
{
    const atn_choice *const c = &p->r.v[i].choice;
    if (atn_plan_has_many_phases(p, c)) {
        p->probe[i].ring = true;
        return true;
    }
    const atn_trial_probe *const like = probe_like(p, i);
    const int64_t third = p->whole / 3; /* others want to be seen, too */
    const int64_t most = p->budget < third ? p->budget : third;
    const atn_problem q = atn_plan_problem_seen(p, &p->r.v[i]);
    const int segments = atn_algo_segments(c->row, &q, &c->params);
    if (!like || atn_plan_trial_steps(like, segments, atn_plan_few_segments(p),
                                      atn_plan_ranks_seen(p)) <= most)
        return false;
    p->probe[i] = *like;
    return true;
}

/* Evaluated before under another name; NULL: not yet. */
static const atn_prospect *twin_of(const planner *p, int i)
{
    for (int k = 0; k < i; k++)
        if (p->r.v[k].evaluated && p->r.v[k].does == p->r.v[i].does)
            return &p->r.v[k];
    return NULL;
}

static atn_status run_model(planner *p, int i, const atn_model_trial *t, double until,
                            double *seconds_p)
{
    atn_model_bounds bounds = {.until = until};
    const int64_t most = p->q.p > 16 ? p->whole / 2 : p->whole; /* one must not take it all */
    bounds.most = p->budget < most ? p->budget : most;
    const atn_status status = atn_plan_trial_time(t, p->m, p->model, &bounds, seconds_p, NULL);
    p->budget -= bounds.work > 0 ? bounds.work : (int64_t)t->part[0].g.n * ATN_STEPS_OP;
    p->r.v[i].beyond = bounds.stopped && bounds.work <= bounds.most;
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

/* What takes twice as long as the best is of no interest. */
static atn_status time_all(planner *p, int i, const atn_model_trial *t, double *seconds_p)
{
    atn_prospect *const x = &p->r.v[i];
    x->does = atn_plan_trial_hash(t);
    const atn_prospect *const twin = twin_of(p, i);
    if (twin != NULL) {
        *seconds_p = twin->seconds;
        x->beyond = twin->beyond;
        return ATN_OK;
    }
    const atn_status status = run_model(p, i, t, t->cut ? INFINITY : 2 * p->best, seconds_p);
    *seconds_p *= atn_plan_choice_doubt(&x->choice);
    x->does = status == ATN_OK ? x->does : 0;
    return status;
}

/* The forms of a prospect on the miniature and on all ranks.  Where traffic differs between them,
 * they have it. */
static atn_form_terms terms_seen(planner *p, const atn_prospect *x)
{
    atn_problem q = atn_plan_problem_seen(p, x);
    q.segments = atn_algo_segments(x->choice.row, &q, &x->choice.params);
    atn_form_terms few = atn_plan_estimate_terms(p, x, &q, &p->few, NULL);
    atn_traffic_factors f = {.overlap = x->overlap, .bytes = 1};
    if (x->traffic > 0 && !atn_plan_prospect_is_free(p, x))
        atn_plan_estimate_traffic(p, x, FEW, &f);
    return (atn_form_terms){few.latency * f.overlap, few.bytes * f.bytes};
}

static atn_form_terms terms_hoped(const atn_prospect *x)
{
    return (atn_form_terms){x->latency * x->overlap,
                            (x->form - x->latency) * (x->traffic > 0 ? x->traffic : 1)};
}

/* Where data come from the root and partners change in each round, ranks have more partners the
 * more ranks there are, and wait for them: such pipelines took up to 1.6 times as long on 256 ranks
 * as extrapolated; on 64 also those that reduce, 1.4 times as long. */
static double doubt_of_few(const planner *p, const atn_prospect *x)
{
    const unsigned flags = atn_sched_operation_get(p->q.op)->flags;
    const bool down = (flags & (ATN_ROOTED | ATN_DST_AT_ROOT)) == ATN_ROOTED;
    const bool waits = down || p->q.p <= ATN_EXACT_RANKS;
    const bool changes = x->choice.row->algo->klass == ATN_COORDINATED && x->segments > 1;
    return atn_plan_choice_doubt(&x->choice) * (waits && changes ? 1.25 : 1);
}

/* Few ranks may do the same where more would not, so there are no twins. */
static atn_status time_few(planner *p, int i, const atn_model_trial *t, double *seconds_p)
{
    const atn_prospect *const x = &p->r.v[i];
    const atn_form_terms few = terms_seen(p, x), all = terms_hoped(x);
    const bool known = few.latency + few.bytes > 0;
    const double until = known && isfinite(p->best) && !t->stream
                             ? atn_plan_miniature_reduce(&few, &all, 2 * p->best)
                             : INFINITY;
    double seconds = 0;
    const atn_status status = run_model(p, i, t, until, &seconds);
    *seconds_p =
        doubt_of_few(p, x) * (known ? atn_plan_miniature_extend(&few, &all, seconds) : seconds);
    *seconds_p = fmax(*seconds_p, p->bound);
    p->r.v[i].reduced = status == ATN_OK;
    return status;
}

bool atn_plan_prospect_is_stream(const planner *p, const atn_prospect *x)
{
    const bool few = atn_plan_is_job(p) && p->q.p > ATN_JOB_RANKS && p->q.p <= ATN_EXACT_RANKS;
    return few && x->segments > 2 && x->choice.row->algo->klass != ATN_COORDINATED &&
           strcmp(p->model->name, "links") == 0;
}

static atn_status evaluate_stream(planner *p, int i, double *seconds_p)
{
    const atn_prospect *const x = &p->r.v[i];
    const atn_problem q = atn_plan_problem_seen(p, x);
    atn_model_trial **const of_shape = &p->stream[x->group[SHAPE]];
    *of_shape = *of_shape ? *of_shape : calloc(1, sizeof **of_shape);
    atn_model_trial *const t = *of_shape;
    atn_status status = ATN_OK;
    if (!t)
        return ATN_MEMORY;
    if (t->nparts > 0)
        atn_plan_trial_resize(t, &x->choice, &q);
    else
        status = atn_plan_trial_make_stream(&x->choice, &q, &p->budget, t, &p->probe[i], NULL);
    if (status != ATN_OK)
        return status;
    if (p->reduced)
        return time_few(p, i, t, seconds_p);
    status = run_model(p, i, t, INFINITY, seconds_p);
    *seconds_p *= atn_plan_choice_doubt(&x->choice);
    return status;
}

/* Steps for the schedules of one prospect; to evaluate them takes as long again, or longer. */
static int64_t share_of(const planner *p)
{
    const int64_t third = p->whole / 3;
    return atn_plan_is_exact_job(p) && p->budget > third ? third : p->budget;
}

/* In a job, few rounds stand for many. */
static bool may_be_brief(const planner *p)
{
    return atn_plan_is_job(p) && strcmp(p->model->name, "links") == 0;
}

atn_status atn_plan_evaluate(planner *p, int i, double *seconds_p)
{
    const atn_choice *const c = &p->r.v[i].choice;
    const atn_problem q = atn_plan_problem_seen(p, &p->r.v[i]);
    atn_model_trial t;
    if (atn_plan_prospect_is_stream(p, &p->r.v[i]))
        return evaluate_stream(p, i, seconds_p);
    if (is_too_large(p, i))
        return ATN_NOT_APPLICABLE;
    const int64_t before = share_of(p);
    int64_t left = before;
    atn_status status = (may_be_brief(p) ? atn_plan_trial_make_brief : atn_plan_trial_make)(
        c, &q, atn_plan_few_segments(p), &left, &t, &p->probe[i], NULL);
    p->budget -= before - left;
    if (status != ATN_OK)
        return status;
    status = p->reduced ? time_few(p, i, &t, seconds_p) : time_all(p, i, &t, seconds_p);
    atn_plan_trial_free(&t);
    return status;
}
