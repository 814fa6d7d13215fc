/* test_savings.c - the account of online tuning on simulated jobs: at every call the job is behind
 * native by no more than budget and credit allow, and what is saved pays for more trials. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simjob.h"
#include "tune/tuners.h"

enum { CLASSES = 24 };
static const double share = 0.02, doubled_s = 5;

/* A loop; class i is called in every `every[i]`-th round. */
typedef struct {
    int n;
    sim_machine m[CLASSES];
    int every[CLASSES];
} program;

typedef struct {
    double total, native; /* seconds in calls, and of native alone */
    double elapsed;
    double first[CLASSES]; /* seconds of native until another candidate ran */
    int incumbent[CLASSES];
    double behind; /* at most, beyond the budget and the credit */
    double excess; /* of a call, at most: its loss beyond the usual time of native, or beyond what
                      was predicted */
    atn_budget budget;
} run;

static void begin(const program *p, atn_tuners *all, sim_job *jobs, sim_outcome *o, double *elapsed)
{
    const int64_t agreement_ns = (int64_t)(p->m[0].agreement * 1e9);
    atn_tune_settings s = atn_tune_defaults;
    s.agreement_ns = agreement_ns;
    atn_tune_tuners_open(all, (int)(1000 * share), agreement_ns);
    for (int i = 0; i < p->n; i++) {
        atn_candidate list[MOST];
        const int n = sim_describe(&p->m[i], list);
        const atn_class_key key = {.kind = (uint64_t)i + 1, .size_class = 10};
        assert_non_null(atn_tune_tuners_add(all, key, &s, list, n, NATIVE, -1, -1));
        jobs[i] = (sim_job){.m = &p->m[i],
                            .o = o,
                            .random = p->m[i].seed,
                            .elapsed = elapsed,
                            .budget = &all->budget,
                            .waiting = -1};
    }
}

/* Native takes as long as the same call would have, under the same noise.  One agreement may be
 * under way beyond the credit. */
static void note_call(const sim_outcome *before, const sim_outcome *o, const sim_machine *m, run *r)
{
    const double cost = o->total - before->total, native = o->native - before->native;
    const double allowed = share * (r->elapsed + fmin(r->elapsed, doubled_s)) + 33 * m->agreement;
    const double bound = m->model[1] > 0 ? 0 : m->time[NATIVE];
    r->excess = fmax(r->excess, cost - native - m->agreement - bound);
    r->behind = fmax(r->behind, o->total - o->native - allowed);
}

/* Calls until native alone would have taken `seconds`. */
static run play(const program *p, double seconds)
{
    static atn_tuners all;
    sim_job jobs[CLASSES];
    sim_outcome o = {0};
    run r = {.behind = -INFINITY};
    begin(p, &all, jobs, &o, &r.elapsed);
    for (int64_t round = 0; o.native < seconds; round++)
        for (int i = 0; i < p->n; i++) {
            const sim_outcome before = o;
            if (round % p->every[i] != 0)
                continue;
            sim_one_call(&jobs[i], all.tuner[i], round);
            if (o.served[NATIVE] == before.served[NATIVE] && r.first[i] == 0)
                r.first[i] = o.native;
            note_call(&before, &o, &p->m[i], &r);
        }
    r.total = o.total;
    r.native = o.native;
    r.budget = all.budget;
    for (int i = 0; i < p->n; i++)
        r.incumbent[i] = atn_tune_tuner_incumbent(all.tuner[i]);
    atn_tune_tuners_close(&all);
    assert_int_equal(all.budget.reserved_ns, 0);
    return r;
}

/* The guarantee of budget.h. */
static void assert_guarantee(const run *r, const char *what, uint64_t seed)
{
    if (r->behind > fmax(r->excess, 0))
        fail_msg("%s, seed %d: %.6f s behind beyond the limit, longest first call %.6f s", what,
                 (int)seed, r->behind, r->excess);
}

/* ---- jobs ---- */

