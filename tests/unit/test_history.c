/* test_history.c - prediction in jobs: the next collective of a communicator, the same on all
 * ranks; the next message, with and without hints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/history.h"

static atn_problem call(atn_operation op, int64_t bytes)
{
    return (atn_problem){.op = op, .p = 8, .r = 3, .bytes = bytes, .segments = 1};
}

/* A solver: three all-to-alls, one allreduce, and a rare broadcast. */
static atn_problem solver(int i)
{
    if (i % 50 == 49)
        return call(ATN_BCAST, 1 << 20);
    return i % 4 == 3 ? call(ATN_ALLREDUCE, 8) : call(ATN_ALLTOALL, 4096);
}

static void patterns_are_predicted(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    atn_problem next;
    assert_false(atn_predict_history_predict(h, 1, &next));
    for (int i = 0; i < 40; i++) {
        const atn_problem q = solver(i);
        if (atn_predict_history_predict(h, 1, &next)) {
            assert_int_equal(next.op, q.op);
            assert_int_equal(next.bytes, q.bytes);
            assert_int_equal(next.r, 3);
        }
        atn_predict_history_add(h, &q);
    }
    assert_true(atn_predict_history_predict(h, 4, &next));
    assert_int_equal(next.op, ATN_ALLREDUCE);
    const atn_prediction_stats f = atn_predict_history_stats(h);
    assert_int_equal(f.requests, 40);
    assert_true(f.hits > 20);
    assert_int_equal(f.misses, 0);
    atn_predict_history_free(h);
}

/* After a miss there is no prediction until the pattern has repeated. */
static void misses_suspend_prediction(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    atn_problem next;
    const atn_problem usual = call(ATN_BARRIER, 0), rare = call(ATN_BCAST, 64);
    for (int i = 0; i < 20; i++)
        atn_predict_history_add(h, &usual);
    assert_true(atn_predict_history_predict(h, 1, &next));
    atn_predict_history_add(h, &rare);
    assert_false(atn_predict_history_predict(h, 1, &next));
    assert_int_equal(atn_predict_history_stats(h).misses, 1);
    for (int i = 0; i < 20; i++)
        atn_predict_history_add(h, &usual);
    assert_false(atn_predict_history_predict(
        h, 1, &next)); /* the head did not occur again: still learning */
    for (int i = 0; i < 600; i++)
        atn_predict_history_add(h, &usual);
    assert_true(atn_predict_history_predict(h, 1, &next));
    atn_predict_history_free(h);
}

/* Ranks differ in attributes they do not share, and in when they predict. */
static void ranks_predict_the_same(void **state)
{
    (void)state;
    atn_history *h[2] = {atn_predict_history_make(), atn_predict_history_make()};
    assert_true(h[0] && h[1]);
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        atn_problem q = seed >> 60 == 0 ? call(ATN_GATHER, (int64_t)(seed >> 40) % 300) : solver(i);
        atn_problem a, b;
        const bool one = atn_predict_history_predict(h[0], 1, &a),
                   two = atn_predict_history_predict(h[1], 1, &b);
        assert_int_equal(one, two);
        assert_true(!one || (a.op == b.op && a.bytes == b.bytes && a.root == b.root));
        atn_predict_history_add(h[0], &q);
        q.r = 5;
        q.in_place = i % 2;
        q.segments = 1 + i % 3;
        atn_predict_history_add(h[1], &q);
        if (i % 3 == 0)
            atn_predict_history_predict(h[1], 50, &b);
    }
    const atn_prediction_stats x = atn_predict_history_stats(h[0]),
                               y = atn_predict_history_stats(h[1]);
    assert_memory_equal(&x, &y, sizeof x);
    assert_true(x.hits > x.misses);
    atn_predict_history_free(h[0]);
    atn_predict_history_free(h[1]);
}

static bool is_like(const void *context, const atn_problem *q)
{
    const atn_problem *x = context;
    return q->op == x->op && q->bytes == x->bytes;
}

static atn_outlook outlook(atn_history *h, atn_operation op, int64_t bytes)
{
    const atn_problem q = call(op, bytes);
    return atn_predict_history_outlook(h, is_like, &q);
}

