/* test_race.c - when a race leaves native, pair by pair; results of an unfinished race. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/wisdom.h"
#include "simjob.h"
#include "tune/candidate_set.h"
#include "tune/tuners.h"

/* ---- races with given pairs ---- */

enum { USUAL_US = 10000, CLEAR_US = USUAL_US / 2 };

typedef struct {
    atn_tuner *tuner;
    atn_budget budget;
    int64_t elapsed_us;
    int64_t seen_us;  /* before it began; 0: unknown */
    int error;        /* of predictions, per mille; 0: 300 */
    int calls[MOST];  /* that were timed in the latest round */
    unsigned scratch; /* candidates that ran on scratch data, as bits */
} race;

/* Candidates with fast predictions, except for native, which has none. */
static void begin(race *x, int n, int start, atn_tune_start kind, bool shadow)
{
    atn_candidate list[MOST];
    atn_tune_settings s = atn_tune_defaults;
    s.shadow = shadow;
    s.seen_ps = x->seen_us * 1000000;
    for (int i = 0; i < n; i++)
        list[i] = (atn_candidate){.id = (uint64_t)i + 1,
                                  .predicted_ps = i == NATIVE ? -1 : CLEAR_US * INT64_C(1000000),
                                  .error = x->error > 0 ? x->error : 300};
    *x = (race){.elapsed_us = x->seen_us};
    atn_tune_budget_begin(&x->budget, 20, s.agreement_ns);
    x->tuner = atn_tune_tuner_new(&s, &x->budget, list, n, NATIVE, start, kind, -1);
    assert_non_null(x->tuner);
}

/* Calls until times are agreed; returns the candidates that were timed, as bits. */
static unsigned play_round(race *x, const int us[])
{
    int64_t sums[2] = {0, 0};
    unsigned timed = 0;
    atn_step s;
    memset(x->calls, 0, sizeof x->calls);
    do {
        s = atn_tune_tuner_step(x->tuner, ATN_TUNE_WEIGHT);
        const int runs = s.shadow >= 0 ? s.shadow : s.candidate;
        x->elapsed_us += us[s.candidate] + (s.shadow >= 0 ? us[runs] : 0);
        x->scratch |= s.shadow >= 0 ? 1u << s.shadow : 0;
        if (s.block >= 0) {
            sums[s.block] += 1000 * (int64_t)us[runs];
            timed |= 1u << runs;
            x->calls[runs]++;
        }
    } while (!s.agree);
    atn_tune_tuner_feed(x->tuner, sums, 1000 * x->elapsed_us);
    return timed;
}

/* The next pair of a candidate, which takes `us`, and the incumbent; others take as long as
 * native. */
static void play_pair(race *x, int candidate, int us)
{
    int times[MOST], rounds = 0;
    for (int i = 0; i < MOST; i++)
        times[i] = i == candidate ? us : USUAL_US;
    while ((play_round(x, times) & 1u << candidate) == 0)
        assert_true(++rounds < 50);
}

/* Time of candidate 1 where native takes USUAL_US. */
static int time_of(char word)
{
    static const struct {
        char word;
        int us;
    } times[] = {
        {'c', USUAL_US / 2},         {'j', USUAL_US * 2 / 3 - 1}, /* clear, and just clear */
        {'n', USUAL_US * 2 / 3 + 1}, {'w', USUAL_US * 9 / 10},    /* not quite clear; still a win */
        {'v', USUAL_US / 3 - 1},     {'u', USUAL_US / 3 + 1}, /* certain, and not quite certain */
        {'t', USUAL_US * 98 / 100},  {'l', USUAL_US * 105 / 100}, /* within the margin; a loss */
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i].word == word)
            return times[i].us;
    fail_msg("no time is called %c", word);
    return 0;
}

/* The incumbent after these pairs of native and candidate 1; predictions have this error. */
static int after_with(int error, const char *pairs)
{
    race x = {.error = error};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    for (; *pairs != '\0'; pairs++) {
        assert_int_equal(atn_tune_tuner_incumbent(x.tuner), NATIVE);
        play_pair(&x, 1, time_of(*pairs));
    }
    const int incumbent = atn_tune_tuner_incumbent(x.tuner);
    atn_tune_tuner_free(x.tuner);
    return incumbent;
}

