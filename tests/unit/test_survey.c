/* test_survey.c - from observations to a machine: robust medians, the plan of experiments, the
 * lines of the job, and the parameters of a given machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/fit.h"
#include "model/fit_machine.h"
#include "model/survey_plan.h"

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-6 * fabs(wanted) + 1e-15)
        fail_msg("%.9g, wanted %.9g", got, wanted);
}

/* ---- outliers ---- */

static void outliers_are_removed(void **state)
{
    (void)state;
    double v[] = {10, 11, 1000, 10.5, 9.9, 10.2, 10.1, 900, 10.3, 10.4, 10.6, 9.8};
    const int kept = atn_undisturbed(v, 12);
    assert_int_equal(kept, 10);
    assert_true(v[0] == 9.8 && v[9] == 11);
}

static void valid_samples_remain(void **state)
{
    (void)state;
    double even[] = {1, 2, 3, 4, 5, 6, 7, 8}, alike[] = {5, 5, 5, 5, 5.1}, few[] = {1, 100, 1};
    assert_int_equal(atn_undisturbed(even, 8), 8);
    assert_int_equal(atn_undisturbed(alike, 5), 5);
    assert_int_equal(atn_undisturbed(few, 3), 3);
    double half[] = {1, 1, 1, 1, 100, 100, 100, 100}; /* no outliers */
    assert_int_equal(atn_undisturbed(half, 8), 8);
}

static void spreads_are_relative(void **state)
{
    (void)state;
    near(atn_spread((atn_estimate){10, 9, 12}), 0.15);
    near(atn_spread((atn_estimate){0, 0, 0}), 0);
}

/* The quartile tolerates disturbances of half of the samples; its interval grows. */
static void quartiles_are_not_disturbed(void **state)
{
    (void)state;
    double v[40], w[40], one[] = {3};
    for (int i = 0; i < 40; i++) {
        v[i] = 10 + 0.01 * (i % 7);
        w[i] = i % 2 ? v[i] : 50;
    }
    const atn_estimate quiet = atn_quartile(v, 40), disturbed = atn_quartile(w, 40);
    assert_true(fabs(disturbed.mid / quiet.mid - 1) < 0.01);
    assert_true(quiet.lo <= quiet.mid && quiet.mid <= quiet.hi && quiet.hi < 10.1);
    assert_true(disturbed.lo <= disturbed.mid && disturbed.hi < 11);
    near(atn_quartile(one, 1).hi, 3);
}

/* ---- least squares ---- */

static void lines_are_fitted(void **state)
{
    (void)state;
    const int64_t bytes[] = {0, 1000, 100000, 1000000};
    double t[4];
    for (int i = 0; i < 4; i++)
        t[i] = 30e-6 + 8e-9 * (double)bytes[i];
    const atn_hockney h = atn_model_fit_hockney(bytes, t, 4);
    near(h.alpha, 30e-6);
    near(h.beta, 8e-9);
    const double falling[] = {4e-6, 3e-6, 2e-6, 1e-6};
    assert_true(atn_model_fit_hockney(bytes, falling, 4).beta == 0);
}

static void hosts_are_distinguished(void **state)
{
    (void)state;
    const double truth[] = {10e-6, 12e-6, 40e-6, 11e-6};
    const int a[] = {0, 1, 2, 3, 0, 1}, b[] = {1, 2, 3, 0, 2, 3};
    double trip[6], fixed[4];
    for (int i = 0; i < 6; i++)
        trip[i] = 2 * (truth[a[i]] + truth[b[i]]);
    assert_true(atn_model_fit_hosts(4, a, b, trip, 6, fixed));
    for (int h = 0; h < 4; h++)
        near(fixed[h], truth[h]);
    /* the pairs of a square do not determine the hosts */
    assert_false(atn_model_fit_hosts(4, a, b, trip, 4, fixed));
}

/* ---- the plan ---- */

