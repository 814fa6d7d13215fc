/* test_algo.c - the catalogue's look-up, parameters and segments; trees and matchings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "algo/shape.h"

static const atn_row *row(const char *name)
{
    const atn_row *found = atn_algo_catalog_by_name(name);
    assert_non_null(found);
    return found;
}

/* ---- catalogue ---- */

static void rows_are_found_by_name(void **state)
{
    (void)state;
    const atn_row *ring = row("allreduce/ring");
    assert_ptr_equal(atn_algo_catalog_find(ATN_ALLREDUCE, "ring"), ring);
    assert_ptr_equal(atn_algo_catalog_find(ATN_ALLREDUCE, "allreduce/ring"), ring);
    assert_null(atn_algo_catalog_find(ATN_BCAST, "allreduce/ring"));
    assert_null(atn_algo_catalog_by_name("ring"));
    assert_string_equal(atn_algo_catalog_native(ATN_SCAN)->name, "scan/native");
}

static void native_has_no_schedule(void **state)
{
    (void)state;
    const atn_problem q = {.op = ATN_SCAN, .p = 2, .segments = 1};
    const atn_params prm = {{0}};
    atn_schedule *s = NULL;
    atn_error err = {0};
    assert_int_equal(atn_algo_build(atn_algo_catalog_native(ATN_SCAN), &q, &prm, &s, &err),
                     ATN_NOT_APPLICABLE);
    assert_string_equal(err.text, "scan/native is not applicable: it has no schedule");
    assert_null(s);
}

static void refusals_give_a_reason(void **state)
{
    (void)state;
    const atn_params prm = {{0}};
    atn_problem q = {.op = ATN_REDUCE_SCATTER, .p = 6, .segments = 1};
    const atn_row *halving = row("reduce_scatter/recursive_halving");
    assert_null(atn_algo_refuses(halving, &q, &prm));
    q.ordered = true;
    assert_string_equal(atn_algo_refuses(halving, &q, &prm), "the operator is not commutative");
    q = (atn_problem){.op = ATN_ALLGATHER, .p = 3, .segments = 1};
    assert_string_equal(atn_algo_refuses(row("allgather/neighbor"), &q, &prm),
                        "the number of ranks is odd");
    q = (atn_problem){.op = ATN_BARRIER, .p = 3, .segments = 2};
    assert_string_equal(atn_algo_refuses(row("barrier/linear"), &q, &prm),
                        "it does not support segments");
}

/* ---- parameters ---- */

static void own_parameters_are_first(void **state)
{
    (void)state;
    const atn_param *list[ATN_MAX_PARAMS];
    assert_int_equal(atn_algo_row_params(row("bcast/chain"), list), 3);
    assert_string_equal(list[0]->name, "chains");
    assert_string_equal(list[1]->name, "segment");
    assert_string_equal(list[2]->name, "order");
    assert_int_equal(atn_algo_row_params(row("barrier/linear"), list), 0);
}

static void parameters_round_trip(void **state)
{
    (void)state;
    const atn_row *linear = row("alltoall/linear");
    atn_params prm, again;
    char text[160];
    assert_int_equal(atn_algo_params_parse(linear, "segment=8K:sync=barrier,every=4", &prm, NULL),
                     ATN_OK);
    assert_int_equal(atn_algo_params_get(linear, &prm, "segment", -1), 8192);
    assert_int_equal(atn_algo_params_get(linear, &prm, "window", -1), 0);
    assert_int_equal(atn_algo_params_get(linear, &prm, "sync", -1), ATN_SYNC_BARRIER);
    assert_int_equal(atn_algo_params_get(linear, &prm, "chains", -1), -1);
    atn_algo_params_print(linear, &prm, text, sizeof text);
    assert_string_equal(text, "alltoall/linear{segment=8K,sync=barrier,every=4}");
    text[strlen(text) - 1] = '\0';
    assert_int_equal(atn_algo_params_parse(linear, strchr(text, '{') + 1, &again, NULL), ATN_OK);
    assert_memory_equal(&prm, &again, sizeof prm);
}

