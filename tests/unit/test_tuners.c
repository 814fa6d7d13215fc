/* test_tuners.c - many sizes, one budget; candidates from the planner, rules from results. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/wisdom.h"
#include "simjob.h"
#include "tune/candidate_set.h"
#include "tune/tuners.h"

/* ---- many sizes ---- */

static void sizes_have_classes_and_weights(void **state)
{
    (void)state;
    assert_int_equal(atn_tune_size_class(-1), -1);
    assert_int_equal(atn_tune_size_class(0), 0);
    assert_int_equal(atn_tune_size_class(1024), atn_tune_size_class(2047));
    assert_int_equal(atn_tune_size_class(2048), atn_tune_size_class(2047) + 1);
    assert_int_equal(atn_tune_size_half_class(0) + 1, atn_tune_size_half_class(1) - 1);
    assert_int_equal(atn_tune_size_half_class(2) + 1, atn_tune_size_half_class(3));
    assert_int_equal(atn_tune_size_half_class(1024), atn_tune_size_half_class(1535));
    assert_int_equal(atn_tune_size_half_class(1536), atn_tune_size_half_class(2047));
    assert_int_equal(atn_tune_size_half_class(1536), atn_tune_size_half_class(1535) + 1);
    assert_int_equal(atn_tune_size_half_class(2048), atn_tune_size_half_class(2047) + 1);
    for (int64_t bytes = -1; bytes < 70; bytes++) {
        const atn_span span = atn_tune_size_span(bytes);
        const int class = atn_tune_size_class(bytes);
        assert_true(span.lo <= bytes && bytes < span.hi);
        assert_int_equal(atn_tune_size_class(span.lo), class);
        assert_true(bytes < 0 || atn_tune_size_class(span.hi - 1) == class);
        assert_true(bytes < 0 || atn_tune_size_class(span.hi) == class + 1);
    }
    assert_true(atn_tune_size_span(INT64_MAX).hi == INT64_MAX);
    assert_int_equal(atn_tune_size_weight(1536, 0), ATN_TUNE_WEIGHT);
    assert_int_equal(atn_tune_size_weight(1024, 0), ATN_TUNE_WEIGHT * 2 / 3);
    assert_in_range(atn_tune_size_weight(1024, 100000), 1010, ATN_TUNE_WEIGHT);
}

static void classes_are_found_by_kind_and_size(void **state)
{
    (void)state;
    enum { MOST_KEYS = 3 };
    const atn_class_key wanted[] = {{1, 10}, {2, 10}, {1, 11}, {1, -1}};
    atn_class_key keys[MOST_KEYS];
    int n = 0;
    for (int again = 0; again <= 1; again++)
        for (int i = 0; i <= MOST_KEYS; i++)
            assert_int_equal(atn_tune_class_index(keys, &n, MOST_KEYS, wanted[i]),
                             i < MOST_KEYS ? i : -1);
    assert_int_equal(n, MOST_KEYS);
}

static atn_tuner *added(atn_tuners *tuners, const sim_machine *m, int64_t bytes)
{
    atn_candidate list[MOST];
    const int n = sim_describe(m, list);
    const atn_class_key key = {.kind = 1, .size_class = atn_tune_size_class(bytes)};
    return atn_tune_tuners_add(tuners, key, &atn_tune_defaults, list, n, NATIVE, -1, -1);
}

static void a_class_begins_with_its_neighbours_winner(void **state)
{
    (void)state;
    sim_machine m = sim_decent(1);
    static atn_tuners tuners;
    m.agreement = 20e-6;
    atn_tune_tuners_open(&tuners, 20, 20000);
    atn_tuner *first = added(&tuners, &m, 5000);
    assert_int_equal(atn_tune_tuner_incumbent(added(&tuners, &m, 100)), NATIVE);
    sim_play_tuner(&m, first, &tuners.budget, 1000);
    assert_int_equal(atn_tune_tuner_incumbent(first), 1);
    /* A neighbour begins with it, and replaces it where it is slower. */
    atn_tuner *near = added(&tuners, &m, 10000), *far = added(&tuners, &m, 1000000);
    assert_int_equal(atn_tune_tuner_incumbent(near), 1);
    assert_int_equal(atn_tune_tuner_incumbent(far), NATIVE);
    m.time[1] = 15e-3;
    const sim_outcome o = sim_play_tuner(&m, near, &tuners.budget, 1000);
    assert_true(o.incumbent != 1);
    for (int64_t bytes = 1 << 20; tuners.n < ATN_TUNERS_MOST; bytes++)
        assert_non_null(added(&tuners, &m, bytes));
    assert_null(added(&tuners, &m, 1));
    atn_tune_tuners_close(&tuners);
}

