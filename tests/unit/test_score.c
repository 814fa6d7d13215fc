/* test_score.c - prediction errors and the cost of selection by prediction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/score.h"

/* Two tasks of bcast, one of reduce; model 0 is perfect, 1 twice too long and always selects the
 * wrong algorithm, 2 has no prediction for reduce. */
static atn_score make(void)
{
    static const atn_score_row rows[] = {
        {"bcast", 1024, "chain", 4, {4, 8, 2}, false},
        {"bcast", 1024, "binomial", 2, {2, 16, 4}, false},
        {"bcast", 4096, "chain", 3, {3, 6, 3}, false},
        {"bcast", 4096, "binomial", 3, {3, 6, 3}, false},
        {"reduce", 1024, "chain", 5, {5, 1, 0}, false},
        {"reduce", 1024, "binomial", 1, {1, 5, 0}, false},
    };
    atn_score s = {.nmodels = 3, .model = {"right", "wrong", "mute"}, .within = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(atn_push(&s.rows, rows[i]));
    return s;
}

static void perfect_model(void **state)
{
    (void)state;
    atn_score s = make();
    const atn_merit m = atn_report_score_merit(&s, 0, NULL);
    assert_int_equal(m.rows, 6);
    assert_int_equal(m.tasks, 3);
    assert_float_equal(m.mu, 1, 1e-12);
    assert_float_equal(m.bias, 1, 1e-12);
    assert_float_equal(m.price, 1, 1e-12);
    atn_vec_free(&s.rows);
}

static void wrong_model(void **state)
{
    (void)state;
    atn_score s = make();
    const atn_merit m = atn_report_score_merit(&s, 1, NULL);
    /* errors 2 8 2 2 5 5; prices 4/2, 1, 5/1 */
    assert_float_equal(m.mu, 4, 1e-12);
    assert_float_equal(m.worst_mu, 8, 1e-12);
    assert_float_equal(m.price, 8.0 / 3, 1e-12);
    assert_float_equal(m.worst_price, 5, 1e-12);
    /* relative errors 1 7 1 1 0.8 4: half of them at most 1 high, one at most 0.8 low */
    assert_float_equal(m.rho, 14.8 / 6, 1e-12);
    assert_float_equal(m.within, 4.0 / 6, 1e-12);
    const atn_merit b = atn_report_score_merit(&s, 1, "reduce");
    assert_int_equal(b.tasks, 1);
    assert_float_equal(b.price, 5, 1e-12);
    assert_float_equal(b.bias, 1, 1e-12);
    atn_vec_free(&s.rows);
}

static void gaps_do_not_count(void **state)
{
    (void)state;
    atn_score s = make();
    const atn_merit all = atn_report_score_merit(&s, 2, NULL),
                    none = atn_report_score_merit(&s, 2, "reduce");
    assert_int_equal(all.rows, 4);
    assert_int_equal(all.tasks, 2);
    assert_float_equal(all.price, 1.5, 1e-12);
    assert_int_equal(none.rows + none.tasks, 0);
    atn_vec_free(&s.rows);
}

/* The cells of a CSV line, joined: shows that numbers are under their heading. */
static void tables(void **state)
{
    (void)state;
    atn_score s = make();
    atn_error err = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    assert_int_equal(atn_report_score_write_merits(f, &s, "csv", false, &err), ATN_OK);
    assert_int_equal(atn_report_score_write_rows(f, &s, "csv", false, &err), ATN_OK);
    fclose(f);
    assert_non_null(strstr(text, "operation,model,rows,mu,worst,bias,price,dearest,rho,within\n"));
    assert_non_null(strstr(text, "all,wrong,6,4.000,8.000,"));
    assert_non_null(strstr(text, "reduce,mute,0,,,,,,,\n"));
    assert_non_null(strstr(text, "operation,bytes,algorithm,measured_s,right,wrong,mute\n"));
    assert_non_null(strstr(text, "reduce,1024,binomial,1.000000000,1.000000000,5.000000000,\n"));
    free(text);
    atn_vec_free(&s.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfect_model),
        cmocka_unit_test(wrong_model),
        cmocka_unit_test(gaps_do_not_count),
        cmocka_unit_test(tables),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
