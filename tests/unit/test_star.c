/* test_star.c - the procedure of STAR-MPI with the candidates and groups of its document: how long
 * its stages take, which times count, when it adapts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/repository.h"
#include "topo/topo.h"
#include "tune/tuner.h"

enum { NATIVE, RANKS = 16, ITERATIONS = 10, MOST = ATN_TUNE_CANDIDATES };

typedef struct {
    atn_tuner *tuner;
    atn_budget budget;
    int n;
    const char *name[MOST];
    int group[MOST];
    int us[MOST]; /* of a call */
    int64_t sums[2], stage[ITERATIONS * MOST];
    int calls, agreements;
} job;

/* ---- candidates ---- */

static atn_topo *one_switch(void)
{
    static char text[] = "SwitchName=s Nodes=h[0-15]\n#attune ranks=h[0-15]\n";
    atn_topo *t = NULL;
    assert_int_equal(atn_topo_parse_slurm(text, "example", &t, NULL), ATN_OK);
    assert_int_equal(t->p, RANKS);
    return t;
}

/* Native in a group of its own, and the entries of the document. */
static void begin(job *j, atn_operation op, int64_t bytes, atn_tune_mode mode)
{
    atn_topo *const topo = one_switch();
    const atn_problem q = {.op = op, .p = RANKS, .bytes = bytes, .segments = 1, .topo = topo};
    atn_candidate list[MOST] = {{.id = 1, .predicted_ps = -1}};
    atn_tune_settings s = atn_tune_defaults;
    *j = (job){.n = 1, .name = {"native"}};
    for (int i = 0; i < atn_plan_repository_entries(); i++) {
        const atn_repository_entry *const e = atn_plan_repository_entry(i);
        atn_choice choice;
        if (!atn_plan_repository_choice(e, &q, &choice))
            continue;
        assert_int_equal(atn_plan_repository_group(&choice), e->group);
        j->name[j->n] = e->name;
        j->group[j->n] = e->group;
        list[j->n] =
            (atn_candidate){.id = (uint64_t)j->n + 1, .predicted_ps = -1, .group = e->group};
        j->n++;
    }
    for (int i = 0; i < j->n; i++)
        j->us[i] = 1000 + 10 * i;
    s.mode = mode;
    atn_tune_budget_begin(&j->budget, 20, s.agreement_ns);
    j->tuner = atn_tune_tuner_new(&s, &j->budget, list, j->n, NATIVE, NATIVE, ATN_START_NATIVE, -1);
    assert_non_null(j->tuner);
    atn_topo_free(topo);
}

static int find(const job *j, const char *name)
{
    for (int i = 0; i < j->n; i++)
        if (strcmp(j->name[i], name) == 0)
            return i;
    fail_msg("no candidate %s", name);
    return -1;
}

/* The candidate is the fastest, and its whole group faster than others, as the document assumes. */
static void favour(job *j, int best)
{
    for (int i = 0; i < j->n; i++)
        j->us[i] = i == best ? 500 : j->group[i] == j->group[best] ? 600 + i : j->us[i];
}

/* One call, agreed on at once; whether it was part of a stage. */
static bool call(job *j)
{
    const atn_step s = atn_tune_tuner_step(j->tuner, ATN_TUNE_WEIGHT);
    const int64_t ns = 1000 * (int64_t)j->us[s.candidate];
    j->calls++;
    if (s.sample >= 0)
        j->stage[s.sample] = ns;
    else if (s.block >= 0)
        j->sums[s.block] += ns;
    if (s.agree) {
        j->agreements++;
        if (s.sample >= 0)
            atn_tune_tuner_feed_stage(j->tuner, j->stage, ns * j->calls);
        else
            atn_tune_tuner_feed(j->tuner, j->sums, ns * j->calls);
        j->sums[0] = j->sums[1] = 0;
    }
    return s.sample >= 0;
}

static void measure(job *j)
{
    while (atn_tune_tuner_stage(j->tuner) > 0)
        assert_true(call(j));
}

/* ---- Measure_Select ---- */

/* Table 4.13 of the document, with ten more calls of native; its all-reduce selects Rab1. */
static void stages_are_as_long_as_in_the_document(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        int64_t bytes;
        const char *fastest;
        int basic, enhanced;
    } cases[] = {
        {ATN_ALLTOALL, 2048, "simple", 90, 50},
        {ATN_ALLTOALL, 131072, "pair with light barrier", 90, 60},
        {ATN_ALLTOALL, 256, "bruck", 130, 90},
        {ATN_ALLGATHER, 2048, "simple", 120, 60},
        {ATN_ALLGATHER, 131072, "TSLR/LR", 120, 60},
        {ATN_ALLREDUCE, 2048, "Rab1-rdb", 200, 110},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int grouped = 0; grouped < 2; grouped++) {
            job j;
            begin(&j, cases[i].op, cases[i].bytes, grouped ? ATN_TUNE_GROUPED : ATN_TUNE_ALL);
            const int best = find(&j, cases[i].fastest);
            favour(&j, best);
            measure(&j);
            assert_int_equal(atn_tune_tuner_incumbent(j.tuner), best);
            assert_int_equal(j.calls - ITERATIONS, grouped ? cases[i].enhanced : cases[i].basic);
            atn_tune_tuner_free(j.tuner);
        }
}