static double between(uint64_t *random, double lo, double hi)
{
    return lo + (hi - lo) * sim_uniform(random);
}

/* 10 to 20 candidates without predictions: one is 2 to 4 times as fast as native, a third is about
 * twice as slow, the others are between. */
static sim_machine blind(double native_s, uint64_t *random)
{
    sim_machine m = {.n = 11 + (int)(11 * sim_uniform(random)),
                     .noise = 0.05,
                     .compute = 1.5e-3,
                     .agreement = 20e-6,
                     .delay = DELAY_OWN};
    const int best = 1 + (int)((m.n - 1) * sim_uniform(random));
    m.time[NATIVE] = native_s;
    for (int i = 1; i < m.n; i++)
        m.time[i] = native_s * (i % 3 == 0 ? between(random, 1.8, 2) : between(random, 0.6, 1.3));
    m.time[best] = native_s / between(random, 2, 4);
    m.seed = (uint64_t)(1e9 * sim_uniform(random));
    return m;
}

static program loop_of(int n, double native_s, uint64_t seed)
{
    uint64_t random = seed * 7919;
    program p = {.n = n};
    for (int i = 0; i < n; i++) {
        p.m[i] = blind(native_s * between(&random, 0.7, 1.3), &random);
        p.every[i] = 1;
    }
    return p;
}

/* ---- gains ---- */

static void first_runs_gain(void **state)
{
    (void)state;
    static const struct {
        double seconds, most;
    } jobs[] = {{45, 0.60}, {120, 0.45}};
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        double mean = 0, worst = 0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            const program p = loop_of(3, 0.1, seed);
            const run r = play(&p, jobs[k].seconds);
            assert_guarantee(&r, "loop", seed);
            mean += r.total / r.native / 40;
            worst = fmax(worst, r.total / r.native);
        }
        print_message("# %g s natively: %.3f of it, %.3f at worst\n", jobs[k].seconds, mean, worst);
        if (mean > jobs[k].most)
            fail_msg("%g s natively: %.3f of it", jobs[k].seconds, mean);
    }
}

/* Calls of microseconds gain as well, whatever an agreement costs. */
static void short_calls_gain(void **state)
{
    (void)state;
    static const double agreements[] = {2e-6, 20e-6, 100e-6};
    for (size_t k = 0; k < sizeof agreements / sizeof *agreements; k++) {
        double mean = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            program p = loop_of(3, 1e-6 * (double)(seed % 5 + 1), seed);
            for (int i = 0; i < p.n; i++) {
                p.m[i].agreement = agreements[k];
                p.m[i].compute = 0;
            }
            const run r = play(&p, 2);
            assert_guarantee(&r, "short calls", seed);
            mean += r.total / r.native / 6;
        }
        print_message("# calls of 1 to 5 us, agreements of %g us: %.3f of native\n",
                      1e6 * agreements[k], mean);
        assert_true(mean < 0.6);
    }
}

/* What is saved pays for trials of others: more than the budget alone would have. */
static void savings_pay_for_trials(void **state)
{
    (void)state;
    int more = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const program p = loop_of(3, 0.1, seed);
        const run r = play(&p, 45);
        const double spent = 1e-9 * (double)r.budget.spent_ns;
        assert_true(1e-9 * (double)r.budget.earned_ns < r.native);
        more += spent > share * (r.elapsed + doubled_s);
    }
    assert_true(more >= 8);
}

/* One class without predictions, and with native calls of this duration. */
static program single(double native_s)
{
    program p = {.n = 1, .every = {1}};
    p.m[0] = (sim_machine){.n = 3,
                           .time = {native_s, 1.5 * native_s, native_s / 3},
                           .noise = 0.02,
                           .agreement = 20e-6,
                           .delay = DELAY_OWN,
                           .seed = 1};
    return p;
}