static void plan_of(const char *topology, atn_experiments *list, atn_survey *s)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    assert_int_equal(atn_topo_load(topology, &t, &err), ATN_OK);
    if (atn_model_survey_plan(t, (atn_survey_conditions){0}, list, s, &err) != ATN_OK)
        fail_msg("%s", err.text);
    atn_topo_free(t);
}

static int count(const atn_experiments *list, atn_obs_kind kind, int channel)
{
    int n = 0;
    for (int i = 0; i < list->n; i++)
        n += list->v[i].of.kind == kind && list->v[i].of.channel == channel;
    return n;
}

static void free_plan(atn_experiments *list, atn_survey *s)
{
    atn_vec_free(list);
    atn_model_survey_free(s);
}

static void plans_depend_on_the_topology(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        int hosts, channels;
        bool memory, fan, cross;
    } rows[] = {
        {"1@1G;ranks=2", 1, 1, true, false, false},
        {"4@100M", 4, 2, false, true, false},
        {"4x4@100M", 16, 3, false, true, false},
        {"2@100M;ranks=4", 2, 2, true, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        atn_experiments list = {0};
        atn_survey s = {0};
        plan_of(rows[i].topology, &list, &s);
        assert_int_equal(s.hosts, rows[i].hosts);
        assert_int_equal(s.channels.n, rows[i].channels);
        assert_int_equal(s.experiments, list.n);
        assert_int_equal(count(&list, ATN_OBS_ROUND_TRIP, 0) > 0, rows[i].memory);
        assert_int_equal(count(&list, ATN_OBS_FAN, 1) > 0, rows[i].fan);
        assert_int_equal(count(&list, ATN_OBS_CROSS, 1) > 0, rows[i].cross);
        for (int k = 0; k < list.n; k++)
            for (int j = 0; j < list.v[k].nactors; j++)
                assert_in_range(list.v[k].actor[j], 0, s.ranks - 1);
        free_plan(&list, &s);
    }
}

static void pairs_have_the_distance_of_their_channel(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_experiments list = {0};
    atn_survey s = {0};
    assert_int_equal(atn_topo_load("3x2@100M;order=roundrobin", &t, NULL), ATN_OK);
    assert_int_equal(atn_model_survey_plan(t, (atn_survey_conditions){0}, &list, &s, NULL), ATN_OK);
    for (int i = 0; i < list.n; i++)
        if (list.v[i].nactors == 2 && list.v[i].of.channel >= 0 &&
            list.v[i].of.kind != ATN_OBS_TOKEN)
            assert_int_equal(atn_model_survey_channel_of(t, list.v[i].actor[0], list.v[i].actor[1]),
                             list.v[i].of.channel);
    free_plan(&list, &s);
    atn_topo_free(t);
}

static void one_rank_is_rejected(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_experiments list = {0};
    atn_survey s = {0};
    atn_error err = {0};
    const char *const host[] = {"a"};
    assert_int_equal(atn_topo_from_hosts(host, 1, &t, &err), ATN_OK);
    assert_int_equal(atn_model_survey_plan(t, (atn_survey_conditions){0}, &list, &s, &err),
                     ATN_USAGE);
    assert_non_null(strstr(err.text, "at least two ranks"));
    atn_topo_free(t);
}

/* ---- the lines of the job ---- */

static const char *const head[] = {
    "output of a launcher", "attune-survey 1", "job 4 2 0 00000000000000ff Some MPI 1.0",
    "channel memory",       "channel switch",  "plan 3 1 00000000000000aa"};
enum { HEAD = sizeof head / sizeof *head };

static void take_head(atn_survey *s, int n)
{
    atn_error err = {0};
    for (int i = 0; i < n; i++)
        if (atn_model_survey_line(s, head[i], &err) != ATN_OK)
            fail_msg("%s: %s", head[i], err.text);
}

