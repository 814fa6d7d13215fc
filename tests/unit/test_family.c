/* test_family.c - reductions whose results must not change: where they begin with the algorithms in
 * canonical order, and a tuner in which only these may serve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "plan/family.h"
#include "plan/wisdom.h"
#include "topo/topo.h"
#include "tune/candidate_set.h"

/* ---- the decision ---- */

static bool begins(const atn_problem *q)
{
    atn_machine *const m = atn_model_machine_builtin();
    atn_family_forecast f;
    assert_non_null(m);
    assert_int_equal(atn_plan_family_forecast(ATN_FAMILY_RANK, q, m, &f), ATN_OK);
    assert_true(f.seconds > 0 || f.best.row == NULL);
    if (f.best.row != NULL && f.unrestricted > f.seconds * 1.0001)
        fail_msg("the family is faster than all algorithms, itself included");
    atn_model_machine_free(m);
    return f.begins;
}

static void begins_where_nothing_can_be_lost(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        atn_operation op;
        int64_t bytes;
        bool may, begins;
    } cases[] = {
        {"4x4@100M", ATN_ALLREDUCE, 131072, true, true},
        {"4x4@100M;order=roundrobin", ATN_ALLREDUCE, 131072, true, true},
        {"8@1G", ATN_ALLREDUCE, 1 << 20, true, true},
        {"4x4@100M", ATN_REDUCE_SCATTER_BLOCK, 131072, true, true},
        {"4x4@100M", ATN_REDUCE, 1 << 20, true, false}, /* pipelines move fewer bytes per link */
        {"4x4@100M", ATN_ALLREDUCE, 16384, false, false},
        {"4x4@100M", ATN_ALLREDUCE, -1, false, false},
        {"4x4@100M", ATN_BCAST, 1 << 20, false, false}, /* nothing is added up */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_topo *const t = made_topology(cases[i].topology);
        const atn_problem q = {
            .op = cases[i].op, .p = t->p, .bytes = cases[i].bytes, .topo = t, .segments = 1};
        if (atn_plan_family_may_begin(&q) != cases[i].may)
            fail_msg("case %zu: may begin: %d", i, !cases[i].may);
        if (cases[i].may && begins(&q) != cases[i].begins)
            fail_msg("case %zu: begins: %d", i, !cases[i].begins);
        atn_topo_free(t);
    }
}

/* Messages stay below usual eager limits, whatever the size of the class. */
static void begins_with_segments(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4x4@100M");
    atn_machine *const m = atn_model_machine_builtin();
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 16, .bytes = 131072, .topo = t, .segments = 1};
    atn_family_forecast f;
    char name[ATN_NAME_ROOM];
    assert_int_equal(atn_plan_family_forecast(ATN_FAMILY_RANK, &q, m, &f), ATN_OK);
    atn_plan_choice_print(&f.best, name);
    assert_string_equal(name, "butterfly{segment=32K}");
    atn_choice list[ATN_FAMILY_VARIANTS];
    assert_int_equal(atn_plan_family_variants(&f.best, q.bytes, list), 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_false(atn_plan_same_choice(&list[i], &list[k]));
    assert_true(atn_plan_same_choice(&list[0], &f.best));
    atn_choice whole = {.row = atn_algo_catalog_find(ATN_ALLREDUCE, "recursive_doubling")};
    atn_algo_params_default(whole.row, &whole.params);
    assert_int_equal(atn_plan_family_variants(&whole, q.bytes, list), 1); /* has no segments */
    atn_model_machine_free(m);
    atn_topo_free(t);
}

/* Ranks of a host must come first in the canonical tree: others are left to libraries that detect
 * shared hosts. */
