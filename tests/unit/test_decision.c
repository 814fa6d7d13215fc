/* test_decision.c - why the native routine serves: SLOWER requires a measurement, and WAITING has
 * the missing amount. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/tuner.h"

enum { NATIVE = 0, NATIVE_US = 10000, MOST = 4 };

typedef struct {
    atn_tuner *tuner;
    atn_budget budget;
    int64_t elapsed_us, sums[2], stage[10 * ATN_TUNE_CANDIDATES];
} job;

/* `predicted_us` of every candidate but native; 0: nothing is predicted. */
static void begin(job *j, const atn_tune_settings *s, int n, int predicted_us, int budget)
{
    atn_candidate list[MOST];
    for (int i = 0; i < n; i++)
        list[i] = (atn_candidate){.id = (uint64_t)i + 1, .predicted_ps = -1, .error = 300};
    for (int i = 1; i < n && predicted_us > 0; i++)
        list[i].predicted_ps = predicted_us * INT64_C(1000000);
    *j = (job){0};
    atn_tune_budget_begin(&j->budget, budget, s->agreement_ns);
    j->tuner = atn_tune_tuner_new(s, &j->budget, list, n, NATIVE, NATIVE, ATN_START_NATIVE, -1);
    assert_non_null(j->tuner);
}

static void assert_consistent(const job *j)
{
    const atn_decision d = atn_tune_tuner_decision(j->tuner);
    assert_true(d.tried >= 0 && d.tried <= d.of);
    if (d.is == ATN_DECISION_SLOWER)
        assert_true(d.tried > 0 && d.other_ps > 0 && d.native_ps > 0 && d.other != NATIVE);
    if (d.is == ATN_DECISION_PREDICTED)
        assert_int_equal(d.tried, 0);
    if (d.is == ATN_DECISION_WAITING)
        assert_true(d.cost_ns > d.left_ns);
    assert_int_equal(d.is == ATN_DECISION_SERVES, atn_tune_tuner_incumbent(j->tuner) != NATIVE);
}

/* Calls that take `us` by candidate; times are agreed on at once. */
static atn_decision play(job *j, const int us[MOST], int calls)
{
    for (int i = 0; i < calls; i++) {
        const atn_step s = atn_tune_tuner_step(j->tuner, ATN_TUNE_WEIGHT);
        const int timed = s.shadow >= 0 ? s.shadow : s.candidate;
        j->elapsed_us += us[s.candidate] + (s.shadow >= 0 ? us[timed] : 0);
        if (s.block >= 0)
            j->sums[s.block] += 1000 * (int64_t)us[timed];
        if (s.sample >= 0)
            j->stage[s.sample] = 1000 * (int64_t)us[timed];
        if (s.agree && s.sample >= 0) {
            atn_tune_tuner_feed_stage(j->tuner, j->stage, 1000 * j->elapsed_us);
        } else if (s.agree) {
            atn_tune_tuner_feed(j->tuner, j->sums, 1000 * j->elapsed_us);
            memset(j->sums, 0, sizeof j->sums);
        }
        assert_consistent(j);
    }
    return atn_tune_tuner_decision(j->tuner);
}

static const int slower[MOST] = {NATIVE_US, 12 * NATIVE_US / 10, 13 * NATIVE_US / 10, NATIVE_US};
static const int faster[MOST] = {NATIVE_US, NATIVE_US / 2, NATIVE_US, NATIVE_US};

static void before_the_first_trial(void **state)
{
    (void)state;
    job j;
    begin(&j, &atn_tune_defaults, 3, 0, 20);
    const atn_decision d = atn_tune_tuner_decision(j.tuner);
    assert_int_equal(d.is, ATN_DECISION_TRYING);
    assert_int_equal(d.tried, 0);
    assert_int_equal(d.of, 2);
    assert_int_equal(d.other, -1);
    atn_tune_tuner_free(j.tuner);
}

/* Without a prediction a call may take twice as long: 10 ms more, which 2 % of a short time do not
 * cover. */