static int after(const char *pairs) { return after_with(0, pairs); }

/* ---- leaving native ---- */

static void one_pair_is_enough_if_predicted(void **state)
{
    (void)state;
    assert_int_equal(after("v"), 1);
    assert_int_equal(after("u"), NATIVE);
    assert_int_equal(after("lv"), NATIVE);
    assert_int_equal(after_with(1000, "v"), NATIVE);
    assert_int_equal(after_with(1000, "vv"), 1);
}

static void two_clear_pairs_are_enough(void **state)
{
    (void)state;
    assert_int_equal(after("cc"), 1);
    assert_int_equal(after("cj"), 1);
    assert_int_equal(after("cwc"), 1);
    assert_int_equal(after("wcc"), 1);
}

static void one_clear_pair_is_not_enough(void **state)
{
    (void)state;
    assert_int_equal(after("c"), NATIVE);
    assert_int_equal(after("cn"), NATIVE);
    assert_int_equal(after("cwww"), NATIVE);
    assert_int_equal(after("wwww"), NATIVE);
    assert_int_equal(after("cwwww"), 1); /* the five of the sign test */
    assert_int_equal(after("wwwww"), 1);
}

static void after_a_loss_nothing_is_obvious(void **state)
{
    (void)state;
    assert_int_equal(after("clcc"), NATIVE);
    assert_int_equal(after("lcc"), NATIVE);
    assert_int_equal(after("ctcc"), NATIVE); /* a win within the margin does not count */
    assert_int_equal(after("lccccccc"), NATIVE);
    assert_int_equal(after("lcccccccc"), 1); /* the eight of the sign test */
}

/* Other incumbents than native were measured: two pairs do not replace them. */
static void only_native_is_replaced_after_two_pairs(void **state)
{
    (void)state;
    race x = {0};
    int pairs = 0;
    begin(&x, 3, 1, ATN_START_BORROWED, false);
    const int times[] = {2 * USUAL_US, USUAL_US, CLEAR_US};
    for (int rounds = 0; atn_tune_tuner_incumbent(x.tuner) == 1 && rounds < 200; rounds++)
        pairs += play_round(&x, times) >> 2 & 1;
    assert_int_equal(atn_tune_tuner_incumbent(x.tuner), 2);
    assert_int_equal(pairs, 5);
    atn_tune_tuner_free(x.tuner);
}

/* A choice of the model loses to native as soon as native loses to it.  Meanwhile native serves. */
static int after_predicted(int native_us, int pairs)
{
    race x = {0};
    atn_tuner_result result;
    begin(&x, 2, 1, ATN_START_BORROWED, false);
    for (int i = 0; i < pairs; i++) {
        play_pair(&x, NATIVE, native_us);
        assert_int_equal(atn_tune_tuner_incumbent(x.tuner), NATIVE);
    }
    atn_tune_tuner_result(x.tuner, &result);
    atn_tune_tuner_free(x.tuner);
    return result.best;
}

static void native_replaces_a_predicted_choice(void **state)
{
    (void)state;
    assert_int_equal(after_predicted(CLEAR_US, 1), 1);
    assert_int_equal(after_predicted(CLEAR_US, 2), NATIVE);
    assert_int_equal(after_predicted(time_of('n'), 3), 1);
    assert_int_equal(after_predicted(time_of('n'), 5), NATIVE);
}

/* Where native is predicted to be far behind, and the first candidate is as fast as predicted,
 * native is not measured before the budget covers it; where it is slower, native is measured at
 * once. */
static unsigned timed_with_predicted_native(int own_us, int rounds)
{
    race x = {0};
    unsigned timed = 0;
    const atn_candidate list[] = {
        {.id = 1, .predicted_ps = 4 * USUAL_US * INT64_C(1000000), .error = 400},
        {.id = 2, .predicted_ps = USUAL_US * INT64_C(1000000), .error = 400}};
    const int times[] = {4 * USUAL_US, own_us};
    atn_tune_budget_begin(&x.budget, 20, atn_tune_defaults.agreement_ns);
    x.tuner = atn_tune_tuner_new(&atn_tune_defaults, &x.budget, list, 2, NATIVE, 1,
                                 ATN_START_BORROWED, -1);
    while (rounds-- > 0)
        timed |= play_round(&x, times);
    atn_tune_tuner_free(x.tuner);
    return timed;
}