static void hosts_must_suit_the_tree(void **state)
{
    (void)state;
    static const struct {
        const char *hosts; /* a letter or digit for each rank */
        bool may;
    } cases[] = {
        {"aaaa", false},    {"abcd", true},      {"aabb", true},     {"abab", false},
        {"aaab", false},    {"abc", true},       {"aabbcc", false},  {"aaabbb", false},
        {"aaaabbbb", true}, {"aabbaabb", false}, {"aabbccdd", true}, {"0101", true},
        {"01230123", true}, {"0100", false},     {"001122", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[16][2];
        const char *hosts[16];
        const int p = (int)strlen(cases[i].hosts);
        atn_topo *t = NULL;
        atn_error err = {0};
        for (int r = 0; r < p; r++) {
            memcpy(names[r], (char[]){cases[i].hosts[r], '\0'}, 2);
            hosts[r] = names[r];
        }
        assert_int_equal(atn_topo_from_hosts(hosts, p, &t, &err), ATN_OK);
        const atn_problem q = {
            .op = ATN_ALLREDUCE, .p = p, .bytes = 1 << 20, .topo = t, .segments = 1};
        if (atn_plan_family_may_begin(&q) != cases[i].may)
            fail_msg("%s", cases[i].hosts);
        atn_topo_free(t);
    }
    const atn_problem unknown = {.op = ATN_ALLREDUCE, .p = 4, .bytes = 1 << 20, .segments = 1};
    assert_false(atn_plan_family_may_begin(&unknown));
}

/* Calls of one class, in other contexts or on other communicators, must have the same bits. */
static void sizes_of_a_class_are_decided_alike(void **state)
{
    (void)state;
    static const atn_operation ops[] = {ATN_ALLREDUCE, ATN_REDUCE, ATN_REDUCE_SCATTER, ATN_SCAN};
    atn_topo *const t = made_topology("7@100M");
    atn_machine *const m = atn_model_machine_builtin();
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int64_t lo = ATN_FAMILY_BYTES; lo < 1 << 24; lo *= 2) {
            atn_problem q = {.op = ops[i], .p = 7, .bytes = lo, .topo = t, .segments = 1};
            atn_family_forecast first, last;
            assert_int_equal(atn_plan_family_forecast(ATN_FAMILY_RANK, &q, m, &first), ATN_OK);
            q.bytes = 2 * lo - 1;
            assert_int_equal(atn_plan_family_forecast(ATN_FAMILY_RANK, &q, m, &last), ATN_OK);
            assert_int_equal(first.begins, last.begins);
        }
    atn_model_machine_free(m);
    atn_topo_free(t);
}

/* ---- candidates ---- */

static void orders_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        atn_family family;
    } cases[] = {{"butterfly", ATN_FAMILY_RANK},
                 {"recursive_doubling", ATN_FAMILY_RANK},
                 {"reduce_scatter_allgather{scatter=butterfly,gather=ring}", ATN_FAMILY_RANK},
                 {"butterfly{order=name}", ATN_FAMILY_NAME},
                 {"butterfly{segment=8K,order=name}", ATN_FAMILY_NAME},
                 {"butterfly{order=lr1}", ATN_FAMILY_NONE},
                 {"ring", ATN_FAMILY_NONE},
                 {"ring{order=name}", ATN_FAMILY_NONE},
                 {"rabenseifner", ATN_FAMILY_NONE},
                 {"native", ATN_FAMILY_NONE}};
    atn_topo *const t = made_topology("4x4@100M;order=roundrobin");
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 16, .bytes = 1 << 17, .topo = t};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[ATN_NAME_ROOM];
        atn_choice choice;
        snprintf(name, sizeof name, "%s", cases[i].name);
        assert_int_equal(atn_plan_choice_read(ATN_ALLREDUCE, name, &choice, NULL), ATN_OK);
        if (atn_plan_family_of(&choice, &q) != cases[i].family)
            fail_msg("%s", cases[i].name);
    }
    atn_topo_free(t);
}

