/* test_tune.c - the online tuner on machines of numbers: noise, outliers, drift, wrong models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/book.h"
#include "tune/sign.h"

/* ---- a job ---- */

enum { NATIVE = 0, MOST = 16 };

typedef struct {
    int n;              /* candidates; 0 is native */
    double time[MOST];  /* seconds */
    double model[MOST]; /* predicted seconds; 0: cannot tell */
    double later[MOST]; /* times from call `drift` on */
    int group[MOST];
    int64_t drift;    /* 0: never */
    double error;     /* that the model admits */
    double noise;     /* relative deviation of a call */
    double outliers;  /* part of the calls that take five times as long */
    double compute;   /* seconds between calls */
    double agreement; /* seconds; 0: 20 us */
    int delay;        /* calls until agreed times arrive */
    uint64_t seed;
} machine;

typedef struct {
    double total;  /* seconds in calls and agreements */
    double native; /* what native alone would have taken */
    double worst;  /* call */
    int64_t served[MOST];
    int64_t below; /* the last call after which the sum was above native's */
    int64_t found; /* the call from which on the incumbent stayed the same */
    int64_t agreements, timed;
    int incumbent;
    atn_learned learned;
    atn_account account;
    uint64_t path; /* hash of all decisions */
} outcome;

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(random_bits(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Skewed to the right, as times are. */
static double noisy(const machine *m, uint64_t *state)
{
    const double gauss = sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
    const double factor = exp(m->noise * gauss);
    return uniform(state) < m->outliers ? 5 * factor : factor;
}

static double true_time(const machine *m, int candidate, int64_t call)
{
    return m->drift > 0 && call >= m->drift ? m->later[candidate] : m->time[candidate];
}

static int describe(const machine *m, atn_candidate list[MOST])
{
    for (int i = 0; i < m->n; i++)
        list[i] = (atn_candidate){
            .id = (uint64_t)i + 100,
            .predicted_ps = m->model[i] > 0 ? (int64_t)(m->model[i] * 1e12) : -1,
            .error = (int)(m->error * 1000),
            .group = m->group[i],
        };
    return m->n;
}

typedef struct {
    const machine *m;
    outcome *o;
    uint64_t random;
    double elapsed, sum[2];
    int waiting; /* calls until the agreed times arrive; -1: none are on the way */
} job;

static void one_call(job *j, atn_tuner *t, int64_t call)
{
    const machine *m = j->m;
    if (j->waiting == 0) {
        const int64_t sums[2] = {(int64_t)(j->sum[0] * 1e9), (int64_t)(j->sum[1] * 1e9)};
        atn_tuner_feed(t, sums, (int64_t)(j->elapsed * 1e9));
        j->sum[0] = j->sum[1] = 0;
    }
    if (j->waiting >= 0)
        j->waiting--;
    const atn_step s = atn_tuner_step(t, ATN_TUNE_WEIGHT);
    const double factor = noisy(m, &j->random);
    const double seconds = true_time(m, s.candidate, call) * factor;
    double cost = seconds;
    if (s.shadow >= 0)
        cost += true_time(m, s.shadow, call) * noisy(m, &j->random);
    if (s.block >= 0)
        j->sum[s.block] += s.shadow >= 0 ? cost - seconds : seconds;
    if (s.agree) {
        cost += m->agreement;
        j->o->agreements++;
        j->waiting = m->delay > 0 ? m->delay - 1 : 0;
    }
    j->o->timed += s.block >= 0;
    j->o->served[s.candidate]++;
    j->o->total += cost;
    j->o->native += true_time(m, NATIVE, call) * factor;
    j->o->worst = fmax(j->o->worst, cost);
    j->elapsed += cost + m->compute;
    if (j->o->total > j->o->native)
        j->o->below = call + 1;
    j->o->path = j->o->path * 31 + (uint64_t)s.candidate + 7 * (uint64_t)(s.block + 1);
}

static const atn_tune_settings *settings_of(const machine *m, atn_tune_mode mode)
{
    static atn_tune_settings s;
    s = atn_tune_defaults;
    s.mode = mode;
    s.agreement_ns = (int64_t)(m->agreement * 1e9);
    return &s;
}

static outcome play_tuner(const machine *m, atn_tuner *t, atn_account *account, int64_t calls)
{
    outcome o = {0};
    job j = {.m = m, .o = &o, .random = m->seed, .waiting = -1};
    int last = -1;
    for (int64_t call = 0; call < calls; call++) {
        one_call(&j, t, call);
        if (atn_tuner_incumbent(t) != last) {
            last = atn_tuner_incumbent(t);
            o.found = call;
        }
    }
    o.incumbent = atn_tuner_incumbent(t);
    atn_tuner_learned(t, &o.learned);
    o.account = *account;
    return o;
}

static outcome play_from(const machine *given, const atn_tune_settings *s, int64_t calls, int start,
                         atn_tune_start kind, double wise)
{
    machine m = *given;
    atn_candidate list[MOST];
    atn_account account;
    if (m.agreement == 0)
        m.agreement = 20e-6;
    atn_tune_settings own = *s;
    own.agreement_ns = (int64_t)(m.agreement * 1e9);
    atn_account_open(&account, 20, own.agreement_ns);
    const int n = describe(&m, list);
    atn_tuner *t = atn_tuner_new(&own, &account, list, n, NATIVE, start, kind,
                                 wise > 0 ? (int64_t)(wise * 1e12) : -1);
    assert_non_null(t);
    const outcome o = play_tuner(&m, t, &account, calls);
    atn_tuner_free(t);
    return o;
}

static outcome play(const machine *m, atn_tune_mode mode, int64_t calls)
{
    return play_from(m, settings_of(m, mode), calls, NATIVE, ATN_START_NATIVE, 0);
}

static double best_time(const machine *m)
{
    double best = m->time[0];
    for (int i = 1; i < m->n; i++)
        best = fmin(best, m->time[i]);
    return best;
}

/* Spent within the budget, but for one call that was worse than foreseen. */
static void assert_budget(const machine *m, const outcome *o)
{
    const double earned =
        1e-9 * ((double)o->account.credit_ns + 0.02 * (double)o->account.elapsed_ns);
    const double spent = 1e-9 * (double)o->account.spent_ns;
    if (spent > earned + o->worst + 2 * m->time[NATIVE])
        fail_msg("spent %g, earned %g, worst call %g", spent, earned, o->worst);
}

/* ---- machines ---- */

/* Round-robin ranks on a slow network: the better algorithms win clearly, the model is decent. */
static machine decent(uint64_t seed)
{
    return (machine){
        .n = 10,
        .time = {10e-3, 5e-3, 5.4e-3, 6e-3, 8e-3, 12e-3, 20e-3, 9e-3, 40e-3, 5.1e-3},
        .model = {0, 4.6e-3, 5.9e-3, 5.5e-3, 9e-3, 10e-3, 25e-3, 8e-3, 37e-3, 5.6e-3},
        .group = {0, 1, 1, 2, 2, 3, 3, 4, 4, 1},
        .error = 0.3,
        .noise = 0.03,
        .delay = 1,
        .seed = seed,
    };
}

/* ---- the test behind every switch ---- */

/* Probability of being adopted from here on when pairs are won with probability p. */
static double adopted(int wins, int losses, double p)
{
    const atn_sign sign = atn_sign_verdict(wins, losses);
    if (sign != ATN_SIGN_OPEN)
        return sign == ATN_SIGN_ADOPT;
    return p * adopted(wins + 1, losses, p) + (1 - p) * adopted(wins, losses + 1, p);
}

static void sign_test_keeps_its_promise(void **state)
{
    (void)state;
    assert_true(adopted(0, 0, 0.5) <= 0.05);
    assert_true(adopted(0, 0, 0.3) <= 0.005);
    assert_true(adopted(0, 0, 0.9) >= 0.95);
    assert_true(adopted(0, 0, 0.99) >= 0.999);
    assert_int_equal(atn_sign_verdict(5, 0), ATN_SIGN_ADOPT);
    assert_int_equal(atn_sign_verdict(0, 2), ATN_SIGN_DROP);
}

/* ---- the budget ---- */

static void accounts_add_up(void **state)
{
    (void)state;
    atn_account a;
    atn_account_open(&a, 20, 1000);
    assert_int_equal(atn_account_left(&a), 32000);
    assert_int_equal(atn_account_wait(&a, 32000), 0);
    assert_true(atn_account_wait(&a, 32001) == INT64_MAX);
    a.calls = 100;
    atn_account_elapsed(&a, 1000000); /* 10 us a call: 200 ns earned by each */
    assert_int_equal(atn_account_left(&a), 52000);
    assert_int_equal(atn_account_wait(&a, 54000), 11);
    atn_account_spend(&a, 52000);
    a.calls = 110;
    assert_int_equal(atn_account_left(&a), 2000);
}

/* ---- learning ---- */

static void loop_of_500_is_nearly_as_fast_as_the_best(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const machine m = decent(seed);
        const outcome o = play(&m, ATN_TUNE_RACE, 500);
        const double ratio = o.total / (o.native * best_time(&m) / m.time[NATIVE]);
        worst = fmax(worst, ratio);
        if (ratio > 1.08 || o.below > 30)
            fail_msg("seed %d: %.3f of the best, above native until call %d", (int)seed, ratio,
                     (int)o.below);
        assert_budget(&m, &o);
        assert_int_equal(o.served[6] + o.served[8], 0); /* cannot win, so they never ran */
    }
    print_message("# at worst %.3f of the best fixed algorithm\n", worst);
}

static void best_is_found_soon_and_kept(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const machine m = decent(seed);
        const outcome o = play(&m, ATN_TUNE_RACE, 2000);
        right += m.time[o.incumbent] <= best_time(&m) * 1.031;
        assert_true(m.time[o.incumbent] <= best_time(&m) * 1.09);
    }
    assert_true(right >= 38);
}

