/* test_tune.c - the online tuner on simulated machines: noise, outliers, drift, wrong models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simjob.h"
#include "tune/sign.h"

/* ---- sign test ---- */

/* Probability of adoption from here on when pairs are won with probability p. */
static double adopted(int wins, int losses, double p)
{
    const atn_sign sign = atn_tune_sign_test(wins, losses);
    if (sign != ATN_SIGN_OPEN)
        return sign == ATN_SIGN_ADOPT;
    return p * adopted(wins + 1, losses, p) + (1 - p) * adopted(wins, losses + 1, p);
}

static void sign_test_has_the_stated_error(void **state)
{
    (void)state;
    assert_true(adopted(0, 0, 0.5) <= 0.05);
    assert_true(adopted(0, 0, 0.3) <= 0.005);
    assert_true(adopted(0, 0, 0.9) >= 0.95);
    assert_true(adopted(0, 0, 0.99) >= 0.999);
    assert_int_equal(atn_tune_sign_test(5, 0), ATN_SIGN_ADOPT);
    assert_int_equal(atn_tune_sign_test(0, 2), ATN_SIGN_DROP);
}

/* ---- the budget ---- */

static void budget_adds_up(void **state)
{
    (void)state;
    atn_budget a;
    atn_tune_budget_begin(&a, 20, 1000);
    assert_int_equal(atn_tune_budget_left(&a), 32000);
    assert_int_equal(atn_tune_budget_wait(&a, 0, 32000), 0);
    assert_true(atn_tune_budget_wait(&a, 0, 32001) == INT64_MAX);
    a.calls = 100;
    atn_tune_budget_elapsed(&a, 1000000); /* 10 us a call: 200 ns earned by each, at first twice */
    assert_int_equal(atn_tune_budget_left(&a), 72000);
    assert_int_equal(atn_tune_budget_wait(&a, 0, 74000), 11);
    assert_int_equal(atn_tune_budget_wait(&a, 1000, 73000), 11);
    atn_tune_budget_overhead(&a, 20000); /* loss waits for it, other costs do not */
    assert_int_equal(atn_tune_budget_wait(&a, 0, 74000), 11);
    assert_int_equal(atn_tune_budget_wait(&a, 1000, 73000), 111);
    atn_tune_budget_spend(&a, 72000);
    a.calls = 110;
    assert_int_equal(atn_tune_budget_left(&a), 4000);
    atn_tune_budget_elapsed(&a, INT64_C(20000000000)); /* the first five seconds count twice */
    assert_int_equal(atn_tune_budget_left(&a), 32000 + 500000000 - 72000);
}

/* A quarter of what is saved is kept; luck is neither income nor an expense below zero. */
static void savings_are_income(void **state)
{
    (void)state;
    atn_budget a;
    atn_tune_budget_begin(&a, 20, 1000);
    atn_tune_budget_earn(&a, 400000);
    atn_tune_budget_earn(&a, -1000000);
    assert_int_equal(atn_tune_budget_left(&a), 332000);
    atn_tune_budget_lose(&a, 100000);
    atn_tune_budget_lose(&a, -5);
    assert_int_equal(atn_tune_budget_left(&a), 232000);
    assert_int_equal(a.lost_ns, 100000);
    assert_int_equal(atn_tune_budget_wait(&a, 232000, 0), 0);
}

/* The most promising trial goes first, until its class seems to have ended. */
static void promising_trials_go_first(void **state)
{
    (void)state;
    int x, y;
    atn_budget a;
    atn_tune_budget_begin(&a, 20, 1000);
    const atn_bid low = {.of = &x, .priority = 10, .cost_ns = 500, .until = 8},
                  high = {.of = &y, .priority = 20, .cost_ns = 700, .until = 9};
    assert_int_equal(atn_tune_budget_bid(&a, &low), 0);
    assert_int_equal(atn_tune_budget_bid(&a, &high), 0);
    assert_int_equal(atn_tune_budget_bid(&a, &low), 700);
    a.calls = 10;
    assert_int_equal(atn_tune_budget_bid(&a, &low), 0);
    assert_int_equal(atn_tune_budget_bid(&a, &high), 0);
    atn_tune_budget_withdraw(&a, &x);
    assert_ptr_equal(a.bid.of, &y);
    atn_tune_budget_withdraw(&a, &y);
    assert_int_equal(atn_tune_budget_bid(&a, &low), 0);
}

