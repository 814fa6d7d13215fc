/* test_known_pattern.c - patterns that rules name: files of pairs, distribution with the rules, and
 * files beside wisdom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/known_pattern.h"
#include "algo/pattern.h"
#include "plan/patterns.h"
#include "plan/wisdom.h"

#define HEAD "attune-pattern 1\nranks 4\n"

static void is_refused(const char *text, const char *why)
{
    atn_patterns x = {0};
    atn_error err = {0};

    assert_int_equal(atn_algo_patterns_parse(text, "p", &x, &err), ATN_INPUT);
    assert_string_equal(err.text, why);
}

static void pairs_are_read(void **state)
{
    (void)state;
    atn_patterns x = {0};
    const char *const text = HEAD "call alltoallw x3 pairs\n0 1:8K 3:16\n3 3:5 0:1M\ncall pairs\n";

    assert_int_equal(atn_algo_patterns_parse(text, "p", &x, NULL), ATN_OK);
    assert_int_equal(x.calls, 2);
    assert_int_equal(x.times[0], 3);
    assert_int_equal(x.bytes[1], 8192);
    assert_int_equal(x.bytes[3], 16);
    assert_int_equal(x.bytes[12], 1 << 20);
    assert_int_equal(x.bytes[15], 0);
    atn_algo_patterns_free(&x);
    is_refused(HEAD "call pairs\n4 1:8K\n", "p:4: expected call or the number of a sender, not 4");
    is_refused(HEAD "call pairs\n0 4:8K\n",
               "p:4: receivers are written as RECEIVER:SIZE, not 4:8K");
    is_refused(HEAD "call pairs\n0 1\n", "p:4: receivers are written as RECEIVER:SIZE, not 1");
    is_refused(HEAD "call pairs\n0 1:x\n", "p:4: receivers are written as RECEIVER:SIZE, not 1:x");
    is_refused(HEAD "call gatherv pairs\n",
               "p:3: pairs of ranks have sizes in alltoallv and alltoallw only");
    is_refused(HEAD "call pairs x2\n0 1\n", "p:4: receivers are written as RECEIVER:SIZE, not 1");
}

static char *printed(const char *name, size_t *bytes_p)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, bytes_p);

    atn_algo_known_print(f, atn_algo_known_find(atn_intern(name)));
    fclose(f);
    return text;
}

static void text_is_read_back(void **state)
{
    (void)state;
    const char *const texts[] = {HEAD "call alltoallv pairs\n0 1:8192 2:1\n3 0:7\n",
                                 HEAD "call alltoallv pairs\n", HEAD "call allgatherv\n0 5 0 9\n"};
    for (int i = 0; i < 3; i++) {
        char name[16];
        size_t bytes;
        snprintf(name, sizeof name, "back%d", i);
        assert_int_equal(atn_algo_known_add(name, texts[i], 0, NULL), ATN_OK);
        char *const text = printed(name, &bytes);
        assert_string_equal(text, texts[i]);
        free(text);
    }
    atn_error err = {0};
    assert_int_equal(atn_algo_known_add("back0", texts[0], 1, &err), ATN_INPUT);
    assert_string_equal(err.text, "back0: the file has 1 calls");
    assert_int_equal(atn_algo_known_add("back0", texts[1], 0, &err), ATN_MEMORY);
}

static void rules_take_patterns_along(void **state)
{
    (void)state;
    const char *const text = "attune-wisdom 1\nrule alltoallv ranks=4 bytes=* "
                             "use=greedy{pattern=00000000000000b0}\nend\n";
    atn_rules *rules = NULL, *again = NULL;
    char *packed = NULL;
    size_t bytes = 0;

    assert_int_equal(atn_plan_rules_parse(text, strlen(text), "w", &rules, NULL), ATN_OK);
    assert_false(atn_plan_pattern_is_known(&atn_plan_rules_at(rules, 0)->use));
    const atn_pair pair = {0, 3, 77};
    assert_true(atn_algo_known_keep("00000000000000b0", 4, false, &pair, 1));
    assert_int_equal(atn_plan_rules_pack(rules, &packed, &bytes, NULL), ATN_OK);
    assert_non_null(strstr(packed, "content 0 3:77\npattern 00000000000000b0\n"));
    assert_int_equal(atn_plan_rules_unpack(packed, bytes, &again, NULL), ATN_OK);
    free(packed);
    atn_plan_rules_free(rules);
    atn_plan_rules_free(again);
}

/* Of rows and their order; a rank's own block does not matter, nor whether it is alltoallw. */
static void calls_have_numbers(void **state)
{
    (void)state;
    static const char *const calls[] = {
        "call alltoallv\n0 1 2\n3 0 4\n5 6 0\n",         "call alltoallw\n9 1 2\n3 9 4\n5 6 9\n",
        "call pairs\n0 1:1 2:2\n1 0:3 2:4\n2 0:5 1:6\n", "call alltoallv\n0 2 1\n3 0 4\n5 6 0\n",
        "call alltoallv\n0 0 4\n1 0 2\n5 6 0\n",         "call allgatherv\n0 1 2\n"};
    uint64_t number[6];
    for (int i = 0; i < 6; i++) {
        atn_patterns x = {0};
        char text[200];
        snprintf(text, sizeof text, "attune-pattern 1\nranks 3\n%s", calls[i]);
        assert_int_equal(atn_algo_patterns_parse(text, "p", &x, NULL), ATN_OK);
        number[i] = atn_algo_known_number(&x, 0);
        atn_algo_patterns_free(&x);
    }
    assert_true(number[0] == number[1] && number[0] == number[2]);
    for (int i = 2; i < 6; i++)
        for (int j = i + 1; j < 6; j++)
            assert_true(number[i] != number[j]);
}