static void native_is_measured_as_its_prediction_allows(void **state)
{
    (void)state;
    assert_int_equal(timed_with_predicted_native(USUAL_US, 3), 1u << 1);
    assert_int_equal(timed_with_predicted_native(USUAL_US, 12), 1u << 1 | 1u << NATIVE);
    assert_int_equal(timed_with_predicted_native(4 * USUAL_US, 3), 1u << 1 | 1u << NATIVE);
}

/* Candidates added after the start are measured like others; those that do not fit are ignored. */
static void late_candidates_may_win(void **state)
{
    (void)state;
    race x = {0};
    const atn_candidate late = {.id = 9, .predicted_ps = -1};
    const int times[] = {USUAL_US, USUAL_US, CLEAR_US};
    begin(&x, 2, 1, ATN_START_BORROWED, false);
    play_round(&x, times);
    atn_tune_tuner_join(x.tuner, &late);
    for (int rounds = 0; atn_tune_tuner_incumbent(x.tuner) != 2 && rounds < 400; rounds++)
        play_round(&x, times);
    assert_int_equal(atn_tune_tuner_incumbent(x.tuner), 2);
    assert_int_equal(atn_tune_tuner_id(x.tuner, 2), 9);
    for (int i = 0; i < 2 * ATN_TUNE_CANDIDATES; i++)
        atn_tune_tuner_join(x.tuner, &late);
    play_round(&x, times);
    atn_tune_tuner_free(x.tuner);
}

/* On scratch data the result is found as soon, and the incumbent stays. */
static void shadows_do_not_switch(void **state)
{
    (void)state;
    race x = {0};
    atn_tuner_result result;
    begin(&x, 2, NATIVE, ATN_START_NATIVE, true);
    play_pair(&x, 1, CLEAR_US);
    play_pair(&x, 1, CLEAR_US);
    atn_tune_tuner_result(x.tuner, &result);
    assert_int_equal(result.best, 1);
    assert_int_equal(atn_tune_tuner_incumbent(x.tuner), NATIVE);
    assert_int_equal(x.scratch, 1u << 1); /* native is timed in its own calls */
    atn_tune_tuner_free(x.tuner);
}

/* ---- unfinished races ---- */

static const char *const names[] = {"native", "chain", "binomial", "linear"};
enum { NAMES = sizeof names / sizeof *names, RANKS = 16, BYTES = 5000 };

static atn_choice choice_of(int i)
{
    atn_choice choice = {.row = atn_algo_catalog_find(ATN_BCAST, names[i])};
    atn_algo_params_default(choice.row, &choice.params);
    return choice;
}

static void make_set(const atn_rule *wisdom, atn_candidate_set *set)
{
    atn_tune_candidate_set_make(ATN_BCAST, 300, wisdom, set);
    for (int i = 1; i < NAMES; i++) {
        const atn_choice choice = choice_of(i);
        atn_tune_candidate_set_add(set, &choice, CLEAR_US * INT64_C(1000000), 300);
    }
}

/* The rule of a race in which chain has just replaced native and others have not run yet; as a job
 * writes it and the next one reads it. */
static atn_rules *unfinished(atn_rule *rule_p)
{
    race x = {0};
    static atn_candidate_set set;
    atn_tuner_result result;
    make_set(NULL, &set);
    begin(&x, NAMES, NATIVE, ATN_START_NATIVE, false);
    play_pair(&x, 1, CLEAR_US);
    play_pair(&x, 1, CLEAR_US);
    atn_tune_tuner_result(x.tuner, &result);
    assert_int_equal(result.best, 1);
    assert_false(result.settled);
    assert_true(atn_tune_tuned_rule(x.tuner, &set, RANKS, BYTES, 1770110107, 0, rule_p));
    rule_p->guess = ATN_GUESS_RACE;
    atn_tune_tuner_free(x.tuner);
    atn_rules *const rules = atn_plan_rules_make(rule_p, 1, NULL);
    assert_non_null(rules);
    return rules;
}