static void slowdowns_bound_first_trials(void **state)
{
    (void)state;
    atn_budget a;
    atn_tune_budget_begin(&a, 20, 1000);
    assert_int_equal(atn_tune_budget_slowdown(&a), 2000);
    atn_tune_budget_add_slowdown(&a, 500, 1000);
    assert_int_equal(atn_tune_budget_slowdown(&a), 2000);
    atn_tune_budget_add_slowdown(&a, 3000, 1000);
    assert_int_equal(atn_tune_budget_slowdown(&a), 3000);
    atn_tune_budget_add_slowdown(&a, 50000, 1000);
    assert_int_equal(atn_tune_budget_slowdown(&a), 4000);
    for (int i = 0; i < ATN_BUDGET_RATIOS; i++)
        atn_tune_budget_add_slowdown(&a, 900, 1000);
    assert_int_equal(atn_tune_budget_slowdown(&a), 2000);
}

/* ---- accounts ---- */

static int64_t wait_ns(atn_account a, int64_t now_ns, int64_t cost_ns)
{
    const atn_deferral off = atn_tune_account_check(&a, now_ns, cost_ns);
    assert_int_equal(off.cost_ns, cost_ns);
    assert_int_equal(off.costs, off.wait_ns > 0);
    return off.wait_ns;
}

/* One per cent of the time: 10 ms less the credit. */
static void costs_wait_for_the_account(void **state)
{
    (void)state;
    const atn_account a = {.share = 1, .of = 100, .left_ns = 1000000, .most_ns = INT64_MAX};
    assert_int_equal(wait_ns(a, 0, 1000000), 0);
    assert_int_equal(wait_ns(a, 0, 10000000), 900000000);
    assert_int_equal(wait_ns(a, 899999900, 10000000), 100);
    assert_int_equal(wait_ns(a, 900000000, 10000000), 0);
    assert_true(wait_ns((atn_account){.share = 1, .of = 1000}, 0, INT64_MAX) == INT64_MAX);
    assert_int_equal(wait_ns((atn_account){.of = 1000}, 0, 10000000), 0);
}

/* The first time counts twice, and savings are income. */
static void accounts_have_other_income(void **state)
{
    (void)state;
    atn_account a = {.share = 1, .of = 100, .most_ns = INT64_MAX, .now_ns = 1000, .twice_ns = 3000};
    assert_int_equal(atn_tune_account_check(&a, 2000, 1).left_ns, 20);
    assert_int_equal(atn_tune_account_check(&a, 5000, 1).left_ns, 20 + 30 + 10);
    assert_int_equal(atn_tune_account_check(&a, 6000, 1).left_ns, 70);
    atn_tune_account_earn(&a, 500);
    assert_int_equal(atn_tune_account_check(&a, 6000, 1).left_ns, 570);
}

/* The last step of some work may overdraw it; long calls do not fill it without limit. */
static void accounts_are_limited(void **state)
{
    (void)state;
    const atn_account tenth = {.share = 1, .of = 10, .most_ns = 20000000}, half = {.of = 2};
    atn_account a = {0};
    atn_tune_account_open(&a, &tenth);
    atn_tune_account_open(&a, &half);
    assert_int_equal(a.of, 10);
    assert_true(atn_tune_account_check(&a, 0, 1).costs);
    assert_int_equal(atn_tune_account_check(&a, 1000000, 1).left_ns, 100000);
    atn_tune_account_spend(&a, 300000);
    assert_int_equal(atn_tune_account_check(&a, 2000000, 1).left_ns, -100000);
    assert_int_equal(atn_tune_account_check(&a, 3000000, 1).left_ns, 0);
    assert_false(atn_tune_account_check(&a, 3000010, 1).costs);
    assert_int_equal(atn_tune_account_check(&a, INT64_MAX, 1).left_ns, 20000000);
}

/* ---- races ---- */

static void loop_of_500_is_nearly_as_fast_as_the_best(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const sim_machine m = sim_decent(seed);
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 500);
        const double ratio = o.total / (o.native * sim_best_time(&m) / m.time[NATIVE]);
        worst = fmax(worst, ratio);
        if (ratio > 1.08 || o.below > 30)
            fail_msg("seed %d: %.3f of the best, above native until call %d", (int)seed, ratio,
                     (int)o.below);
        sim_assert_budget(&m, &o);
        assert_int_equal(o.served[6] + o.served[8], 0); /* hopeless, so they never ran */
    }
    print_message("# at worst %.3f of the best fixed algorithm\n", worst);
}