static void lines_are_parsed(void **state)
{
    (void)state;
    atn_survey s = {0};
    atn_error err = {0};
    take_head(&s, HEAD);
    assert_int_equal(atn_model_survey_line(&s, "o 0 round_trip 1 1024 1 - 7 2e-3 1e-3 3e-3", &err),
                     ATN_OK);
    assert_int_equal(atn_model_survey_line(&s, "skip 1", &err), ATN_OK);
    assert_int_equal(atn_model_survey_end(&s, &err), ATN_ENVIRONMENT);
    assert_int_equal(atn_model_survey_line(&s, "o 2 reduce -1 64 1 sum.f64 7 2e-6 1e-6 3e-6", &err),
                     ATN_OK);
    assert_int_equal(atn_model_survey_line(&s, "end", &err), ATN_OK);
    assert_int_equal(atn_model_survey_end(&s, &err), ATN_OK);
    assert_int_equal(s.seen.n, 2);
    assert_string_equal(s.mpi, "Some MPI 1.0");
    near(atn_model_survey_value(&s, ATN_OBS_ROUND_TRIP, 1, 1024, 1, NULL), 2e-3);
    near(atn_model_survey_value(&s, ATN_OBS_REDUCE, -1, 64, 1, "sum.f64"), 2e-6);
    assert_true(atn_model_survey_value(&s, ATN_OBS_REDUCE, -1, 64, 1, "max.f64") == 0);
    atn_model_survey_free(&s);
}

/* One of three rounds was disturbed; of two rounds the faster one counts. */
static void rounds_are_joined(void **state)
{
    (void)state;
    static const char *const lines[] = {"attune-survey 1",
                                        "job 2 1 0 00 Some MPI",
                                        "channel memory",
                                        "plan 2 3 aa",
                                        "o 0 round_trip 0 1 1 - 5 2 1.9 2.1",
                                        "o 1 one_way 0 0 1 - 5 7 7 7",
                                        "o 2 round_trip 0 1 1 - 6 90 80 99",
                                        "o 3 one_way 0 0 1 - 5 5 5 5",
                                        "o 4 round_trip 0 1 1 - 7 2.5 2.4 2.6",
                                        "skip 5",
                                        "end"};
    atn_survey s = {0};
    atn_error err = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (atn_model_survey_line(&s, lines[i], &err) != ATN_OK)
            fail_msg("%s: %s", lines[i], err.text);
    assert_int_equal(atn_model_survey_end(&s, &err), ATN_OK);
    assert_int_equal(s.seen.n, 2);
    assert_int_equal(s.seen.v[0].samples, 18);
    assert_true(s.seen.v[0].value.mid == 2.5 && s.seen.v[0].value.lo == 2);
    assert_true(s.seen.v[0].value.hi == 2.6);
    assert_true(s.seen.v[1].value.mid == 7 && s.seen.v[1].value.lo == 5);
    atn_model_survey_free(&s);
}

static void intervals_hold_all_rounds_but_one(void **state)
{
    (void)state;
    const atn_estimate five[] = {{3, 2.9, 3.1}, {9, 9, 9}, {4, 4, 4}, {3.5, 3.5, 3.5}, {2, 2, 2}};
    const atn_estimate e = atn_model_survey_middle(five, 5, false);
    assert_true(e.mid == 3.5 && e.lo == 2 && e.hi == 4);
    assert_true(atn_model_survey_middle(five, 4, false).mid == 3.5);
    assert_true(atn_model_survey_middle(five, 4, true).mid == 4);
    assert_true(atn_model_survey_middle(five, 1, false).hi == 3.1);
    const atn_estimate least = atn_model_survey_least(five, 5);
    assert_true(least.mid == 2 && least.lo == 2 && least.hi == 3);
    assert_true(atn_model_survey_least(five, 1).hi == 3.1);
}