static atn_rules *read_again(const atn_rules *rules)
{
    char *text;
    size_t bytes;
    atn_rules *again = NULL;
    FILE *const f = open_memstream(&text, &bytes);
    assert_true(atn_plan_rules_print(f, rules));
    fclose(f);
    assert_non_null(strstr(text, "guess=race"));
    assert_int_equal(atn_plan_rules_parse(text, bytes, "t", &again, NULL), ATN_OK);
    free(text);
    return again;
}

static void unfinished_races_are_marked(void **state)
{
    (void)state;
    atn_rule rule;
    atn_rules *const written = unfinished(&rule), *const read = read_again(written);
    assert_int_equal(atn_plan_rule_backing(atn_plan_rules_at(read, 0)), ATN_GUESSED);
    /* A finished race has precedence, whether older or newer. */
    rule.use = choice_of(2);
    rule.guess = ATN_GUESS_NONE;
    rule.date -= 1000000;
    atn_rules *const measured = atn_plan_rules_make(&rule, 1, NULL);
    for (int order = 0; order <= 1; order++) {
        atn_rules *const both = order == 0 ? atn_plan_wisdom_join(measured, read)
                                           : atn_plan_wisdom_join(read, measured);
        assert_int_equal(atn_plan_rules_count(both), 1);
        assert_ptr_equal(atn_plan_rules_at(both, 0)->use.row, rule.use.row);
        assert_int_equal(atn_plan_rules_at(both, 0)->guess, ATN_GUESS_NONE);
        atn_plan_rules_free(both);
    }
    atn_plan_rules_free(written);
    atn_plan_rules_free(read);
    atn_plan_rules_free(measured);
}

/* The tuner of the next run, whose wisdom has a time or not. */
static atn_tuner *next_run(atn_tuners *tuners, atn_rule *rule, bool sure)
{
    static atn_candidate_set set;
    if (!sure)
        rule->time_ps = -1; /* as src/pmpi does with guesses */
    make_set(rule, &set);
    assert_int_equal(set.n, NAMES);
    assert_ptr_equal(set.choice[set.from_wisdom].row, rule->use.row);
    atn_tune_tuners_open(tuners, 20, 20000);
    const atn_class_key key = {.kind = 1, .size_class = atn_tune_size_class(BYTES)};
    return atn_tune_tuners_add(tuners, key, &atn_tune_defaults, set.is, set.n, ATN_SET_NATIVE,
                               set.from_wisdom, set.wisdom_ps);
}

/* The next run begins with it but continues the race, against native, too; a certain result is only
 * monitored. */
static void unfinished_races_go_on(void **state)
{
    (void)state;
    const sim_machine m = {.n = NAMES, .time = {10e-3, 20e-3, 12e-3, 12e-3}, .agreement = 20e-6};
    const atn_problem q = {.op = ATN_BCAST, .p = RANKS, .bytes = BYTES, .segments = 1};
    for (int sure = 0; sure <= 1; sure++) {
        static atn_tuners tuners;
        atn_rule rule;
        atn_tuner_result result;
        atn_rules *const written = unfinished(&rule), *const read = read_again(written);
        assert_int_equal(atn_plan_wisdom_answer(read, &q, NULL, NULL, &rule, NULL), ATN_OK);
        assert_int_equal(rule.guess, ATN_GUESS_RACE);
        atn_tuner *const t = next_run(&tuners, &rule, sure);
        assert_int_equal(atn_tune_tuner_incumbent(t), 1);
        atn_tune_tuner_result(t, &result);
        assert_int_equal(result.settled, sure);
        /* On this machine it is wrong. */
        const sim_outcome o = sim_play_tuner(&m, t, &tuners.budget, 300);
        assert_int_equal(o.incumbent, NATIVE);
        atn_tune_tuners_close(&tuners);
        atn_plan_rules_free(written);
        atn_plan_rules_free(read);
    }
}

/* ---- rounds ---- */

