/* segment.c - see segment.h.  The time of a pipeline has one minimum over the size of its segments:
 * short ones pay for more messages, long ones fill the pipeline later. */
#include "plan/segment.h"

#include <math.h>
#include <string.h>

#include "plan/planner.h"

/* Sizes are multiples of this. */
enum { GRAIN = 256, LEAST = 1024 };
/* What is expected to gain less is not tried, nor what is nearer to a known size. */
static const double worthwhile = 0.997, apart = 1.25;

static int index_of_segment(const atn_row *row)
{
    const atn_param *list[ATN_MAX_PARAMS];
    for (int i = atn_algo_row_params(row, list) - 1; i >= 0; i--)
        if (strcmp(list[i]->name, "segment") == 0)
            return i;
    return -1;
}

bool atn_plan_segment_applies(const atn_row *row) { return index_of_segment(row) >= 0; }

double atn_plan_segment_size(const atn_choice *choice)
{
    const int at = index_of_segment(choice->row);
    return at >= 0 ? (double)choice->params.v[at] : 0;
}

static int64_t round_size(double size)
{
    const int64_t grains = llround(size / GRAIN);
    return grains * GRAIN > LEAST ? grains * GRAIN : LEAST;
}

static atn_choice with_size(const atn_choice *choice, int64_t size)
{
    atn_choice other = *choice;
    other.params.v[index_of_segment(choice->row)] = size;
    return other;
}

static atn_status evaluate(atn_segment_search *s, const atn_model_trial *t, double *seconds_p)
{
    atn_model_bounds bounds = {.until = INFINITY, .most = s->budget};
    const atn_model *const model =
        s->model ? s->model : atn_plan_planner_model(s->m, s->q->topo, s->q->p);
    const atn_status status = atn_plan_trial_time(t, s->m, model, &bounds, seconds_p, NULL);
    s->budget -= bounds.work > 0 ? bounds.work : (int64_t)t->part[0].g.n * ATN_STEPS_OP;
    return status == ATN_OK && bounds.work > bounds.most ? ATN_NOT_APPLICABLE : status;
}

static atn_status time_of(atn_segment_search *s, const atn_choice *c, double *seconds_p)
{
    atn_model_trial t;
    atn_trial_probe probe;
    if (s->tries-- <= 0)
        return ATN_NOT_APPLICABLE;
    if (s->time != NULL)
        return s->time(s->context, c, seconds_p);
    atn_status status = atn_plan_trial_make(c, s->q, s->few, &s->budget, &t, &probe, NULL);
    if (status != ATN_OK)
        return status;
    status = evaluate(s, &t, seconds_p);
    atn_plan_trial_free(&t);
    return status;
}

/* Whether a size divides the message into another number of segments than that of the choice. */
static bool is_new(const atn_segment_search *s, const atn_choice *choice, double size)
{
    const atn_choice other = with_size(choice, round_size(size));
    return size >= LEAST && size < (double)s->q->bytes &&
           atn_algo_segments(other.row, s->q, &other.params) !=
               atn_algo_segments(choice->row, s->q, &choice->params);
}

/* Whether `size` is faster; it then replaces the choice. */
static bool improves(atn_segment_search *s, atn_choice *choice, int64_t size, double *seconds_p)
{
    const atn_choice other = with_size(choice, size);
    double seconds = 0;
    if (!is_new(s, choice, (double)size) || time_of(s, &other, &seconds) != ATN_OK ||
        !(seconds < *seconds_p))
        return false;
    *choice = other;
    *seconds_p = seconds;
    return true;
}

/* ---- near the best ---- */

/* The size at which t = a + b size + c / size through the three points is least; 0: hardly less. */
static double vertex(const atn_segment_climb *x)
{
    const atn_segment_point here = {atn_plan_segment_size(&x->best), x->seconds};
    const double s1 = x->shorter.size - here.size, s2 = x->longer.size - here.size;
    const double u1 = 1 / x->shorter.size - 1 / here.size, u2 = 1 / x->longer.size - 1 / here.size;
    const double t1 = x->shorter.seconds - here.seconds, t2 = x->longer.seconds - here.seconds;
    const double det = s1 * u2 - s2 * u1;
    const double b = (t1 * u2 - t2 * u1) / det, c = (s1 * t2 - s2 * t1) / det;
    if (!(b > 0) || !(c > 0))
        return 0;
    const double size = sqrt(c / b);
    const double least = here.seconds + b * (size - here.size) + c * (1 / size - 1 / here.size);
    return least < worthwhile * here.seconds ? size : 0;
}

/* Between the best and the known size on one side of it. */
static double between(const atn_segment_climb *x, const atn_segment_point *side)
{
    const double here = atn_plan_segment_size(&x->best);
    const double ratio = fmax(side->size / here, here / side->size);
    return isfinite(side->seconds) && ratio > apart * apart ? sqrt(here * side->size) : 0;
}

/* The next size to be tried; 0: none. */
static double next_size(const atn_segment_search *s, atn_segment_climb *x)
{
    const double here = atn_plan_segment_size(&x->best);
    atn_segment_point *const sides[] = {&x->shorter, &x->longer};
    for (int i = 0; i < 2; i++) {
        const double size = i == 0 ? here / 2 : here * 2;
        if (sides[i]->seconds > 0)
            continue;
        if (is_new(s, &x->best, size))
            return size;
        *sides[i] = (atn_segment_point){size, INFINITY};
    }
    const bool bracketed = isfinite(x->shorter.seconds) && isfinite(x->longer.seconds);
    const double size = bracketed ? vertex(x) : fmax(between(x, sides[0]), between(x, sides[1]));
    return is_new(s, &x->best, size) ? (double)round_size(size) : 0;
}

static void move(atn_segment_climb *x, const atn_choice *to, double seconds)
{
    const atn_segment_point here = {atn_plan_segment_size(&x->best), x->seconds};
    *(atn_plan_segment_size(to) < here.size ? &x->longer : &x->shorter) = here;
    x->best = *to;
    x->seconds = seconds;
}

static void try_size(atn_segment_search *s, atn_segment_climb *x, double size)
{
    const bool shorter = size < atn_plan_segment_size(&x->best);
    atn_segment_point *const side = shorter ? &x->shorter : &x->longer;
    const atn_choice other = with_size(&x->best, round_size(size));
    double seconds = 0;
    if (time_of(s, &other, &seconds) != ATN_OK)
        *side = (atn_segment_point){size, INFINITY};
    else if (seconds < x->seconds)
        move(x, &other, seconds);
    else
        *side = (atn_segment_point){size, seconds};
}

bool atn_plan_segment_step(atn_segment_search *s, atn_segment_climb *c)
{
    if (!atn_plan_segment_applies(c->best.row) || s->tries <= 0 || s->budget <= 0)
        return false;
    if (!(c->seconds > 0))
        return time_of(s, &c->best, &c->seconds) == ATN_OK && atn_plan_segment_size(&c->best) > 0;
    const double size = next_size(s, c);
    if (size > 0)
        try_size(s, c, size);
    return size > 0;
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
