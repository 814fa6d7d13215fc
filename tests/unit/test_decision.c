/* test_verdict.c - why the native routine serves: nothing is called slower that was not tried, and
 * what is over budget says by how much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/tuner.h"

enum { NATIVE = 0, NATIVE_US = 10000, MOST = 4 };

typedef struct {
    atn_tuner *tuner;
    atn_budget account;
    int64_t elapsed_us, sums[2];
} game;

/* `predicted_us` of every candidate but native; 0: nothing is predicted. */
static void begin(game *g, const atn_tune_settings *s, int n, int predicted_us, int budget)
{
    atn_candidate list[MOST];
    for (int i = 0; i < n; i++)
        list[i] = (atn_candidate){.id = (uint64_t)i + 1, .predicted_ps = -1, .error = 300};
    for (int i = 1; i < n && predicted_us > 0; i++)
        list[i].predicted_ps = predicted_us * INT64_C(1000000);
    *g = (game){0};
    atn_budget_begin(&g->account, budget, s->agreement_ns);
    g->tuner = atn_tuner_new(s, &g->account, list, n, NATIVE, NATIVE, ATN_START_NATIVE, -1);
    assert_non_null(g->tuner);
}

static void assert_honest(const game *g)
{
    const atn_decision v = atn_tuner_decision(g->tuner);
    assert_true(v.tried >= 0 && v.tried <= v.of);
    if (v.is == ATN_DECISION_SLOWER)
        assert_true(v.tried > 0 && v.other_ps > 0 && v.native_ps > 0 && v.other != NATIVE);
    if (v.is == ATN_DECISION_PREDICTED)
        assert_int_equal(v.tried, 0);
    if (v.is == ATN_DECISION_WAITING)
        assert_true(v.cost_ns > v.left_ns);
    assert_int_equal(v.is == ATN_DECISION_SERVES, atn_tuner_incumbent(g->tuner) != NATIVE);
}

/* Calls that take `us` by candidate; times are agreed on at once. */
static atn_decision play(game *g, const int us[MOST], int calls)
{
    for (int i = 0; i < calls; i++) {
        const atn_step s = atn_tuner_step(g->tuner, ATN_TUNE_WEIGHT);
        const int timed = s.shadow >= 0 ? s.shadow : s.candidate;
        g->elapsed_us += us[s.candidate] + (s.shadow >= 0 ? us[timed] : 0);
        if (s.block >= 0)
            g->sums[s.block] += 1000 * (int64_t)us[timed];
        if (s.agree) {
            atn_tuner_feed(g->tuner, g->sums, 1000 * g->elapsed_us);
            memset(g->sums, 0, sizeof g->sums);
        }
        assert_honest(g);
    }
    return atn_tuner_decision(g->tuner);
}

static const int slower[MOST] = {NATIVE_US, 12 * NATIVE_US / 10, 13 * NATIVE_US / 10, NATIVE_US};
static const int faster[MOST] = {NATIVE_US, NATIVE_US / 2, NATIVE_US, NATIVE_US};

static void before_the_first_trial(void **state)
{
    (void)state;
    game g;
    begin(&g, &atn_tune_defaults, 3, 0, 20);
    const atn_decision v = atn_tuner_decision(g.tuner);
    assert_int_equal(v.is, ATN_DECISION_TRYING);
    assert_int_equal(v.tried, 0);
    assert_int_equal(v.of, 2);
    assert_int_equal(v.other, -1);
    atn_tuner_free(g.tuner);
}

/* Nothing is predicted, so a call may take twice as long: 10 ms more, for which 2 % of a short time
 * are not enough. */
static void over_budget(void **state)
{
    (void)state;
    game g;
    begin(&g, &atn_tune_defaults, 3, 0, 20);
    const atn_decision v = play(&g, slower, 10);
    assert_int_equal(v.is, ATN_DECISION_WAITING);
    assert_int_equal(v.tried, 0);
    assert_true(v.cost_ns >= 1000 * NATIVE_US && v.cost_ns < 2000 * NATIVE_US);
    assert_true(v.left_ns < v.cost_ns);
    atn_tuner_free(g.tuner);
}