static void invalid_parameters_are_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"segmnt=8K", "bcast/chain has no parameter 'segmnt' (did you mean 'segment'?); it has: "
                      "chains, segment, order"},
        {"chains=0", "bcast/chain: chains=0 is invalid; allowed: 1 to 1024"},
        {"chains=8K", "bcast/chain: chains=8K is invalid; allowed: 1 to 1024"},
        {"chains=", "bcast/chain: chains= is invalid; allowed: 1 to 1024"},
        {"segment=-1", "bcast/chain: segment=-1 is invalid; allowed: 0 to 1T"},
        {"segment", "bcast/chain: 'segment' is not of the form parameter=value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_params prm = {{99}};
        atn_error err = {0};
        assert_int_equal(atn_algo_params_parse(row("bcast/chain"), cases[i][0], &prm, &err),
                         ATN_INPUT);
        assert_string_equal(err.text, cases[i][1]);
        assert_int_equal(prm.v[0], 99);
    }
}

static void words_are_listed(void **state)
{
    (void)state;
    atn_params prm;
    atn_error err = {0};
    assert_int_equal(atn_algo_params_parse(row("gather/linear"), "sync=all", &prm, &err),
                     ATN_INPUT);
    assert_string_equal(err.text, "gather/linear: sync=all is invalid; allowed: none, pair or "
                                  "barrier");
}

/* A truncated list would hide allowed values. */
static void every_word_is_listed(void **state)
{
    (void)state;
    int lists = 0;
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *const r = atn_algo_catalog_row(i);
        const atn_param *list[ATN_MAX_PARAMS];
        const int n = atn_algo_row_params(r, list);
        for (int k = 0; k < n; k++) {
            char wrong[64], wanted[ATN_ERROR_ROOM];
            atn_params prm;
            atn_error err = {0};
            if (list[k]->type != ATN_WORD)
                continue;
            snprintf(wrong, sizeof wrong, "%s=wrong", list[k]->name);
            assert_int_equal(atn_algo_params_parse(r, wrong, &prm, &err), ATN_INPUT);
            for (int64_t w = list[k]->min; w <= list[k]->max; w++) {
                const char *const end = w == list[k]->max ? "" : w + 1 < list[k]->max ? "," : " or";
                snprintf(wanted, sizeof wanted, " %s%s", list[k]->words[w], end);
                const char *const at = strstr(err.text, wanted);
                assert_non_null(at);
                assert_true(*end != '\0' || at[strlen(wanted)] == '\0');
            }
            lists++;
        }
    }
    assert_true(lists > 50);
}

static void sizes_share_few_segment_counts(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        int64_t bytes;
        int p, segments;
    } cases[] = {
        {"bcast/chain", -1, 4, 1},         {"bcast/chain", 0, 4, 1},
        {"bcast/chain", 1024, 4, 1},       {"bcast/chain", 1025, 4, 2},
        {"bcast/chain", 16 << 10, 4, 16},  {"bcast/chain", 17 << 10, 4, 18},
        {"bcast/chain", 1 << 20, 4, 1024}, {"bcast/chain", INT64_MAX, 4, ATN_MAX_SEGMENTS},
        {"allreduce/ring", 8 << 10, 4, 2}, {"allreduce/ring", 8193, 4, 3},
        {"barrier/linear", 1 << 20, 4, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_problem q = {
            .op = row(cases[i].row)->op, .p = cases[i].p, .bytes = cases[i].bytes};
        atn_params prm;
        atn_algo_params_default(row(cases[i].row), &prm);
        assert_int_equal(atn_algo_segments(row(cases[i].row), &q, &prm), 1);
        if (atn_algo_params_set(row(cases[i].row), &prm, "segment", "1K", NULL) == ATN_OK)
            assert_int_equal(atn_algo_segments(row(cases[i].row), &q, &prm), cases[i].segments);
    }
}

/* ---- shapes ---- */