static void best_is_found_soon_and_kept(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const sim_machine m = sim_decent(seed);
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 2000);
        right += m.time[o.incumbent] <= sim_best_time(&m) * 1.031;
        assert_true(m.time[o.incumbent] <= sim_best_time(&m) * 1.09);
    }
    assert_true(right >= 38);
}

static void noise_and_outliers_do_not_mislead(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sim_machine m = sim_decent(seed);
        m.noise = 0.15;
        m.outliers = 0.03;
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 3000);
        right += m.time[o.incumbent] <= sim_best_time(&m) * 1.25;
        assert_true(o.total < o.native);
        sim_assert_budget(&m, &o);
    }
    assert_true(right >= 38);
}

/* Whatever the model predicts, a job is not slower than native by more than the budget. */
static void wrong_models_do_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        sim_machine m = {.n = 12, .error = 0.3, .noise = 0.05, .outliers = 0.01, .seed = seed};
        uint64_t random = seed * 77;
        m.time[NATIVE] = 1e-3;
        for (int i = 1; i < m.n; i++) { /* all slower, all predicted to be faster */
            m.time[i] = 1e-3 * (1.02 + 4 * sim_uniform(&random));
            m.model[i] = 1e-3 * (0.2 + 0.6 * sim_uniform(&random));
        }
        m.delay = 1 + (int)(seed % 4);
        for (int64_t calls = 20; calls <= 20000; calls *= 10) {
            const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, calls);
            const double allowed = 1.02 * o.native + 0.02 * fmin(o.native, 5) +
                                   1e-9 * (double)o.budget.credit_ns + 2 * o.worst;
            if (o.total > allowed)
                fail_msg("seed %d, %d calls: %g, native %g, allowed %g", (int)seed, (int)calls,
                         o.total, o.native, allowed);
            sim_assert_budget(&m, &o);
        }
    }
}

static void native_stays_where_it_is_the_best(void **state)
{
    (void)state;
    int switches = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        sim_machine m = {.n = 6, .error = 0.3, .noise = 0.1, .seed = seed};
        for (int i = 0; i < m.n; i++) {
            m.time[i] = 1e-3;
            m.model[i] = i == 0 ? 0 : 0.95e-3;
        }
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 5000);
        switches += o.incumbent != NATIVE;
        assert_true(o.total < 1.02 * o.native + 1e-9 * (double)o.budget.credit_ns + o.worst);
    }
    assert_true(switches <= 10); /* five races a job, each wrong in at most one of twenty */
}

static void short_jobs_gain_too(void **state)
{
    (void)state;
    sim_machine m = sim_decent(3);
    const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 20);
    assert_true(o.total < 0.85 * o.native);
}

/* A call of 0.4 us: agreements must be rare, and hardly any call is timed. */
static void tiny_calls_cost_little(void **state)
{
    (void)state;
    sim_machine m = {.n = 4, .error = 0.3, .noise = 0.1, .seed = 5};
    const double times[] = {0.4e-6, 0.5e-6, 0.6e-6, 0.41e-6};
    for (int i = 0; i < m.n; i++) {
        m.time[i] = times[i];
        m.model[i] = i == 0 ? 0 : times[i];
    }
    const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 3000000);
    assert_true(o.total < 1.02 * o.native + 1e-9 * (double)o.budget.credit_ns);
    assert_true(o.timed < 3000000 / 50);
}

/* Skipped calls count like steps. */
static void untimed_calls_can_be_skipped(void **state)
{
    (void)state;
    const sim_machine m = sim_decent(1);
    atn_candidate list[MOST];
    atn_budget budget;
    atn_tune_budget_begin(&budget, 20, 20000);
    const int n = sim_describe(&m, list);
    atn_tuner *t = atn_tune_tuner_new(&atn_tune_defaults, &budget, list, n, NATIVE, NATIVE,
                                      ATN_START_NATIVE, -1);
    int64_t calls = 0, steps = 0, sums[2] = {0, 0};
    while (calls < 20000000) {
        const int64_t untimed = atn_tune_tuner_untimed(t);
        atn_tune_tuner_skip(t, untimed);
        calls += untimed;
        const atn_step s = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
        calls++;
        steps++;
        if (s.block >= 0)
            sums[s.block] += (int64_t)(m.time[s.candidate] * 1e9);
        if (s.agree) {
            atn_tune_tuner_feed(t, sums, calls * 5000000);
            sums[0] = sums[1] = 0;
        }
    }
    assert_int_equal(budget.calls, calls);
    assert_true(steps < 4000);
    assert_int_equal(atn_tune_tuner_incumbent(t), 1);
    atn_tune_tuner_free(t);
}