/* What starting has cost is not left either. */
static void what_overhead_has_cost_is_not_left(void **state)
{
    (void)state;
    game g;
    begin(&g, &atn_tune_defaults, 3, 0, 20);
    const int64_t before = play(&g, slower, 10).left_ns;
    atn_budget_overhead(&g.account, 5000000);
    assert_int_equal(atn_tuner_decision(g.tuner).left_ns, before - 5000000);
    atn_tuner_free(g.tuner);
}

static void tried_and_slower(void **state)
{
    (void)state;
    game g;
    begin(&g, &atn_tune_defaults, 3, 0, 1000);
    const atn_decision v = play(&g, slower, 2000);
    assert_int_equal(v.is, ATN_DECISION_SLOWER);
    assert_int_equal(v.tried, 2);
    assert_int_equal(v.other, 1);
    assert_int_equal((v.other_ps - v.native_ps) * 1000 / v.native_ps, 200);
    atn_tuner_free(g.tuner);
}

static void predicted_to_be_slower(void **state)
{
    (void)state;
    game g;
    atn_tune_settings s = atn_tune_defaults;
    s.seen_ps = NATIVE_US * INT64_C(1000000); /* else it would be tried once */
    begin(&g, &s, 3, 3 * NATIVE_US, 1000);
    const atn_decision v = play(&g, slower, 500);
    assert_int_equal(v.is, ATN_DECISION_PREDICTED);
    assert_int_equal(v.tried, 0);
    assert_int_equal(v.of, 2);
    atn_tuner_free(g.tuner);
}

static void another_one_serves(void **state)
{
    (void)state;
    game g;
    begin(&g, &atn_tune_defaults, 3, NATIVE_US / 2, 1000);
    const atn_decision v = play(&g, faster, 500);
    assert_int_equal(v.is, ATN_DECISION_SERVES);
    assert_int_equal(v.other, 1);
    atn_tuner_free(g.tuner);
}

static void faster_but_results_must_not_change(void **state)
{
    (void)state;
    game g;
    atn_tune_settings s = atn_tune_defaults;
    s.shadow = true;
    begin(&g, &s, 3, NATIVE_US / 2, 1000);
    const atn_decision v = play(&g, faster, 500);
    assert_int_equal(v.is, ATN_DECISION_HELD);
    assert_int_equal(v.other, 1);
    assert_int_equal((v.native_ps - v.other_ps) * 1000 / v.native_ps, 500);
    atn_tuner_free(g.tuner);
}

static void star_tries_all(void **state)
{
    (void)state;
    game g;
    atn_tune_settings s = atn_tune_defaults;
    s.mode = ATN_TUNE_ALL;
    begin(&g, &s, 3, 0, 20);
    assert_int_equal(play(&g, slower, 15).is, ATN_DECISION_TRYING);
    const atn_decision v = play(&g, slower, 100);
    assert_int_equal(v.is, ATN_DECISION_SLOWER);
    assert_int_equal(v.tried, 2);
    atn_tuner_free(g.tuner);
}

/* `spare` and `pays` are two views of one condition. */
static void what_is_left_for_setting_up(void **state)
{
    (void)state;
    for (int64_t passed = 0; passed < 2000000000; passed += 70000000)
        for (int64_t cost = 0; cost < 30000000; cost += 1700000) {
            const int64_t before = 2000000, credit = 640000;
            const bool enough = atn_budget_spare(20, credit, before, passed) >= cost;
            assert_int_equal(enough, atn_budget_pays(20, credit, before + cost, passed) == 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_trial),
        cmocka_unit_test(over_budget),
        cmocka_unit_test(what_overhead_has_cost_is_not_left),
        cmocka_unit_test(tried_and_slower),
        cmocka_unit_test(predicted_to_be_slower),
        cmocka_unit_test(another_one_serves),
        cmocka_unit_test(faster_but_results_must_not_change),
        cmocka_unit_test(star_tries_all),
        cmocka_unit_test(what_is_left_for_setting_up),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
