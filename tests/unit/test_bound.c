/* test_bound.c - lower bounds on typical clusters; candidates for problems. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/order.h"
#include "made.h"
#include "model/bound.h"
#include "plan/candidates.h"

static const double megabit = 1e6 * 1460.0 / 1538.0 / 8; /* payload bytes per second */

static double bound(const char *topology, atn_operation op, int64_t bytes, int root)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_parse_synthetic(topology, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    const double seconds = atn_model_bound(
        &(atn_problem){.op = op, .p = t->p, .root = root, .bytes = bytes, .topo = t});
    atn_topo_free(t);
    return seconds;
}

/* `units` of a megabyte over links of 100 Mbit/s. */
static void expect(const char *topology, atn_operation op, double units)
{
    const double got = bound(topology, op, 1000000, 0), wanted = units * 1e6 / (100 * megabit);
    if (fabs(got - wanted) > 1e-9)
        fail_msg("%s %s: %g, wanted %g", topology, atn_sched_operation_get(op)->name, got, wanted);
}

static void sixteen_hosts_on_four_switches(void **state)
{
    (void)state;
    static const char *const topology[] = {"4x4@100M", "4x4@100M;order=roundrobin"};
    for (int i = 0; i < 2; i++) {
        expect(topology[i], ATN_BCAST, 1);
        expect(topology[i], ATN_REDUCE, 1);
        expect(topology[i], ATN_GATHER, 15);
        expect(topology[i], ATN_SCATTERV, 15);
        expect(topology[i], ATN_ALLGATHER, 15);
        expect(topology[i], ATN_ALLREDUCE, 2 * 15.0 / 16);
        expect(topology[i], ATN_REDUCE_SCATTER_BLOCK, 15);
        expect(topology[i], ATN_ALLTOALL, 4 * 12);
        expect(topology[i], ATN_BARRIER, 0);
        expect(topology[i], ATN_SCAN, 0);
    }
}

/* A trunk carries the traffic of its whole branch. */
static void slow_trunks(void **state)
{
    (void)state;
    expect("2@50M x 4@100M", ATN_BCAST, 2);
    expect("2@50M x 4@100M", ATN_ALLGATHER, 2 * 4);
    expect("2@50M x 4@100M", ATN_ALLREDUCE, 2);
    expect("2@1G x 4@100M", ATN_ALLTOALL, 7);
    expect("2@1G x 4@100M", ATN_ALLREDUCE, 2 * 7.0 / 8);
}

/* Ranks of one host communicate in its memory. */
static void several_ranks_on_a_host(void **state)
{
    (void)state;
    expect("4@100M;ranks=2", ATN_BCAST, 1);
    expect("4@100M;ranks=2", ATN_ALLREDUCE, 2 * 3.0 / 4);
    expect("4@100M;ranks=2", ATN_ALLTOALL, 2 * 6);
}

static void delays_add_up_once(void **state)
{
    (void)state;
    const double plain = bound("2@100M x 4@100M", ATN_BCAST, 1000000, 0);
    const double far = bound("2@100M+10ms x 4@100M", ATN_BCAST, 1000000, 0);
    assert_true(fabs(far - plain - 0.010) < 1e-9);
    assert_true(bound("2@100M+10ms x 4@100M", ATN_BCAST, 0, 0) >= 0.010);
}

static void no_bound_without_rates(void **state)
{
    (void)state;
    expect("4x4", ATN_BCAST, 0);
    assert_true(atn_model_bound(&(atn_problem){.op = ATN_BCAST, .p = 4, .bytes = 8}) == 0);
    expect("1@100M;ranks=4", ATN_ALLTOALL, 0);
}

/* ---- candidates ---- */

typedef struct {
    atn_choice *v;
    int n;
} candidates;

static candidates list(const char *topology, int p, atn_operation op, int64_t bytes, int root)
{
    atn_problem q = {.op = op, .p = p, .root = root, .segments = 1, .bytes = bytes};
    atn_topo *t = NULL;
    candidates c = {0};
    if (topology != NULL) {
        assert_int_equal(atn_topo_parse_synthetic(topology, &t, NULL), ATN_OK);
        q.topo = t;
        q.p = t->p;
    }
    atn_neighbourhood *near = made_neighbours(op, q.p);
    q.neighbourhood = near;
    c.n = atn_plan_candidates(&q, &c.v);
    assert_true(c.n >= 0);
    for (int i = 0; i < c.n; i++) {
        q.segments = atn_algo_segments(c.v[i].row, &q, &c.v[i].params);
        assert_null(atn_algo_refuses(c.v[i].row, &q, &c.v[i].params));
    }
    atn_sched_neighbourhood_free(near);
    atn_topo_free(t);
    return c;
}

static int64_t param(const atn_choice *c, const char *name)
{
    return atn_algo_params_get(c->row, &c->params, name, 0);
}

static void candidates_apply_and_differ(void **state)
{
    (void)state;
    for (int op = 0; op < ATN_OPERATIONS; op++)
        for (int wired = 0; wired < 2; wired++) {
            candidates c = list(wired ? "4x4@100M;order=roundrobin" : NULL, 16, (atn_operation)op,
                                atn_plan_shares_bytes((atn_operation)op) ? 131072 : -1, 0);
            assert_true(c.n > 0 && c.n <= 200);
            for (int i = 0; i < c.n; i++) {
                assert_ptr_not_equal(c.v[i].row->algo->build, NULL);
                for (int k = 0; k < i; k++)
                    assert_false(c.v[i].row == c.v[k].row &&
                                 memcmp(&c.v[i].params, &c.v[k].params, sizeof c.v[i].params) == 0);
            }
            free(c.v);
        }
}

static void barrier_parameters_need_a_barrier(void **state)
{
    (void)state;
    candidates c = list(NULL, 8, ATN_ALLTOALL, 65536, 0);
    bool some = false;
    for (int i = 0; i < c.n; i++) {
        some = some || param(&c.v[i], "every") > 1;
        assert_true(param(&c.v[i], "every") <= 1 || param(&c.v[i], "sync") == ATN_SYNC_BARRIER);
    }
    assert_true(some);
    free(c.v);
}

/* If the ranks follow the topology, no reordering is needed. */
static void equal_orders_occur_once(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        bool reorders;
    } rows[] = {{"4x4@100M", false}, {"4x4@100M;order=roundrobin", true}};
    for (int i = 0; i < 2; i++) {
        candidates c = list(rows[i].topology, 0, ATN_BCAST, 1 << 20, 0);
        bool other = false;
        for (int k = 0; k < c.n; k++)
            other = other || param(&c.v[k], "order") == ATN_ORDER_DFS;
        assert_int_equal(other, rows[i].reorders);
        free(c.v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_hosts_on_four_switches),
        cmocka_unit_test(slow_trunks),
        cmocka_unit_test(several_ranks_on_a_host),
        cmocka_unit_test(delays_add_up_once),
        cmocka_unit_test(no_bound_without_rates),
        cmocka_unit_test(candidates_apply_and_differ),
        cmocka_unit_test(barrier_parameters_need_a_barrier),
        cmocka_unit_test(equal_orders_occur_once),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