/* An irregular start, then a cycle: only calls of the cycle are predicted. */
static void outlooks(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(outlook(h, ATN_BCAST, i), ATN_OUTLOOK_OPEN);
        const atn_problem q = call(ATN_BCAST, i);
        atn_predict_history_add(h, &q);
    }
    for (int i = 0; i < 1000; i++) {
        const atn_problem q = i % 100 == 7 ? call(ATN_REDUCE, 64) : call(ATN_ALLREDUCE, i % 4);
        atn_predict_history_add(h, &q);
    }
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 3), ATN_OUTLOOK_COMES);
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 5), ATN_OUTLOOK_ABSENT);
    assert_int_equal(outlook(h, ATN_BCAST, 7), ATN_OUTLOOK_ABSENT);
    const atn_problem misfit = call(ATN_GATHER, 1);
    atn_predict_history_add(h, &misfit);
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 3), ATN_OUTLOOK_OPEN);
    atn_predict_history_free(h);
}

/* The current call itself does not count as a prediction. */
static void the_current_call_does_not_count(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    for (int i = 0; i < 200; i++) { /* a cycle of 100 */
        const atn_problem q =
            i % 100 == 0 ? call(ATN_BCAST, 8) : call(ATN_ALLREDUCE, 8 + i % 100 % 3);
        atn_predict_history_add(h, &q);
    }
    assert_int_equal(outlook(h, ATN_BCAST, 8), ATN_OUTLOOK_COMES); /* now, and 100 calls later */
    atn_predict_history_free(h);
}

/* Sizes that never repeat: memory stays bounded, and later patterns are detected. */
static void memory_is_bounded(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    atn_problem next;
    for (int i = 0; i < 100000; i++) {
        const atn_problem q = call(ATN_BCAST, i);
        atn_predict_history_add(h, &q);
        assert_false(atn_predict_history_predict(h, 1, &next));
    }
    for (int i = 0; i < 400; i++) {
        const atn_problem q = call(i % 2 ? ATN_BCAST : ATN_REDUCE, 8);
        atn_predict_history_add(h, &q);
    }
    assert_true(atn_predict_history_predict(h, 1, &next));
    assert_int_equal(next.op, ATN_REDUCE);
    atn_predict_history_free(h);
}

static void roots_and_order_count(void **state)
{
    (void)state;
    atn_history *h = atn_predict_history_make();
    assert_non_null(h);
    atn_problem next, q = call(ATN_REDUCE, 8);
    for (int i = 0; i < 40; i++) {
        q.root = i % 2;
        q.ordered = i % 4 >= 2;
        atn_predict_history_add(h, &q);
    }
    assert_true(atn_predict_history_predict(h, 3, &next)); /* call 42 */
    assert_int_equal(next.root, 0);
    assert_true(next.ordered);
    atn_predict_history_free(h);
}

/* ---- messages ---- */

typedef struct {
    int source, tag;
} receive;

static atn_online *make_online(const char *name)
{
    atn_predictor_choice c;
    assert_int_equal(atn_predict_predictor_find(name, &c, NULL), ATN_OK);
    atn_online *o = atn_predict_online_make(&c, sizeof(receive));
    assert_non_null(o);
    return o;
}

/* Two call sites in a random order: their cycles are only predictable with hints. */
static int64_t hits(const char *predictor, bool hints)
{
    atn_online *o = make_online(predictor);
    uint64_t seed = 3;
    int turn[2] = {0, 0};
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int site = seed >> 63, at = turn[site]++;
        const receive x = {.source = site ? 4 + at % 3 : at % 2, .tag = site};
        if (hints)
            atn_predict_online_hint(o, site * 1000);
        atn_predict_online_add(o, &x, site * 1000);
    }
    const int64_t n = atn_predict_online_stats(o).hits;
    atn_predict_online_free(o);
    return n;
}

static void hints_improve_prediction(void **state)
{
    (void)state;
    assert_true(hits("tag-cycle", true) > 1900);
    assert_true(hits("two-level-cycle", true) > 1900);
    assert_true(hits("two-level-cycle", false) < 600);
    assert_int_equal(hits("tag-cycle", false), 0);
}

static void next_receive(void **state)
{
    (void)state;
    atn_online *o = make_online("single-cycle");
    for (int i = 0; i < 12; i++) {
        const receive x = {.source = i % 3, .tag = 7};
        atn_predict_online_add(o, &x, 0);
    }
    receive next;
    const void *key = atn_predict_online_predict(o, 2);
    assert_non_null(key);
    memcpy(&next, key, sizeof next);
    assert_int_equal(next.source, 1);
    assert_int_equal(next.tag, 7);
    atn_predict_online_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_predicted),
        cmocka_unit_test(misses_suspend_prediction),
        cmocka_unit_test(ranks_predict_the_same),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(roots_and_order_count),
        cmocka_unit_test(hints_improve_prediction),
        cmocka_unit_test(next_receive),
        cmocka_unit_test(outlooks),
        cmocka_unit_test(the_current_call_does_not_count),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