/* Ranks are numbered by host names if these differ in numbers and do not follow the ranks. */
static void host_names_suggest_an_order(void **state)
{
    (void)state;
    static const struct {
        const char *hosts;
        bool ordered; /* the operator does not commute */
        atn_family suited;
    } cases[] = {
        {"hosts:n[0-7]", false, ATN_FAMILY_RANK},
        {"hosts:n[8-11]", false, ATN_FAMILY_RANK}, /* n9 is before n10 */
        {"hosts:n[4-7],n[0-3]", false, ATN_FAMILY_NAME},
        {"hosts:n[4-7],n[0-3]", true, ATN_FAMILY_RANK},
        {"hosts:r1n[0-1],r0n[0-1]", false, ATN_FAMILY_NAME},
        {"hosts:north,east,south,west", false, ATN_FAMILY_RANK},
        {"hosts:b[0-3],a[0-3]", false, ATN_FAMILY_RANK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_topo *hosts = NULL, *t = NULL;
        atn_error err = {0};
        assert_int_equal(atn_topo_load(cases[i].hosts, &hosts, &err), ATN_OK);
        if (hosts->p == 0)
            assert_int_equal(atn_topo_order(hosts, strchr(cases[i].hosts, ':') + 1, &t, &err),
                             ATN_OK);
        const atn_topo *const used = t != NULL ? t : hosts;
        const atn_problem q = {.op = ATN_ALLREDUCE,
                               .p = used->p,
                               .bytes = 1 << 17,
                               .topo = used,
                               .ordered = cases[i].ordered,
                               .segments = 1};
        if (atn_plan_family_suited(&q) != cases[i].suited)
            fail_msg("%s", cases[i].hosts);
        atn_topo_free(t);
        atn_topo_free(hosts);
    }
}

/* The members of the family by name are those of canonical order, and no others replace them. */
static void family_by_name_begins_and_stays(void **state)
{
    (void)state;
    atn_topo *const t = made_topology("4x4@100M;order=roundrobin");
    atn_machine *const m = atn_model_machine_builtin();
    const atn_problem q = {.op = ATN_ALLREDUCE, .p = 16, .bytes = 131072, .topo = t, .segments = 1};
    atn_family_forecast f;
    atn_choice list[ATN_FAMILY_VARIANTS];
    char name[ATN_NAME_ROOM];
    assert_int_equal(atn_plan_family_forecast(ATN_FAMILY_NAME, &q, m, &f), ATN_OK);
    assert_true(f.begins);
    atn_plan_choice_print(&f.best, name);
    assert_string_equal(name, "butterfly{segment=32K,order=name}");
    const int n = atn_plan_family_variants(&f.best, q.bytes, list);
    for (int i = 0; i < n; i++)
        assert_int_equal(atn_plan_family_of(&list[i], &q), ATN_FAMILY_NAME);
    const atn_choice small = atn_plan_family_default(ATN_FAMILY_NAME, &q);
    assert_int_equal(atn_plan_family_of(&small, &q), ATN_FAMILY_NAME);
    assert_ptr_equal(atn_plan_family_problem(ATN_FAMILY_NAME, &q).topo, t);
    assert_null(atn_plan_family_problem(ATN_FAMILY_RANK, &q).topo);
    atn_model_machine_free(m);
    atn_topo_free(t);
}

/* ---- the tuner ---- */

enum { NATIVE = 0, FIRST, SECOND, THIRD, OTHER, N };

typedef struct {
    int64_t served[N], beside[N];
    double total_us;
    int incumbent;
    atn_tuner_result result;
    atn_decision decision;
    atn_budget budget;
} outcome;

/* FIRST, SECOND and THIRD give the same bits.  Native takes a millisecond. */
static outcome play(const int us[N], const int later[N], int calls)
{
    atn_candidate list[N];
    atn_tune_settings s = atn_tune_defaults;
    atn_budget budget;
    outcome o = {.total_us = 0};
    int64_t sums[2] = {0, 0};
    s.shadow = true;
    for (int i = 0; i < N; i++)
        list[i] = (atn_candidate){
            .id = (uint64_t)i + 1, .predicted_ps = -1, .same_bits = i >= FIRST && i <= THIRD};
    atn_tune_budget_begin(&budget, 20, s.agreement_ns);
    atn_tuner *const t =
        atn_tune_tuner_new(&s, &budget, list, N, NATIVE, FIRST, ATN_START_BORROWED, -1);
    assert_non_null(t);
    for (int i = 0; i < calls; i++) {
        const int *const now = i < calls / 4 ? us : later;
        const atn_step step = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
        const int timed = step.shadow >= 0 ? step.shadow : step.candidate;
        o.served[step.candidate]++;
        o.total_us += now[step.candidate] + (step.shadow >= 0 ? now[timed] : 0);
        if (step.shadow >= 0)
            o.beside[step.shadow]++;
        if (step.block >= 0)
            sums[step.block] += 1000 * (int64_t)now[timed];
        if (step.agree) {
            atn_tune_tuner_feed(t, sums, (int64_t)(1000 * o.total_us));
            memset(sums, 0, sizeof sums);
        }
    }
    o.incumbent = atn_tune_tuner_incumbent(t);
    o.decision = atn_tune_tuner_decision(t);
    o.budget = budget;
    atn_tune_tuner_result(t, &o.result);
    atn_tune_tuner_free(t);
    return o;
}

/* No result of native or of another order was ever delivered. */
static void assert_same_bits(const outcome *o)
{
    assert_int_equal(o->served[NATIVE], 0);
    assert_int_equal(o->served[OTHER], 0);
    for (int i = FIRST; i <= THIRD; i++)
        assert_int_equal(o->beside[i], 0);
    assert_int_equal(o->decision.is, ATN_DECISION_SERVES);
}

static void family_members_replace_each_other(void **state)
{
    (void)state;
    static const int us[N] = {1000, 900, 600, 800, 950};
    const outcome o = play(us, us, 20000);
    assert_same_bits(&o);
    assert_int_equal(o.incumbent, SECOND);
    assert_int_equal(o.result.best, SECOND);
    assert_true(o.served[SECOND] > 15000);
    assert_true(o.beside[NATIVE] > 0); /* timed on scratch data, for reports */
}

/* The best of the family serves, and wisdom for the next run names the best of all. */
static void faster_ones_of_another_order_wait_for_the_next_run(void **state)
{
    (void)state;
    static const int us[N] = {500, 900, 600, 800, 300};
    const outcome o = play(us, us, 40000);
    assert_same_bits(&o);
    assert_int_equal(o.incumbent, SECOND);
    assert_int_equal(o.result.best, OTHER);
    assert_true(o.beside[OTHER] > 0);
}

/* 2 % of the time, a credit, and at most a few calls whose time was not predicted. */
static void trials_keep_the_budget(void **state)
{
    (void)state;
    static const int us[N] = {1000, 900, 2500, 1700, 3000};
    const outcome o = play(us, us, 20000);
    assert_same_bits(&o);
    assert_int_equal(o.incumbent, FIRST);
    const double excess_us = o.total_us - 20000.0 * us[FIRST];
    assert_true(excess_us < 0.02 * o.total_us + 1e-3 * (double)o.budget.credit_ns + 4 * 3000);
}

static void another_member_serves_after_a_change(void **state)
{
    (void)state;
    static const int us[N] = {1000, 900, 600, 800, 400}, later[N] = {2000, 2000, 2400, 700, 2000};
    const outcome o = play(us, later, 200000);
    assert_same_bits(&o);
    assert_int_equal(o.incumbent, THIRD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_where_nothing_can_be_lost),
        cmocka_unit_test(begins_with_segments),
        cmocka_unit_test(hosts_must_suit_the_tree),
        cmocka_unit_test(sizes_of_a_class_are_decided_alike),
        cmocka_unit_test(orders_are_recognised),
        cmocka_unit_test(host_names_suggest_an_order),
        cmocka_unit_test(family_by_name_begins_and_stays),
        cmocka_unit_test(family_members_replace_each_other),
        cmocka_unit_test(faster_ones_of_another_order_wait_for_the_next_run),
        cmocka_unit_test(trials_keep_the_budget),
        cmocka_unit_test(another_member_serves_after_a_change),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
