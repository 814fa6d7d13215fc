/* test_node.c - do the ranks of a node share cores?  Nodes made up, and this one. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topo/node.h"

static atn_node node;
static atn_pus sets[16];

/* `cores` cores with `threads` hardware threads each, numbered as Linux does: first all first
 * threads. */
static void make_node(int cores, int threads)
{
    for (int i = 0; i < ATN_MAX_PUS; i++)
        node.core_of[i] = (int16_t)(i < cores * threads ? i % cores : i);
    node.quota = INT_MAX;
    memset(sets, 0, sizeof sets);
}

static void bind_to(int rank, int first, int last)
{
    for (int i = first; i <= last; i++)
        atn_pus_add(&sets[rank], i);
}

static void unbound(void **state)
{
    (void)state;
    make_node(4, 1);
    for (int r = 0; r < 5; r++)
        bind_to(r, 0, 3);
    assert_false(atn_node_crowded(&node, sets, 4));
    assert_true(atn_node_crowded(&node, sets, 5));
}

static void hardware_threads_share_a_core(void **state)
{
    (void)state;
    make_node(4, 2);
    for (int r = 0; r < 5; r++)
        bind_to(r, 0, 7);
    assert_false(atn_node_crowded(&node, sets, 4));
    assert_true(atn_node_crowded(&node, sets, 5));
}

static void bound_one_to_one(void **state)
{
    (void)state;
    make_node(4, 1);
    for (int r = 0; r < 4; r++)
        bind_to(r, r, r);
    assert_false(atn_node_crowded(&node, sets, 4));
}

static void two_bound_to_one_core(void **state)
{
    (void)state;
    make_node(8, 1);
    bind_to(0, 3, 3);
    bind_to(1, 3, 3);
    bind_to(2, 0, 7);
    assert_true(atn_node_crowded(&node, sets, 3));
}

static void job_confined_to_part(void **state)
{
    (void)state;
    make_node(8, 1);
    for (int r = 0; r < 3; r++)
        bind_to(r, 4, 5);
    assert_false(atn_node_crowded(&node, sets, 2));
    assert_true(atn_node_crowded(&node, sets, 3));
}

static void time_quota(void **state)
{
    (void)state;
    make_node(8, 1);
    node.quota = 2;
    for (int r = 0; r < 3; r++)
        bind_to(r, 0, 7);
    assert_false(atn_node_crowded(&node, sets, 2));
    assert_true(atn_node_crowded(&node, sets, 3));
}

static void this_node(void **state)
{
    (void)state;
    atn_node_read(&node);
    atn_pus_own(&sets[0]);
    int n = 0;
    for (int i = 0; i < ATN_MAX_PUS; i++)
        n += atn_pus_has(&sets[0], i);
    assert_true(n > 0);
    assert_true(node.quota > 0);
    assert_false(atn_node_crowded(&node, sets, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unbound),
        cmocka_unit_test(hardware_threads_share_a_core),
        cmocka_unit_test(bound_one_to_one),
        cmocka_unit_test(two_bound_to_one_core),
        cmocka_unit_test(job_confined_to_part),
        cmocka_unit_test(time_quota),
        cmocka_unit_test(this_node),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
