/* test_bench.c - complete, pooled and damaged samples; selection of the best. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/bench.h"

static atn_status read_text(const char *text, atn_samples *s, atn_error *err)
{
    atn_samples_reader r = {.s = s, .origin = "text"};
    char *copy = strdup(text), *rest = NULL;
    atn_status status = ATN_OK;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL && status == ATN_OK;
         line = strtok_r(NULL, "\n", &rest))
        status = atn_report_samples_line(&r, line, true, err);
    if (status == ATN_OK)
        status = atn_report_samples_end(&r, err);
    atn_report_samples_reader_free(&r);
    free(copy);
    return status;
}

static const char head[] = "attune-samples 1\njob 4 0 MPI\ntask bcast 64 0.5\n"
                           "variant 0 native native\nvariant 1 control native\n";

/* ---- the best ---- */

static const atn_bench_row *row(const atn_bench_rows *rows, const char *variant)
{
    for (int i = 0; i < rows->n; i++)
        if (strcmp(rows->v[i].variant, variant) == 0)
            return &rows->v[i];
    return NULL;
}

static void summarise(const char *rest, atn_samples *s, atn_bench_rows *rows)
{
    char text[2000];
    atn_error err = {0};
    snprintf(text, sizeof text, "%s%s", head, rest);
    if (read_text(text, s, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(atn_report_bench_summarise(s, rows, NULL), ATN_OK);
}

/* `lucky` is faster in the half that selects, and not in the other half. */
static void best_is_chosen_on_odd_samples_and_reported_on_even_ones(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    summarise("variant 2 candidate steady\nvariant 3 candidate lucky\nbest\n"
              "s 0 4\ns 1 4\ns 2 2\ns 3 1\n"
              "s 0 4\ns 1 4\ns 2 2\ns 3 3\n"
              "s 0 4\ns 1 4\ns 2 2\ns 3 1\n"
              "s 0 4\ns 1 4\ns 2 2\ns 3 3\ndone\nend\n",
              &s, &rows);
    const atn_bench_row *best = row(&rows, "best");
    assert_non_null(best);
    assert_string_equal(best->algorithm, "lucky");
    assert_true(best->time_s.mid == 3 && best->samples == 2);
    assert_true(best->vs_native.mid == 0.75 && best->vs_bound == 6);
    assert_int_equal(rows.n, 3);
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

/* A candidate that was dropped after fast samples is no winner, nor is one that never ran. */
static void a_dropped_candidate_is_not_the_best(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    summarise("variant 2 named steady\nvariant 3 candidate gone\nvariant 4 candidate never\nbest\n"
              "s 0 4\ns 1 4\ns 2 2\ns 3 1\n"
              "s 0 4\ns 1 4\ns 2 2\n"
              "s 0 4\ns 1 4\ns 2 2\ns 2 2\ndone\nend\n",
              &s, &rows);
    assert_string_equal(row(&rows, "best")->algorithm, "steady");
    assert_non_null(row(&rows, "steady"));
    assert_null(row(&rows, "gone"));
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

/* The control stands for native, so that its row has samples of its own. */
static void native_is_always_a_candidate(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    summarise("variant 2 candidate slow\nbest\ns 0 4\ns 1 3\ns 2 5\ndone\nend\n", &s, &rows);
    assert_int_equal(rows.n, 3);
    assert_string_equal(row(&rows, "best")->algorithm, "native");
    assert_true(row(&rows, "best")->vs_native.mid == 0.75);
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

/* ---- rounds ---- */

/* The second job ran while the machine was ten times as slow.  `x` was measured in one round of the
 * first job and in two of the second: each of its samples is compared with native's beside it. */
static void samples_are_compared_within_their_round(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    summarise("variant 2 named x\nround\ns 2 1\ns 1 2\ns 0 2\nround\ns 0 2\ns 1 2\n"
              "round\ns 1 2\ns 0 2\ndone\nend\n"
              "attune-samples 1\njob 4 0 MPI\nseed 3\ntask bcast 64 0.5\n"
              "variant 0 native native\nvariant 1 control native\nvariant 2 named x\n"
              "round\ns 0 20\ns 2 10\ns 1 20\nround\ns 2 10\ns 0 20\ns 1 20\n"
              "round\ns 1 20\ns 0 20\ndone\nend\n",
              &s, &rows);
    const atn_bench_row *const x = row(&rows, "x");
    assert_true(x->samples == 3 && x->vs_native.mid == 0.5);
    assert_true(x->vs_native.lo == 0.5 && x->vs_native.hi == 0.5);
    assert_int_equal(x->trust, ATN_TRUST_YES);
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

/* Five rounds give no 95 % interval, six do; a control that is always slower is refuted by it. */
static void the_control_detects_noise(void **state)
{
    (void)state;
    static const struct {
        int rounds;
        const char *control;
        atn_bench_trust trust;
    } cases[] = {{5, "4", ATN_TRUST_SHORT},
                 {6, "4", ATN_TRUST_YES},
                 {5, "5", ATN_TRUST_SHORT},
                 {6, "5", ATN_TRUST_NO}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        atn_samples s = {0};
        atn_bench_rows rows = {0};
        atn_bench_noise noise;
        char text[400] = "";
        for (int i = 0; i < cases[k].rounds; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "round\ns 0 4\ns 1 %s\n",
                     cases[k].control);
        snprintf(text + strlen(text), sizeof text - strlen(text), "done\nend\n");
        summarise(text, &s, &rows);
        assert_int_equal(row(&rows, "native")->trust, cases[k].trust);
        assert_int_equal(row(&rows, "control")->trust, cases[k].trust);
        assert_true(atn_report_bench_noise_of(&rows, &noise));
        assert_int_equal(noise.count[cases[k].trust], 1);
        assert_true(noise.tasks == 1 && noise.most == atof(cases[k].control) / 4 - 1);
        atn_vec_free(&rows);
        atn_report_samples_free(&s);
    }
}

/* A variant without samples has no row. */
static void a_variant_may_be_missing(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    atn_bench_noise noise;
    summarise("variant 2 candidate x\nbest\ns 0 4\ndone\nend\n", &s, &rows);
    assert_int_equal(rows.n, 1);
    assert_int_equal(rows.v[0].trust, ATN_TRUST_SHORT);
    assert_false(atn_report_bench_noise_of(&rows, &noise));
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

/* ---- damage ---- */

static char *recorded(void)
{
    char *text = NULL;
    assert_int_equal(
        atn_read_file(ATN_SOURCE_DIR "/tests/cli/data/bench.samples", &text, NULL, NULL), ATN_OK);
    return text;
}

/* Any file is either rejected with a message or can be shown. */
static void survive(const char *text)
{
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    atn_error err = {0};
    if (read_text(text, &s, &err) != ATN_OK) {
        assert_true(err.text[0] != '\0');
    } else {
        FILE *nowhere = fopen("/dev/null", "w");
        assert_int_equal(atn_report_bench_summarise(&s, &rows, NULL), ATN_OK);
        assert_int_equal(atn_report_bench_write(nowhere, &s, &rows, "table", true, NULL), ATN_OK);
        assert_int_equal(atn_report_bench_write(nowhere, &s, &rows, "json", false, NULL), ATN_OK);
        atn_report_bench_plot(nowhere, &s, &rows, true, NULL);
        fclose(nowhere);
    }
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

static void damaged_files_are_rejected_or_shown(void **state)
{
    (void)state;
    static const char bytes[] = "0 9-.enx{\n\t";
    char *text = recorded();
    const size_t n = strlen(text);
    for (size_t at = 0; at < n; at += 3) {
        const char was = text[at];
        text[at] = bytes[at / 3 % (sizeof bytes - 1)];
        survive(text);
        text[at] = was;
    }
    free(text);
}

static void truncated_files_are_rejected(void **state)
{
    (void)state;
    char *text = recorded();
    for (size_t n = strlen(text) - 2; n > 60; n -= 7) {
        atn_samples s = {0};
        atn_error err = {0};
        text[n] = '\0';
        assert_int_equal(read_text(text, &s, &err), ATN_INPUT);
        atn_report_samples_free(&s);
    }
    free(text);
}

static void lines_may_be_missing_or_doubled(void **state)
{
    (void)state;
    char *text = recorded(), *other = malloc(2 * strlen(text) + 1);
    assert_non_null(other);
    for (char *at = text; *at != '\0';) {
        const size_t n = strcspn(at, "\n") + 1;
        memcpy(other, text, (size_t)(at - text));
        strcpy(other + (at - text), at + n);
        survive(other);
        strcpy(other + (at - text) + n, at);
        memcpy(other + (at - text), at, n);
        survive(other);
        at += n;
    }
    free(other);
    free(text);
}

/* ---- overlap ---- */

/* Native hides a quarter, then half of a call of 4 seconds; x takes longer than call and
 * computation one after the other, which is no overlap, then hides everything. */
static void overlap_is_at_least_0_and_compared_in_points(void **state)
{
    (void)state;
    atn_samples s = {0};
    atn_bench_rows rows = {0};
    summarise("variant 2 named x\n"
              "round\ns 0 4\noverlap 0 4 7 5\ns 2 2\noverlap 2 2 5 2\n"
              "round\ns 0 4\noverlap 0 4 6 5\ns 2 2\noverlap 2 2 2 2\n"
              "done\nend\n",
              &s, &rows);
    const atn_bench_row *const native = row(&rows, "native"), *const x = row(&rows, "x");
    assert_true(native->overlaps && native->overlap.percent.lo == 25);
    assert_true(native->overlap.percent.hi == 50 && native->overlap.interference.mid == 1.25);
    assert_true(native->overlap.vs_native.mid == 0);
    assert_true(x->overlap.percent.lo == 0 && x->overlap.percent.hi == 100);
    assert_true(x->overlap.vs_native.lo == -25 && x->overlap.vs_native.hi == 50);
    assert_true(x->overlap.compute_s.mid == 2 && x->overlap.overall_s.mid == 3.5);
    assert_true(x->time_s.mid == 2);
    atn_vec_free(&rows);
    atn_report_samples_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_is_chosen_on_odd_samples_and_reported_on_even_ones),
        cmocka_unit_test(a_dropped_candidate_is_not_the_best),
        cmocka_unit_test(native_is_always_a_candidate),
        cmocka_unit_test(samples_are_compared_within_their_round),
        cmocka_unit_test(the_control_detects_noise),
        cmocka_unit_test(overlap_is_at_least_0_and_compared_in_points),
        cmocka_unit_test(a_variant_may_be_missing),
        cmocka_unit_test(damaged_files_are_rejected_or_shown),
        cmocka_unit_test(truncated_files_are_rejected),
        cmocka_unit_test(lines_may_be_missing_or_doubled),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
