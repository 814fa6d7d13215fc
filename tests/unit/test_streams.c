/* test_streams.c - plans of jobs on 64 ranks: pipelines of which few segments are evaluated. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "model/bound.h"
#include "plan/planner.h"
#include "plan/trial.h"

static atn_problem problem(atn_operation op, int64_t bytes, const atn_topo *t)
{
    return (atn_problem){.op = op, .p = t->p, .segments = 1, .bytes = bytes, .topo = t};
}

static atn_choice choice(atn_operation op, const char *name)
{
    char text[64];
    atn_choice c;
    snprintf(text, sizeof text, "%s", name);
    assert_int_equal(atn_plan_choice_read(op, text, &c, NULL), ATN_OK);
    return c;
}

static atn_ranking plan(const atn_problem *q, const atn_machine *m)
{
    atn_ranking r = {.n = 0};
    assert_int_equal(atn_plan_planner_rank(q, m, NULL, atn_plan_budget(q->p), &r, NULL), ATN_OK);
    assert_true(r.n > 0);
    return r;
}

/* ---- times ---- */

static double time_of(const atn_model_trial *t, const atn_machine *m)
{
    double seconds = 0;
    assert_int_equal(atn_plan_trial_time(t, m, atn_model_find("links"), NULL, &seconds, NULL),
                     ATN_OK);
    return seconds;
}

/* With all segments. */
static double complete(const atn_choice *c, const atn_problem *q, const atn_machine *m)
{
    int64_t budget = INT64_MAX;
    atn_model_trial t;
    atn_trial_probe probe;
    assert_int_equal(atn_plan_trial_make(c, q, INT_MAX, &budget, &t, &probe, NULL), ATN_OK);
    const double seconds = time_of(&t, m);
    atn_plan_trial_free(&t);
    return seconds;
}

/* As a stream that was made for another size of segments. */
static double streamed(const atn_choice *other, const atn_choice *c, const atn_problem *q,
                       const atn_machine *m)
{
    int64_t budget = INT64_MAX;
    atn_model_trial t;
    atn_trial_probe probe;
    assert_int_equal(atn_plan_trial_make_stream(other, q, &budget, &t, &probe, NULL), ATN_OK);
    const double before = time_of(&t, m);
    atn_plan_trial_resize(&t, c, q);
    const double seconds = time_of(&t, m);
    assert_true(before > seconds || seconds > before);
    atn_plan_trial_free(&t);
    return seconds;
}

/* Few segments and the busiest rank, link or host show what all segments take. */
static void few_segments_show_all(void **state)
{
    (void)state;
    static const char *const trees[] = {"4@10G;ranks=16", "4x16@100M"};
    static const char *const pipelines[][2] = {
        {"double_tree{segment=4K}", "double_tree{segment=16K}"},
        {"double_tree{segment=32K}", "double_tree{segment=16K}"},
        {"kary{segment=8K}", "kary{segment=16K}"},
        {"levels{segment=8K}", "levels{segment=16K}"}};
    enum { N = sizeof pipelines / sizeof *pipelines };
    for (int k = 0; k < 2 * N; k++) {
        atn_topo *const t = made_topology(trees[k / N]);
        atn_machine *const m = atn_model_machine_assumed(t);
        const atn_problem q = problem(ATN_BCAST, 1 << 19, t);
        const atn_choice c = choice(q.op, pipelines[k % N][0]),
                         other = choice(q.op, pipelines[k % N][1]);
        const double all = complete(&c, &q, m), few = streamed(&other, &c, &q, m);
        if (fabs(few / all - 1) > 0.12)
            fail_msg("%s on %s: %.1f us, all segments %.1f us", pipelines[k % N][0], trees[k / N],
                     1e6 * few, 1e6 * all);
        atn_topo_free(t);
        atn_model_machine_free(m);
    }
}

/* Every message of a chain crosses the links of two hosts, one after the other. */
static void the_busiest_link_counts(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4x4@100M");
    atn_machine *const m = atn_model_machine_assumed(t);
    const atn_problem q = problem(ATN_BCAST, 1 << 20, t);
    const atn_choice c = choice(q.op, "chain{segment=0}");
    int64_t budget = INT64_MAX;
    double load = 0;
    atn_model_trial x;
    atn_trial_probe probe;
    assert_int_equal(atn_plan_trial_make(&c, &q, 1, &budget, &x, &probe, NULL), ATN_OK);
    const atn_model_case of = {.g = &x.part[0].g, .m = m, .t = t};
    assert_true(atn_model_links_load(&of, &load));
    assert_true(fabs(load / atn_model_bound(&q) - 1) < 0.03);
    assert_true(time_of(&x, m) > 10 * load);
    atn_plan_trial_free(&x);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* ---- plans ---- */

static void assert_not_slower(const atn_problem *q, const atn_machine *m, const char *rival)
{
    atn_ranking r = plan(q, m);
    const atn_choice other = choice(q->op, rival);
    const double mine = complete(&r.v[0].choice, q, m), theirs = complete(&other, q, m);
    if (mine > 1.25 * theirs)
        fail_msg("%s takes %.1f us, %s %.1f us", r.v[0].choice.row->name, 1e6 * mine, rival,
                 1e6 * theirs);
    atn_plan_ranking_free(&r);
}

/* A plan on 4 hosts finds the pipelines that cross the links of hosts least. */
static void pipelines_on_shared_hosts(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4@10G;ranks=16");
    atn_machine *const m = atn_model_machine_assumed(t);
    for (int64_t bytes = 1 << 16; bytes <= 1 << 20; bytes *= 4) {
        const atn_problem up = problem(ATN_REDUCE, bytes, t), down = problem(ATN_BCAST, bytes, t);
        assert_not_slower(&up, m, "topo_tree{segment=8K}");
        assert_not_slower(&down, m, "double_tree{segment=8K}");
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* No candidate is expected to take less than the links need, on as many ranks as on few. */
static void nothing_beats_the_links(void **state)
{
    (void)state;
    static const char *const trees[] = {"4@10G;ranks=16;order=roundrobin", "16@10G;ranks=16"};
    for (int k = 0; k < 2; k++) {
        atn_topo *const t = made_topology(trees[k]);
        atn_machine *const m = atn_model_machine_assumed(t);
        const atn_problem q = problem(ATN_ALLTOALL, 1 << 18, t);
        atn_ranking r = plan(&q, m);
        for (int i = 0; i < r.n; i++)
            assert_true(r.v[i].seconds > 0.96 * atn_model_bound(&q));
        atn_plan_ranking_free(&r);
        atn_topo_free(t);
        atn_model_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_segments_show_all),
        cmocka_unit_test(the_busiest_link_counts),
        cmocka_unit_test(pipelines_on_shared_hosts),
        cmocka_unit_test(nothing_beats_the_links),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
