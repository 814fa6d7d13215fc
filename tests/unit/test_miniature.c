/* test_miniature.c - topologies that stand for larger ones, and plans for many ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/miniature.h"
#include "plan/planner.h"
#include "plan/wisdom.h"

static atn_topo *tree(const char *text)
{
    atn_topo *t = NULL;
    atn_error err = {0};
    if (atn_topo_parse_synthetic(text, &t, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return t;
}

static atn_choice choice_of(const char *name, const char *params)
{
    atn_choice c = {.row = atn_algo_catalog_by_name(name)};
    atn_error err = {0};
    assert_non_null(c.row);
    assert_int_equal(atn_algo_params_parse(c.row, params, &c.params, &err), ATN_OK);
    return c;
}

/* ---- topologies ---- */

static int switch_of(const atn_topo *t, int r) { return t->nodes[t->node_of[r]].parent; }

static void trees_keep_depth_and_rates_per_rank(void **state)
{
    (void)state;
    atn_topo *const t = tree("32@80Gx32@10G");
    int *ranks = NULL;
    atn_topo *const small = atn_topo_shrink(t, 32, 1000, &ranks);
    assert_non_null(small);
    assert_int_equal(small->p, 32);
    assert_int_equal(atn_topo_depth(small), atn_topo_depth(t));
    bool kept = false;
    for (int i = 0; i < small->p; i++) {
        kept = kept || ranks[i] == 1000;
        assert_true(i == 0 || ranks[i - 1] < ranks[i]);
        assert_int_equal(small->nodes[small->node_of[i]].rate, INT64_C(10000000000));
    }
    assert_true(kept);
    /* 8 of 32 hosts share a trunk: a quarter of its rate, a fifth less because 3 of 4 branches
     * instead of 31 of 32 are elsewhere. */
    const int64_t trunk = small->nodes[switch_of(small, 0)].rate;
    assert_true(trunk > INT64_C(15000000000) && trunk < INT64_C(17000000000));
    free(ranks);
    atn_topo_free(small);
    atn_topo_free(t);
}

static void mappings_are_kept(void **state)
{
    static const char *const orders[] = {"sequential", "roundrobin"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[64];
        int *ranks = NULL, changes = 0;
        snprintf(text, sizeof text, "16@4Gx16@1G;order=%s", orders[i]);
        atn_topo *const t = tree(text), *const small = atn_topo_shrink(t, 32, 0, &ranks);
        assert_non_null(small);
        for (int r = 1; r < small->p; r++)
            changes += switch_of(small, r - 1) != switch_of(small, r);
        assert_int_equal(changes, i == 0 ? 32 / 8 - 1 : 31);
        free(ranks);
        atn_topo_free(small);
        atn_topo_free(t);
    }
}

/* One rank can fill the link of its host, and one host that of its switch. */
static void single_flows_are_not_slower(void **state)
{
    (void)state;
    static const char *const texts[] = {"4x16@100M", "8x4@1G;ranks=16", "64@1G;ranks=16"};
    for (int i = 0; i < 3; i++) {
        int *ranks = NULL;
        atn_topo *const t = tree(texts[i]), *const small = atn_topo_shrink(t, 32, 3, &ranks);
        assert_non_null(small);
        assert_true(small->p <= 64 && small->p < t->p + (i == 0));
        for (int v = 1; v < small->nnodes; v++)
            assert_int_equal(small->nodes[v].rate, t->nodes[1].rate);
        free(ranks);
        atn_topo_free(small);
        atn_topo_free(t);
    }
}

/* Rows of radix 4 have only complete rounds on powers of four, and so they have on a part.  An
 * alltoall keeps more ranks that share a link. */
static void powers_of_four_stay(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        atn_operation op;
        int ranks;
    } list[] = {{"16@10G;ranks=16", ATN_ALLREDUCE, 16},
                {"16@10G;ranks=16", ATN_ALLTOALL, 32},
                {"8@10G;ranks=16", ATN_ALLREDUCE, 32},
                {"64@10G;ranks=16", ATN_BCAST, 16}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        atn_topo *const t = tree(list[i].text);
        const atn_problem q = {.op = list[i].op, .p = t->p, .bytes = 1024, .topo = t};
        atn_miniature x;
        assert_true(atn_plan_miniature_begin(&q, 16, &x));
        assert_int_equal(x.q.p, list[i].ranks);
        atn_plan_miniature_end(&x);
        atn_topo_free(t);
    }
}

