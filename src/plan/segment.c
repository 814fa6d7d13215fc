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
enum { RATIOS = sizeof ratios / sizeof *ratios };

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

/* Whether the size was faster that is `ratio` times as long or as short. */
static bool try_next(atn_segment_search *s, atn_segment_climb *c)
{
    const int64_t size = c->best.params.v[index_of_segment(c->best.row)];
    const double by = c->shorter ? 1 / ratios[c->ratio] : ratios[c->ratio];
    return improves(s, &c->best, scaled(size, by), &c->seconds);
}

bool atn_plan_segment_step(atn_segment_search *s, atn_segment_climb *c)
{
    const int at = index_of_segment(c->best.row);
    if (at < 0 || c->ratio == RATIOS || s->tries <= 0 || s->budget <= 0)
        return false;
    if (!(c->seconds > 0))
        return time_of(s, &c->best, &c->seconds) == ATN_OK && c->best.params.v[at] > 0;
    const bool last = c->shorter || c->moved; /* the size in the other direction is known */
    c->moved = try_next(s, c);
    if (!c->moved) {
        c->ratio += last;
        c->shorter = !last;
    }
    return c->ratio < RATIOS;
}

atn_status atn_plan_segment_find(atn_segment_search *s, atn_choice *choice, double *seconds_p)
{
    const int at = index_of_segment(choice->row);
    atn_segment_climb c = {.best = *choice};
    if (at < 0)
        return ATN_NOT_APPLICABLE;
    c.best.params.v[at] = 0;
    const atn_status status = time_of(s, &c.best, &c.seconds);
    if (status != ATN_OK)
        return status;
    for (int64_t size = LEAST; size < s->q->bytes; size *= 2)
        improves(s, &c.best, size, &c.seconds);
    while (c.best.params.v[at] > 0 && atn_plan_segment_step(s, &c)) {
    }
    *choice = c.best;
    *seconds_p = c.seconds;
    return ATN_OK;
}