/* ---- agreements ---- */

static void agreements_are_awaited_when_they_are_hidden(void **state)
{
    (void)state;
    atn_budget a;
    atn_tune_budget_begin(&a, 20, 1000);
    assert_int_equal(atn_tune_budget_agreement_delay(&a, 20000000),
                     4); /* 20 us, without agreed times */
    assert_int_equal(atn_tune_budget_agreement_delay(&a, 200000000), 2);
    assert_int_equal(atn_tune_budget_agreement_delay(&a, 2000000000), 1);
    a.calls = 100;
    atn_tune_budget_elapsed(&a, 3000000); /* 30 us from call to call */
    assert_int_equal(atn_tune_budget_agreement_delay(&a, 20000000), 4);
    a.calls = 200;
    atn_tune_budget_elapsed(&a, 400000000); /* 2 ms: the program computes */
    assert_int_equal(atn_tune_budget_agreement_delay(&a, 20000000), 1);
}

/* Short calls between long computations: the recorded time between calls lets agreements complete
 * with the next call, so that the same number of calls allows more trials. */
static void computations_speed_up_tuning_of_short_calls(void **state)
{
    (void)state;
    double sooner = 0, later = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sim_machine m = sim_decent(seed);
        for (int i = 0; i < m.n; i++) {
            m.time[i] *= 4e-3; /* 40 us natively, 20 at best */
            m.model[i] = 0;
        }
        m.compute = 2e-3;
        m.delay = DELAY_OWN;
        const sim_outcome own = sim_play(&m, ATN_TUNE_RACE, 400);
        m.delay = ATN_AHEAD_USUAL;
        const sim_outcome usual = sim_play(&m, ATN_TUNE_RACE, 400);
        sim_assert_budget(&m, &own);
        sooner += own.total / own.native / 40;
        later += usual.total / usual.native / 40;
    }
    print_message("# of native's time: %.3f, with %d calls ahead %.3f\n", sooner, ATN_AHEAD_USUAL,
                  later);
    assert_true(sooner < later);
}

/* ---- change ---- */

static void drift_is_detected(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        sim_machine m = sim_decent(seed);
        m.drift = 2000;
        for (int i = 0; i < m.n; i++) /* algorithms that use the trunk become slower */
            m.later[i] = i == 1 || i == 2 || i == 9 ? 4 * m.time[i] : m.time[i];
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 6000);
        right += o.incumbent == 3;
        sim_assert_budget(&m, &o);
    }
    assert_true(right >= 28);
}

/* The last candidate may be so slow that its trial must wait for most of the job. */
static void drift_is_detected_while_a_race_waits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const sim_machine m = {.n = 3,
                               .time = {10e-3, 1e-3, 40e-3},
                               .model = {0, 1e-3, 30e-3},
                               .later = {10e-3, 20e-3, 40e-3},
                               .drift = 1000,
                               .error = 30,
                               .noise = 0.05,
                               .seed = seed};
        const sim_outcome o = sim_play(&m, ATN_TUNE_RACE, 6000);
        assert_int_equal(o.incumbent, NATIVE);
        assert_true(o.served[1] > 900 && o.served[1] < 3000);
        sim_assert_budget(&m, &o);
    }
}

static void wisdom_serves_from_the_first_call(void **state)
{
    (void)state;
    const sim_machine m = sim_decent(4);
    sim_outcome o = sim_play_from(&m, &atn_tune_defaults, 500, 1, ATN_START_WISE, m.time[1]);
    assert_int_equal(o.incumbent, 1);
    assert_true(o.total < 1.03 * o.native * sim_best_time(&m) / m.time[NATIVE]);
    /* Wisdom of another machine: all candidates are considered again. */
    o = sim_play_from(&m, &atn_tune_defaults, 3000, 8, ATN_START_WISE, 1e-3);
    assert_true(m.time[o.incumbent] <= sim_best_time(&m) * 1.09);
    /* Wisdom of this machine whose algorithm is slower than native. */
    o = sim_play_from(&m, &atn_tune_defaults, 3000, 5, ATN_START_WISE, m.time[5]);
    assert_true(o.incumbent != 5);
}

/* A start whose time is unknown must beat native first: of long calls with slow agreements most of
 * the first ten are then slower.  One whose time is known serves them all. */