/* Branches of different size, a rank that hosts share, and unknown rates. */
static void irregular_trees_shrink(void **state)
{
    (void)state;
    atn_topo *t = NULL, *small;
    atn_error err = {0};
    int *ranks = NULL;
    const char *const text = "SwitchName=a Nodes=n[0-79]\nSwitchName=b Nodes=m[0-2]\n"
                             "SwitchName=c Switches=a,b\n";
    assert_int_equal(atn_topo_parse_slurm(text, "test", &t, &err), ATN_OK);
    atn_topo *placed = NULL;
    assert_int_equal(atn_topo_order(t, "sequential", &placed, &err), ATN_OK);
    small = atn_topo_shrink(placed, 16, 82, &ranks);
    assert_non_null(small);
    assert_true(small->p > 4 && small->p <= 32);
    assert_int_equal(ranks[small->p - 1], 82);
    free(ranks);
    atn_topo_free(small);
    atn_topo_free(placed);
    atn_topo_free(t);
}

/* ---- extrapolation ---- */

static void times_extend_by_their_greater_term(void **state)
{
    (void)state;
    const atn_form_terms few = {.latency = 2, .bytes = 10}, all = {.latency = 5, .bytes = 40};
    assert_float_equal(atn_plan_miniature_extend(&few, &all, 12), 45, 1e-9);
    assert_float_equal(atn_plan_miniature_extend(&few, &all, 32), 5 + 3 * 40, 1e-9);
    const atn_form_terms empty = {.latency = 4, .bytes = 1}, more = {.latency = 8, .bytes = 30};
    assert_float_equal(atn_plan_miniature_extend(&empty, &more, 9), 30 + 2 * 8, 1e-9);
    for (int i = 1; i < 50; i += 7) {
        const double there = atn_plan_miniature_extend(&few, &all, 2 + i);
        assert_float_equal(atn_plan_miniature_reduce(&few, &all, there), 2 + i, 1e-9);
    }
}

static void shares_keep_their_size(void **state)
{
    (void)state;
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 1024, .bytes = 1 << 20, .root = 0};
    atn_miniature x;
    assert_true(atn_plan_miniature_begin(&q, 32, &x));
    assert_int_equal(x.q.p, 32);
    const atn_choice ring = choice_of("allreduce/ring", "");
    const atn_choice whole = choice_of("allreduce/recursive_doubling", "");
    assert_int_equal((atn_plan_miniature_problem(&x, &ring).bytes + 31) / 32, (1 << 20) / 1024);
    assert_int_equal(atn_plan_miniature_problem(&x, &whole).bytes, 1 << 20);
    atn_plan_miniature_end(&x);
}

static void late_ranks_stay_late(void **state)
{
    (void)state;
    int late[256];
    atn_topo *const t = tree("16@4Gx16@1G;order=roundrobin");
    for (int r = 0; r < 256; r++)
        late[r] = r;
    const atn_lateness lateness = {256, late};
    const atn_problem q = {
        .op = ATN_BCAST, .p = 256, .bytes = 1024, .root = 77, .topo = t, .lateness = &lateness};
    atn_miniature x;
    assert_true(atn_plan_miniature_begin(&q, 32, &x));
    const atn_choice binomial = choice_of("bcast/binomial", "");
    const atn_problem few = atn_plan_miniature_problem(&x, &binomial);
    assert_int_equal(few.lateness->p, few.p);
    for (int i = 0; i < few.p; i++)
        assert_int_equal(few.lateness->late[i], x.ranks[i]);
    assert_int_equal(x.ranks[few.root], 77);
    atn_plan_miniature_end(&x);
    atn_topo_free(t);
}

/* ---- plans ---- */

