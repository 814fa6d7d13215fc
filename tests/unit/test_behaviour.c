/* test_behaviour.c - classes of algorithms, as their schedules show them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algo/behaviour.h"
#include "made.h"
#include "sched/neighbourhood.h"

typedef struct {
    atn_topo *topo;
    atn_neighbourhood *grid;
} place;

/* Eight ranks: on one host; where that does not suffice, on four hosts, or with neighbours. */
static atn_status class_on(const place *at, const atn_row *row, const atn_params *prm,
                           atn_class *class_p)
{
    atn_problem q = {.op = row->op, .p = 8, .bytes = 65536, .shared = ATN_SHARED_ALL};
    if (row->algo->needs & ATN_NEEDS_LATENESS)
        return ATN_NOT_APPLICABLE;
    if (atn_sched_on_neighbours(row->op))
        q.neighbourhood = at->grid;
    if (q.neighbourhood || atn_algo_refuses(row, &q, prm)) {
        q.shared = ATN_SHARED_HOSTS;
        q.topo = at->topo;
    }
    return atn_algo_class_of(row, &q, prm, class_p, NULL);
}

/* What the catalogue states holds for default parameters. */
static void every_row(void **state)
{
    (void)state;
    int count[3] = {0};
    place at = {.topo = made_topology("2x2@100M;ranks=2")};
    assert_int_equal(atn_sched_neighbourhood_parse("cart:2x4", 8, &at.grid, NULL), ATN_OK);
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        atn_params prm;
        atn_class class;
        atn_algo_params_default(row, &prm);
        if (!row->algo->build || class_on(&at, row, &prm, &class) != ATN_OK)
            continue;
        if (class != row->algo->klass)
            fail_msg("%s is %s, not %s", row->name, atn_algo_class_names[class],
                     atn_algo_class_names[row->algo->klass]);
        count[class]++;
    }
    assert_true(count[0] > 20 && count[1] > 40 && count[2] > 20);
    atn_sched_neighbourhood_free(at.grid);
    atn_topo_free(at.topo);
}

/* Synchronisation and windows coordinate what is direct without them; forwarded data stay so. */
static void parameters(void **state)
{
    (void)state;
    static const struct {
        const char *name, *params;
        atn_class class;
    } cases[] = {
        {"alltoall/pairwise", "", ATN_DIRECT},
        {"alltoall/pairwise", "window=1", ATN_COORDINATED},
        {"alltoall/pairwise", "sync=pair", ATN_COORDINATED},
        {"alltoall/pairwise", "sync=barrier,every=4", ATN_COORDINATED},
        {"alltoall/linear", "", ATN_DIRECT},
        {"alltoall/ring", "", ATN_STORE_FORWARD},
        {"alltoall/spread", "sync=barrier", ATN_COORDINATED},
        {"alltoall/bruck", "", ATN_COORDINATED},
        {"allgather/ring", "", ATN_STORE_FORWARD},
        {"allgather/recursive_doubling", "", ATN_COORDINATED},
        {"bcast/linear", "", ATN_DIRECT},
        {"bcast/chain", "segment=8K", ATN_STORE_FORWARD},
    };
    const place at = {NULL, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_row *row = atn_algo_catalog_by_name(cases[i].name);
        atn_params prm;
        atn_class class;
        assert_non_null(row);
        assert_int_equal(atn_algo_params_parse(row, cases[i].params, &prm, NULL), ATN_OK);
        assert_int_equal(class_on(&at, row, &prm, &class), ATN_OK);
        if (class != cases[i].class)
            fail_msg("%s{%s} is %s", cases[i].name, cases[i].params, atn_algo_class_names[class]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(parameters),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
