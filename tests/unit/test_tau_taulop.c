/* test_tau_taulop.c - two evaluations of tau-Lop agree: the formula derived from a schedule, with
 * the parameters of a machine, and the model that evaluates the schedule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "research/taulop/derive.h"

#include "model_time.h"

enum { NODES = 3, BYTES = 1680, MOST = 16 }; /* a multiple of the block size of each rank */

/* Costs proportional to bytes, between parallel and serial in tau: then both agree exactly. */
static double growth(double tau) { return 0.4 + 0.6 * tau; }
static double L(int channel, double bytes, double tau)
{
    return bytes * (channel ? 50e-9 : 1e-9) * growth(tau);
}
static const double overheads[] = {1e-6, 5e-6};

static double overhead(void *data, int channel, double bytes)
{
    (void)data, (void)bytes;
    return overheads[channel];
}
static double transfer(void *data, int channel, double bytes, double tau)
{
    (void)data;
    return L(channel, bytes, tau);
}
static double per_byte(void *data, double bytes, double tau)
{
    (void)data;
    return bytes * 0.3e-9 * growth(tau);
}

static atn_machine *machine(void)
{
    atn_machine *m = atn_model_machine_new();
    atn_cost_table *reduce = atn_model_machine_gamma(m, "sum", "f64");
    for (int c = 0; c < 2; c++) {
        atn_channel *channel = atn_model_machine_add_channel(m, c ? "network" : "memory");
        channel->o_below = overheads[c];
        for (int n = 0; n <= 8192; n += 8192)
            for (int tau = 1; tau <= 2; tau++)
                assert_true(atn_model_table_put(&channel->transfer, n, tau, L(c, n, tau)));
    }
    for (int tau = 1; tau <= 2; tau++) {
        assert_true(atn_model_table_put(reduce, 1, tau, 0.3e-9 * growth(tau)));
        assert_true(atn_model_table_put(&m->copy, 1, tau, 0.3e-9 * growth(tau)));
    }
    return m;
}

typedef struct {
    int p;
    atn_schedule *s[MOST];
    atn_traffic traffic;
} all;

/* In the formula a rank sends and receives one message at a time; the model uses the rounds of the
 * schedule, in which a rank may start several. */
static bool one_at_a_time(const all *a)
{
    for (int r = 0; r < a->p; r++)
        for (int i = 0; i < a->s[r]->nops; i++)
            for (int k = 0; k < i; k++) {
                const atn_op *x = &a->s[r]->ops[i], *y = &a->s[r]->ops[k];
                if (x->round == y->round && x->kind == y->kind && x->kind < ATN_OP_COPY)
                    return false;
            }
    return true;
}

/* False: the algorithm does not support this number of ranks. */
static bool build(const atn_row *row, int p, all *a)
{
    atn_params prm;
    atn_error err = {0};
    atn_algo_params_default(row, &prm);
    const atn_problem any = {.op = row->op, .p = p, .bytes = BYTES, .segments = 1};
    if (row->algo->build == NULL || atn_algo_refuses(row, &any, &prm))
        return false;
    a->p = p;
    for (int r = 0; r < p; r++) {
        atn_problem q = any;
        q.r = r;
        if (atn_algo_build(row, &q, &prm, &a->s[r], &err))
            fail_msg("%s: %s", row->name, err.text);
    }
    if (atn_tau_traffic_of(a->s, p, &a->traffic, &err))
        fail_msg("%s: %s", row->name, err.text);
    return true;
}

static void drop(all *a)
{
    for (int r = 0; r < a->p; r++)
        atn_sched_schedule_free(a->s[r]);
    atn_tau_traffic_free(&a->traffic);
}

static atn_topo *place(const atn_mapping *map)
{
    static const char *const names[NODES] = {"a", "b", "c"};
    const char *hosts[MOST];
    atn_topo *t = NULL;
    for (int r = 0; r < map->p; r++)
        hosts[r] = names[map->node_of[r]];
    assert_int_equal(atn_topo_from_hosts(hosts, map->p, &t, NULL), ATN_OK);
    return t;
}

static bool agree(const atn_row *row, const all *a, const atn_machine *m, const char *word)
{
    const atn_tau_costs costs = {NULL, overhead, transfer, per_byte, per_byte};
    atn_mapping map;
    double model = -1;
    assert_int_equal(atn_tau_mapping_read(word, a->p, NODES, &map, NULL), ATN_OK);
    atn_topo *t = place(&map);
    assert_int_equal(model_time(atn_model_find("taulop"), a->s, a->p, BYTES, m, t, &model, NULL),
                     ATN_OK);
    const double formula = atn_tau_time(&a->traffic, &map, ATN_TAU_TO_NODE, &costs, BYTES);
    const bool same = fabs(model - formula) <= 1e-9 * formula;
    if (!same)
        printf("# %s on %d ranks, %s: model %.9g us, formula %.9g us\n", row->name, a->p, word,
               model * 1e6, formula * 1e6);
    atn_topo_free(t);
    atn_tau_mapping_free(&map);
    return same;
}

static void model_and_formula_agree(void **state)
{
    (void)state;
    static const int ranks[] = {2, 3, 5, 6, 8, 12, 16};
    atn_machine *m = machine();
    int compared = 0, differ = 0;
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
            const atn_row *row = atn_algo_catalog_row(i);
            all a;
            if (!build(row, ranks[k], &a))
                continue;
            if (one_at_a_time(&a)) {
                differ += !agree(row, &a, m, "seq") + !agree(row, &a, m, "rr");
                compared += 2;
            }
            drop(&a);
        }
    atn_model_machine_free(m);
    assert_true(compared > 500);
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model_and_formula_agree)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
