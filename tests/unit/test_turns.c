/* test_turns.c - the order of measurements and their time limit, on simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/turns.h"

enum { MOST = 200, CALLS = 20000 };

/* A machine on which entrant i takes time_s[i], and all calls so far. */
typedef struct {
    int n;
    atn_turns_entrant v[MOST];
    double time_s[MOST];
    double elapsed_s;
    int calls, order[CALLS], round[CALLS], count[MOST];
} machine;

static machine *new_machine(int kept)
{
    machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int i = 0; i < kept; i++)
        m->v[i].keep = true;
    m->n = kept;
    return m;
}

static void add(machine *m, double time_s, double predicted_s)
{
    m->v[m->n].predicted_s = predicted_s;
    m->time_s[m->n++] = time_s;
}

static void run(machine *m, double seconds, int rounds, uint64_t seed)
{
    const atn_turns_budget budget = {.seconds = seconds, .rounds = rounds, .seed = seed};
    atn_turns t;
    int i;
    assert_true(atn_plan_turns_begin(&t, m->v, m->n, &budget));
    while ((i = atn_plan_turns_next(&t, m->elapsed_s)) >= 0) {
        assert_true(i < m->n && m->calls < CALLS);
        m->order[m->calls] = i;
        m->round[m->calls++] = t.round;
        m->count[i]++;
        m->elapsed_s += m->time_s[i];
        atn_plan_turns_took(&t, i, m->time_s[i]);
    }
    atn_plan_turns_end(&t);
}

/* ---- order ---- */

/* How often entrant b was called directly after entrant a, in rounds. */
static int followed(const machine *m, int a, int b)
{
    int n = 0;
    for (int k = 1; k < m->calls; k++)
        n += m->round[k - 1] > 0 && m->order[k - 1] == a && m->order[k] == b;
    return n;
}

/* In 1000 rounds of four, each pair is expected to follow each other about 1000 / 4 times.  The
 * order is a function of the seed, so the bounds hold always or never. */
static void no_entrant_has_a_predecessor_of_its_own(void **state)
{
    (void)state;
    machine *m = new_machine(4);
    for (int i = 0; i < 4; i++)
        m->time_s[i] = 1e-6;
    run(m, 1, 1000, 7);
    assert_int_equal(m->calls, 4004);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            if (a != b)
                assert_in_range(followed(m, a, b), 200, 380);
    free(m);
}

static void every_round_holds_every_entrant_once(void **state)
{
    (void)state;
    machine *m = new_machine(5);
    for (int i = 0; i < 5; i++)
        m->time_s[i] = 1e-6;
    run(m, 1, 40, 3);
    assert_int_equal(m->calls, 5 * 41);
    for (int first = 0; first < m->calls; first += 5) {
        unsigned seen = 0;
        for (int k = first; k < first + 5; k++) {
            assert_int_equal(m->round[k], first / 5);
            seen |= 1U << m->order[k];
        }
        assert_int_equal(seen, 31);
    }
    free(m);
}

static void the_seed_decides_the_order(void **state)
{
    (void)state;
    machine *m[3];
    for (int k = 0; k < 3; k++) {
        m[k] = new_machine(6);
        for (int i = 0; i < 6; i++)
            m[k]->time_s[i] = 1e-6;
        run(m[k], 1, 50, k < 2 ? 11 : 12);
    }
    assert_memory_equal(m[0]->order, m[1]->order, sizeof m[0]->order);
    assert_memory_not_equal(m[0]->order, m[2]->order, sizeof m[0]->order);
    for (int k = 0; k < 3; k++)
        free(m[k]);
}

/* ---- time limit ---- */

/* 15 hosts on slow links: native takes 0.4 s, 150 candidates up to 3 s each.  One call each would
 * take four minutes. */
static machine *slow_field(void)
{
    machine *m = new_machine(2);
    m->time_s[0] = m->time_s[1] = 0.4;
    for (int i = 0; i < 150; i++)
        add(m, 0.1 + 0.02 * i, 1e-3 * (1 + 0.2 * i));
    return m;
}

static void the_limit_holds_except_for_one_call(void **state)
{
    (void)state;
    static const double bounds[] = {0.01, 0.5, 2, 8, 30};
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        machine *m = slow_field();
        run(m, bounds[k], 1000, 1);
        const double last = m->time_s[m->order[m->calls - 1]];
        assert_true(m->elapsed_s - last < bounds[k]);
        free(m);
    }
}

/* The promising ones run first, the hopeless ones not at all, and native gets enough calls. */
static void the_model_saves_the_search(void **state)
{
    (void)state;
    machine *m = slow_field();
    run(m, 20, 1000, 1);
    assert_int_equal(m->order[0], 0);
    assert_int_equal(m->order[1], 1);
    assert_int_equal(m->order[2], 2);
    assert_int_equal(m->count[151], 0);
    assert_true(m->count[0] > 12 && m->count[1] > 12 && m->count[2] > 12);
    free(m);
}

/* Where calls are fast, the model decides only the order. */
static void a_wrong_model_does_not_hide_the_best(void **state)
{
    (void)state;
    machine *m = new_machine(2);
    m->time_s[0] = m->time_s[1] = 50e-6;
    for (int i = 0; i < 100; i++)
        add(m, (100 - i) * 1e-6, 1e-6 * (i + 1));
    run(m, 1, 1000, 1);
    assert_int_equal(m->count[101], 1001);
    assert_false(m->v[101].out);
    free(m);
}

static void a_hopeless_candidate_is_called_once(void **state)
{
    (void)state;
    machine *m = new_machine(2);
    m->time_s[0] = m->time_s[1] = 0.1;
    add(m, 0.1, 0.1);
    add(m, 1.0, 0.1);
    run(m, 30, 1000, 1);
    assert_int_equal(m->count[3], 1);
    assert_true(m->v[3].out && m->count[2] > 50);
    free(m);
}

/* Without a prediction candidates keep their order, behind those that have one. */
static void candidates_without_prediction_run_last(void **state)
{
    (void)state;
    static const int expected[] = {0, 3, 4, 1, 2};
    machine *m = new_machine(1);
    m->time_s[0] = 1e-3;
    add(m, 1e-3, 0);
    add(m, 1e-3, 0);
    add(m, 1e-3, 1);
    add(m, 1e-3, 2);
    run(m, 1, 1, 1);
    assert_memory_equal(m->order, expected, sizeof expected);
    free(m);
}

/* The last candidate and all that are kept stay even where nothing fits. */
static void something_is_left_to_be_compared(void **state)
{
    (void)state;
    machine *m = new_machine(2);
    m->time_s[0] = m->time_s[1] = 1;
    add(m, 0.5, 1);
    add(m, 0.6, 1);
    run(m, 8, 1000, 1);
    assert_false(m->v[2].out);
    assert_true(m->v[3].out);
    assert_true(m->v[2].samples >= 1 && m->v[0].samples >= 1);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_entrant_has_a_predecessor_of_its_own),
        cmocka_unit_test(every_round_holds_every_entrant_once),
        cmocka_unit_test(the_seed_decides_the_order),
        cmocka_unit_test(the_limit_holds_except_for_one_call),
        cmocka_unit_test(the_model_saves_the_search),
        cmocka_unit_test(a_wrong_model_does_not_hide_the_best),
        cmocka_unit_test(a_hopeless_candidate_is_called_once),
        cmocka_unit_test(candidates_without_prediction_run_last),
        cmocka_unit_test(something_is_left_to_be_compared),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
