/* test_offline.c - the search of `attune tune` on simulated machines: results, cost, native under
 * noise; crossing points, rules and files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan/patterns.h"
#include "simjob.h"
#include "tune/offline.h"
#include "tune/solution.h"

enum { CANDIDATES = 120 };

typedef struct {
    int n;                    /* candidates, native is 0 */
    double time[CANDIDATES];  /* true seconds */
    double model[CANDIDATES]; /* predicted; 0: unknown */
    int better[CANDIDATES];   /* a neighbour that is added by refinement; 0: none */
    double noise;
    uint64_t random;
} machine;

typedef struct {
    int winner, runs, ran; /* ran: different candidates */
    double seconds;
    atn_fate fate[CANDIDATES];
} outcome;

static double noisy(machine *m, int i)
{
    const double gauss =
        sqrt(-2 * log(sim_uniform(&m->random))) * cos(6.283185307179586 * sim_uniform(&m->random));
    const double factor = exp(m->noise * gauss);
    return m->time[i] * (sim_uniform(&m->random) < 0.02 ? 5 * factor : factor);
}

/* name: of each candidate; refinement adds further ones in its order. */
static outcome play(machine *m, const atn_offline_settings *s, int first)
{
    int name[CANDIDATES] = {0}, count = 1;
    bool ran[CANDIDATES] = {false};
    outcome out = {.winner = -1};
    const int *list;
    atn_offline *o = atn_tune_offline_new(s);
    assert_non_null(o);
    for (int i = 1; i < first; i++) {
        assert_int_equal(atn_tune_offline_add(o, i / 4, m->model[i], false), count);
        name[count++] = i;
    }
    for (;;) {
        const int n = atn_tune_offline_round(o, out.seconds, &list);
        if (n == 0 && atn_tune_offline_stage_of(o) == ATN_OFFLINE_REFINING) {
            const int next = m->better[name[atn_tune_offline_leader(o)]];
            if (next > 0) {
                assert_int_equal(atn_tune_offline_add(o, 1000, 0, true), count);
                name[count++] = next;
            }
            continue;
        }
        if (n == 0)
            break;
        for (int k = 0; k < n; k++) {
            const double t = noisy(m, name[list[k]]);
            out.ran += !ran[list[k]];
            ran[list[k]] = true;
            out.runs++;
            out.seconds += t;
            atn_tune_offline_record(o, list[k], t);
        }
    }
    assert_int_equal(atn_tune_offline_stage_of(o), ATN_OFFLINE_OVER);
    for (int i = 0; i < count; i++) {
        out.fate[name[i]] = atn_tune_offline_fate(o, i);
        if (atn_tune_offline_fate(o, i) == ATN_FATE_WON)
            out.winner = name[i];
    }
    atn_tune_offline_free(o);
    return out;
}

/* 100 candidates between `best` and 20 times native, the model within a factor of `wrong`. */
static machine candidates(uint64_t seed, double best, double wrong)
{
    machine m = {.n = 100, .noise = 0.05, .random = seed};
    m.time[0] = 1e-3;
    for (int i = 1; i < m.n; i++) {
        m.time[i] = 1e-3 * best * exp(sim_uniform(&m.random) * log(20 / best));
        m.model[i] = 3 * m.time[i] * exp((2 * sim_uniform(&m.random) - 1) * log(wrong));
    }
    m.time[17] = 1e-3 * best;
    m.model[17] = 3 * m.time[17] * wrong; /* the model underestimates it */
    return m;
}

static double best_of(const machine *m)
{
    double best = m->time[0];
    for (int i = 1; i < m->n; i++)
        best = fmin(best, m->time[i]);
    return best;
}

static void finds_the_best(void **state)
{
    int good = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        machine m = candidates(seed, 0.4, 1.6);
        const outcome o = play(&m, &atn_tune_offline_defaults, m.n);
        good += m.time[o.winner] <= 1.05 * best_of(&m);
    }
    assert_true(good >= 95);
}

/* A tenth of the time of an exhaustive search, for the same result. */
static void costs_little(void **state)
{
    atn_offline_settings all = atn_tune_offline_defaults;
    double few = 0, many = 0;
    int good = 0;
    (void)state;
    all.exhaustive = true;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        machine m = candidates(seed, 0.4, 1.6), again = m;
        const outcome o = play(&m, &atn_tune_offline_defaults, m.n),
                      x = play(&again, &all, again.n);
        few += o.seconds;
        many += x.seconds;
        assert_int_equal(x.ran, 100);
        good += m.time[o.winner] <= 1.05 * m.time[x.winner];
    }
    assert_true(few < many / 10);
    assert_true(good >= 18);
}