static void invalid_lines_are_rejected(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "garbage",
        "o 3 round_trip 1 1024 1 - 7 2 1 3",   /* not in the plan */
        "o 0 round_trip 2 1024 1 - 7 2 1 3",   /* unknown channel */
        "o 0 round_trip 1 1024 1 - 7 nan 1 3", /* not a number */
        "o 0 round_trip 1 1024 1 - 7 2 -1 3",  /* negative */
        "o 0 round_trip 1 1024 1 - 7 4 1 3",   /* not inside its interval */
        "o 0 round_trip 1 1024 1 - 0 2 1 3",   /* no sample */
        "o 0 round_trip 1 1024 1 - 7 2 1",     /* incomplete */
        "o 0 round_trip 1 1024 1 - 7 2 1 3 4", /* too long */
        "o 0 square_trip 1 1024 1 - 7 2 1 3",  /* unknown kind */
        "skip 3",
        "end",
        "job 0 0 0 0 x",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        atn_survey s = {0};
        atn_error err = {0};
        take_head(&s, HEAD);
        if (atn_model_survey_line(&s, rows[i], &err) != ATN_ENVIRONMENT)
            fail_msg("taken: %s", rows[i]);
        atn_model_survey_free(&s);
    }
}

static void a_job_may_report_an_error(void **state)
{
    (void)state;
    atn_survey s = {0};
    atn_error err = {0};
    take_head(&s, 2);
    assert_int_equal(atn_model_survey_line(&s, "failed 2 one rank alone", &err), ATN_USAGE);
    assert_string_equal(err.text, "one rank alone");
    atn_model_survey_free(&s);
}

/* A survey file is read back; a resumed job must be the same. */
static void stopped_jobs_are_resumed(void **state)
{
    (void)state;
    const char path[] = "survey.part";
    const atn_observation o = {.kind = ATN_OBS_TRAIN,
                               .channel = 1,
                               .bytes = 4096,
                               .tau = 1,
                               .what = "-",
                               .samples = 9,
                               .value = {3e-4, 2e-4, 4e-4}};
    atn_survey s = {0}, again = {0};
    atn_error err = {0};
    take_head(&s, HEAD);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    atn_model_survey_put_head(f, &s);
    atn_model_survey_put(f, 0, &o);
    fprintf(f, "o 1 round_tr"); /* killed here */
    fclose(f);
    assert_int_equal(atn_model_survey_read(path, &again, &err), ATN_OK);
    assert_int_equal(again.next, 1);
    assert_int_equal(again.seen.n, 1);
    near(again.seen.v[0].value.hi, 4e-4);
    again.begun = false; /* the same job again */
    take_head(&again, HEAD);
    assert_int_equal(again.channels.n, 2);
    assert_int_equal(atn_model_survey_line(&again, "o 0 round_trip 1 1 1 - 7 2 1 3", &err),
                     ATN_ENVIRONMENT); /* completed already */
    err = (atn_error){0};
    assert_int_equal(atn_model_survey_line(&again, "plan 3 1 00000000000000ab", &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "of another job"));
    atn_model_survey_free(&again);
    atn_model_survey_free(&s);
    unlink(path);
}

/* ---- parameters ---- */

static void observe(atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes, int tau,
                    const char *what, double v)
{
    atn_observation o = {.kind = kind,
                         .channel = channel,
                         .bytes = bytes,
                         .tau = tau,
                         .samples = 10,
                         .value = {v, v, v}};
    snprintf(o.what, sizeof o.what, "%s", what);
    assert_true(atn_push(&s->seen, o));
}

static const int64_t sizes[] = {1, 1024, 16384, 65536, 1 << 20};
enum { SIZES = 5 };

/* Observations of a given machine: o, L(m, tau) of memory and of a network with serial
 * transfers. */
static double memory_l(int64_t m, int tau) { return (10e-9 + 0.1e-9 * (double)m) * (1 + tau) / 2; }
static double network_l(int64_t m, int tau) { return 20e-6 + 80e-9 * (double)m * tau; }
static double network_o(int64_t m) { return m < 65536 ? 30e-6 : 90e-6; }

