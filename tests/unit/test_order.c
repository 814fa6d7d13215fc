/* test_order.c - orders of rank 0: ranks that follow them call what its tuner decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/order.h"

enum { NATIVE_US = 100, FAST_US = 50, SLOW_US = 400 };

static atn_choice choice(const char *name)
{
    atn_choice c;
    assert_int_equal(atn_plan_choice_parse(ATN_ALLREDUCE, name, "", &c, NULL), ATN_OK);
    return c;
}

static void candidates(atn_candidate_set *set)
{
    const atn_choice ring = choice("ring"), slow = choice("rabenseifner");
    atn_tune_candidate_set_make(ATN_ALLREDUCE, 1500, NULL, set);
    atn_tune_candidate_set_add(set, &ring, -1, 300);
    atn_tune_candidate_set_add(set, &slow, -1, 300);
}

static int time_of(const atn_choice *c)
{
    const char *const name = c->row->algo->name;
    return c->row->algo->build == NULL ? NATIVE_US : strcmp(name, "ring") == 0 ? FAST_US : SLOW_US;
}

static void positions_follow_pause_blocks_and_grace(void **state)
{
    (void)state;
    const atn_choice native = choice("native"), ring = choice("ring");
    atn_call_order o = atn_tune_order_of(&native, 5);
    int block;
    o.timed[1] = ring;
    o.calls[0] = 2;
    o.calls[1] = 3;
    o.grace = 4;
    static const int blocks[] = {-1, -1, -1, -1, -1, 0, 0, 1, 1, 1, -1, -1, -1, -1, -1};
    for (int i = 0; i < (int)(sizeof blocks / sizeof *blocks); i++) {
        const atn_choice *const c = atn_tune_order_choice(&o, i, &block);
        assert_int_equal(block, blocks[i]);
        assert_ptr_equal(c->row, blocks[i] == 1 ? ring.row : native.row);
    }
    assert_int_equal(atn_tune_order_sums_at(&o), 14);
    assert_int_equal(atn_tune_order_end(&o), 14 + 4 * ATN_ORDER_AHEAD);
    o.pause = ATN_ORDER_MOST;
    assert_true(atn_tune_order_end(&o) == INT64_MAX);
}

static void texts_are_read_back(void **state)
{
    (void)state;
    const atn_choice ring = choice("ring");
    atn_call_order o = atn_tune_order_of(&ring, 12345678901), back;
    char text[ATN_ORDER_TEXT], damaged[] = "1 2 3\nring\nring\nring\n", few[] = "1 2 3 4\nring\n";
    o.calls[1] = 7;
    o.grace = 2;
    atn_tune_order_print(&o, text);
    assert_true(atn_tune_order_read(ATN_ALLREDUCE, text, &back));
    assert_true(back.pause == o.pause && back.calls[0] == 0 && back.calls[1] == 7);
    assert_true(back.grace == 2 && back.serve.row == ring.row && back.timed[1].row == ring.row);
    assert_false(atn_tune_order_read(ATN_ALLREDUCE, damaged, &back));
    assert_false(atn_tune_order_read(ATN_ALLREDUCE, few, &back));
}

/* A job: calls follow orders; the fastest candidate must serve in the end, and timed calls must be
 * those that the tuner expects. */
static void the_fastest_candidate_serves(void **state)
{
    (void)state;
    enum { CALLS = 20000 };
    atn_candidate_set set;
    atn_budget budget;
    candidates(&set);
    atn_tune_budget_begin(&budget, 15, atn_tune_defaults.agreement_ns);
    atn_tuner *const t = atn_tune_tuner_new(&atn_tune_defaults, &budget, set.is, set.n,
                                            ATN_SET_NATIVE, ATN_SET_NATIVE, ATN_START_NATIVE, -1);
    int64_t elapsed_us = 0, at = 0, sums[2] = {0, 0};
    int last = 0, slow = 0;
    atn_call_order o = atn_tune_order_next(t, &set, ATN_ORDER_GRACE);
    for (int i = 0; i < CALLS; i++, at++) {
        if (at == atn_tune_order_end(&o)) {
            if (o.calls[0] > 0)
                atn_tune_tuner_feed(t, sums, 1000 * elapsed_us);
            o = atn_tune_order_next(t, &set, ATN_ORDER_GRACE);
            at = sums[0] = sums[1] = 0;
        }
        int block;
        last = time_of(atn_tune_order_choice(&o, at, &block));
        elapsed_us += last;
        slow += last == SLOW_US;
        if (block >= 0)
            sums[block] += 1000 * (int64_t)last;
    }
    assert_int_equal(last, FAST_US);
    assert_true(slow < CALLS / 100);
    assert_true(elapsed_us < (int64_t)CALLS * NATIVE_US * 6 / 10);
    atn_tune_tuner_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_follow_pause_blocks_and_grace),
        cmocka_unit_test(texts_are_read_back),
        cmocka_unit_test(the_fastest_candidate_serves),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
