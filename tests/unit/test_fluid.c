/* test_fluid.c - fair sharing: rates that follow changes against rates that are computed anew. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/fluid.h"

enum { RESOURCES = 7, ACTIVITIES = 60, USES = 3 };

typedef struct {
    double left, share, cap, rate, begins;
    atn_fluid_use use[USES];
    int n;
    bool active, fixed;
} activity;

static double random_below(double most) { return most * (double)rand() / ((double)RAND_MAX + 1); }

static activity random_activity(double begins)
{
    activity a = {.left = 1 + random_below(20),
                  .share = rand() % 3 ? 1 : 2,
                  .cap = 0.5 + random_below(3),
                  .begins = begins,
                  .n = 1 + rand() % USES};
    for (int i = 0; i < a.n; i++)
        a.use[i] = (atn_fluid_use){(rand() % 2 + 2 * i) % RESOURCES, rand() % 4 ? 1 : 0.5};
    return a;
}

/* Raises all rates until something limits them, again and again. */
static void rates_anew(activity *v, const double *capacity)
{
    double room[RESOURCES], level = 0;
    int open = 0;
    for (int r = 0; r < RESOURCES; r++)
        room[r] = capacity[r];
    for (int k = 0; k < ACTIVITIES; k++) {
        v[k].fixed = !v[k].active;
        open += v[k].active;
    }
    while (open > 0) {
        double weight[RESOURCES] = {0}, more = INFINITY;
        for (int k = 0; k < ACTIVITIES; k++)
            for (int i = 0; i < v[k].n && !v[k].fixed; i++)
                weight[v[k].use[i].resource] += v[k].share * v[k].use[i].weight;
        for (int r = 0; r < RESOURCES; r++)
            if (weight[r] > 0)
                more = fmin(more, room[r] / weight[r]);
        for (int k = 0; k < ACTIVITIES; k++)
            if (!v[k].fixed)
                more = fmin(more, v[k].cap / v[k].share - level);
        level += more;
        for (int r = 0; r < RESOURCES; r++)
            room[r] -= more * weight[r];
        for (int k = 0; k < ACTIVITIES; k++) {
            bool stops = v[k].cap <= level * v[k].share * (1 + 1e-9);
            for (int i = 0; i < v[k].n; i++)
                stops = stops || room[v[k].use[i].resource] < 1e-9;
            if (v[k].fixed || !stops)
                continue;
            v[k].rate = level * v[k].share;
            v[k].fixed = true;
            open--;
        }
    }
}

static double next_end(activity *v, const double *capacity)
{
    double least = INFINITY;
    rates_anew(v, capacity);
    for (int k = 0; k < ACTIVITIES; k++)
        if (v[k].active)
            least = fmin(least, v[k].left / v[k].rate);
    return least;
}

static void advance(activity *v, double passed)
{
    for (int k = 0; k < ACTIVITIES; k++)
        v[k].left -= v[k].active ? v[k].rate * passed : 0;
}

static void end(activity *v, int owner)
{
    assert_true(v[owner].active);
    if (fabs(v[owner].left) > 1e-6)
        fail_msg("%d ends with %g left", owner, v[owner].left);
    v[owner].active = false;
}

/* Activities begin at random times; all end when they should. */
static void rates_follow_changes(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 40; seed++) {
        activity v[ACTIVITIES];
        atn_fluid f;
        double now = 0, begins = 0;
        int begun = 0, ended = 0, done[ACTIVITIES];
        srand((unsigned)seed);
        assert_true(atn_model_fluid_make(&f, RESOURCES, USES));
        for (int r = 0; r < RESOURCES; r++)
            f.capacity[r] = 1 + random_below(4);
        for (int k = 0; k < ACTIVITIES; k++)
            v[k] = random_activity(begins += random_below(3));
        while (ended < ACTIVITIES) {
            const double wanted = now + next_end(v, f.capacity), got = atn_model_fluid_next(&f);
            if (isfinite(wanted) ? fabs(got - wanted) > 1e-6 * wanted : !isinf(got))
                fail_msg("seed %d: the next ends at %.9g, wanted %.9g", seed, got, wanted);
            const bool next = begun < ACTIVITIES && v[begun].begins < got;
            const double then = next ? v[begun].begins : got;
            const int n = atn_model_fluid_advance(&f, then, done);
            advance(v, then - now);
            now = then;
            for (int i = 0; i < n; i++, ended++)
                end(v, done[i]);
            if (!next)
                continue;
            activity *const a = &v[begun];
            a->active = true;
            assert_true(atn_model_fluid_add(&f, begun++, a->left, a->share, a->cap, a->use, a->n));
        }
        assert_true(isinf(atn_model_fluid_next(&f)));
        atn_model_fluid_free(&f);
    }
}

/* A change of what cannot limit anything is no work. */
static void others_are_left_alone(void **state)
{
    (void)state;
    const atn_fluid_use far = {0, 1}, near[] = {{1, 1}, {2, 1}};
    atn_fluid f;
    int done[3];
    assert_true(atn_model_fluid_make(&f, 3, 2));
    f.capacity[0] = f.capacity[1] = 1;
    f.capacity[2] = 10;
    assert_true(atn_model_fluid_add(&f, 0, 10, 1, 1, &far, 1));
    assert_true(atn_model_fluid_add(&f, 1, 4, 1, 1, near, 2));
    assert_true(fabs(atn_model_fluid_next(&f) - 4) < 1e-6);
    assert_int_equal(f.work, 0);
    assert_int_equal(atn_model_fluid_advance(&f, 2, done), 0);
    assert_true(atn_model_fluid_add(&f, 2, 4, 1, 1, near, 2)); /* shares with the second */
    assert_true(fabs(atn_model_fluid_next(&f) - 6) < 1e-6);
    assert_true(f.work > 0);
    assert_int_equal(atn_model_fluid_advance(&f, 6, done), 1);
    assert_int_equal(done[0], 1);
    assert_true(fabs(atn_model_fluid_next(&f) - 8) < 1e-6);
    atn_model_fluid_free(&f);
}

/* A greater weight leaves less to others. */
static void weights_change(void **state)
{
    (void)state;
    const atn_fluid_use use = {0, 1};
    atn_fluid f;
    int done[2];
    assert_true(atn_model_fluid_make(&f, 1, 1));
    f.capacity[0] = 2;
    assert_true(atn_model_fluid_add(&f, 0, 6, 1, 2, &use, 1));
    assert_true(fabs(atn_model_fluid_next(&f) - 3) < 1e-6);
    assert_int_equal(atn_model_fluid_advance(&f, 1, done), 0); /* 4 are left */
    atn_model_fluid_weigh(&f, 0, 1, 2);
    assert_true(fabs(atn_model_fluid_next(&f) - 5) < 1e-6);
    atn_model_fluid_weigh(&f, 0, 0, 4); /* not one of these resources */
    assert_true(fabs(atn_model_fluid_next(&f) - 5) < 1e-6);
    atn_model_fluid_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_follow_changes),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(weights_change),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
