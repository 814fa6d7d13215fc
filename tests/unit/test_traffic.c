/* test_traffic.c - what links make of the messages of a choice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "plan/planner.h"
#include "plan/traffic.h"

/* work: processor time of a message, in parts of all of its time. */
static atn_traffic_factors factors_if(const char *tree, atn_operation op, const char *name,
                                      double work)
{
    atn_topo *const t = made_topology(tree);
    atn_machine *const m = atn_model_machine_assumed(t);
    for (int c = -1; work > 0 && (c = atn_model_machine_next(m, c)) >= 0;)
        m->channel[c].cpu_message = m->channel[c].cpu_more =
            work * atn_model_links_message(m, c).empty;
    const atn_problem q = {.op = op, .p = t->p, .segments = 1, .bytes = 1 << 20, .topo = t};
    const atn_alpha_beta net = atn_plan_planner_network(&q, m);
    atn_choice c;
    atn_link_traffic x;
    atn_traffic_factors f = {0};
    int64_t steps = 1000000;
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    assert_int_equal(atn_plan_choice_read(op, text, &c, NULL), ATN_OK);
    assert_true(atn_plan_traffic_begin(t, m, &net, &x));
    assert_true(atn_plan_traffic_factors(&x, &c, &q, &steps, &f));
    assert_true(steps < 1000000);
    steps = 0; /* nothing is built without budget */
    assert_false(atn_plan_traffic_factors(&x, &c, &q, &steps, &f));
    atn_plan_traffic_end(&x);
    atn_model_machine_free(m);
    atn_topo_free(t);
    return f;
}

static atn_traffic_factors factors(const char *tree, atn_operation op, const char *name)
{
    return factors_if(tree, op, name, 0);
}

static void near(double got, double wanted)
{
    if (fabs(got / wanted - 1) > 0.02)
        fail_msg("%g, wanted %g", got, wanted);
}

/* One message of a block-mapped ring leaves each switch; all of them do with cyclic mapping. */
static void rings_cross_as_the_mapping_lets_them(void **state)
{
    (void)state;
    near(factors("4x4@100M", ATN_ALLGATHER, "ring").bytes, 1);
    near(factors("4x16@100M", ATN_ALLGATHER, "ring").bytes, 1);
    near(factors("4x4@100M;order=roundrobin", ATN_ALLGATHER, "ring").bytes, 4);
    near(factors("4x16@100M;order=roundrobin", ATN_ALLGATHER, "ring").bytes, 16);
    near(factors("4x4@100M;order=roundrobin", ATN_ALLGATHER, "ring{order=lr1}").bytes, 1);
}

/* One and two blocks inside switches, four and eight over links that four ranks share. */
static void rounds_count_by_themselves(void **state)
{
    (void)state;
    near(factors("4x4@100M", ATN_ALLGATHER, "recursive_doubling").bytes, (3 + 12 * 4) / 15.0);
    near(factors("4@400Mx4@100M", ATN_ALLGATHER, "recursive_doubling").bytes, 1);
}

/* Sixteen ranks share the link of their host; what remains inside takes less than the network. */
static void hosts_share_their_link(void **state)
{
    (void)state;
    const char *const tree = "4@1G;ranks=16";
    const atn_traffic_factors far = factors(tree, ATN_ALLGATHER, "recursive_doubling");
    const atn_traffic_factors led = factors(tree, ATN_ALLREDUCE, "levels");
    assert_true(far.bytes > 10);
    for (int ranks = 4; ranks <= 20; ranks++) { /* whichever of them are looked at */
        char hosts[32];
        snprintf(hosts, sizeof hosts, "4@1G;ranks=%d", ranks);
        near(factors(hosts, ATN_ALLGATHER, "ring{order=rank}").bytes, 1);
        assert_true(factors(hosts, ATN_ALLGATHER, "circulant").bytes > 0.3 * ranks);
    }
    assert_true(far.latency < 1);
    assert_true(led.bytes < 1 && led.latency < 1);
}

/* Messages of the same round trip overlap; those of a ring depend on each other. */
static void messages_overlap_unless_they_depend_on_each_other(void **state)
{
    (void)state;
    const char *const tree = "4x16@1G";
    const double work = 0.1, both = 2 * work; /* of sending and receiving */
    near(factors_if(tree, ATN_ALLGATHER, "ring", work).overlap, 1);
    near(factors_if(tree, ATN_ALLREDUCE, "recursive_doubling", work).overlap, 1);
    near(factors_if(tree, ATN_ALLREDUCE, "recursive_multiplying", work).overlap,
         (3 + 6 * both) / 9);                                      /* three times to three ranks */
    near(factors_if(tree, ATN_BCAST, "knomial", work).overlap, 1); /* not known of trees */
    assert_true(factors_if(tree, ATN_BCAST, "knomial", work).latency <
                0.8 * factors_if(tree, ATN_BCAST, "chain", work).latency);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_cross_as_the_mapping_lets_them),
        cmocka_unit_test(rounds_count_by_themselves),
        cmocka_unit_test(hosts_share_their_link),
        cmocka_unit_test(messages_overlap_unless_they_depend_on_each_other),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