/* A trial of a long call begins when the account has grown by as much as it may lose. */
static void long_calls_do_not_starve(void **state)
{
    (void)state;
    static const double calls[] = {0.1, 0.5, 2};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const double t = calls[i], wait = 25 * t < doubled_s ? 25 * t : 50 * t - doubled_s;
        const program p = single(t);
        const run r = play(&p, 3 * wait + 40 * t);
        assert_in_range(r.first[0] / t, 0.8 * wait / t, 1.1 * wait / t + 5);
        assert_int_equal(r.incumbent[0], 2);
    }
}

/* Of several classes that wait, the one that takes the most time goes first, also if its trials
 * cost as much as those of others. */
static void what_matters_goes_first(void **state)
{
    (void)state;
    program p = {.n = 6};
    for (int i = 0; i < p.n; i++) {
        p.m[i] = single(0.1).m[0];
        p.m[i].seed = (uint64_t)i;
        p.every[i] = i == 4 ? 1 : 8;
    }
    const run r = play(&p, 60);
    for (int i = 0; i < p.n; i++)
        if (i != 4 && r.first[i] > 0)
            assert_true(r.first[4] < r.first[i]);
    assert_int_equal(r.incumbent[4], 2);
}

/* What was measured at a size bounds the loss of first trials at a neighbouring one. */
static void neighbours_bound_first_trials(void **state)
{
    (void)state;
    enum { FAST = 2 };
    static atn_tuners all;
    const program p = single(0.1);
    atn_candidate list[MOST];
    sim_machine longer = p.m[0];
    atn_tune_tuners_open(&all, 20, 20000);
    const int n = sim_describe(&p.m[0], list);
    const atn_class_key small = {1, 10}, large = {1, 11};
    atn_tuner *const first =
        atn_tune_tuners_add(&all, small, &atn_tune_defaults, list, n, NATIVE, -1, -1);
    sim_play_tuner(&p.m[0], first, &all.budget, 400);
    assert_int_equal(atn_tune_tuner_incumbent(first), FAST);
    assert_in_range(atn_tune_tuner_ratio(first, list[FAST].id), 300, 370);
    assert_in_range(atn_tune_tuner_ratio(first, list[1].id), 1400, 1600);
    assert_int_equal(atn_tune_tuner_ratio(first, 999), 0);
    /* Without income: the candidate that was fast has no expected loss, so it need not wait. */
    all.budget.earned_ns = 0;
    all.budget.spent_ns = 0;
    all.budget.share = 0;
    for (int i = 0; i < n; i++)
        longer.time[i] = 100 * p.m[0].time[i];
    atn_tuner *const next =
        atn_tune_tuners_add(&all, large, &atn_tune_defaults, list, n, NATIVE, NATIVE, -1);
    const sim_outcome o = sim_play_tuner(&longer, next, &all.budget, 40);
    assert_int_equal(o.incumbent, FAST);
    assert_int_equal(o.served[1], 0);
    atn_tune_tuners_close(&all);
}

/* ---- the guarantee ---- */

/* Native calls, and jobs of them. */
static const struct {
    double call, job;
} durations[] = {{1e-6, 0.6}, {5e-6, 2}, {50e-6, 5}, {1e-3, 20}, {20e-3, 40}, {200e-3, 60}};
enum { DURATIONS = sizeof durations / sizeof *durations };

/* Candidates are between 4 times as fast and `slowest` times as slow as native; predictions are
 * missing, right or wrong. */
static sim_machine any_machine(double native_s, double slowest, uint64_t *random)
{
    const int model = (int)(3 * sim_uniform(random));
    sim_machine m = blind(native_s, random);
    m.error = 0.4;
    m.compute = sim_uniform(random) < 0.5 ? 0 : native_s;
    for (int i = 1; i < m.n; i++) {
        m.time[i] = native_s * exp(between(random, log(0.25), log(slowest)));
        m.model[i] = model == 0   ? 0
                     : model == 1 ? m.time[i] * between(random, 0.8, 1.2)
                                  : native_s * between(random, 0.2, 2);
    }
    return m;
}

