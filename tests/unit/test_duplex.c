/* test_duplex.c - the fraction of the rate under opposite traffic, fitted from observations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/fit_machine.h"

enum { SIZES = 3 };

static void observe(atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes, double v)
{
    const atn_observation o = {.kind = kind,
                               .channel = channel,
                               .bytes = bytes,
                               .tau = 1,
                               .samples = 10,
                               .what = "-",
                               .value = {v, v, v}};
    assert_true(atn_push(&s->seen, o));
}

/* Messages take 80 ns per byte, and opposite ones have the fraction `left` of the rate. */
static void observe_channel(atn_survey *s, int channel, const double left[SIZES])
{
    observe(s, ATN_OBS_ROUND_TRIP, channel, 1, 2 * 80e-9);
    for (int i = 0; i < SIZES; i++) {
        const int64_t bytes = 65536 << i;
        observe(s, ATN_OBS_ROUND_TRIP, channel, bytes, 2 * 80e-9 * (double)bytes);
        observe(s, ATN_OBS_EXCHANGE, channel, bytes, 80e-9 * (double)bytes / left[i]);
    }
}

static atn_machine *fit(const double near_by[SIZES], const double far[SIZES])
{
    static const char *const head[] = {"attune-survey 1", "job 4 2 0 00000000000000ff Some MPI 1.0",
                                       "channel memory",  "channel switch",
                                       "channel core",    "plan 3 1 00000000000000aa"};
    atn_survey s = {0};
    atn_machine *m = NULL;
    atn_error err = {0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        assert_int_equal(atn_model_survey_line(&s, head[i], &err), ATN_OK);
    observe(&s, ATN_OBS_COPY, -1, 1024, 1e-7);
    observe_channel(&s, 1, near_by);
    observe_channel(&s, 2, far);
    if (atn_model_fit_machine(&s, &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    atn_model_survey_free(&s);
    return m;
}

static void expect(const double near_by[SIZES], const double far[SIZES], double switched,
                   double core)
{
    atn_machine *m = fit(near_by, far);
    if (fabs(m->channel[1].duplex - switched) > 1e-3 || fabs(m->channel[2].duplex - core) > 1e-3)
        fail_msg("%g and %g", m->channel[1].duplex, m->channel[2].duplex);
    atn_model_machine_free(m);
}

/* Where sizes disagree, the median of all channels decides. */
static void disagreeing_sizes_use_the_median_of_all(void **state)
{
    (void)state;
    static const double half[] = {0.5, 0.5, 0.5};
    expect((const double[]){0.5, 0.95, 0.95}, half, 0.5, 0.5);
    expect(half, (const double[]){0.95, 0.66, 0.95}, 0.5, 0.5);
    expect((const double[]){0.5, 0.95, 0.95}, (const double[]){0.95, 0.5, 0.95}, 0.95, 0.95);
}

static void agreeing_sizes_are_used(void **state)
{
    (void)state;
    static const double half[] = {0.5, 0.5, 0.5};
    expect((const double[]){0.91, 0.92, 0.9}, half, 0.91, 0.5);
    expect((const double[]){1.2, 1, 1.1}, half, 1, 0.5); /* at most 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disagreeing_sizes_use_the_median_of_all),
        cmocka_unit_test(agreeing_sizes_are_used),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
