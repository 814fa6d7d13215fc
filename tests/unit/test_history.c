/* test_history.c - foreseeing in jobs: the next collective of a communicator, alike on all ranks;
 * the next message, with hints and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/history.h"

static atn_problem call(atn_operation op, int64_t bytes)
{
    return (atn_problem){.op = op, .p = 8, .r = 3, .bytes = bytes, .pieces = 1};
}

/* A solver: three of these, one of those, and something rare. */
static atn_problem solver(int i)
{
    if (i % 50 == 49)
        return call(ATN_BCAST, 1 << 20);
    return i % 4 == 3 ? call(ATN_ALLREDUCE, 8) : call(ATN_ALLTOALL, 4096);
}

static void habits_are_foreseen(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    atn_problem next;
    assert_false(atn_history_foresee(h, 1, &next));
    for (int i = 0; i < 40; i++) {
        const atn_problem q = solver(i);
        if (atn_history_foresee(h, 1, &next)) {
            assert_int_equal(next.op, q.op);
            assert_int_equal(next.bytes, q.bytes);
            assert_int_equal(next.r, 3);
        }
        atn_history_add(h, &q);
    }
    assert_true(atn_history_foresee(h, 4, &next));
    assert_int_equal(next.op, ATN_ALLREDUCE);
    const atn_foresight f = atn_history_foresight(h);
    assert_int_equal(f.requests, 40);
    assert_true(f.foreseen > 20);
    assert_int_equal(f.wrong, 0);
    atn_history_free(h);
}

/* After a surprise nothing is told until the habit has shown itself again. */
static void surprises_cost_trust(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    atn_problem next;
    const atn_problem usual = call(ATN_BARRIER, 0), rare = call(ATN_BCAST, 64);
    for (int i = 0; i < 20; i++)
        atn_history_add(h, &usual);
    assert_true(atn_history_foresee(h, 1, &next));
    atn_history_add(h, &rare);
    assert_false(atn_history_foresee(h, 1, &next));
    assert_int_equal(atn_history_foresight(h).wrong, 1);
    for (int i = 0; i < 20; i++)
        atn_history_add(h, &usual);
    assert_false(atn_history_foresee(h, 1, &next)); /* the head never came again: still learning */
    for (int i = 0; i < 600; i++)
        atn_history_add(h, &usual);
    assert_true(atn_history_foresee(h, 1, &next));
    atn_history_free(h);
}

/* Ranks differ in what they do not share, and in when they look. */
static void ranks_foresee_alike(void **state)
{
    (void)state;
    atn_history *h[2] = {atn_history_make(), atn_history_make()};
    assert_true(h[0] && h[1]);
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        atn_problem q = seed >> 60 == 0 ? call(ATN_GATHER, (int64_t)(seed >> 40) % 300) : solver(i);
        atn_problem a, b;
        const bool one = atn_history_foresee(h[0], 1, &a), two = atn_history_foresee(h[1], 1, &b);
        assert_int_equal(one, two);
        assert_true(!one || (a.op == b.op && a.bytes == b.bytes && a.root == b.root));
        atn_history_add(h[0], &q);
        q.r = 5;
        q.in_place = i % 2;
        q.pieces = 1 + i % 3;
        atn_history_add(h[1], &q);
        if (i % 3 == 0)
            atn_history_foresee(h[1], 50, &b);
    }
    const atn_foresight x = atn_history_foresight(h[0]), y = atn_history_foresight(h[1]);
    assert_memory_equal(&x, &y, sizeof x);
    assert_true(x.foreseen > x.wrong);
    atn_history_free(h[0]);
    atn_history_free(h[1]);
}

static bool is_like(const void *context, const atn_problem *q)
{
    const atn_problem *x = context;
    return q->op == x->op && q->bytes == x->bytes;
}

static atn_outlook outlook(atn_history *h, atn_operation op, int64_t bytes)
{
    const atn_problem q = call(op, bytes);
    return atn_history_outlook(h, is_like, &q);
}

/* A start that nobody foresees, then a cycle: what belongs to it will come again, the rest not. */
static void outlooks(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(outlook(h, ATN_BCAST, i), ATN_OUTLOOK_OPEN);
        const atn_problem q = call(ATN_BCAST, i);
        atn_history_add(h, &q);
    }
    for (int i = 0; i < 1000; i++) {
        const atn_problem q = i % 100 == 7 ? call(ATN_REDUCE, 64) : call(ATN_ALLREDUCE, i % 4);
        atn_history_add(h, &q);
    }
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 3), ATN_OUTLOOK_COMES);
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 5), ATN_OUTLOOK_ABSENT);
    assert_int_equal(outlook(h, ATN_BCAST, 7), ATN_OUTLOOK_ABSENT);
    const atn_problem surprise = call(ATN_GATHER, 1);
    atn_history_add(h, &surprise);
    assert_int_equal(outlook(h, ATN_ALLREDUCE, 3), ATN_OUTLOOK_OPEN);
    atn_history_free(h);
}

