/* test_repeats.c - rounds that are alike: few of them show what all take. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "plan/repeats.h"
#include "plan/trial.h"

static atn_choice choice(atn_operation op, const char *name)
{
    char text[64];
    atn_choice c;
    snprintf(text, sizeof text, "%s", name);
    assert_int_equal(atn_plan_choice_read(op, text, &c, NULL), ATN_OK);
    return c;
}

static atn_problem problem(atn_operation op, const atn_choice *c, int64_t bytes, const atn_topo *t)
{
    atn_problem q = {.op = op, .p = t->p, .r = t->p / 2, .bytes = bytes, .topo = t};
    q.segments = atn_algo_segments(c->row, &q, &c->params);
    return q;
}

static int runs_of(atn_operation op, const char *name, const atn_topo *t,
                   atn_round_run runs[ATN_REPEAT_RUNS])
{
    const atn_choice c = choice(op, name);
    const atn_problem q = problem(op, &c, 1 << 16, t);
    atn_schedule *s = NULL;
    assert_int_equal(atn_algo_build(c.row, &q, &c.params, &s, NULL), ATN_OK);
    const int n = atn_plan_repeats_find(&c, s, runs);
    atn_sched_schedule_free(s);
    return n;
}

/* Rings repeat their rounds, also those that alternate between two partners; trees do not. */
static void rings_repeat_their_rounds(void **state)
{
    (void)state;
    static const struct {
        atn_operation op;
        const char *name;
        int n, first, last, period; /* runs, where the first ends and the last begins */
    } cases[] = {{ATN_ALLGATHER, "ring", 1, 31, 0, 1},
                 {ATN_ALLGATHER, "ring{segment=8K}", 1, 31, 0, 1},
                 {ATN_ALLGATHER, "double_ring", 1, 16, 0, 1},
                 {ATN_ALLGATHER, "neighbor", 1, 16, 0, 2},
                 {ATN_ALLREDUCE, "ring", 2, 31, 31, 1},
                 {ATN_ALLGATHER, "recursive_doubling", 0, 0, 0, 0},
                 {ATN_BCAST, "chain", 0, 0, 0, 0},
                 {ATN_ALLTOALL, "pairwise", 0, 0, 0, 0}};
    atn_topo *const t = made_topology("4x8@100M");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_round_run runs[ATN_REPEAT_RUNS] = {{0, 0, 0}};
        const int n = runs_of(cases[i].op, cases[i].name, t, runs);
        if (n != cases[i].n ||
            (n > 0 && (runs[0].first != 0 || runs[0].end != cases[i].first ||
                       runs[n - 1].first != cases[i].last || runs[0].period != cases[i].period)))
            fail_msg("%s: %d runs, the first to %d, the last from %d", cases[i].name, n,
                     runs[0].end, runs[atn_max(n, 1) - 1].first);
    }
    atn_topo_free(t);
}

/* Of every segment, the operations of the wanted rounds. */
static void windows_leave_rounds_out(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4x8@100M");
    const atn_choice c = choice(ATN_ALLGATHER, "ring{segment=8K}");
    const atn_problem q = problem(ATN_ALLGATHER, &c, 1 << 14, t);
    atn_schedule *s = NULL;
    assert_int_equal(q.segments, 2);
    assert_int_equal(
        atn_algo_build_rounds(c.row, &q, &c.params, (atn_round_window){4, 7}, &s, NULL), ATN_OK);
    assert_int_equal(s->nops, 2 * 2 * 3);
    for (int i = 0; i < s->nops; i++) {
        const int round = s->ops[i].round % (t->p - 1);
        assert_true(round >= 4 && round < 7);
    }
    assert_true(s->ops[0].ndeps == 0 && s->nrounds == 2 * (t->p - 1));
    atn_sched_schedule_free(s);
    atn_topo_free(t);
}

/* ---- times ---- */

typedef atn_status (*maker)(const atn_choice *choice, const atn_problem *q, int few,
                            int64_t *budget, atn_model_trial *x, atn_trial_probe *probe_p,
                            atn_error *err);

static double time_with(maker make, const atn_choice *c, const atn_problem *q, int few,
                        int64_t *steps_p)
{
    int64_t budget = INT64_MAX;
    double seconds = 0;
    atn_model_trial t;
    atn_trial_probe probe;
    atn_machine *const m = atn_model_machine_assumed(q->topo);
    assert_int_equal(make(c, q, few, &budget, &t, &probe, NULL), ATN_OK);
    assert_int_equal(atn_plan_trial_time(&t, m, atn_model_find("links"), NULL, &seconds, NULL),
                     ATN_OK);
    *steps_p = INT64_MAX - budget;
    atn_plan_trial_free(&t);
    atn_model_machine_free(m);
    return seconds;
}

/* For two thirds of the work, and less.  Where partners alternate, delays spread for longer than
 * the rounds that are looked at. */
static void few_rounds_show_all(void **state)
{
    (void)state;
    static const char *const trees[] = {"4@10G;ranks=16", "4x16@100M", "4@40Gx16@10G"};
    static const struct {
        atn_operation op;
        const char *name;
    } rings[] = {{ATN_ALLGATHER, "ring"},        {ATN_ALLGATHER, "neighbor"},
                 {ATN_ALLGATHER, "double_ring"}, {ATN_REDUCE_SCATTER, "ring"},
                 {ATN_ALLREDUCE, "ring"},        {ATN_REDUCE_SCATTER, "ring{segment=8K}"}};
    enum { N = sizeof rings / sizeof *rings };
    for (int k = 0; k < 3 * N; k++) {
        atn_topo *const t = made_topology(trees[k / N]);
        const atn_choice c = choice(rings[k % N].op, rings[k % N].name);
        const atn_problem q = problem(rings[k % N].op, &c, 1 << 15, t);
        int64_t steps = 0, fewer = 0;
        const double all = time_with(atn_plan_trial_make, &c, &q, INT_MAX, &steps),
                     few = time_with(atn_plan_trial_make_brief, &c, &q, INT_MAX, &fewer);
        const double most = strcmp(rings[k % N].name, "neighbor") == 0 ? 0.14 : 0.06;
        if (fabs(few / all - 1) > most)
            fail_msg("%s on %s: %.1f us, all rounds %.1f us", rings[k % N].name, trees[k / N],
                     1e6 * few, 1e6 * all);
        assert_true(fewer < steps * 2 / 3);
        atn_topo_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_repeat_their_rounds),
        cmocka_unit_test(windows_leave_rounds_out),
        cmocka_unit_test(few_rounds_show_all),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
