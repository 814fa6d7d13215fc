/* test_many_hosts.c - topologies of many hosts and of many groups of ranks: memory and time. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "topo/topo.h"

/* All ranks in order see the topology itself; it lives until the last holder frees it. */
static void a_group_of_all_ranks_shares_the_topology(void **unused)
{
    (void)unused;
    atn_topo *t = NULL;
    int ranks[] = {0, 1, 2, 3};
    assert_int_equal(atn_topo_load("2x2@100M;ranks=1", &t, NULL), ATN_OK);
    atn_topo *all = atn_topo_part(t, ranks, 4), *copy = atn_topo_sub(t, ranks, 4);
    assert_ptr_equal(all, t);
    assert_ptr_not_equal(copy, t);
    atn_topo_free(copy);
    atn_topo_free(t);
    assert_string_equal(all->nodes[all->node_of[3]].name, "n3");
    ranks[0] = 1;
    ranks[1] = 0;
    atn_topo *swapped = atn_topo_part(all, ranks, 4), *some = atn_topo_part(all, ranks, 3);
    assert_ptr_not_equal(swapped, all);
    assert_ptr_not_equal(some, all);
    assert_string_equal(swapped->nodes[swapped->node_of[0]].name, "n1");
    atn_topo_free(some);
    atn_topo_free(swapped);
    atn_topo_free(all);
}

static size_t allocated(void)
{
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

/* Communicators may be many: one rank on each host is the worst case. */
static void a_group_takes_less_than_100_bytes_for_each_rank(void **unused)
{
    (void)unused;
    enum { RANKS = 1000 };
    atn_topo *t = NULL;
    int ranks[RANKS];
    assert_int_equal(atn_topo_load("8x256@10G;ranks=1", &t, NULL), ATN_OK);
    for (int i = 0; i < RANKS; i++)
        ranks[i] = t->p - 1 - i;
    const size_t before = allocated();
    atn_topo *s = atn_topo_sub(t, ranks, RANKS);
    assert_true(allocated() - before < 100 * RANKS);
    atn_topo_free(s);
    atn_topo_free(t);
}

/* The names of a job have a domain, those of the topology have none. */
static void many_hosts_with_domains_are_found_fast(void **unused)
{
    (void)unused;
    enum { HOSTS = 16384 };
    static char names[HOSTS][32];
    static const char *hosts[HOSTS];
    atn_topo *t = NULL, *placed = NULL;
    assert_int_equal(atn_topo_load("128x128@10G", &t, NULL), ATN_OK);
    for (int i = 0; i < HOSTS; i++) {
        snprintf(names[i], sizeof names[i], "n%d.cluster.example.org", (i * 7919) % HOSTS);
        hosts[i] = names[i];
    }
    const clock_t start = clock();
    assert_int_equal(atn_topo_place(t, hosts, HOSTS, &placed, NULL), ATN_OK);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
    assert_string_equal(placed->nodes[placed->node_of[2]].name, "n15838");
    atn_topo_free(placed);
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_of_all_ranks_shares_the_topology),
        cmocka_unit_test(a_group_takes_less_than_100_bytes_for_each_rank),
        cmocka_unit_test(many_hosts_with_domains_are_found_fast),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
