/* test_tau_map.c - the search for rank mappings, compared with exhaustive search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "research/taulop/machine.h"
#include "research/taulop/map.h"

enum { P = 6, NODES = 3, BYTES = 65536 };

static atn_traffic traffic_of(const char *full_name)
{
    const atn_row *row = atn_algo_catalog_by_name(full_name);
    atn_schedule *s[P];
    atn_traffic t;
    atn_params prm;
    assert_non_null(row);
    atn_algo_params_default(row, &prm);
    for (int r = 0; r < P; r++) {
        const atn_problem q = {.op = row->op, .p = P, .r = r, .segments = 1, .bytes = BYTES};
        assert_int_equal(atn_algo_build(row, &q, &prm, &s[r], NULL), ATN_OK);
    }
    assert_int_equal(atn_tau_traffic_of(s, P, &t, NULL), ATN_OK);
    for (int r = 0; r < P; r++)
        atn_sched_schedule_free(s[r]);
    return t;
}

/* The best of all mappings with two ranks per node. */
static double least_time(const atn_traffic *t, const atn_tau_costs *costs)
{
    double least = -1;
    for (int code = 0; code < 729; code++) {
        int node_of[P], count[NODES] = {0}, rest = code;
        for (int r = 0; r < P; r++, rest /= NODES)
            count[node_of[r] = rest % NODES]++;
        if (count[0] != 2 || count[1] != 2)
            continue;
        const atn_mapping m = {P, NODES, node_of};
        const double seconds = atn_tau_time(t, &m, ATN_TAU_TO_NODE, costs, BYTES);
        if (least < 0 || seconds < least)
            least = seconds;
    }
    return least;
}

static void search_finds_the_optimum_of_small_cases(void **state)
{
    (void)state;
    static const char *const names[] = {"allgather/ring",  "bcast/binomial",    "reduce/binomial",
                                        "allgather/bruck", "alltoall/pairwise", "gather/binomial"};
    atn_tau_costs costs;
    assert_int_equal(atn_tau_machine_load(NULL, &costs, NULL), ATN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        atn_traffic t = traffic_of(names[i]);
        atn_mapping m;
        double seconds, before;
        assert_int_equal(atn_tau_mapping_read("rr", P, NODES, &m, NULL), ATN_OK);
        before = atn_tau_time(&t, &m, ATN_TAU_TO_NODE, &costs, BYTES);
        assert_int_equal(
            atn_tau_mapping_improve(&t, &m, ATN_TAU_TO_NODE, &costs, BYTES, 20000, &seconds, NULL),
            ATN_OK);
        assert_true(seconds <= before);
        assert_true(seconds == atn_tau_time(&t, &m, ATN_TAU_TO_NODE, &costs, BYTES));
        if (seconds > least_time(&t, &costs) * 1.000001)
            fail_msg("%s: %g, best %g", names[i], seconds, least_time(&t, &costs));
        int count[NODES] = {0};
        for (int r = 0; r < P; r++)
            count[m.node_of[r]]++;
        assert_true(count[0] == 2 && count[1] == 2);
        atn_tau_mapping_free(&m);
        atn_tau_traffic_free(&t);
    }
    atn_tau_machine_free(&costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_finds_the_optimum_of_small_cases),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