static program any_program(double slowest, uint64_t seed)
{
    uint64_t random = seed * 104729;
    program p = {.n = 1 + (int)(6 * sim_uniform(&random))};
    const double usual = durations[seed % DURATIONS].call;
    for (int i = 0; i < p.n; i++) {
        p.m[i] = any_machine(usual * between(&random, 0.5, 2), slowest, &random);
        p.every[i] = 1 + (int)(sim_uniform(&random) * sim_uniform(&random) * 20);
    }
    return p;
}

static void no_job_falls_behind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const program mild = any_program(2, seed), rough = any_program(30, seed);
        const double seconds = durations[seed % DURATIONS].job;
        const run r = play(&mild, seconds), x = play(&rough, seconds);
        assert_guarantee(&r, "any times", seed);
        assert_guarantee(&x, "slow candidates", seed);
    }
}

static void heavy_tails_are_no_income(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        program p = any_program(2, seed);
        for (int i = 0; i < p.n; i++)
            p.m[i].tail = seed % 2 ? 0.01 : 0.1;
        const run r = play(&p, durations[seed % DURATIONS].job);
        assert_guarantee(&r, "heavy tails", seed);
        if (1e-9 * (double)r.budget.earned_ns > r.native)
            fail_msg("seed %d: %g s earned in %g s", (int)seed, 1e-9 * (double)r.budget.earned_ns,
                     r.native);
    }
}

/* Native is the best of all, and everything is predicted to be faster, or nothing is predicted. */
static void native_may_be_the_best(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        program p = any_program(2, seed);
        for (int i = 0; i < p.n; i++)
            for (int k = 1; k < p.m[i].n; k++) {
                p.m[i].time[k] = p.m[i].time[NATIVE] * (1.02 + 0.04 * k);
                p.m[i].model[k] = seed % 2 ? p.m[i].time[NATIVE] * 0.5 : 0;
            }
        const run r = play(&p, durations[seed % DURATIONS].job);
        assert_guarantee(&r, "native is the best", seed);
        assert_true(r.total > r.native);
    }
}

static void rare_classes_share_the_account(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed;
        program p = {.n = 20};
        for (int i = 0; i < p.n; i++) {
            p.m[i] = any_machine(between(&random, 0.005, 0.1), seed % 2 ? 2 : 10, &random);
            p.every[i] = 5 + (int)(20 * sim_uniform(&random));
        }
        const run r = play(&p, 60);
        assert_guarantee(&r, "rare classes", seed);
    }
}

/* In a class, the best candidates become ten times as slow after some time: 2.5 to 10 times as slow
 * as native. */
static void changes_are_covered_by_savings(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        program p = loop_of(3, durations[seed % DURATIONS].call, seed);
        const double seconds = 2 * durations[seed % DURATIONS].job;
        const double rounds = seconds / (3 * durations[seed % DURATIONS].call);
        sim_machine *const m = &p.m[seed % 3];
        m->drift = (int64_t)(rounds * (0.4 + 0.1 * (double)(seed % 5)));
        for (int k = 0; k < m->n; k++)
            m->later[k] = m->time[k] * (m->time[k] < m->time[NATIVE] ? 10 : 1);
        const run r = play(&p, seconds);
        assert_guarantee(&r, "change", seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_runs_gain),
        cmocka_unit_test(short_calls_gain),
        cmocka_unit_test(savings_pay_for_trials),
        cmocka_unit_test(long_calls_do_not_starve),
        cmocka_unit_test(what_matters_goes_first),
        cmocka_unit_test(neighbours_bound_first_trials),
        cmocka_unit_test(no_job_falls_behind),
        cmocka_unit_test(heavy_tails_are_no_income),
        cmocka_unit_test(native_may_be_the_best),
        cmocka_unit_test(rare_classes_share_the_account),
        cmocka_unit_test(changes_are_covered_by_savings),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