/* The call at hand is not one that comes again. */
static void the_last_call_is_not_foreseen_to_come_again(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    for (int i = 0; i < 200; i++) { /* a cycle of 100 */
        const atn_problem q =
            i % 100 == 0 ? call(ATN_BCAST, 8) : call(ATN_ALLREDUCE, 8 + i % 100 % 3);
        atn_history_add(h, &q);
    }
    assert_int_equal(outlook(h, ATN_BCAST, 8), ATN_OUTLOOK_COMES); /* at hand, and 100 later */
    atn_history_free(h);
}

/* Ever new sizes: memory stays bounded, and habits are found afterwards. */
static void endless_news(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    atn_problem next;
    for (int i = 0; i < 100000; i++) {
        const atn_problem q = call(ATN_BCAST, i);
        atn_history_add(h, &q);
        assert_false(atn_history_foresee(h, 1, &next));
    }
    for (int i = 0; i < 400; i++) {
        const atn_problem q = call(i % 2 ? ATN_BCAST : ATN_REDUCE, 8);
        atn_history_add(h, &q);
    }
    assert_true(atn_history_foresee(h, 1, &next));
    assert_int_equal(next.op, ATN_REDUCE);
    atn_history_free(h);
}

static void roots_and_order_count(void **state)
{
    (void)state;
    atn_history *h = atn_history_make();
    assert_non_null(h);
    atn_problem next, q = call(ATN_REDUCE, 8);
    for (int i = 0; i < 40; i++) {
        q.root = i % 2;
        q.ordered = i % 4 >= 2;
        atn_history_add(h, &q);
    }
    assert_true(atn_history_foresee(h, 3, &next)); /* call 42 */
    assert_int_equal(next.root, 0);
    assert_true(next.ordered);
    atn_history_free(h);
}

/* ---- messages ---- */

typedef struct {
    int source, tag;
} receive;

static atn_online *make_online(const char *name)
{
    atn_predictor_choice c;
    assert_int_equal(atn_predictor_find(name, &c, NULL), ATN_OK);
    atn_online *o = atn_online_make(&c, sizeof(receive));
    assert_non_null(o);
    return o;
}

/* Two call sites in a random order: with hints their cycles are known, without they are not. */
static int64_t foreseen(const char *predictor, bool hints)
{
    atn_online *o = make_online(predictor);
    uint64_t seed = 3;
    int turn[2] = {0, 0};
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int site = seed >> 63, at = turn[site]++;
        const receive x = {.source = site ? 4 + at % 3 : at % 2, .tag = site};
        if (hints)
            atn_online_hint(o, site * 1000);
        atn_online_add(o, &x, site * 1000);
    }
    const int64_t n = atn_online_foresight(o).foreseen;
    atn_online_free(o);
    return n;
}

static void hints_help(void **state)
{
    (void)state;
    assert_true(foreseen("tag-cycle", true) > 1900);
    assert_true(foreseen("two-level-cycle", true) > 1900);
    assert_true(foreseen("two-level-cycle", false) < 600);
    assert_int_equal(foreseen("tag-cycle", false), 0);
}

static void next_receive(void **state)
{
    (void)state;
    atn_online *o = make_online("single-cycle");
    for (int i = 0; i < 12; i++) {
        const receive x = {.source = i % 3, .tag = 7};
        atn_online_add(o, &x, 0);
    }
    receive next;
    const void *key = atn_online_foresee(o, 2);
    assert_non_null(key);
    memcpy(&next, key, sizeof next);
    assert_int_equal(next.source, 1);
    assert_int_equal(next.tag, 7);
    atn_online_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(habits_are_foreseen),
        cmocka_unit_test(surprises_cost_trust),
        cmocka_unit_test(ranks_foresee_alike),
        cmocka_unit_test(endless_news),
        cmocka_unit_test(roots_and_order_count),
        cmocka_unit_test(hints_help),
        cmocka_unit_test(next_receive),
        cmocka_unit_test(outlooks),
        cmocka_unit_test(the_last_call_is_not_foreseen_to_come_again),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