static void known_times_save_trials(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const sim_machine m = {.n = 3,
                               .time = {71e-3, 50e-3, 52e-3},
                               .noise = 0.05,
                               .agreement = 20e-3,
                               .compute = 15e-3,
                               .delay = DELAY_OWN,
                               .seed = seed};
        const sim_outcome unknown =
            sim_play_from(&m, &atn_tune_defaults, 10, 1, ATN_START_BORROWED, -1);
        const sim_outcome known =
            sim_play_from(&m, &atn_tune_defaults, 10, 1, ATN_START_WISE, 50e-3);
        assert_true(unknown.served[NATIVE] > 0 && unknown.agreements > known.agreements);
        assert_int_equal(known.served[1], 10);
        assert_true(known.agreements <= 2);
    }
}

/* ---- floating-point reductions ---- */

static void shadows_measure_without_switching(void **state)
{
    (void)state;
    const sim_machine m = sim_decent(6);
    atn_tune_settings s = atn_tune_defaults;
    s.shadow = true;
    const sim_outcome o = sim_play_from(&m, &s, 6000, NATIVE, ATN_START_NATIVE, 0);
    assert_int_equal(o.served[NATIVE], 6000);
    assert_true(m.time[o.result.best] <= sim_best_time(&m) * 1.09);
    assert_true(o.total < 1.021 * o.native + o.worst);
}

/* ---- the procedure of STAR-MPI ---- */

static void star_measures_all_and_selects(void **state)
{
    (void)state;
    const sim_machine m = sim_decent(2);
    const sim_outcome all = sim_play(&m, ATN_TUNE_ALL, 500),
                      some = sim_play(&m, ATN_TUNE_GROUPED, 500);
    for (int i = 0; i < m.n; i++)
        assert_true(all.served[i] >= 10);
    assert_int_equal(all.incumbent, 1);
    assert_int_equal(all.found, 100);
    assert_int_equal(some.incumbent, 1);
    assert_true(some.found < all.found);
    assert_int_equal(some.served[8], 0);
    const sim_outcome race = sim_play(&m, ATN_TUNE_RACE, 500);
    assert_true(race.total < some.total && some.total < all.total);
}

static void star_adapts(void **state)
{
    (void)state;
    sim_machine m = sim_decent(2);
    m.drift = 1000;
    for (int i = 0; i < m.n; i++)
        m.later[i] = i == 1 || i == 9 ? 4 * m.time[i] : m.time[i];
    assert_int_equal(sim_play(&m, ATN_TUNE_ALL, 5000).incumbent, 2);
}

/* ---- ranks ---- */

static void equal_times_give_equal_decisions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sim_machine m = sim_decent(seed);
        m.noise = 0.2;
        m.delay = 3;
        assert_true(sim_play(&m, ATN_TUNE_RACE, 3000).path ==
                    sim_play(&m, ATN_TUNE_RACE, 3000).path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sign_test_has_the_stated_error),
        cmocka_unit_test(budget_adds_up),
        cmocka_unit_test(savings_are_income),
        cmocka_unit_test(promising_trials_go_first),
        cmocka_unit_test(slowdowns_bound_first_trials),
        cmocka_unit_test(costs_wait_for_the_account),
        cmocka_unit_test(accounts_have_other_income),
        cmocka_unit_test(accounts_are_limited),
        cmocka_unit_test(loop_of_500_is_nearly_as_fast_as_the_best),
        cmocka_unit_test(best_is_found_soon_and_kept),
        cmocka_unit_test(noise_and_outliers_do_not_mislead),
        cmocka_unit_test(wrong_models_do_no_harm),
        cmocka_unit_test(native_stays_where_it_is_the_best),
        cmocka_unit_test(short_jobs_gain_too),
        cmocka_unit_test(tiny_calls_cost_little),
        cmocka_unit_test(untimed_calls_can_be_skipped),
        cmocka_unit_test(agreements_are_awaited_when_they_are_hidden),
        cmocka_unit_test(computations_speed_up_tuning_of_short_calls),
        cmocka_unit_test(drift_is_detected),
        cmocka_unit_test(drift_is_detected_while_a_race_waits),
        cmocka_unit_test(wisdom_serves_from_the_first_call),
        cmocka_unit_test(known_times_save_trials),
        cmocka_unit_test(shadows_measure_without_switching),
        cmocka_unit_test(star_measures_all_and_selects),
        cmocka_unit_test(star_adapts),
        cmocka_unit_test(equal_times_give_equal_decisions),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