/* One agreement for all candidates, one more for the best group. */
static void stages_end_with_one_agreement(void **state)
{
    (void)state;
    for (int grouped = 0; grouped < 2; grouped++) {
        job j;
        begin(&j, ATN_ALLREDUCE, 2048, grouped ? ATN_TUNE_GROUPED : ATN_TUNE_ALL);
        j.us[find(&j, "Rab1-simple")] = 500;
        measure(&j);
        assert_int_equal(j.agreements, 1 + grouped);
        atn_tune_tuner_free(j.tuner);
    }
}

/* The shortest call of a candidate counts, not its mean. */
static void the_shortest_call_counts(void **state)
{
    (void)state;
    job j;
    begin(&j, ATN_ALLTOALL, 2048, ATN_TUNE_ALL);
    const int ring = find(&j, "ring"), simple = find(&j, "simple");
    for (int i = 0; i < j.n; i++)
        j.us[i] = 400;
    j.us[ring] = 1000;
    j.us[simple] = 300;
    while (atn_tune_tuner_stage(j.tuner) > 0) {
        const int before = j.us[ring];
        if (j.calls == ring * ITERATIONS + 7)
            j.us[ring] = 200; /* a single call */
        call(&j);
        j.us[ring] = before;
    }
    assert_int_equal(atn_tune_tuner_incumbent(j.tuner), ring);
    atn_tune_tuner_free(j.tuner);
}

/* ---- Monitor_Adapt ---- */

static void windows_double_and_adapt(void **state)
{
    (void)state;
    job j;
    begin(&j, ATN_ALLTOALL, 2048, ATN_TUNE_ALL);
    const int ring = find(&j, "ring"), pair = find(&j, "pair"), simple = find(&j, "simple");
    j.us[ring] = 500;
    j.us[pair] = 600;
    j.us[simple] = 700;
    measure(&j);
    const int before = j.calls;
    for (int delta = 2, at = 0; delta <= 16; delta *= 2) { /* windows of 2, 4, 8, 16 times ten */
        const int agreements = j.agreements;
        for (at += delta * ITERATIONS; j.calls < before + at;)
            call(&j);
        assert_int_equal(j.agreements, agreements + 1);
    }
    j.us[ring] = 659; /* less than 10 % slower than the second best */
    for (int i = 0; i < 32 * ITERATIONS; i++)
        call(&j);
    assert_int_equal(atn_tune_tuner_incumbent(j.tuner), ring);
    j.us[ring] = 680;
    for (int i = 0; i < 64 * ITERATIONS; i++)
        call(&j);
    assert_int_equal(atn_tune_tuner_incumbent(j.tuner), pair);
    /* Its recorded mean, 680, is now the second best: below `simple`. */
    j.us[pair] = 760; /* 10 % above 680, not above 700 */
    for (int i = 0; i < 2 * ITERATIONS; i++)
        call(&j);
    assert_int_equal(atn_tune_tuner_incumbent(j.tuner), ring);
    atn_tune_tuner_free(j.tuner);
}

/* A slow window whose last calls are fast again is excused, but watched more closely. */
static void a_slow_window_is_excused(void **state)
{
    (void)state;
    job j;
    begin(&j, ATN_ALLTOALL, 2048, ATN_TUNE_ALL);
    const int ring = find(&j, "ring");
    j.us[ring] = 500;
    measure(&j);
    for (int i = 0; i < 2 * ITERATIONS; i++)
        call(&j); /* the next window has 40 calls */
    const int agreements = j.agreements;
    for (int i = 0; i < 4 * ITERATIONS; i++) {
        j.us[ring] = i < 3 * ITERATIONS ? 5000 : 500;
        call(&j);
    }
    assert_int_equal(j.agreements, agreements + 1);
    assert_int_equal(atn_tune_tuner_incumbent(j.tuner), ring);
    for (int i = 0; i < 2 * ITERATIONS; i++)
        call(&j);
    assert_int_equal(j.agreements, agreements + 2); /* twenty calls again */
    atn_tune_tuner_free(j.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_are_as_long_as_in_the_document),
        cmocka_unit_test(stages_end_with_one_agreement),
        cmocka_unit_test(the_shortest_call_counts),
        cmocka_unit_test(windows_double_and_adapt),
        cmocka_unit_test(a_slow_window_is_excused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
