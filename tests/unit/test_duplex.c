/* test_duplex.c - what is left of the pace of messages that meet, from what was seen of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/fit.h"

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

/* Messages take 80 ns a byte, and so much of the pace is left where two of them meet. */
static void see(atn_survey *s, int channel, const double left[SIZES])
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
        assert_int_equal(atn_survey_line(&s, head[i], &err), ATN_OK);
    observe(&s, ATN_OBS_COPY, -1, 1024, 1e-7);
    see(&s, 1, near_by);
    see(&s, 2, far);
    if (atn_fit_machine(&s, &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    atn_survey_free(&s);
    return m;
}

static void expect(const double near_by[SIZES], const double far[SIZES], double switched,
                   double core)
{
    atn_machine *m = fit(near_by, far);
    if (fabs(m->channel[1].duplex - switched) > 1e-3 || fabs(m->channel[2].duplex - core) > 1e-3)
        fail_msg("%g and %g", m->channel[1].duplex, m->channel[2].duplex);
    atn_machine_free(m);
}

/* Messages that happened not to hold each other up are outvoted by another channel. */
static void sizes_that_disagree_are_outvoted(void **state)
{
    (void)state;
    static const double half[] = {0.5, 0.5, 0.5};
    expect((const double[]){0.5, 0.95, 0.95}, half, 0.5, 0.5);
    expect(half, (const double[]){0.95, 0.66, 0.95}, 0.5, 0.5);
    expect((const double[]){0.5, 0.95, 0.95}, (const double[]){0.95, 0.5, 0.95}, 0.95, 0.95);
}

static void sizes_that_agree_are_believed(void **state)
{
    (void)state;
    static const double half[] = {0.5, 0.5, 0.5};
    expect((const double[]){0.91, 0.92, 0.9}, half, 0.91, 0.5);
    expect((const double[]){1.2, 1, 1.1}, half, 1, 0.5); /* never more than all of it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_disagree_are_outvoted),
        cmocka_unit_test(sizes_that_agree_are_believed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