static void native_stays(void **state)
{
    int left = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        machine m = candidates(seed, 1, 1.3); /* many as fast as native, none faster */
        m.noise = 0.1;
        left += play(&m, &atn_tune_offline_defaults, m.n).winner != 0;
    }
    assert_true(left <= 4);
}

/* 2 % are not enough, 8 % are. */
static void margin_counts(void **state)
{
    int small = 0, large = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        machine m = {.n = 2, .time = {1e-3, 0.98e-3}, .noise = 0.03, .random = seed};
        machine x = {.n = 2, .time = {1e-3, 0.92e-3}, .noise = 0.03, .random = seed};
        small += play(&m, &atn_tune_offline_defaults, 2).winner == 1;
        large += play(&x, &atn_tune_offline_defaults, 2).winner == 1;
    }
    assert_true(small <= 5);
    assert_true(large >= 45);
}

static void hopeless_never_run(void **state)
{
    machine m = candidates(7, 0.5, 1.05);
    (void)state;
    const outcome o = play(&m, &atn_tune_offline_defaults, m.n);
    int hopeless = 0;
    for (int i = 1; i < m.n; i++)
        hopeless += o.fate[i] == ATN_FATE_HOPELESS;
    assert_true(hopeless > 40);
    assert_true(o.ran < 60);
    assert_int_equal(o.winner, 17);
}

/* Refinement follows the parameters to the optimum. */
static void refines(void **state)
{
    machine m = {.n = 3, .time = {1e-3, 0.9e-3, 2e-3, 0.7e-3, 0.5e-3}, .noise = 0.02, .random = 3};
    (void)state;
    m.better[1] = 3;
    m.better[3] = 4;
    assert_int_equal(play(&m, &atn_tune_offline_defaults, m.n).winner, 4);
}

static void time_is_kept(void **state)
{
    atn_offline_settings s = atn_tune_offline_defaults;
    machine m = candidates(5, 0.4, 2);
    (void)state;
    s.seconds = 0.1;
    const outcome o = play(&m, &s, m.n);
    assert_true(o.seconds < 0.2);
    assert_true(o.winner >= 0);
}

static void nothing_but_native(void **state)
{
    machine m = {.n = 1, .time = {1e-3}, .noise = 0.02, .random = 3};
    (void)state;
    assert_int_equal(play(&m, &atn_tune_offline_defaults, 1).winner, 0);
}

static void unknown_times_are_tried(void **state)
{
    machine m = candidates(9, 0.5, 1.2);
    (void)state;
    for (int i = 0; i < m.n; i++)
        m.model[i] = 0;
    const outcome o = play(&m, &atn_tune_offline_defaults, m.n);
    assert_int_equal(o.ran, m.n);
    assert_true(m.time[o.winner] <= 1.05 * best_of(&m));
}

/* ---- from samples to rules ---- */

static void crossings(void **state)
{
    const int64_t bytes[] = {1024, 4096, 16384};
    const char *const use[] = {"a", "a", "b"}, *const same[] = {"a", "a", "a"};
    int64_t middle = 0;
    (void)state;
    assert_int_equal(atn_tune_solution_crossing(bytes, use, 3, 1.2, &middle), 1);
    assert_int_equal(middle, 8192);
    assert_int_equal(atn_tune_solution_crossing(bytes, same, 3, 1.2, &middle), -1);
    assert_int_equal(atn_tune_solution_crossing(bytes, use, 3, 4, &middle), -1);
    const int64_t close[] = {8, 9};
    assert_int_equal(atn_tune_solution_crossing(close, use + 1, 2, 1.01, &middle), -1);
}

static void put_task(FILE *f, int64_t bytes, const char *algorithm, double seconds, const char *won)
{
    fprintf(f,
            "task bcast %lld 0\nvariant 0 native native\ns 0 0.001\n"
            "variant 1 candidate %s\ns 1 %g\nvariant 2 control native\nvariant 3 named %s\n",
            (long long)bytes, algorithm, seconds, algorithm);
    for (int i = 0; i < 8; i++)
        fprintf(f, "s 2 0.001\ns 3 %g\n", seconds);
    fprintf(f, "fate 0 %s 0\nfate 1 %s 0.5\ndone\n", *won == 'n' ? "won" : "second",
            *won == 'n' ? "first" : "won");
}

static void read_samples(void (*fill)(FILE *f), atn_samples *s)
{
    char path[] = "/tmp/attune-offline-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    atn_error err = {0};
    fputs("attune-samples 1\njob 4 0 MPI\n", f);
    fill(f);
    fputs("end\n", f);
    fclose(f);
    if (atn_report_samples_read(path, s, &err) != ATN_OK)
        fail_msg("%s", err.text);
    unlink(path);
}