static void noise_and_outliers_do_not_mislead(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        machine m = decent(seed);
        m.noise = 0.15;
        m.outliers = 0.03;
        const outcome o = play(&m, ATN_TUNE_RACE, 3000);
        right += m.time[o.incumbent] <= best_time(&m) * 1.25;
        assert_true(o.total < o.native);
        assert_budget(&m, &o);
    }
    assert_true(right >= 38);
}

/* Whatever the model says, a job is not slower than native by more than the budget. */
static void wrong_models_do_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        machine m = {.n = 12, .error = 0.3, .noise = 0.05, .outliers = 0.01, .seed = seed};
        uint64_t random = seed * 77;
        m.time[NATIVE] = 1e-3;
        for (int i = 1; i < m.n; i++) { /* all slower, all promised to be faster */
            m.time[i] = 1e-3 * (1.02 + 4 * uniform(&random));
            m.model[i] = 1e-3 * (0.2 + 0.6 * uniform(&random));
        }
        m.delay = 1 + (int)(seed % 4);
        for (int64_t calls = 20; calls <= 20000; calls *= 10) {
            const outcome o = play(&m, ATN_TUNE_RACE, calls);
            const double allowed =
                1.02 * o.native + 1e-9 * (double)o.account.credit_ns + 2 * o.worst;
            if (o.total > allowed)
                fail_msg("seed %d, %d calls: %g, native %g, allowed %g", (int)seed, (int)calls,
                         o.total, o.native, allowed);
            assert_budget(&m, &o);
        }
    }
}

