/* test_estimate.c - transfer times from measured collectives, by least squares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "model/estimate.h"

#include "model_time.h"

enum { BYTES = 8192, RANKS = 4 };
static const double us = 1e-6;

/* L(m, tau) = tau us, in memory; overhead 1 us. */
static atn_machine *make(void)
{
    atn_machine *m = atn_model_machine_new();
    atn_channel *c = atn_model_machine_add_channel(m, "memory");
    c->o_below = us;
    for (int n = BYTES; n <= 2 * BYTES; n += BYTES)
        for (int tau = 1; tau <= 4; tau++)
            atn_model_table_put(&c->transfer, n, tau, n / BYTES * tau * us);
    return m;
}

static double predict(void *context, const atn_machine *m, int i)
{
    const char *name = ((const char *const *)context)[i];
    const atn_row *row = atn_algo_catalog_by_name(name);
    atn_schedule *s[RANKS];
    atn_params prm;
    double seconds = -1;
    assert_non_null(row);
    atn_algo_params_default(row, &prm);
    for (int r = 0; r < RANKS; r++) {
        const atn_problem q = {.op = row->op, .p = RANKS, .r = r, .bytes = BYTES, .segments = 1};
        assert_int_equal(atn_algo_build(row, &q, &prm, &s[r], NULL), ATN_OK);
    }
    assert_int_equal(model_time(atn_model_find("taulop"), s, RANKS, BYTES, m, NULL, &seconds, NULL),
                     ATN_OK);
    for (int r = 0; r < RANKS; r++)
        atn_sched_schedule_free(s[r]);
    return seconds;
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6 * fabs(wanted)))
        fail_msg("%.9g, wanted %.9g", got, wanted);
}

/* (7.7) with the broadcast of four ranks: 2 o + 2 L(m,1) + 2 L(m,2), the row (2, 2, 0, 0).  If it
 * takes 0.9 us longer than by the rings, d = 0.15 us more for both of its transfers minimise
 * 2 (2 d)^2 + (4 d - 0.9)^2; the others keep the values of the rings. */
static void the_system_of_the_study(void **state)
{
    (void)state;
    const char *const calls[] = {"bcast/binomial"};
    atn_machine *m = make();
    double row[8];
    assert_int_equal(atn_model_estimate_values(m, NULL), 8);
    assert_true(atn_model_estimate_row(m, predict, (void *)calls, 0, row));
    for (int i = 0; i < 8; i++)
        assert_float_equal(row[i], i < 2 ? 2 : 0, 1e-6);
    const double seconds = 2 * us + 2 * us + 4 * us;
    near(predict((void *)calls, m, 0), seconds);
    const double measured[] = {seconds + 0.9 * us};
    assert_int_equal(atn_model_estimate(m, predict, (void *)calls, measured, 1), 1);
    const double *l = m->channel[0].transfer.v[0];
    near(l[0], 1.15 * us);
    near(l[1], 2.15 * us);
    near(l[2], 3 * us);
    near(l[3], 4 * us);
    near(m->channel[0].transfer.v[1][0], 2 * us);
    atn_model_machine_free(m);
}

/* A true table that differs from the rings' is found where collectives determine it. */
static void collectives_determine_values(void **state)
{
    (void)state;
    const char *const calls[] = {"bcast/binomial", "bcast/linear", "allgather/ring",
                                 "reduce/binomial"};
    atn_machine *truth = make(), *m = make();
    double measured[4 * 16];
    const char *names[4 * 16];
    truth->channel[0].transfer.v[0][0] = 1.5 * us;
    truth->channel[0].transfer.v[0][3] = 7 * us;
    for (int i = 0; i < 4 * 16; i++) { /* many, so that rings have little weight */
        names[i] = calls[i % 4];
        measured[i] = predict((void *)names, truth, i);
    }
    assert_int_equal(atn_model_estimate(m, predict, (void *)names, measured, 4 * 16), 4 * 16);
    const double *l = m->channel[0].transfer.v[0];
    assert_true(fabs(l[0] / (1.5 * us) - 1) < 0.02 && fabs(l[3] / (7 * us) - 1) < 0.02);
    assert_true(fabs(l[1] / (2 * us) - 1) < 0.05);
    atn_model_machine_free(truth);
    atn_model_machine_free(m);
}

static void sizes_are_added(void **state)
{
    (void)state;
    atn_machine *m = make();
    atn_cost_table *t = &m->channel[0].transfer;
    atn_model_estimate_size(m, 12288);
    atn_model_estimate_size(m, 12288);
    atn_model_estimate_size(m, BYTES);
    assert_int_equal(t->nsizes, 3);
    assert_true(t->size[1] == 12288 && t->size[2] == 2 * BYTES);
    near(t->v[1][1], 3 * us);
    assert_int_equal(atn_model_machine_check(m, NULL), ATN_OK);
    while (t->nsizes < ATN_TABLE_SIZES)
        atn_model_estimate_size(m, 20000 + t->nsizes);
    atn_model_estimate_size(m, 1); /* no room */
    assert_true(t->size[0] == BYTES);
    atn_model_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_of_the_study),
        cmocka_unit_test(collectives_determine_values),
        cmocka_unit_test(sizes_are_added),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