static void rings_wrap(void **state)
{
    (void)state;
    atn_range list[2];
    assert_int_equal(atn_algo_wrap(3, 2, 5, list), 1);
    assert_int_equal(list[0].first * 10 + list[0].count, 32);
    assert_int_equal(atn_algo_wrap(3, 4, 5, list), 2);
    assert_int_equal(list[1].first * 10 + list[1].count, 2);
}

/* Every rank but the root has one parent, whose edge at that level leads back, and subtrees are
 * consist of the rank and the subtrees of its children. */
static void check_tree(int p, int root, int radix)
{
    for (int r = 0; r < p; r++) {
        const atn_tree t = atn_algo_tree_knomial(p, r, root, radix);
        int size = 1;
        assert_int_equal(t.up < 0, r == root);
        for (int level = 0; level < t.levels; level++) {
            const atn_edge *e = &t.edge[level];
            if (e->peer < 0)
                continue;
            const atn_tree other = atn_algo_tree_knomial(p, e->peer, root, radix);
            assert_int_equal(other.edge[level].peer, r);
            assert_int_equal(other.edge[level].first, e->first);
            assert_int_equal(other.edge[level].count, e->count);
            size += level == t.up ? 0 : e->count;
            assert_true(t.up <= level);
        }
        assert_int_equal(size, t.up < 0 ? p : t.edge[t.up].count);
    }
}

static void trees_are_trees(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++)
        for (int root = 0; root < p; root++)
            for (int radix = 2; radix <= 5; radix++)
                check_tree(p, root, radix);
    assert_int_equal(atn_algo_tree_knomial(1 << 30, 5, 3, ATN_MAX_RADIX).levels, 5 * 63);
}

static void all_pairs_are_matched_once(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++)
        for (int r = 0; r < p; r++) {
            int met[40] = {0};
            for (int i = 0; i < atn_algo_match_rounds(p); i++) {
                const int partner = atn_algo_match(p, r, i);
                if (partner < 0)
                    continue;
                assert_int_equal(atn_algo_match(p, partner, i), r);
                met[partner]++;
            }
            for (int s = 0; s < p; s++)
                assert_int_equal(met[s], s != r);
        }
}

/* ---- small messages ---- */

static bool all_orderly(const char *name, int p, int segments)
{
    const atn_row *r = row(name);
    atn_problem q = {.op = r->op, .p = p, .segments = segments};
    bool orderly = true;
    atn_params prm;

    atn_algo_params_default(r, &prm);
    for (; q.r < p; q.r++) {
        atn_schedule *s = NULL;
        assert_int_equal(atn_algo_build(r, &q, &prm, &s, NULL), ATN_OK);
        orderly = orderly && atn_sched_is_orderly(s);
        atn_sched_schedule_free(s);
    }
    return orderly;
}

/* On trees, handling messages in order delays none; in direct exchanges it would delay
 * many. */
static void trees_are_orderly(void **state)
{
    (void)state;
    for (int p = 2; p < 20; p++) {
        assert_true(all_orderly("bcast/binomial", p, 1));
        assert_true(all_orderly("reduce/binomial", p, 1));
        assert_true(all_orderly("allreduce/reduce_bcast", p, 1));
        assert_true(all_orderly("gather/linear", p, 1));
        assert_false(p > 3 && all_orderly("alltoall/linear", p, 1));
        assert_false(all_orderly("allreduce/reduce_bcast", p, 2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(native_has_no_schedule),
        cmocka_unit_test(refusals_give_a_reason),
        cmocka_unit_test(own_parameters_are_first),
        cmocka_unit_test(parameters_round_trip),
        cmocka_unit_test(invalid_parameters_are_rejected),
        cmocka_unit_test(words_are_listed),
        cmocka_unit_test(every_word_is_listed),
        cmocka_unit_test(sizes_share_few_segment_counts),
        cmocka_unit_test(rings_wrap),
        cmocka_unit_test(trees_are_trees),
        cmocka_unit_test(all_pairs_are_matched_once),
        cmocka_unit_test(trees_are_orderly),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