/* From the schedules of all ranks. */
static double exact(const atn_choice *c, const atn_problem *q, const atn_machine *m)
{
    int64_t unlimited = INT64_MAX;
    double seconds = 0;
    atn_error err = {0};
    if (atn_plan_planner_time(c, q, m, NULL, &unlimited, &seconds, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return seconds;
}

static void expect_as_fast_as(const atn_problem *q, const atn_machine *m, const atn_choice *known,
                              double factor)
{
    atn_ranking r;
    atn_error err = {0};
    char name[ATN_NAME_ROOM];
    assert_int_equal(atn_plan_planner_rank(q, m, NULL, atn_plan_budget(q->p), &r, &err), ATN_OK);
    assert_true(r.n > 0 && r.evaluated > 1);
    assert_true(r.v[0].evaluated && r.v[0].reduced);
    const double mine = exact(&r.v[0].choice, q, m), theirs = exact(known, q, m);
    atn_algo_params_print(r.v[0].choice.row, &r.v[0].choice.params, name, sizeof name);
    if (mine > factor * theirs)
        fail_msg("%s takes %.0f us, %s %.0f us", name, 1e6 * mine, known->row->name, 1e6 * theirs);
    atn_plan_ranking_free(&r);
}

/* Rows that win on many ranks are found with the budget of a job. */
static void jobs_find_the_rows_for_many_ranks(void **state)
{
    (void)state;
    atn_machine *const m = atn_model_machine_builtin();
    atn_topo *const t = tree("16@4Gx16@1G");
    atn_problem q = {.op = ATN_ALLREDUCE, .p = 256, .segments = 1, .bytes = 1 << 16, .topo = t};
    const atn_choice dividing = choice_of("allreduce/recursive_dividing", "");
    const atn_choice trees = choice_of("bcast/double_tree", "segment=32K");
    expect_as_fast_as(&q, m, &dividing, 1.1);
    q.op = ATN_BCAST;
    q.bytes = 1 << 20;
    expect_as_fast_as(&q, m, &trees, 1.1);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static const atn_prospect *find(const atn_ranking *r, const atn_choice *c)
{
    for (int i = 0; i < r->n; i++)
        if (atn_plan_same_choice(&r->v[i].choice, c))
            return &r->v[i];
    fail_msg("%s is no candidate", c->row->name);
    return NULL;
}

/* Half of eight rounds stay inside hosts of 16 ranks, with either mapping. */
static void forms_count_rounds_between_hosts(void **state)
{
    static const char *const texts[] = {"16@10G+10us;ranks=16",
                                        "16@10G+10us;ranks=16;order=roundrobin"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        atn_topo *const t = tree(texts[i]);
        atn_machine *const m = atn_model_machine_assumed(t);
        const atn_problem q = {
            .op = ATN_ALLREDUCE, .p = t->p, .segments = 1, .bytes = 8, .topo = t};
        const atn_choice doubling = choice_of("allreduce/recursive_doubling", "");
        atn_ranking r;
        assert_int_equal(atn_plan_planner_rank(&q, m, NULL, atn_plan_budget(q.p), &r, NULL),
                         ATN_OK);
        assert_float_equal(find(&r, &doubling)->form / exact(&doubling, &q, m), 1, 0.1);
        atn_plan_ranking_free(&r);
        atn_model_machine_free(m);
        atn_topo_free(t);
    }
}

/* Up to 64 ranks a plan with time evaluates the schedules of all ranks. */
static void few_ranks_are_evaluated_as_they_are(void **state)
{
    (void)state;
    atn_machine *const m = atn_model_machine_builtin();
    atn_topo *const t = tree("4@4Gx16@1G");
    const atn_problem q = {.op = ATN_BCAST, .p = 64, .segments = 1, .bytes = 8, .topo = t};
    atn_ranking r;
    atn_error err = {0};
    assert_int_equal(atn_plan_planner_rank(&q, m, NULL, 40000000, &r, &err), ATN_OK);
    for (int i = 0; i < r.n; i++)
        assert_false(r.v[i].reduced);
    assert_true(r.evaluated > 0);
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static bool is_reduced(const char *text)
{
    atn_machine *const m = atn_model_machine_builtin();
    atn_topo *const t = tree(text);
    const atn_problem q = {.op = ATN_BCAST, .p = t->p, .segments = 1, .bytes = 8, .topo = t};
    atn_ranking r;
    atn_error err = {0};
    bool reduced = false;
    assert_int_equal(atn_plan_planner_rank(&q, m, NULL, atn_plan_budget(q.p), &r, &err), ATN_OK);
    for (int i = 0; i < r.n; i++)
        reduced = reduced || r.v[i].reduced;
    atn_plan_ranking_free(&r);
    atn_topo_free(t);
    atn_model_machine_free(m);
    return reduced;
}

/* In jobs, up to 64 ranks only where a quarter of them shows what all do. */
static void jobs_reduce_where_it_saves_most(void **state)
{
    (void)state;
    assert_false(is_reduced("4@4Gx8@1G"));
    assert_true(is_reduced("4@4Gx16@1G"));
    assert_false(is_reduced("4x16@100M"));
    assert_true(is_reduced("8x16@100M"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_keep_depth_and_rates_per_rank),
        cmocka_unit_test(mappings_are_kept),
        cmocka_unit_test(single_flows_are_not_slower),
        cmocka_unit_test(powers_of_four_stay),
        cmocka_unit_test(irregular_trees_shrink),
        cmocka_unit_test(times_extend_by_their_greater_term),
        cmocka_unit_test(shares_keep_their_size),
        cmocka_unit_test(late_ranks_stay_late),
        cmocka_unit_test(jobs_find_the_rows_for_many_ranks),
        cmocka_unit_test(forms_count_rounds_between_hosts),
        cmocka_unit_test(few_ranks_are_evaluated_as_they_are),
        cmocka_unit_test(jobs_reduce_where_it_saves_most),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