/* The more calls a block has, the smaller the share of the initial arrival skew in each. */
static void pairs_are_of_equal_blocks(void **state)
{
    (void)state;
    race x = {0};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    play_pair(&x, 1, time_of('w'));
    assert_int_equal(x.calls[NATIVE], x.calls[1]);
    play_pair(&x, 1, time_of('w'));
    assert_true(x.calls[1] > 1);
    assert_int_equal(x.calls[NATIVE], x.calls[1]);
    atn_tune_tuner_free(x.tuner);
}

/* Every call of native has regret where another one is clearly faster, and after it was beaten. */
static void slow_natives_have_single_calls(void **state)
{
    (void)state;
    race x = {0};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    for (int i = 0; i < 2; i++) {
        play_pair(&x, 1, time_of('c'));
        assert_int_equal(x.calls[NATIVE], 1);
    }
    assert_int_equal(atn_tune_tuner_incumbent(x.tuner), 1);
    for (int i = 0; i < 5; i++) {
        play_round(&x, (const int[MOST]){USUAL_US, CLEAR_US});
        assert_true(x.calls[NATIVE] <= 1);
    }
    atn_tune_tuner_free(x.tuner);
}

/* ---- budget ---- */

/* Candidates timed in the first round of a race after calls of this duration. */
static unsigned first_round(int64_t seen_us)
{
    race x = {.seen_us = seen_us};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    const unsigned timed = play_round(&x, (const int[MOST]){USUAL_US, CLEAR_US});
    atn_tune_tuner_free(x.tuner);
    return timed;
}

/* Its worst case is CLEAR_US and 30 % more. */
static void credit_needs_a_faster_worst_case(void **state)
{
    (void)state;
    assert_int_equal(first_round(0), 3);
    assert_int_equal(first_round(CLEAR_US * 4 / 3), 3);
    assert_int_equal(first_round(CLEAR_US * 5 / 4), 1);
}

/* Time until a candidate that has lost runs again. */
static int64_t next_try(int64_t overhead_us)
{
    race x = {0};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    play_pair(&x, 1, time_of('w'));
    play_pair(&x, 1, time_of('l'));
    atn_tune_budget_overhead(&x.budget, 1000 * overhead_us);
    const int64_t before = x.elapsed_us;
    play_pair(&x, 1, time_of('l')); /* was planned before */
    play_pair(&x, 1, time_of('l'));
    atn_tune_tuner_free(x.tuner);
    return x.elapsed_us - before;
}

static void regret_waits_until_planning_is_earned(void **state)
{
    (void)state;
    const int64_t overhead = 1000000, wait = next_try(overhead) - next_try(0);
    assert_in_range(wait, overhead * 45, overhead * 51); /* two per cent of it */
}

/* When all become slow at once there is no regret. */
static void regret_compares_the_same_round(void **state)
{
    (void)state;
    race x = {0};
    begin(&x, 2, NATIVE, ATN_START_NATIVE, false);
    play_pair(&x, 1, time_of('w'));
    const int64_t before = x.budget.spent_ns;
    while ((play_round(&x, (const int[MOST]){50 * USUAL_US, 50 * USUAL_US}) & 2) == 0)
        ;
    assert_true(x.budget.spent_ns - before < 1000 * USUAL_US);
    atn_tune_tuner_free(x.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pair_is_enough_if_predicted),
        cmocka_unit_test(two_clear_pairs_are_enough),
        cmocka_unit_test(one_clear_pair_is_not_enough),
        cmocka_unit_test(after_a_loss_nothing_is_obvious),
        cmocka_unit_test(native_replaces_a_predicted_choice),
        cmocka_unit_test(late_candidates_may_win),
        cmocka_unit_test(native_is_measured_as_its_prediction_allows),
        cmocka_unit_test(only_native_is_replaced_after_two_pairs),
        cmocka_unit_test(shadows_do_not_switch),
        cmocka_unit_test(unfinished_races_are_marked),
        cmocka_unit_test(unfinished_races_go_on),
        cmocka_unit_test(pairs_are_of_equal_blocks),
        cmocka_unit_test(slow_natives_have_single_calls),
        cmocka_unit_test(credit_needs_a_faster_worst_case),
        cmocka_unit_test(regret_waits_until_planning_is_earned),
        cmocka_unit_test(regret_compares_the_same_round),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
