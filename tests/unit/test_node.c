/* test_node.c - oversubscription of simulated nodes and of this one. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
        atn_topo_pus_add(&sets[rank], i);
}

static void unbound(void **state)
{
    (void)state;
    make_node(4, 1);
    for (int r = 0; r < 5; r++)
        bind_to(r, 0, 3);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 4));
    assert_true(atn_topo_node_oversubscribed(&node, sets, 5));
}

static void hardware_threads_share_a_core(void **state)
{
    (void)state;
    make_node(4, 2);
    for (int r = 0; r < 5; r++)
        bind_to(r, 0, 7);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 4));
    assert_true(atn_topo_node_oversubscribed(&node, sets, 5));
}

static void bound_one_to_one(void **state)
{
    (void)state;
    make_node(4, 1);
    for (int r = 0; r < 4; r++)
        bind_to(r, r, r);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 4));
}

static void two_bound_to_one_core(void **state)
{
    (void)state;
    make_node(8, 1);
    bind_to(0, 3, 3);
    bind_to(1, 3, 3);
    bind_to(2, 0, 7);
    assert_true(atn_topo_node_oversubscribed(&node, sets, 3));
}

static void job_confined_to_part(void **state)
{
    (void)state;
    make_node(8, 1);
    for (int r = 0; r < 3; r++)
        bind_to(r, 4, 5);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 2));
    assert_true(atn_topo_node_oversubscribed(&node, sets, 3));
}

static void time_quota(void **state)
{
    (void)state;
    make_node(8, 1);
    node.quota = 2;
    for (int r = 0; r < 3; r++)
        bind_to(r, 0, 7);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 2));
    assert_true(atn_topo_node_oversubscribed(&node, sets, 3));
}

static void this_node(void **state)
{
    (void)state;
    atn_topo_pus_own(&sets[0]);
    atn_topo_node_read(&sets[0], &node);
    int n = 0;
    for (int i = 0; i < ATN_MAX_PUS; i++)
        n += atn_topo_pus_has(&sets[0], i);
    assert_true(n > 0);
    assert_true(node.quota > 0);
    assert_false(atn_topo_node_oversubscribed(&node, sets, 1));
}

/* ---- kernel files ---- */

static char folder[] = "/tmp/attune-cpus-XXXXXX";

static void put_file(int pu, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d", folder, pu);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/cpu%d/topology", folder, pu);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", folder, pu, name);
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", text);
    fclose(f);
}

static void forget(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Processors 0 and 2 are threads of a core, as are 1 and 3, by an old kernel; 4 and 5 share a
 * compute unit. */
static void kernel_lists(void **state)
{
    (void)state;
    static const char *const lists[] = {"0,2", "1,3", "0,2", "1,3", "4-5", "4-5"};
    static const char *const ids[] = {"0", "1", "0", "1", "2", "3"};
    static const int cores[] = {0, 1, 0, 1, 4, 5};
    int16_t core_of[ATN_MAX_PUS];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 6; i++) {
        put_file(i, i % 2 ? "thread_siblings_list" : "core_cpus_list", lists[i]);
        put_file(i, "core_id", ids[i]);
    }
    make_node(6, 1);
    bind_to(0, 0, 5);
    const bool found = atn_topo_node_cores(folder, &sets[0], core_of);
    bind_to(1, 0, 6);
    const bool too_much = atn_topo_node_cores(folder, &sets[1], node.core_of);
    forget();
    assert_true(found);
    for (int i = 0; i < 6; i++)
        assert_int_equal(core_of[i], cores[i]);
    assert_int_equal(core_of[6], 6);
    assert_false(too_much);
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
        cmocka_unit_test(kernel_lists),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