static bool there(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* A pattern is written with the first rule that names it, and removed with the last. */
static void patterns_are_kept_beside_wisdom(void **state)
{
    (void)state;
    char folder[] = "/tmp/known-XXXXXX", path[100], kept[120], text[200];
    const atn_pair pair = {1, 2, 5};
    atn_rules *rules = NULL;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/wisdom", folder);
    snprintf(kept, sizeof kept, "%s.patterns", path);
    assert_true(atn_algo_known_keep("00000000000000c0", 4, false, &pair, 1));
    snprintf(text, sizeof text,
             "attune-wisdom 1\nrule alltoallv ranks=4 bytes=* "
             "use=cut{pattern=00000000000000c0} time=1ms samples=5\nend\n");
    assert_int_equal(atn_plan_rules_parse(text, strlen(text), "w", &rules, NULL), ATN_OK);
    assert_int_equal(atn_plan_wisdom_merge(path, rules, NULL), ATN_OK);
    assert_true(there(kept, "00000000000000c0"));
    int forgotten = 0;
    const atn_forgetting all = {
        .ranks = {-1, INT64_MAX}, .bytes = {-1, INT64_MAX}, .place = -1, .before = -1};
    assert_int_equal(atn_plan_wisdom_forget(path, &all, &forgotten, NULL), ATN_OK);
    assert_int_equal(forgotten, 1);
    assert_false(there(kept, "00000000000000c0"));
    atn_plan_rules_free(rules);
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
}

/* Rules of users apply on all ranks alike, so all must have the pattern. */
static void missing_patterns_of_rules_are_reported(void **state)
{
    (void)state;
    atn_rules *rules = NULL;
    atn_error err = {0};

    assert_int_equal(
        atn_plan_rules_load(NULL, "alltoallv=greedy{pattern=00000000000000d0}", NULL, &rules, &err),
        ATN_INPUT);
    assert_non_null(strstr(err.text, "the pattern 00000000000000d0 is not in"));
    err = (atn_error){0};
    assert_int_equal(
        atn_plan_rules_load(NULL, "alltoallv=greedy{pattern=/nowhere}", NULL, &rules, &err),
        ATN_INPUT);
    assert_non_null(strstr(err.text, "/nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_read),
        cmocka_unit_test(text_is_read_back),
        cmocka_unit_test(calls_have_numbers),
        cmocka_unit_test(rules_take_patterns_along),
        cmocka_unit_test(patterns_are_kept_beside_wisdom),
        cmocka_unit_test(missing_patterns_of_rules_are_reported),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