static void over_budget(void **state)
{
    (void)state;
    job j;
    begin(&j, &atn_tune_defaults, 3, 0, 20);
    const atn_decision d = play(&j, slower, 10);
    assert_int_equal(d.is, ATN_DECISION_WAITING);
    assert_int_equal(d.tried, 0);
    assert_true(d.cost_ns >= 1000 * NATIVE_US && d.cost_ns < 2000 * NATIVE_US);
    assert_true(d.left_ns < d.cost_ns);
    atn_tune_tuner_free(j.tuner);
}

/* The overhead of the start reduces what is left. */
static void overhead_reduces_what_is_left(void **state)
{
    (void)state;
    job j;
    begin(&j, &atn_tune_defaults, 3, 0, 20);
    const int64_t before = play(&j, slower, 10).left_ns;
    atn_tune_budget_overhead(&j.budget, 5000000);
    assert_int_equal(atn_tune_tuner_decision(j.tuner).left_ns, before - 5000000);
    atn_tune_tuner_free(j.tuner);
}

static void tried_and_slower(void **state)
{
    (void)state;
    job j;
    begin(&j, &atn_tune_defaults, 3, 0, 1000);
    const atn_decision d = play(&j, slower, 2000);
    assert_int_equal(d.is, ATN_DECISION_SLOWER);
    assert_int_equal(d.tried, 2);
    assert_int_equal(d.other, 1);
    assert_int_equal((d.other_ps - d.native_ps) * 1000 / d.native_ps, 200);
    atn_tune_tuner_free(j.tuner);
}

static void predicted_to_be_slower(void **state)
{
    (void)state;
    job j;
    atn_tune_settings s = atn_tune_defaults;
    s.seen_ps = NATIVE_US * INT64_C(1000000); /* else it would run once */
    begin(&j, &s, 3, 3 * NATIVE_US, 1000);
    const atn_decision d = play(&j, slower, 500);
    assert_int_equal(d.is, ATN_DECISION_PREDICTED);
    assert_int_equal(d.tried, 0);
    assert_int_equal(d.of, 2);
    atn_tune_tuner_free(j.tuner);
}

static void another_one_serves(void **state)
{
    (void)state;
    job j;
    begin(&j, &atn_tune_defaults, 3, NATIVE_US / 2, 1000);
    const atn_decision d = play(&j, faster, 500);
    assert_int_equal(d.is, ATN_DECISION_SERVES);
    assert_int_equal(d.other, 1);
    atn_tune_tuner_free(j.tuner);
}

static void faster_but_results_must_not_change(void **state)
{
    (void)state;
    job j;
    atn_tune_settings s = atn_tune_defaults;
    s.shadow = true;
    begin(&j, &s, 3, NATIVE_US / 2, 1000);
    const atn_decision d = play(&j, faster, 500);
    assert_int_equal(d.is, ATN_DECISION_HELD);
    assert_int_equal(d.other, 1);
    assert_int_equal((d.native_ps - d.other_ps) * 1000 / d.native_ps, 500);
    atn_tune_tuner_free(j.tuner);
}

static void star_tries_all(void **state)
{
    (void)state;
    job j;
    atn_tune_settings s = atn_tune_defaults;
    s.mode = ATN_TUNE_ALL;
    begin(&j, &s, 3, 0, 20);
    assert_int_equal(play(&j, slower, 15).is, ATN_DECISION_TRYING);
    const atn_decision d = play(&j, slower, 100);
    assert_int_equal(d.is, ATN_DECISION_SLOWER);
    assert_int_equal(d.tried, 2);
    atn_tune_tuner_free(j.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_trial),
        cmocka_unit_test(over_budget),
        cmocka_unit_test(overhead_reduces_what_is_left),
        cmocka_unit_test(tried_and_slower),
        cmocka_unit_test(predicted_to_be_slower),
        cmocka_unit_test(another_one_serves),
        cmocka_unit_test(faster_but_results_must_not_change),
        cmocka_unit_test(star_tries_all),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