static atn_survey given_machine(void)
{
    atn_survey s = {0};
    take_head(&s, HEAD);
    observe(&s, ATN_OBS_ROUND_TRIP, 0, 0, 1, "-", 2 * 0.5e-6);
    observe(&s, ATN_OBS_ROUND_TRIP, 1, 0, 1, "-", 2 * 30e-6);
    observe(&s, ATN_OBS_SYNCHRONOUS, 0, 0, 1, "-", 0.5e-6);
    observe(&s, ATN_OBS_SYNCHRONOUS, 1, 0, 1, "-", 90e-6);
    observe(&s, ATN_OBS_EAGER, 1, 0, 1, "-", 65536);
    for (int i = 0; i < SIZES; i++) {
        const int64_t m = sizes[i];
        observe(&s, ATN_OBS_ROUND_TRIP, 0, m, 1, "-", 2 * (0.5e-6 + 2 * memory_l(m, 1)));
        observe(&s, ATN_OBS_RING, 0, m, 2, "-", 0.5e-6 + 2 * memory_l(m, 2));
        observe(&s, ATN_OBS_ROUND_TRIP, 1, m, 1, "-",
                2 * (network_o(m) + 2 * memory_l(m, 1) + network_l(m, 1)));
        observe(&s, ATN_OBS_CROSS, 1, m, 2, "-",
                2 * (network_o(m) + 2 * memory_l(m, 2) + network_l(m, 2)));
        observe(&s, ATN_OBS_TRAIN, 1, m, 1, "-", 5e-6 + 80e-9 * (double)m);
        observe(&s, ATN_OBS_SEND, 1, m, 1, "-", 3e-6);
        observe(&s, ATN_OBS_RECEIVE, 1, m, 1, "-", 4e-6);
        observe(&s, ATN_OBS_COPY, -1, m, 1, "-", 0.2e-9 * (double)m);
        observe(&s, ATN_OBS_REDUCE, -1, m, 1, "sum.f64", 0.3e-9 * (double)m);
    }
    observe(&s, ATN_OBS_FAN, 1, 16384, 3, "-",
            60e-6 + 2 * memory_l(16384, 1) + network_l(16384, 3));
    observe(&s, ATN_OBS_EXCHANGE, 1, 1 << 20, 1, "-",
            90e-6 + 2 * (2 * memory_l(1 << 20, 1) + network_l(1 << 20, 1)));
    observe(&s, ATN_OBS_ONE_WAY, 1, 0, 1, "-", 12.5e6);
    observe(&s, ATN_OBS_BUSY, 1, 1, 4, "-", 20e-6);
    observe(&s, ATN_OBS_BUSY, 1, 65536, 4, "-", 20e-6 + 65536 * 4e-9);
    return s;
}