/* All sizes are predicted to gain and none does: concurrent trials stay within the budget. */
static void many_sizes_share_one_budget(void **state)
{
    (void)state;
    enum { SIZES = 24 };
    static atn_tuners tuners;
    sim_outcome o = {0};
    double elapsed = 0;
    sim_job jobs[SIZES];
    sim_machine m = {.n = 8, .error = 0.3, .noise = 0.05, .agreement = 20e-6, .delay = 2};
    for (int i = 0; i < m.n; i++) {
        m.time[i] = i == NATIVE ? 1e-3 : 3e-3;
        m.model[i] = i == NATIVE ? 0 : 0.3e-3 + 0.02e-3 * i;
    }
    atn_tune_tuners_open(&tuners, 20, 20000);
    for (int i = 0; i < SIZES; i++) {
        assert_non_null(added(&tuners, &m, INT64_C(1) << i));
        jobs[i] =
            (sim_job){.m = &m, .o = &o, .random = (uint64_t)i, .elapsed = &elapsed, .waiting = -1};
    }
    for (int64_t call = 0; call < 200 * SIZES; call++) {
        sim_one_call(&jobs[call % SIZES], tuners.tuner[call % SIZES], call / SIZES);
        if (o.total > 1.04 * o.native + 1e-9 * (double)tuners.budget.credit_ns + 2 * o.worst)
            fail_msg("call %d: %g, native %g", (int)call, o.total, o.native);
    }
    atn_tune_tuners_close(&tuners);
    assert_int_equal(tuners.budget.reserved_ns, 0);
}

/* ---- planner and wisdom ---- */

static atn_choice choice_of(const char *name)
{
    atn_choice choice = {.row = atn_algo_catalog_find(ATN_BCAST, name)};
    atn_algo_params_default(choice.row, &choice.params);
    return choice;
}

static void assert_same_set(const atn_candidate_set *x, const atn_candidate_set *y)
{
    assert_int_equal(x->n, y->n);
    assert_int_equal(x->from_wisdom, y->from_wisdom);
    assert_int_equal(x->wisdom_ps, y->wisdom_ps);
    assert_int_equal(x->at_once, y->at_once);
    for (int i = 0; i < x->n; i++) {
        assert_true(atn_plan_same_choice(&x->choice[i], &y->choice[i]));
        assert_true(x->is[i].id == y->is[i].id && x->is[i].group == y->is[i].group);
        assert_int_equal(x->is[i].predicted_ps, y->is[i].predicted_ps);
        assert_int_equal(x->is[i].error, y->is[i].error);
    }
}

/* The longest text, too, and a set without candidates. */
static void sets_are_read_as_they_were_printed(void **state)
{
    (void)state;
    static atn_candidate_set set, read;
    static char text[ATN_SET_TEXT];
    atn_choice chain;
    atn_rule wisdom = atn_plan_rule_blank(ATN_BCAST);
    wisdom.use = choice_of("binomial");
    wisdom.time_ps = 7000000;
    atn_tune_candidate_set_make(ATN_BCAST, 300, &wisdom, &set);
    for (int segment = 1; set.n < ATN_TUNE_CANDIDATES; segment++) {
        char name[64];
        snprintf(name, sizeof name, "chain{segment=%dK}", segment);
        assert_int_equal(atn_plan_choice_read(ATN_BCAST, name, &chain, NULL), ATN_OK);
        atn_tune_candidate_set_add(&set, &chain, INT64_MAX - segment, 1500);
    }
    set.at_once = true;
    assert_in_range(atn_tune_candidate_set_print(&set, text), set.n, ATN_SET_TEXT - 1);
    assert_true(atn_tune_candidate_set_read(ATN_BCAST, text, &read));
    assert_same_set(&read, &set);

    set = (atn_candidate_set){.from_wisdom = -1, .wisdom_ps = -1};
    atn_tune_candidate_set_print(&set, text);
    assert_true(atn_tune_candidate_set_read(ATN_BCAST, text, &read));
    assert_same_set(&read, &set);
}

static void unreadable_sets_are_empty(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "0 0 0\n1 1", "0 0 0\n1 1 native\n2 2 unknown\n"};
    static atn_candidate_set read;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];
        strcpy(text, texts[i]);
        assert_int_equal(atn_tune_candidate_set_read(ATN_BCAST, text, &read), i == 0);
        assert_int_equal(read.n, 0);
    }
}

