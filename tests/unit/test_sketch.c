/* test_sketch.c - first topologies from a few sets of transfers on simulated networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakenet.h"
#include "topo/sketch.h"

enum { RUNS = 50, MOST_SETS = 9 };

static fakenet noisy(uint64_t random)
{
    fakenet net = {.noise = 0.05, .mishaps = 0.01, .unfair = 0.3, .random = random * 977 + 1};
    for (int i = 0; i < 10; i++)
        fake_uniform(&net);
    return net;
}

static atn_status sketch(fakenet *net, int hosts, atn_sketch *s, atn_error *err)
{
    const atn_prober prober = fake_prober(net);
    void *const memory = malloc(atn_topo_sketch_bytes(hosts));
    const atn_status status = atn_topo_sketch(&prober, hosts, memory, s, err);
    free(memory);
    return status;
}

static atn_sketch sketch_of(fakenet *net)
{
    atn_sketch s;
    assert_int_equal(sketch(net, net->hosts, &s, NULL), ATN_OK);
    assert_int_equal(s.sets, net->sets);
    assert_true(s.sets <= MOST_SETS);
    return s;
}

/* ---- networks of the kind that is looked for ---- */

static const struct {
    const char *name;
    int group;
    double host, trunk; /* bits per second; 0: single switch */
} networks[] = {
    {"4x4@100M", 4, 100e6, 100e6},
    {"8x8@100M", 8, 100e6, 100e6},
    {"2x8@1G", 8, 1e9, 1e9},
    {"4@50M x4@100M", 4, 100e6, 50e6},
    {"4@200M x4@100M", 4, 100e6, 200e6},
    {"3x4@100M", 4, 100e6, 100e6},
    {"5x3@100M", 3, 100e6, 100e6},
    {"16@100M", 16, 100e6, 0},
    {"7@10G", 7, 10e9, 0},
    {"2@100M", 2, 100e6, 0},
    {"4@400M x4@100M", 16, 100e6, 0}, /* no traffic saturates the links of the switches */
};
enum { NETWORKS = sizeof networks / sizeof *networks };

static bool is_near(double payload, double rate)
{
    return payload > 0.85 * 0.949 * rate && payload < 1.15 * 0.949 * rate;
}

static bool is_right(const atn_sketch *s, int i)
{
    return s->decided && s->group == networks[i].group &&
           (networks[i].trunk == 0 ? s->group_rate == 0
                                   : is_near(s->group_rate, networks[i].trunk));
}

static void equal_groups_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        int right = 0;
        for (uint64_t random = 0; random < RUNS; random++) {
            fakenet net = noisy(random);
            fake_topo(&net, networks[i].name);
            const atn_sketch s = sketch_of(&net);
            right += is_right(&s, i);
            if (s.decided)
                assert_true(is_near(s.host_rate, networks[i].host));
        }
        if (right < RUNS * 9 / 10)
            print_message("# %s: %d of %d\n", networks[i].name, right, RUNS);
        assert_true(right >= RUNS * 9 / 10);
    }
}

/* ---- other networks ---- */

/* Hosts in random order: no groups of consecutive hosts. */
static void other_orders_are_undecided(void **state)
{
    int decided = 0;
    (void)state;
    for (uint64_t random = 0; random < RUNS; random++) {
        fakenet net = noisy(random);
        fake_stars(&net, 4, 4, 0);
        decided += sketch_of(&net).decided;
    }
    assert_true(decided <= RUNS / 10);
}

static void failures_are_reported(void **state)
{
    fakenet net = {.breaks_after = 2};
    atn_error err = {0};
    atn_sketch s;
    (void)state;
    fake_topo(&net, "4x4@100M");
    assert_int_equal(sketch(&net, 16, &s, &err), ATN_ENVIRONMENT);
    assert_false(s.decided);
    assert_int_equal(sketch(&net, 1, &s, &err), ATN_USAGE);
}

/* ---- the result ---- */

static void topologies_have_rates(void **state)
{
    static const char *const names[] = {"a1", "a2", "a3", "a4", "a5", "a6"};
    const int host_of[] = {0, 1, 2, 3, 4, 5, 0, 3};
    const atn_sketch s = {
        .hosts = 6, .group = 3, .host_rate = 0.95e8, .group_rate = 1.9e8, .decided = true};
    atn_topo *t = NULL;
    (void)state;
    assert_int_equal(atn_topo_sketch_topo(&s, names, host_of, 8, &t, NULL), ATN_OK);
    char *const text = atn_topo_print(t);
    assert_non_null(strstr(text, "Nodes=a[1-3]"));
    assert_non_null(strstr(text, "Nodes=a[4-6]"));
    assert_non_null(strstr(text, "LinkSpeed=100"));
    assert_non_null(strstr(text, "LinkSpeed=200"));
    free(text);
    atn_topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_groups_are_found),
        cmocka_unit_test(other_orders_are_undecided),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(topologies_have_rates),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
