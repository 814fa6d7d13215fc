/* test_refine.c - parameters adjust to measured calls: they converge, follow a drift, tolerate
 * outliers, and apply to all models of a machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/refine.h"

/* A call of k messages of m bytes and a reduction. */
typedef struct {
    double k, m;
} call;

static const double base[3] = {20e-6, 10e-9, 1e-9}; /* multiplied by the knobs */

static double time_of(const call *c, const double *factor)
{
    return c->k * (base[0] * factor[0] + base[1] * factor[1] * c->m) + base[2] * factor[2] * c->m;
}

static double predict(void *context, const double *knobs)
{
    const double factor[3] = {exp(knobs[0]), exp(knobs[1]), exp(knobs[2])};
    return time_of(context, factor);
}

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* n calls of a machine whose factors change from `from` to `to`; every `outlier`-th takes ten times
 * as long (0: none).  Returns the mean relative error of the last quarter. */
static double learn(atn_refiner *r, int n, const double *from, const double *to, int outlier)
{
    uint64_t state = 7;
    double sum = 0;
    int counted = 0;
    for (int i = 0; i < n; i++) {
        double factor[3];
        call c = {1 + floor(8 * uniform(&state)), exp(14 * uniform(&state))};
        for (int k = 0; k < 3; k++)
            factor[k] = from[k] + (to[k] - from[k]) * i / n;
        const bool disturbed = outlier > 0 && i % outlier == outlier - 1;
        const double noisy = time_of(&c, factor) * (0.98 + 0.04 * uniform(&state));
        const double error =
            atn_model_refiner_learn(r, predict, &c, disturbed ? 10 * noisy : noisy);
        if (i >= n - n / 4 && !disturbed) {
            sum += fabs(error);
            counted++;
        }
    }
    return sum / counted;
}

static void near(double got, double wanted, double part)
{
    if (fabs(got / wanted - 1) > part)
        fail_msg("%.6g, wanted %.6g", got, wanted);
}

static void parameters_converge(void **state)
{
    (void)state;
    const double truth[3] = {3, 0.5, 2};
    atn_refiner r;
    atn_model_refiner_begin(&r, 3, 0.99, 0.7);
    assert_true(learn(&r, 400, truth, truth, 0) < 0.03);
    near(exp(r.knob[0]), truth[0], 0.05);
    near(exp(r.knob[1]), truth[1], 0.05);
}

static void drifts_are_followed(void **state)
{
    (void)state;
    const double before[3] = {1, 1, 1}, after[3] = {2, 0.6, 1};
    atn_refiner r;
    atn_model_refiner_begin(&r, 3, 0.97, 0.5);
    assert_true(learn(&r, 300, before, before, 0) < 0.03);
    assert_true(learn(&r, 600, before, after, 0) < 0.05);
    near(exp(r.knob[0]), after[0], 0.1);
    near(exp(r.knob[1]), after[1], 0.1);
}

/* Without forgetting the early calls keep their weight. */
static void following_needs_forgetting(void **state)
{
    (void)state;
    const double before[3] = {1, 1, 1}, after[3] = {2, 0.6, 1};
    atn_refiner r;
    atn_model_refiner_begin(&r, 3, 1, 0.5);
    learn(&r, 300, before, before, 0);
    assert_true(learn(&r, 600, before, after, 0) > 0.05);
}

static void outliers_have_little_effect(void **state)
{
    (void)state;
    const double truth[3] = {2, 1.5, 1};
    atn_refiner r;
    atn_model_refiner_begin(&r, 3, 0.99, 0.5);
    assert_true(learn(&r, 600, truth, truth, 20) < 0.1);
    near(exp(r.knob[0]), truth[0], 0.15);
    near(exp(r.knob[1]), truth[1], 0.15);
}

static double no_idea(void *context, const double *knobs)
{
    (void)knobs;
    return *(double *)context;
}

static void invalid_calls_are_ignored(void **state)
{
    (void)state;
    double idea[] = {0, -1, NAN, INFINITY};
    atn_refiner r, untouched;
    atn_model_refiner_begin(&r, 3, 0.99, 0.5);
    untouched = r;
    for (int i = 0; i < 4; i++)
        assert_true(atn_model_refiner_learn(&r, no_idea, &idea[i], 1) == 0);
    call c = {1, 1000};
    assert_true(atn_model_refiner_learn(&r, predict, &c, NAN) == 0);
    assert_true(atn_model_refiner_learn(&r, predict, &c, -1) == 0);
    assert_memory_equal(&r, &untouched, sizeof r);
}

static void knobs_stay_in_bounds(void **state)
{
    (void)state;
    const double wild[3] = {1e6, 1e6, 1e6};
    atn_refiner r;
    atn_model_refiner_begin(&r, 3, 0.95, 1);
    learn(&r, 300, wild, wild, 0);
    for (int i = 0; i < 3; i++)
        assert_true(isfinite(r.knob[i]) && fabs(r.knob[i]) <= 2.3);
}

static void knobs_change_all_models(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin(), *turned = atn_model_machine_builtin();
    double knobs[ATN_KNOBS] = {0};
    char name[64];
    assert_non_null(m);
    assert_non_null(turned);
    assert_int_equal(atn_model_machine_knobs(m), 5);
    atn_model_machine_knob_name(m, 3, name, sizeof name);
    assert_string_equal(name, "network transfer");
    atn_model_machine_knob_name(m, 4, name, sizeof name);
    assert_string_equal(name, "reduce");
    atn_model_machine_turn(turned, knobs);
    near(atn_model_channel_message(turned, 1, 1000), atn_model_channel_message(m, 1, 1000), 1e-12);
    knobs[2] = log(3);
    knobs[3] = log(2);
    knobs[4] = log(5);
    atn_model_machine_turn(turned, knobs);
    near(turned->channel[1].o_below, 3 * m->channel[1].o_below, 1e-12);
    near(atn_model_channel_transfer(&turned->channel[1], 5000, 3),
         2 * atn_model_channel_transfer(&m->channel[1], 5000, 3), 1e-12);
    near(turned->channel[1].rate, m->channel[1].rate / 2, 1e-12);
    near(turned->channel[0].o_below, m->channel[0].o_below, 1e-12);
    near(atn_model_machine_reduce(turned, "sum", "f64", 1024, 1),
         5 * atn_model_machine_reduce(m, "sum", "f64", 1024, 1), 1e-12);
    assert_int_equal(atn_model_machine_check(turned, NULL), ATN_OK);
    atn_model_machine_free(m);
    atn_model_machine_free(turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_converge),        cmocka_unit_test(drifts_are_followed),
        cmocka_unit_test(following_needs_forgetting), cmocka_unit_test(outliers_have_little_effect),
        cmocka_unit_test(invalid_calls_are_ignored),  cmocka_unit_test(knobs_stay_in_bounds),
        cmocka_unit_test(knobs_change_all_models),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