static void results_become_rules(void **state)
{
    (void)state;
    const atn_choice chain = choice_of("chain"), linear = choice_of("linear");
    static atn_candidate_set set;
    atn_rule rule;
    atn_tune_candidate_set_make(ATN_BCAST, 300, NULL, &set);
    assert_int_equal(set.from_wisdom, -1);
    atn_tune_candidate_set_add(&set, &chain, 4600000000, 300);
    atn_tune_candidate_set_add(&set, &linear, 9000000000, 300);

    const sim_machine m = {.n = 3, .time = {10e-3, 5e-3, 8e-3}, .agreement = 20e-6, .seed = 1};
    atn_budget budget;
    atn_tune_budget_begin(&budget, 20, 20000);
    atn_tuner *t = atn_tune_tuner_new(&atn_tune_defaults, &budget, set.is, set.n, ATN_SET_NATIVE,
                                      ATN_SET_NATIVE, ATN_START_NATIVE, -1);
    assert_false(atn_tune_tuned_rule(t, &set, 16, 5000, 1, 0, &rule));
    sim_play_tuner(&m, t, &budget, 300);
    assert_true(atn_tune_tuned_rule(t, &set, 16, 5000, 1770110107, 0, &rule));
    assert_ptr_equal(rule.use.row, chain.row);
    assert_true(rule.bytes.lo == 4096 && rule.bytes.hi == 8192);
    assert_true(rule.ranks.lo == 16 && rule.ranks.hi == 17);
    assert_in_range(rule.time_ps, 4900000000, 5100000000);
    assert_true(rule.samples > 4 && rule.ci_ps >= 0 && rule.next.row != NULL &&
                rule.next_ps > rule.time_ps);
    atn_tune_tuner_free(t);
}

/* However short the job: an unknown interval is not 0. */
static void few_samples_have_no_interval(void **state)
{
    (void)state;
    const sim_machine m = {.n = 2, .time = {10e-3, 5e-3}, .agreement = 20e-6, .seed = 1};
    atn_candidate_set set;
    atn_rule rule;
    int few = 0;
    atn_tune_candidate_set_make(ATN_BCAST, 300, NULL, &set);
    for (int calls = 1; calls < 60; calls++) {
        atn_budget budget;
        atn_tune_budget_begin(&budget, 20, 20000);
        atn_tuner *t = atn_tune_tuner_new(&atn_tune_defaults, &budget, set.is, set.n,
                                          ATN_SET_NATIVE, ATN_SET_NATIVE, ATN_START_NATIVE, -1);
        sim_play_tuner(&m, t, &budget, calls);
        if (atn_tune_tuned_rule(t, &set, 16, 5000, 1, 0, &rule) && rule.samples < 5) {
            assert_int_equal(rule.ci_ps, -1);
            few++;
        }
        atn_tune_tuner_free(t);
    }
    assert_true(few > 0);
}

/* Predictions refer to the first size, times to all sizes of the class. */
static void times_of_a_size_are_those_of_its_class(void **state)
{
    (void)state;
    const int64_t fixed = 8192, long_ps = INT64_C(3600000000000000),
                  sizes[] = {1, 100, 65536, 98303, 131071};
    assert_int_equal(atn_tune_size_usual_ps(98304, fixed, 1000000), 1000000);
    assert_in_range(atn_tune_size_usual_ps(65536, 0, 1000000), 1500000, 1502500);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t usual = atn_tune_size_usual_ps(sizes[i], fixed, long_ps);
        const int64_t back = usual / ATN_TUNE_WEIGHT * atn_tune_size_weight(sizes[i], fixed);
        assert_in_range(back, long_ps / 1000 * 999, long_ps / 1000 * 1001);
        assert_true((usual > long_ps) == (atn_tune_size_weight(sizes[i], fixed) < ATN_TUNE_WEIGHT));
    }
    assert_int_equal(atn_tune_size_usual_ps(65536, fixed, -1), -1);
    assert_int_equal(atn_tune_size_usual_ps(65536, fixed, 0), 0);
    assert_int_equal(atn_tune_size_usual_ps(-1, fixed, 777), 777);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_classes_and_weights),
        cmocka_unit_test(classes_are_found_by_kind_and_size),
        cmocka_unit_test(few_samples_have_no_interval),
        cmocka_unit_test(times_of_a_size_are_those_of_its_class),
        cmocka_unit_test(a_class_begins_with_its_neighbours_winner),
        cmocka_unit_test(many_sizes_share_one_budget),
        cmocka_unit_test(sets_are_read_as_they_were_printed),
        cmocka_unit_test(unreadable_sets_are_empty),
        cmocka_unit_test(results_become_rules),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
