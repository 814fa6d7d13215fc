/* test_here.c - names of locations, the processor's counter, pauses between polls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "plan/here.h"
#include "plan/rules.h"

static void layout(const char *synthetic, char out[ATN_HERE_ROOM])
{
    atn_topo *t = NULL;
    atn_error err = {0};
    assert_int_equal(atn_topo_load(synthetic, &t, &err), ATN_OK);
    assert_true(atn_plan_here_layout(t, out));
    atn_topo_free(t);
}

static void layouts_are_distinguished(void **state)
{
    (void)state;
    char a[ATN_HERE_ROOM], b[ATN_HERE_ROOM], none[ATN_HERE_ROOM];
    layout("2x2@100M", a);
    layout("2x2@100M", b);
    assert_string_equal(a, b);
    assert_memory_equal(a, "4x1-", 4);
    layout("2x2@100M;order=roundrobin", b);
    assert_string_not_equal(a, b);
    layout("2x2@1G", b);
    assert_string_not_equal(a, b);
    assert_true(atn_plan_here_layout(NULL, none));
    assert_string_equal(none, "any");
}

static void names_identify_sections_of_wisdom(void **state)
{
    (void)state;
    char machine[ATN_HERE_ROOM], name[ATN_HERE_ROOM];
    int64_t place;
    atn_plan_here_machine("Open MPI 4.1.4", machine);
    assert_memory_equal(machine, "open-mpi-4.1.4-", 15);
    assert_true(atn_plan_here_name(machine, NULL, name));
    assert_true(atn_plan_place_parse(name, &place));
    assert_true(place > 0);
}

static void ticks_advance(void **state)
{
    (void)state;
    atn_clock_start();
    const int64_t start = atn_ticks(), kernel = atn_clock_kernel_ns();
    while (atn_clock_kernel_ns() - kernel < 2000000)
        ;
    const int64_t ns = atn_ticks_ns(atn_ticks() - start);
    assert_true(ns >= 1900000);
    assert_int_equal(atn_ticks_ns(-5), 0);
}

static double simulated_s;
static double simulated_time(void) { return simulated_s; }

/* All clocks are those of a simulation, also if the processor's was started before. */
static void clock_of_a_simulation(void **state)
{
    (void)state;
    atn_clock_start();
    atn_clock_replace(simulated_time);
    simulated_s = 2.5;
    atn_clock_start();
    const int64_t start = atn_ticks();
    assert_int_equal(atn_clock_kernel_ns(), 2500000000);
    assert_int_equal(atn_clock_thread_ns(), 2500000000);
    assert_int_equal(atn_ticks_ns(atn_ticks() - start), 0);
    simulated_s = 2.75;
    assert_int_equal(atn_ticks_ns(atn_ticks() - start), 250000000);
    atn_clock_replace(NULL);
}

/* Polling with pauses for an event that occurs at some moment. */
static void pauses_are_a_fraction_of_the_wait(void **state)
{
    (void)state;
    const int64_t look_ns = 500, comes_ns[] = {1000, 50000, 51000, 3000000, INT64_C(100000000)};
    assert_int_equal(atn_pause_ns(0), 0);
    assert_int_equal(atn_pause_ns(50000), 0);
    for (size_t i = 0; i < sizeof comes_ns / sizeof *comes_ns; i++) {
        const int64_t comes = comes_ns[i];
        int64_t now = 0, looks = 0;
        for (; now < comes; looks++)
            now += look_ns + atn_pause_ns(now);
        assert_true(now - comes <= comes / 8 + look_ns);
        assert_true(now - comes <= 300000 + look_ns);
        assert_true(looks <= 200 + comes / 290000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_distinguished),
        cmocka_unit_test(names_identify_sections_of_wisdom),
        cmocka_unit_test(ticks_advance),
        cmocka_unit_test(clock_of_a_simulation),
        cmocka_unit_test(pauses_are_a_fraction_of_the_wait),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