static atn_machine *fitted(atn_survey *s)
{
    atn_machine *m = NULL;
    atn_error err = {0};
    if (atn_model_fit_machine(s, &m, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return m;
}

static void transfers_are_fitted(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    atn_machine *m = fitted(&s);
    const atn_channel *memory = &m->channel[0], *net = &m->channel[1];
    assert_int_equal(m->nchannels, 2);
    near(memory->o_below, 0.5e-6); /* (7.2) */
    near(net->o_from, 90e-6);      /* (7.3) */
    assert_int_equal(net->eager, 65536);
    for (int i = 0; i < SIZES; i++)
        for (int tau = 1; tau <= 2; tau++) {
            near(atn_model_channel_transfer(memory, (double)sizes[i], tau),
                 memory_l(sizes[i], tau)); /* (7.4), (7.5), below (7.6) */
            near(atn_model_channel_transfer(net, (double)sizes[i], tau), network_l(sizes[i], tau));
        }
    near(atn_model_channel_transfer(net, 16384, 3), network_l(16384, 3));
    /* three concurrent transfers not observed: the slowdown of the nearest size */
    near(atn_model_channel_transfer(net, 65536, 3),
         network_l(65536, 1) * network_l(16384, 3) / network_l(16384, 1));
    atn_model_machine_free(m);
    for (int i = 0; i < s.seen.n; i++) /* within the bounds of L */
        if (s.seen.v[i].kind == ATN_OBS_FAN)
            s.seen.v[i].value.mid *= 1000;
    m = fitted(&s);
    near(atn_model_channel_transfer(&m->channel[1], 65536, 3), 3 * network_l(65536, 1));
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

/* Four messages with eight ends in 80 us of two busy processors. */
static void shared_processors(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    s.processors = 2;
    observe(&s, ATN_OBS_ALL_RANKS, 1, 1, 4, "-", 80e-6);
    observe(&s, ATN_OBS_TOKEN, 1, 1, 4, "-", 100e-6);
    atn_machine *m = fitted(&s);
    assert_int_equal(m->processors, 2);
    near(m->channel[1].cpu_message, 80e-6 * 2 / 8);
    near(m->idle, 100e-6 - (30e-6 + 2 * memory_l(1, 1) + network_l(1, 1)));
    atn_model_machine_free(m);
    s.processors = 8; /* more than ranks: not all were busy */
    m = fitted(&s);
    near(m->channel[1].cpu_message, 10e-6);
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

static void other_models_are_fitted(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    atn_machine *m = fitted(&s);
    const atn_channel *net = &m->channel[1];
    const double g1 = 5e-6 + 80e-9;
    near(net->plogp.latency, 30e-6 - g1);             /* (7.1) */
    near(net->loggp.latency, 30e-6 - g1 + g1 - 7e-6); /* table 7.1 */
    near(net->loggp.o, 3.5e-6);
    near(net->loggp.gap_byte, (5e-6 + 80e-9 * 1048576) / 1048576);
    near(atn_model_table_time(&net->lognp.o, 16384, 1),
         (30e-6 + 2 * memory_l(16384, 1) + network_l(16384, 1)) / 3);
    near(net->duplex, 0.5);
    near(net->rate, 12.5e6);
    near(net->cpu_message, 10e-6);
    near(net->cpu_byte, 2e-9);
    near(net->lmo.fixed, 15e-6);
    near(atn_model_table_rate(&m->copy, 1024, 1), 0.2e-9);
    near(atn_model_machine_reduce(m, "sum", "f64", 1024, 1), 0.3e-9);
    assert_true(net->hockney.beta > 75e-9 && net->hockney.beta < 85e-9);
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

/* Valid parameters cause no warning, the file is read back, and an outlier in L causes a
 * warning. */
static void machines_are_written(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    for (int i = 0; i < s.seen.n; i++) /* observed for one size only, which causes a warning */
        if (s.seen.v[i].kind == ATN_OBS_FAN)
            s.seen.v[i] = s.seen.v[--s.seen.n];
    atn_machine *m = fitted(&s), *back = NULL;
    atn_error err = {0};
    assert_int_equal(atn_model_machine_warnings(m, NULL, NULL), 0);
    char *text = atn_model_machine_print(m);
    assert_non_null(text);
    if (atn_model_machine_parse(text, strlen(text), "fit", &back, &err) != ATN_OK)
        fail_msg("%s", err.text);
    near(atn_model_channel_transfer(&back->channel[1], 16384, 2), network_l(16384, 2));
    free(text);
    atn_model_machine_free(m);
    atn_model_machine_free(back);
    for (int i = 0; i < s.seen.n; i++)
        if (s.seen.v[i].kind == ATN_OBS_CROSS && s.seen.v[i].bytes == 16384)
            s.seen.v[i].value.mid *= 3;
    m = fitted(&s);
    assert_true(atn_model_machine_warnings(m, NULL, NULL) > 0);
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

static atn_observation *find(atn_survey *s, atn_obs_kind kind, int channel, int64_t bytes)
{
    for (int i = 0; i < s->seen.n; i++)
        if (s->seen.v[i].kind == kind && s->seen.v[i].channel == channel &&
            s->seen.v[i].bytes == bytes)
            return &s->seen.v[i];
    return NULL;
}

/* L = RTT / 2 - o - 2 L0, o = RTT(0) / 2: the squared intervals of both round trips add up; a
 * transfer that is clipped to 0 still has an interval, and the file contains it. */
static void parameters_have_intervals(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    atn_observation *empty = find(&s, ATN_OBS_ROUND_TRIP, 1, 0);
    atn_observation *small = find(&s, ATN_OBS_ROUND_TRIP, 1, 1024);
    atn_observation *tiny = find(&s, ATN_OBS_ROUND_TRIP, 1, 1);
    empty->value.hi += 6e-6;
    empty->value.lo -= 2e-6;
    small->value.lo -= 8e-6;
    tiny->value.mid = tiny->value.lo = 59e-6;
    tiny->value.hi = 70e-6;
    atn_machine *m = fitted(&s), *back = NULL;
    const atn_channel *net = &m->channel[1];
    assert_true(net->transfer.v[0][0] == 0);
    near(net->transfer.half[1][0], sqrt(3e-6 * 3e-6 + 4e-6 * 4e-6));
    assert_true(net->transfer.half[0][0] > 4e-6);
    assert_true(net->transfer.half[4][1] == 0);
    char *text = atn_model_machine_print(m);
    assert_non_null(strstr(text, "below=30~3 "));
    assert_int_equal(atn_model_machine_parse(text, strlen(text), "fit", &back, NULL), ATN_OK);
    near(back->channel[1].transfer.half[1][0], 5e-6);
    char *again = atn_model_machine_print(back);
    assert_string_equal(again, text);
    free(again);
    free(text);
    atn_model_machine_free(m);
    atn_model_machine_free(back);
    atn_model_survey_free(&s);
}

/* One rank per host: memory transfers are derived from copies. */
static void one_rank_per_host_suffices(void **state)
{
    (void)state;
    atn_survey s = given_machine();
    int kept = 0;
    for (int i = 0; i < s.seen.n; i++)
        if (s.seen.v[i].channel != 0 && s.seen.v[i].kind != ATN_OBS_CROSS)
            s.seen.v[kept++] = s.seen.v[i];
    s.seen.n = kept;
    atn_machine *m = fitted(&s);
    near(atn_model_channel_transfer(&m->channel[0], 16384, 1), 0.2e-9 * 16384);
    near(atn_model_channel_message(m, 1, 16384),
         30e-6 + 2 * memory_l(16384, 1) + network_l(16384, 1));
    atn_model_machine_free(m);
    atn_model_survey_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outliers_are_removed),
        cmocka_unit_test(valid_samples_remain),
        cmocka_unit_test(spreads_are_relative),
        cmocka_unit_test(quartiles_are_not_disturbed),
        cmocka_unit_test(lines_are_fitted),
        cmocka_unit_test(hosts_are_distinguished),
        cmocka_unit_test(plans_depend_on_the_topology),
        cmocka_unit_test(pairs_have_the_distance_of_their_channel),
        cmocka_unit_test(one_rank_is_rejected),
        cmocka_unit_test(lines_are_parsed),
        cmocka_unit_test(rounds_are_joined),
        cmocka_unit_test(intervals_hold_all_rounds_but_one),
        cmocka_unit_test(invalid_lines_are_rejected),
        cmocka_unit_test(a_job_may_report_an_error),
        cmocka_unit_test(stopped_jobs_are_resumed),
        cmocka_unit_test(transfers_are_fitted),
        cmocka_unit_test(shared_processors),
        cmocka_unit_test(other_models_are_fitted),
        cmocka_unit_test(machines_are_written),
        cmocka_unit_test(parameters_have_intervals),
        cmocka_unit_test(one_rank_per_host_suffices),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