static void native_stays_where_it_is_the_best(void **state)
{
    (void)state;
    int switches = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        machine m = {.n = 6, .error = 0.3, .noise = 0.1, .seed = seed};
        for (int i = 0; i < m.n; i++) {
            m.time[i] = 1e-3;
            m.model[i] = i == 0 ? 0 : 0.95e-3;
        }
        const outcome o = play(&m, ATN_TUNE_RACE, 5000);
        switches += o.incumbent != NATIVE;
        assert_true(o.total < 1.02 * o.native + 1e-9 * (double)o.account.credit_ns + o.worst);
    }
    assert_true(switches <= 10); /* five duels a job, each wrong in at most one of twenty */
}

static void short_jobs_gain_too(void **state)
{
    (void)state;
    machine m = decent(3);
    const outcome o = play(&m, ATN_TUNE_RACE, 20);
    assert_true(o.total < 0.85 * o.native);
}

/* A call of 0.4 us: agreements must be rare, and hardly any call is timed. */
static void tiny_calls_cost_little(void **state)
{
    (void)state;
    machine m = {.n = 4, .error = 0.3, .noise = 0.1, .seed = 5};
    const double times[] = {0.4e-6, 0.5e-6, 0.6e-6, 0.41e-6};
    for (int i = 0; i < m.n; i++) {
        m.time[i] = times[i];
        m.model[i] = i == 0 ? 0 : times[i];
    }
    const outcome o = play(&m, ATN_TUNE_RACE, 3000000);
    assert_true(o.total < 1.02 * o.native + 1e-9 * (double)o.account.credit_ns);
    assert_true(o.timed < 3000000 / 50);
}

