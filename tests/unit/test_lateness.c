/* test_lateness.c - arrival patterns, from the waiting times of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/lateness.h"

static void fill(const int64_t *waited, int p, atn_waited *m)
{
    for (int r = 0; r < p; r++)
        m[r] = (atn_waited){waited[r], 1000 + r};
}

/* The rank that waits least arrives last. */
static void the_rank_that_waits_least_is_last(void **state)
{
    const int64_t waited[] = {90000, 90500, 2000, 50000};
    atn_waited m[4];
    int late[4];

    (void)state;
    fill(waited, 4, m);
    assert_true(atn_plan_lateness_of(m, 4, late));
    assert_int_equal(late[0], 0);
    assert_int_equal(late[1], 0);
    assert_int_equal(late[2], 88);
    assert_int_equal(late[3], 40);
}

/* Differences of a few messages are noise. */
static void together(void **state)
{
    const int64_t waited[] = {5000, 3000, 2500, 4000, 6000};
    atn_waited m[5];
    int late[5] = {1, 1, 1, 1, 1};

    (void)state;
    fill(waited, 5, m);
    assert_false(atn_plan_lateness_of(m, 5, late));
    for (int r = 0; r < 5; r++)
        assert_int_equal(late[r], 0);
}

/* Clocks that are zero, run backwards or jump by hours. */
static void invalid_clocks(void **state)
{
    atn_waited m[] = {{0, 0}, {-5, -1}, {INT64_MAX, 0}};
    int late[3];

    (void)state;
    assert_true(atn_plan_lateness_of(m, 3, late));
    assert_int_equal(late[0], late[1]);
    assert_int_equal(late[2], 0);
    assert_true(late[0] > 0 && late[0] < 1 << 20);
    assert_false(atn_plan_lateness_of(m, 1, late));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rank_that_waits_least_is_last),
        cmocka_unit_test(together),
        cmocka_unit_test(invalid_clocks),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
