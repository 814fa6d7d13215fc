/* fit_shared.c - the parameters of the shared-memory transport from observations.
 *
 * Up to a segment, a message is copied into shared memory and out of it: T(m) = o + 2 L(m, 1), and
 * in a ring o + 2 L(m, tau).  A message whose receiver reads the sender's memory is one transfer:
 * T(m) = o' + S(m, tau).  The size from which on messages are transferred that way is where it is
 * faster for two ranks that send to each other. */
#include <math.h>

#include "model/fit_private.h"
#include "shm/board.h"
#include "shm/channel.h"

static double seen(const atn_survey *s, atn_obs_kind kind, int64_t bytes, int tau)
{
    return atn_model_survey_value(s, kind, 0, bytes, tau, NULL);
}

/* ---- tables ---- */

/* A table from one observation by a single transfer and one by several concurrent ones; both are
 * `trips` times the fixed part and `parts` transfers. */
typedef struct {
    const atn_survey *s;
    atn_obs_kind one, many;
    double trips, fixed, parts;
    const atn_cost_table *less; /* NULL, or a time that is not part of the transfer */
    atn_obs_kind rivals; /* with `less`: also several concurrent ones, without a fixed part */
} origin;

static double value_at(const origin *x, int64_t bytes, int tau)
{
    const double time =
        tau == 1 ? seen(x->s, x->one, bytes, 1) / x->trips : seen(x->s, x->many, bytes, tau);
    const double rivals = x->less && tau > 1 ? seen(x->s, x->rivals, bytes, tau) : 0;
    const double copied = bytes <= ATN_SHM_EXPOSED ? (double)bytes : 0; /* when it is exposed */
    const double less = x->less ? atn_model_table_time(x->less, copied, 1) : 0;
    const double whole = fmax(time - x->fixed, rivals);
    return time > 0 || rivals > 0 ? fmax(0, (whole - less) / x->parts) : -1;
}

/* The slowdown by concurrency at the nearest observed size, at least 1. */
static double slowdown(const origin *x, const int64_t *sizes, int n, int64_t bytes, int tau)
{
    double nearest = INFINITY, ratio = 1;
    for (int i = 0; i < n; i++) {
        const double one = value_at(x, sizes[i], 1), many = value_at(x, sizes[i], tau);
        const double far = fabs(log((double)sizes[i] + 1) - log((double)bytes + 1));
        if (one <= 0 || many < 0 || far >= nearest)
            continue;
        nearest = far;
        ratio = many / one;
    }
    return fmax(1, fmin(tau, ratio));
}

/* Disturbances make a transfer slower, never faster, and a larger one cannot take less time: each
 * value is at most that of the next size. */
static void bound_by_larger(atn_cost_table *t)
{
    for (int i = t->nsizes - 2; i >= 0; i--)
        for (int k = 0; k < t->ntaus; k++)
            t->v[i][k] = fmin(t->v[i][k], t->v[i + 1][k]);
}

static bool fit_table(const origin *x, atn_cost_table *t)
{
    int64_t sizes[ATN_FIT_POINTS];
    int taus[ATN_TABLE_TAUS];
    const int n = atn_model_fit_sizes(x->s, x->one, 0, 1, NULL, sizes);
    const atn_obs_kind kinds[] = {x->many, x->rivals};
    const int ntaus = atn_model_fit_taus(x->s, kinds, x->less ? 2 : 1, 0, NULL, taus);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        for (int k = 0; k < ntaus && ok; k++) {
            const double one = value_at(x, sizes[i], 1), many = value_at(x, sizes[i], taus[k]);
            const double v =
                many >= 0 ? fmax(one, many) : one * slowdown(x, sizes, n, sizes[i], taus[k]);
            ok = atn_model_table_put(t, sizes[i], taus[k], v);
        }
    bound_by_larger(t);
    return ok;
}

/* ---- messages ---- */

/* The least of all round trips of a kind, halved; 0: none. */
static double least_trip(const atn_survey *s, atn_obs_kind kind)
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(s, kind, 0, 1, NULL, sizes);
    double least = n > 0 ? seen(s, kind, sizes[0], 1) : 0;
    for (int i = 1; i < n; i++)
        least = fmin(least, seen(s, kind, sizes[i], 1));
    return least / 2;
}

/* Where the line of one observation crosses that of the other, between two sizes. */
static int64_t crossing(double low, double high, double before, double after)
{
    const double at = low + (high - low) * before / fmax(1e-15, before - after);
    return (int64_t)ceil(at / 64) * 64;
}

/* The size from which on a single copy is faster; 0: it never is. */
static int64_t find_limit(const atn_survey *s)
{
    int64_t sizes[ATN_FIT_POINTS], limit = 0;
    const int n = atn_model_fit_sizes(s, ATN_OBS_SHARED_RING_SINGLE, 0, 2, NULL, sizes);
    double before = 0;
    for (int i = 0; i < n; i++) {
        const double copies = seen(s, ATN_OBS_SHARED_RING_COPY, sizes[i], 2);
        const double more = seen(s, ATN_OBS_SHARED_RING_SINGLE, sizes[i], 2) - copies;
        if (copies <= 0)
            continue;
        if (more > 0)
            limit = 0;
        else if (limit == 0)
            limit = before > 0 ? crossing((double)sizes[i - 1], (double)sizes[i], before, more)
                               : sizes[i];
        before = more;
    }
    return limit;
}

static bool fit_messages(const atn_survey *s, atn_channel *c)
{
    const origin copies = {.s = s,
                           .one = ATN_OBS_SHARED_COPY,
                           .many = ATN_OBS_SHARED_RING_COPY,
                           .trips = 2,
                           .fixed = c->o_below,
                           .parts = 2};
    const origin single = {.s = s,
                           .one = ATN_OBS_SHARED_SINGLE,
                           .many = ATN_OBS_SHARED_RING_SINGLE,
                           .trips = 2,
                           .fixed = c->o_from,
                           .parts = 1};
    return fit_table(&copies, &c->transfer) && fit_table(&single, &c->single);
}

/* ---- exposures ---- */

static bool fit_exposures(const atn_survey *s, atn_channel *c)
{
    int64_t sizes[ATN_FIT_POINTS];
    const int n = atn_model_fit_sizes(s, ATN_OBS_EXPOSE, 0, 1, NULL, sizes);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = atn_model_table_put(&c->expose, sizes[i], 1, seen(s, ATN_OBS_EXPOSE, sizes[i], 1));
    /* The flag of a reader takes as long as an exposure without data. */
    const origin reads = {.s = s,
                          .one = ATN_OBS_EXPOSED,
                          .many = ATN_OBS_EXPOSED,
                          .trips = 1,
                          .fixed = seen(s, ATN_OBS_EXPOSED, 0, 1) / 2,
                          .parts = 1,
                          .less = &c->expose,
                          .rivals = ATN_OBS_EXPOSED_RING};
    return ok && fit_table(&reads, &c->exposed);
}

bool atn_model_fit_shared(const atn_survey *s, atn_machine *m)
{
    const double empty = least_trip(s, ATN_OBS_SHARED_COPY);
    atn_channel *const c = empty > 0 ? atn_model_machine_add_channel(m, "shared") : NULL;
    if (c == NULL)
        return empty <= 0;
    c->segment = atn_shm_chunk_bytes(2) / 2;
    c->eager = find_limit(s);
    c->o_below = empty;
    c->o_from = fmax(empty, least_trip(s, ATN_OBS_SHARED_SINGLE));
    atn_model_fit_quality(s, 0, true, c);
    return fit_messages(s, c) && fit_exposures(s, c);
}