/* Calls that need no step are as good as steps. */
static void quiet_calls_can_be_skipped(void **state)
{
    (void)state;
    const machine m = decent(1);
    atn_candidate list[MOST];
    atn_account account;
    atn_account_open(&account, 20, 20000);
    const int n = describe(&m, list);
    atn_tuner *t =
        atn_tuner_new(&atn_tune_defaults, &account, list, n, NATIVE, NATIVE, ATN_START_NATIVE, -1);
    int64_t calls = 0, steps = 0, sums[2] = {0, 0};
    while (calls < 20000000) {
        const int64_t quiet = atn_tuner_quiet(t);
        atn_tuner_skip(t, quiet);
        calls += quiet;
        const atn_step s = atn_tuner_step(t, ATN_TUNE_WEIGHT);
        calls++;
        steps++;
        if (s.block >= 0)
            sums[s.block] += (int64_t)(m.time[s.candidate] * 1e9);
        if (s.agree) {
            atn_tuner_feed(t, sums, calls * 5000000);
            sums[0] = sums[1] = 0;
        }
    }
    assert_int_equal(account.calls, calls);
    assert_true(steps < 1000);
    assert_int_equal(atn_tuner_incumbent(t), 1);
    atn_tuner_free(t);
}

/* ---- change ---- */

static void drift_is_noticed(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        machine m = decent(seed);
        m.drift = 2000;
        for (int i = 0; i < m.n; i++) /* what uses the trunk becomes slower */
            m.later[i] = i == 1 || i == 2 || i == 9 ? 4 * m.time[i] : m.time[i];
        const outcome o = play(&m, ATN_TUNE_RACE, 6000);
        right += o.incumbent == 3;
        assert_budget(&m, &o);
    }
    assert_true(right >= 28);
}

static void wisdom_serves_from_the_first_call(void **state)
{
    (void)state;
    const machine m = decent(4);
    outcome o = play_from(&m, &atn_tune_defaults, 500, 1, ATN_START_WISE, m.time[1]);
    assert_int_equal(o.incumbent, 1);
    assert_true(o.total < 1.03 * o.native * best_time(&m) / m.time[NATIVE]);
    /* Wisdom of a machine that is no more: all is looked at again. */
    o = play_from(&m, &atn_tune_defaults, 3000, 8, ATN_START_WISE, 1e-3);
    assert_true(m.time[o.incumbent] <= best_time(&m) * 1.09);
    /* What was measured elsewhere may have become slower than native without having changed. */
    o = play_from(&m, &atn_tune_defaults, 3000, 5, ATN_START_WISE, m.time[5]);
    assert_true(o.incumbent != 5);
}

/* ---- floating-point reductions ---- */

static void shadows_teach_without_switching(void **state)
{
    (void)state;
    const machine m = decent(6);
    atn_tune_settings s = atn_tune_defaults;
    s.shadow = true;
    const outcome o = play_from(&m, &s, 6000, NATIVE, ATN_START_NATIVE, 0);
    assert_int_equal(o.served[NATIVE], 6000);
    assert_true(m.time[o.learned.best] <= best_time(&m) * 1.09);
    assert_true(o.total < 1.021 * o.native + o.worst);
}

/* ---- the procedure of STAR-MPI ---- */

static void star_measures_all_and_selects(void **state)
{
    (void)state;
    const machine m = decent(2);
    const outcome all = play(&m, ATN_TUNE_ALL, 500), some = play(&m, ATN_TUNE_GROUPED, 500);
    for (int i = 0; i < m.n; i++)
        assert_true(all.served[i] >= 10);
    assert_int_equal(all.incumbent, 1);
    assert_int_equal(all.found, 100);
    assert_int_equal(some.incumbent, 1);
    assert_true(some.found < all.found);
    assert_int_equal(some.served[8], 0);
    const outcome race = play(&m, ATN_TUNE_RACE, 500);
    assert_true(race.total < some.total && some.total < all.total);
}

