/* test_allowance.c - how the time of a search is divided among its problems. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tune/allowance.h"

enum { MOST = 8 };
static const double small = 1e-9;

/* Problems that each use a part of their share; `got`: the shares.  Returns the time used. */
static double spend(double seconds, const int64_t *bytes, int n, double part, double got[MOST])
{
    atn_allowance a = {.seconds = seconds};
    double spent = 0;
    for (int i = 0; i < n; i++)
        atn_tune_allowance_expect(&a, bytes[i]);
    for (int i = 0; i < n; i++) {
        atn_tune_allowance_begin(&a, bytes[i]);
        got[i] = atn_tune_allowance_share(&a, spent, bytes[i]);
        spent += part * got[i];
    }
    return spent;
}

static void equal_problems_get_equal_parts(void **state)
{
    (void)state;
    const int64_t bytes[] = {4096, 4096, 4096, 4096, 4096};
    double got[MOST];
    assert_float_equal(spend(60, bytes, 5, 1, got), 60, small);
    for (int i = 0; i < 5; i++)
        assert_float_equal(got[i], 12, small);
}

static void all_time_is_used_in_any_order(void **state)
{
    (void)state;
    const int64_t up[] = {0, 1024, 65536, 1 << 20, 1 << 30}, mixed[] = {1 << 20, 8, 1 << 30, 0};
    double got[MOST];
    assert_float_equal(spend(600, up, 5, 1, got), 600, 1e-6);
    for (int i = 1; i < 5; i++)
        assert_true(got[i] > got[i - 1]);
    assert_float_equal(got[3] / got[1], sqrt(((1 << 20) + 1024) / 2048.0), 1e-6);
    assert_float_equal(spend(600, mixed, 4, 1, got), 600, 1e-6);
}

static void what_is_left_over_goes_to_those_that_follow(void **state)
{
    (void)state;
    const int64_t bytes[] = {1024, 1024, 1024};
    double got[MOST];
    assert_float_equal(spend(30, bytes, 3, 0.5, got), 5 + 6.25 + 9.375, small);
    assert_float_equal(got[0], 10, small);
    assert_float_equal(got[1], 12.5, small);
    assert_float_equal(got[2], 18.75, small);
}

/* A size between two others, for a crossing point, leaves their part to those still to come. */
static void unexpected_problems_are_one_more(void **state)
{
    (void)state;
    atn_allowance a = {.seconds = 10};
    assert_float_equal(atn_tune_allowance_share(&a, 4, 1 << 20), 6, small);
    atn_tune_allowance_expect(&a, 4096);
    atn_tune_allowance_expect(&a, 4096);
    assert_float_equal(atn_tune_allowance_share(&a, 4, 4096), 2, small);
    assert_float_equal(atn_tune_allowance_share(&a, 4, 4096), 2, small);
}

static void time_that_is_over(void **state)
{
    (void)state;
    atn_allowance a = {.seconds = 10};
    atn_tune_allowance_expect(&a, 4096);
    assert_true(atn_tune_allowance_share(&a, 10, 4096) == 0);
    assert_true(atn_tune_allowance_share(&a, 11, 4096) == 0);
}

static void no_limit(void **state)
{
    (void)state;
    atn_allowance a = {.seconds = 0};
    atn_tune_allowance_expect(&a, 4096);
    assert_true(isinf(atn_tune_allowance_share(&a, 0, 4096)));
    assert_true(isinf(atn_tune_allowance_share(&a, 1e9, 4096)));
}

/* Sums of square roots do not come back to zero by themselves. */
static void weights_never_fall_below_nothing(void **state)
{
    (void)state;
    atn_allowance a = {.seconds = 10};
    for (int64_t i = 0; i < 1000; i++)
        atn_tune_allowance_expect(&a, 3 * i);
    for (int64_t i = 0; i < 1000; i++)
        atn_tune_allowance_begin(&a, 3 * i);
    atn_tune_allowance_begin(&a, 5);
    assert_true(a.weights >= 0);
    assert_true(atn_tune_allowance_share(&a, 0, 7) <= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_problems_get_equal_parts),
        cmocka_unit_test(all_time_is_used_in_any_order),
        cmocka_unit_test(what_is_left_over_goes_to_those_that_follow),
        cmocka_unit_test(unexpected_problems_are_one_more),
        cmocka_unit_test(time_that_is_over),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(weights_never_fall_below_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
