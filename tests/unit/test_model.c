/* test_model.c - evaluation of closed forms; alpha-beta times of small schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/alpha_beta.h"
#include "model/expr.h"
#include "sched/builder.h"

/* ---- expressions ---- */

static const atn_variable vars[] = {{"p", 6}, {"n", 100}, {"a", 0.5}};

static void expressions_have_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"8 / 2 / 2", 2},
        {"10 - 3 - 2", 5},
        {"-2^2", -4},
        {"2^3^2", 512},
        {"2 * -3", -6},
        {"1.5e1", 15},
        {"ceil(log2(p)) * a", 1.5},
        {"floor(p / 4) + min(p, n) + max(p, n)", 107},
        {"pow2(p) + pow2(8) + pow2(1) + pow2(0.5)", 2},
        {"sum(i, 1, 4, i * p)", 60},
        {"sum(i, 1, 0, i) + 1", 1},
        {"sum(i, 1, 3, sum(j, 1, i, j))", 10},
        {"most(i, 1, 4, i * (p - i))", 9},
        {"most(i, 1, 4, 0 - i)", 0},
        {"is(p, 6) + is(p, 7)", 1},
        {"levels(1, 2) + levels(243, 3) + 100 * levels(244, 3)", 605},
        {"knomial(1, 3) + knomial(6, 3) + 100 * knomial(9, 3) + 1000 * knomial(8, 2)", 3403},
        {"let(x, p + 1, x * x) + let(x, 1, x)", 50},
        {"let(p, 2, p) + p", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        assert_int_equal(atn_model_expr_eval(cases[i].text, vars, 3, &value, NULL), ATN_OK);
        assert_true(value == cases[i].value);
    }
}

/* Read once, a form is evaluated for other values; loops bind their variables anew each time. */
static void forms_are_read_once(void **state)
{
    (void)state;
    atn_variable now[] = {{"p", 2}, {"a", 10}};
    atn_expr *x = NULL;
    assert_int_equal(
        atn_model_expr_read("sum(i, 1, p, let(q, i * a, q + sum(j, 1, i, j)))", now, 2, &x, NULL),
        ATN_OK);
    assert_true(atn_model_expr_value(x, now) == 34);
    now[0].value = 3;
    now[1].value = 1;
    assert_true(atn_model_expr_value(x, now) == 16);
    now[0].value = 0;
    assert_true(atn_model_expr_value(x, now) == 0);
    atn_model_expr_free(x);
    atn_model_expr_free(NULL);
}

static void errors_are_located(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "'': character 1: a name is missing or too long"},
        {"1 +", "'1 +': character 4: a name is missing or too long"},
        {"1 2", "'1 2': character 3: an operator is missing"},
        {"(1", "'(1': character 3: a ')' is missing"},
        {"q + 1", "'q + 1': character 1: unknown variable"},
        {"sin(1)", "'sin(1)': character 1: unknown function"},
        {"min(1)", "'min(1)': character 6: a second argument is missing"},
        {"sum(i, 1, 2)", "'sum(i, 1, 2)': character 12: write (variable, from, to, term)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        atn_error err = {0};
        assert_int_equal(atn_model_expr_eval(cases[i][0], vars, 3, &value, &err), ATN_INPUT);
        assert_string_equal(err.text, cases[i][1]);
        assert_true(value == -1);
    }
}

static void deep_nesting_is_rejected(void **state)
{
    (void)state;
    char text[5001];
    double value;
    for (int i = 0; i < 5000; i++)
        text[i] = i % 2 == 0 ? '(' : '-';
    text[5000] = '\0';
    assert_int_equal(atn_model_expr_eval(text, vars, 3, &value, NULL), ATN_INPUT);
}

static void names_are_whole_words(void **state)
{
    (void)state;
    assert_true(atn_model_expr_names("(p - 1) * k * a", "k"));
    assert_false(atn_model_expr_names("chunk + ok + k2", "k"));
    assert_false(atn_model_expr_names("", "k"));
}

/* ---- schedules ---- */

static const atn_alpha_beta machine = {.a = 10, .b = 1, .g = 3};

typedef void (*program)(atn_builder *b, int r);

static double time_of(atn_operation op, int p, int64_t n, program emit)
{
    atn_schedule *s[4] = {NULL};
    double time = -1;
    for (int r = 0; r < p; r++) {
        const atn_problem q = {.op = op, .p = p, .r = r, .segments = 1};
        atn_builder *b = atn_builder_new(&q);
        emit(b, r);
        assert_int_equal(atn_builder_finish(b, "test", &s[r], NULL), ATN_OK);
    }
    assert_int_equal(atn_model_alpha_beta_time(s, p, n, &machine, &time, NULL), ATN_OK);
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(s[r]);
    return time;
}

static void exchange(atn_builder *b, int r)
{
    atn_send(b, 1 - r, atn_src(1 - r, 1));
    atn_recv(b, 1 - r, atn_dst(1 - r, 1));
}

static void flat(atn_builder *b, int r)
{
    if (r == 0)
        for (int i = 1; i < 4; i++)
            atn_send(b, i, atn_dst(0, 1));
    else
        atn_recv(b, 0, atn_dst(0, 1));
}

static void relay(atn_builder *b, int r)
{
    if (r > 0)
        atn_recv(b, r - 1, atn_dst(0, 1));
    if (r < 3)
        atn_send(b, r + 1, atn_dst(0, 1));
}

static void combine(atn_builder *b, int r)
{
    const int room = atn_tmp(b, 0, 1);
    atn_copy(b, atn_src(0, 1), atn_dst(0, 1));
    atn_send(b, 1 - r, atn_dst(0, 1));
    atn_recv(b, 1 - r, atn_tmp_at(room, 0, 1));
    atn_reduce(b, atn_tmp_at(room, 0, 1), atn_dst(0, 1));
}

static void nothing(atn_builder *b, int r)
{
    (void)b;
    (void)r;
}

static void times_of_schedules(void **state)
{
    (void)state;
    assert_true(time_of(ATN_ALLTOALL, 2, 5, exchange) == 15); /* full duplex */
    assert_true(time_of(ATN_BCAST, 4, 5, flat) == 45);        /* one port */
    assert_true(time_of(ATN_BCAST, 4, 5, relay) == 45);       /* dependencies */
    assert_true(time_of(ATN_ALLREDUCE, 2, 5, combine) == 30); /* copies are free */
    assert_true(time_of(ATN_BARRIER, 4, 5, nothing) == 0);
}

static void unmatched_messages_are_detected(void **state)
{
    (void)state;
    const atn_problem q = {.op = ATN_BCAST, .p = 2, .r = 0, .segments = 1};
    atn_problem other = q;
    atn_schedule *s[2];
    atn_error err = {0};
    double time;
    atn_builder *b = atn_builder_new(&q);
    atn_send(b, 1, atn_dst(0, 1));
    assert_int_equal(atn_builder_finish(b, "test", &s[0], NULL), ATN_OK);
    other.r = 1;
    assert_int_equal(atn_builder_finish(atn_builder_new(&other), "test", &s[1], NULL), ATN_OK);
    assert_int_equal(atn_model_alpha_beta_time(s, 2, 1, &machine, &time, &err), ATN_FINDING);
    assert_string_equal(err.text, "message 0 from rank 0 to rank 1 has only one end");
    atn_sched_schedule_free(s[0]);
    atn_sched_schedule_free(s[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(forms_are_read_once),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(deep_nesting_is_rejected),
        cmocka_unit_test(names_are_whole_words),
        cmocka_unit_test(times_of_schedules),
        cmocka_unit_test(unmatched_messages_are_detected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