static void star_adapts(void **state)
{
    (void)state;
    machine m = decent(2);
    m.drift = 1000;
    for (int i = 0; i < m.n; i++)
        m.later[i] = i == 1 || i == 9 ? 4 * m.time[i] : m.time[i];
    assert_int_equal(play(&m, ATN_TUNE_ALL, 5000).incumbent, 2);
}

/* ---- many sizes ---- */

static void sizes_have_classes_and_weights(void **state)
{
    (void)state;
    assert_int_equal(atn_size_class(-1), -1);
    assert_int_equal(atn_size_class(0), 0);
    assert_int_equal(atn_size_class(1024), atn_size_class(2047));
    assert_int_equal(atn_size_class(2048), atn_size_class(2047) + 1);
    assert_int_equal(atn_size_weight(1536, 0), ATN_TUNE_WEIGHT);
    assert_int_equal(atn_size_weight(1024, 0), ATN_TUNE_WEIGHT * 2 / 3);
    assert_in_range(atn_size_weight(1024, 100000), 1010, ATN_TUNE_WEIGHT);
}

static atn_tuner *added(atn_book *book, const machine *m, int64_t bytes)
{
    atn_candidate list[MOST];
    const int n = describe(m, list);
    return atn_book_add(book, 1, bytes, &atn_tune_defaults, list, n, NATIVE, -1, -1);
}

static void neighbours_lend_what_they_know(void **state)
{
    (void)state;
    machine m = decent(1);
    static atn_book book;
    m.agreement = 20e-6;
    atn_book_open(&book, 20, 20000);
    atn_tuner *first = added(&book, &m, 5000);
    assert_ptr_equal(atn_book_find(&book, 1, 8191), first);
    assert_null(atn_book_find(&book, 1, 8192));
    assert_null(atn_book_find(&book, 2, 5000));
    assert_int_equal(atn_tuner_incumbent(added(&book, &m, 100)), NATIVE);
    play_tuner(&m, first, &book.account, 1000);
    assert_int_equal(atn_tuner_incumbent(first), 1);
    /* A neighbour begins with it, and goes its own way where it knows better. */
    atn_tuner *near = added(&book, &m, 10000), *far = added(&book, &m, 1000000);
    assert_int_equal(atn_tuner_incumbent(near), 1);
    assert_int_equal(atn_tuner_incumbent(far), NATIVE);
    m.time[1] = 15e-3;
    const outcome o = play_tuner(&m, near, &book.account, 1000);
    assert_true(o.incumbent != 1);
    for (int64_t bytes = 1 << 20; book.n < ATN_BOOK_TUNERS; bytes++)
        assert_non_null(added(&book, &m, bytes));
    assert_null(added(&book, &m, 1));
    atn_book_close(&book);
}

/* ---- ranks ---- */

static void equal_news_give_equal_decisions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        machine m = decent(seed);
        m.noise = 0.2;
        m.delay = 3;
        assert_true(play(&m, ATN_TUNE_RACE, 3000).path == play(&m, ATN_TUNE_RACE, 3000).path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sign_test_keeps_its_promise),
        cmocka_unit_test(accounts_add_up),
        cmocka_unit_test(loop_of_500_is_nearly_as_fast_as_the_best),
        cmocka_unit_test(best_is_found_soon_and_kept),
        cmocka_unit_test(noise_and_outliers_do_not_mislead),
        cmocka_unit_test(wrong_models_do_no_harm),
        cmocka_unit_test(native_stays_where_it_is_the_best),
        cmocka_unit_test(short_jobs_gain_too),
        cmocka_unit_test(tiny_calls_cost_little),
        cmocka_unit_test(quiet_calls_can_be_skipped),
        cmocka_unit_test(drift_is_noticed),
        cmocka_unit_test(wisdom_serves_from_the_first_call),
        cmocka_unit_test(shadows_teach_without_switching),
        cmocka_unit_test(star_measures_all_and_selects),
        cmocka_unit_test(star_adapts),
        cmocka_unit_test(sizes_have_classes_and_weights),
        cmocka_unit_test(neighbours_lend_what_they_know),
        cmocka_unit_test(equal_news_give_equal_decisions),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