static void fill(FILE *f)
{
    put_task(f, 16384, "chain", 0.0005, "chain");
    put_task(f, 1024, "binomial", 0.00099, "native");
    put_task(f, 4096, "chain", 0.0006, "chain"); /* a crossing point */
    put_task(f, 8192, "chain", 0.0006, "chain"); /* another one with the same winner */
    fputs("task bcast 99 0\nvariant 0 native native\ns 0 0.001\ndone\n", f); /* unsolved */
}

static const char *use_of(const atn_rules *rules, int64_t bytes, char name[ATN_NAME_ROOM])
{
    const atn_problem q = {.op = ATN_BCAST, .p = 4, .bytes = bytes};
    atn_choice c;
    atn_plan_rules_choose(rules, &q, 0, &c, NULL);
    atn_algo_params_print(c.row, &c.params, name, ATN_NAME_ROOM);
    return name;
}

static const atn_tune_scope everywhere = {0, 0};

static atn_rules *make_rules(atn_samples *s, atn_solutions *list)
{
    atn_load loads[] = {{ATN_OPERATIONS, 1024, 0, 0}, {ATN_BCAST, 16384, 0, 0}};
    const atn_loads requested = {loads, 2, 2};
    atn_rules *rules = NULL;
    atn_error err = {0};
    read_samples(fill, s);
    assert_true(atn_tune_solutions_find(s, list));
    if (atn_tune_solutions_rules(list, &requested, 1000, &everywhere, &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return rules;
}

static void rules_from_samples(void **state)
{
    atn_samples s = {0};
    atn_solutions list = {0};
    char name[ATN_NAME_ROOM];
    (void)state;
    atn_rules *rules = make_rules(&s, &list);
    assert_int_equal(list.n, 4);
    assert_string_equal(list.v[0].use, "native");
    assert_string_equal(list.v[0].rival, "binomial");
    assert_string_equal(list.v[3].next, "native");
    assert_true(fabs(list.v[3].vs_native.mid - 0.5) < 1e-9);
    assert_int_equal(atn_plan_rules_count(rules), 3);
    assert_string_equal(use_of(rules, 2000, name), "bcast/native");
    assert_string_equal(use_of(rules, 4096, name), "bcast/chain");
    assert_string_equal(use_of(rules, 1 << 30, name), "bcast/chain");
    assert_int_equal(atn_plan_rules_at(rules, 2)->time_ps, 500000000);
    assert_int_equal(atn_plan_rules_at(rules, 2)->next_ps, 1000000000);
    assert_int_equal(atn_plan_rules_at(rules, 2)->samples, 8);
    atn_plan_rules_free(rules);
    atn_vec_free(&list);
    atn_report_samples_free(&s);
}

static void put_varying(FILE *f, int64_t bytes, const char *winner, const char *other, double slow)
{
    fprintf(f,
            "task alltoallv %lld 0\nvariant 0 native native\ns 0 0.001\n"
            "variant 1 candidate %s\ns 1 0.0005\nvariant 2 candidate %s\ns 2 %g\n"
            "variant 3 control native\nvariant 4 named %s\n",
            (long long)bytes, winner, other, slow, winner);
    for (int i = 0; i < 8; i++)
        fputs("s 3 0.001\ns 4 0.0005\n", f);
    fputs("fate 0 second 0\nfate 1 won 0\nfate 2 slow 0\ndone\n", f);
}
static void fill_good(FILE *f)
{
    put_varying(f, 100, "linear", "pairwise", 0.0006);
    put_varying(f, 200, "pairwise", "linear", 0.0006);
}
static void fill_bad(FILE *f)
{
    put_varying(f, 100, "linear", "pairwise", 0.009);
    put_varying(f, 200, "pairwise", "linear", 0.009);
}

static void check_single(void (*with)(FILE *f), int64_t times, const char *use)
{
    atn_load loads[] = {{ATN_ALLTOALLV, 100, times, 0}, {ATN_ALLTOALLV, 200, 1, 0}};
    const atn_loads requested = {loads, 2, 2};
    atn_samples s = {0};
    atn_solutions list = {0};
    atn_rules *rules = NULL;
    atn_error err = {0};
    char name[ATN_NAME_ROOM];
    read_samples(with, &s);
    assert_true(atn_tune_solutions_find(&s, &list));
    if (atn_tune_solutions_rules(&list, &requested, 1000, &everywhere, &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(atn_plan_rules_count(rules), 1);
    const atn_rule *rule = atn_plan_rules_at(rules, 0);
    atn_algo_params_print(rule->use.row, &rule->use.params, name, sizeof name);
    assert_string_equal(name, use);
    assert_int_equal(rule->bytes.lo, -1);
    atn_plan_rules_free(rules);
    atn_vec_free(&list);
    atn_report_samples_free(&s);
}

/* Sizes that ranks do not share have one rule: the best for the sum of all loads. */
static void one_rule_for_all_sizes(void **state)
{
    (void)state;
    check_single(fill_good, 9, "alltoallv/linear");
    check_single(fill_bad, 1, "alltoallv/native");
    check_single(fill_bad, 1000, "alltoallv/linear");
}

static void fill_patterns(FILE *f)
{
    put_varying(f, 100, "greedy{pattern=00000000000000aa}", "pairwise", 0.0006);
    put_varying(f, 200, "pairwise", "greedy{pattern=00000000000000aa}", 0.0006);
}

/* Rules at a place, as "ALGORITHM PLACE" lines. */
static void check_patterns(const atn_tune_scope *scope, const char *expected)
{
    atn_load loads[] = {{ATN_ALLTOALLV, 100, 9, 0xaa}, {ATN_ALLTOALLV, 200, 1, 0xbb}};
    const atn_loads requested = {loads, 2, 2};
    atn_samples s = {0};
    atn_solutions list = {0};
    atn_rules *rules = NULL;
    char text[1000] = "", name[ATN_NAME_ROOM];
    read_samples(fill_patterns, &s);
    assert_true(atn_tune_solutions_find(&s, &list));
    assert_int_equal(atn_tune_solutions_rules(&list, &requested, 1000, scope, &rules, NULL),
                     ATN_OK);
    for (int i = 0; i < atn_plan_rules_count(rules); i++) {
        const atn_rule *const rule = atn_plan_rules_at(rules, i);
        atn_plan_choice_print(&rule->use, name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s\n", name,
                 atn_interned(rule->place));
    }
    assert_string_equal(text, expected);
    atn_plan_rules_free(rules);
    atn_vec_free(&list);
    atn_report_samples_free(&s);
}

/* Each pattern has a rule where jobs look for it; the rule for all calls names a pattern only if
 * the program is given. */
static void rules_of_patterns(void **state)
{
    const int64_t place = atn_intern("m/4x1");
    const uint64_t program = atn_plan_program_hash("solver");
    char expected[500];
    (void)state;
    for (int known = 0; known < 2; known++) {
        const atn_tune_scope scope = {place, known ? program : 0};
        int n = snprintf(expected, sizeof expected,
                         "greedy{pattern=00000000000000aa} m/4x1@%016llx\n"
                         "pairwise m/4x1@%016llx\n",
                         (unsigned long long)atn_plan_pattern_owner(0xaa, 0),
                         (unsigned long long)atn_plan_pattern_owner(0xbb, 0));
        if (known)
            snprintf(expected + n, sizeof expected - (size_t)n,
                     "greedy{pattern=00000000000000aa} m/4x1@%016llx\n",
                     (unsigned long long)atn_plan_program_owner(program, 0));
        else
            snprintf(expected + n, sizeof expected - (size_t)n, "pairwise m/4x1\n");
        check_patterns(&scope, expected);
    }
    check_patterns(&everywhere, "pairwise \n");
}

/* New ranges and new winners replace measured rules, however certain these were; rules without
 * measurement stay. */
static void file_is_updated(void **state)
{
    static const char old[] =
        "attune-wisdom 1\nrule bcast ranks=4 bytes=99 use=linear\n"
        "rule bcast ranks=4 bytes=1K:8K use=linear time=1us samples=9\n"
        "rule bcast ranks=4 bytes=16K: use=linear time=1us ci=1ns samples=900\n"
        "rule bcast ranks=8 bytes=1K:8K use=linear time=1us samples=9\nend\n";
    char path[64] = "/tmp/attune-offline-XXXXXX", name[ATN_NAME_ROOM];
    atn_samples s = {0};
    atn_solutions list = {0};
    atn_error err = {0};
    (void)state;
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(old, f);
    fclose(f);
    atn_rules *rules = make_rules(&s, &list), *joined = NULL;
    if (atn_tune_solutions_merge(path, rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(atn_plan_rules_read(path, &joined, &err), ATN_OK);
    assert_int_equal(atn_plan_rules_count(joined), 5);
    assert_string_equal(use_of(joined, 1 << 20, name), "bcast/chain");
    atn_plan_rules_free(joined);
    atn_plan_rules_free(rules);
    atn_vec_free(&list);
    atn_report_samples_free(&s);
    unlink(path);
    strcat(path, ".lock");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_best),
        cmocka_unit_test(costs_little),
        cmocka_unit_test(native_stays),
        cmocka_unit_test(margin_counts),
        cmocka_unit_test(hopeless_never_run),
        cmocka_unit_test(refines),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(nothing_but_native),
        cmocka_unit_test(unknown_times_are_tried),
        cmocka_unit_test(crossings),
        cmocka_unit_test(rules_from_samples),
        cmocka_unit_test(one_rule_for_all_sizes),
        cmocka_unit_test(rules_of_patterns),
        cmocka_unit_test(file_is_updated),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
