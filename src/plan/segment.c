/* segment.c - see segment.h.  The time of a pipeline has one minimum over the size of its segments:
 * short ones pay for more messages, long ones fill the pipeline later. */
#include "plan/segment.h"

#include <math.h>
#include <string.h>

#include "plan/planner.h"
#include "plan/trial.h"

/* Sizes are multiples of this. */
enum { GRAIN = 256, LEAST = 1024 };
/* Factors between sizes: the roots of 2. */
static const double ratios[] = {1.41421356, 1.18920712, 1.09050773};

static int index_of_segment(const atn_row *row)
{
    const atn_param *list[ATN_MAX_PARAMS];
    for (int i = atn_algo_row_params(row, list) - 1; i >= 0; i--)
        if (strcmp(list[i]->name, "segment") == 0)
            return i;
    return -1;
}

bool atn_plan_segment_applies(const atn_row *row) { return index_of_segment(row) >= 0; }

static int64_t scaled(int64_t size, double by)
{
    const int64_t grains = llround((double)size * by / GRAIN);
    return grains * GRAIN > LEAST ? grains * GRAIN : LEAST;
}

static atn_status time_of(atn_segment_search *s, const atn_choice *c, double *seconds_p)
{
    atn_model_bounds bounds = {.until = INFINITY, .most = s->budget};
    atn_model_trial t;
    atn_trial_probe probe;
    if (s->tries-- <= 0)
        return ATN_NOT_APPLICABLE;
    atn_status status = atn_plan_trial_make(c, s->q, s->few, &s->budget, &t, &probe, NULL);
    if (status != ATN_OK)
        return status;
    const atn_model *const model =
        s->model ? s->model : atn_plan_planner_model(s->m, s->q->topo, s->q->p);
    status = atn_plan_trial_time(&t, s->m, model, &bounds, seconds_p, NULL);
    s->budget -= bounds.work > 0 ? bounds.work : (int64_t)t.part[0].g.n * ATN_STEPS_OP;
    atn_plan_trial_free(&t);
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

/* Whether `size` is faster; it then replaces the choice. */
static bool improves(atn_segment_search *s, atn_choice *choice, int64_t size, double *seconds_p)
{
    const int at = index_of_segment(choice->row);
    atn_choice other = *choice;
    double seconds = 0;
    other.params.v[at] = size;
    if (size == choice->params.v[at] || size >= s->q->bytes ||
        atn_algo_segments(other.row, s->q, &other.params) ==
            atn_algo_segments(choice->row, s->q, &choice->params) ||
        time_of(s, &other, &seconds) != ATN_OK || !(seconds < *seconds_p))
        return false;
    *choice = other;
    *seconds_p = seconds;
    return true;
}

/* Towards longer or shorter segments, as long as these are faster. */
static bool climb(atn_segment_search *s, atn_choice *choice, double by, double *seconds_p)
{
    const int at = index_of_segment(choice->row);
    bool any = false;
    while (improves(s, choice, scaled(choice->params.v[at], by), seconds_p))
        any = true;
    return any;
}

static void narrow(atn_segment_search *s, atn_choice *choice, double *seconds_p)
{
    if (choice->params.v[index_of_segment(choice->row)] == 0)
        return;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (!climb(s, choice, ratios[i], seconds_p))
            climb(s, choice, 1 / ratios[i], seconds_p);
}

atn_status atn_plan_segment_refine(atn_segment_search *s, atn_choice *choice, double *seconds_p)
{
    double seconds = 0;
    const atn_status status =
        atn_plan_segment_applies(choice->row) ? time_of(s, choice, &seconds) : ATN_NOT_APPLICABLE;
    if (status != ATN_OK)
        return status;
    narrow(s, choice, &seconds);
    *seconds_p = seconds;
    return ATN_OK;
}

atn_status atn_plan_segment_find(atn_segment_search *s, atn_choice *choice, double *seconds_p)
{
    const int at = index_of_segment(choice->row);
    atn_choice best = *choice;
    double seconds = 0;
    if (at < 0)
        return ATN_NOT_APPLICABLE;
    best.params.v[at] = 0;
    const atn_status status = time_of(s, &best, &seconds);
    if (status != ATN_OK)
        return status;
    for (int64_t size = LEAST; size < s->q->bytes; size *= 2)
        improves(s, &best, size, &seconds);
    narrow(s, &best, &seconds);
    *choice = best;
    *seconds_p = seconds;
    return ATN_OK;
}
