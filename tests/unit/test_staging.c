/* test_staging.c - staged messages: matching order, wildcards, memory limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/staging.h"

enum { ANY = ATN_STAGED_ANY };

static atn_staged message(int source, int tag, int64_t bytes)
{
    return (atn_staged){.source = source, .tag = tag, .bytes = bytes};
}

static void receives_get_the_oldest_match(void **state)
{
    (void)state;
    atn_staging s = {0};
    atn_staging_room r = {.limit = 1 << 20};
    atn_staged m[] = {message(3, 7, 8), message(1, 7, 0), message(3, 9, 4), message(3, 7, 2)};
    assert_null(atn_predict_staging_find(&s, ANY, ANY));
    for (int i = 0; i < 4; i++)
        atn_predict_staging_add(&s, &r, &m[i]);
    assert_ptr_equal(atn_predict_staging_find(&s, ANY, ANY), &m[0]);
    assert_ptr_equal(atn_predict_staging_find(&s, 3, ANY), &m[0]);
    assert_ptr_equal(atn_predict_staging_find(&s, 3, 9), &m[2]);
    assert_ptr_equal(atn_predict_staging_find(&s, 1, ANY), &m[1]);
    assert_ptr_equal(atn_predict_staging_find(&s, ANY, 9), &m[2]);
    assert_null(atn_predict_staging_find(&s, 1, 9));
    assert_null(atn_predict_staging_find(&s, 2, ANY));
    assert_int_equal(atn_predict_staging_count(&s, 3, 7), 2);
    assert_int_equal(atn_predict_staging_count(&s, ANY, ANY), 4);
    atn_predict_staging_take(&s, &m[0]);
    assert_ptr_equal(atn_predict_staging_find(&s, 3, 7), &m[3]);
    atn_predict_staging_take(&s, &m[3]); /* the last one */
    atn_predict_staging_add(&s, &r, &m[0]);
    assert_ptr_equal(atn_predict_staging_find(&s, 3, 7), &m[0]);
    assert_ptr_equal(s.last, &m[0]);
}

static void memory_is_limited(void **state)
{
    (void)state;
    atn_staging s = {0};
    atn_staging_room r = {.limit = 4096};
    atn_staged m[16];
    int n = 0;
    assert_false(atn_predict_staging_fits(&r, 4096));
    assert_true(atn_predict_staging_fits(&r, 4096 - ATN_STAGING_HEAD));
    assert_false(atn_predict_staging_fits(&r, INT64_MAX));
    assert_false(atn_predict_staging_fits(&r, -1));
    while (atn_predict_staging_fits(&r, 0)) {
        assert_true(n < 16);
        m[n] = message(0, n, 0);
        atn_predict_staging_add(&s, &r, &m[n++]);
    }
    assert_int_equal(n, 16); /* empty messages are limited, too */
    assert_int_equal(r.most, 4096);
    atn_staged *const first = atn_predict_staging_find(&s, 0, ANY);
    atn_predict_staging_take(&s, first);
    assert_false(atn_predict_staging_fits(&r, 0)); /* charged until delivery */
    atn_predict_staging_leave(&r, first);
    assert_true(atn_predict_staging_fits(&r, 0));
    assert_int_equal(r.messages, 15);
}

/* Compared with a list of all messages per sender. */
static void messages_do_not_overtake(void **state)
{
    (void)state;
    enum { N = 4000, SENDERS = 3, TAGS = 3 };
    static atn_staged m[N];
    atn_staging s = {0};
    atn_staging_room r = {.limit = INT64_MAX};
    uint32_t random = 1;
    bool gone[N] = {false};
    int n = 0, received = 0;
    while (received < N) {
        random = random * 1664525 + 1013904223;
        const int source = (int)(random >> 16) % (SENDERS + 1) - 1;
        const int tag = (int)(random >> 20) % (TAGS + 1) - 1;
        if (n < N && (random >> 30) != 0) {
            m[n] = message(source < 0 ? 0 : source, tag < 0 ? 0 : tag, n);
            atn_predict_staging_add(&s, &r, &m[n++]);
            continue;
        }
        atn_staged *const got =
            atn_predict_staging_find(&s, n < N ? source : ANY, n < N ? tag : ANY);
        int expected = 0;
        while (expected < n &&
               (gone[expected] || (n < N && ((source != ANY && source != m[expected].source) ||
                                             (tag != ANY && tag != m[expected].tag)))))
            expected++;
        assert_ptr_equal(got, expected < n ? &m[expected] : NULL);
        if (got == NULL)
            continue;
        gone[expected] = true;
        atn_predict_staging_take(&s, got);
        atn_predict_staging_leave(&r, got);
        received++;
    }
    assert_null(s.first);
    assert_null(s.last);
    assert_int_equal(r.bytes, 0);
    assert_int_equal(r.messages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives_get_the_oldest_match),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(messages_do_not_overtake),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
