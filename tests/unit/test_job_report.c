/* test_job_report.c - the report of a job: nothing invented, the same numbers in every format. */
#include "report/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 3 ms native, 2 ms now: 1000 calls save 1 s; a deviation of 25.5 ms makes a doubt of 50 ms. */
static const atn_job_row rows[] = {
    {.op = ATN_ALLREDUCE,
     .p = 4,
     .size_class = 11,
     .algorithm = "ring{segment=8K}",
     .calls = 1000,
     .seconds = 2.0,
     .squares = 0.004,
     .compared = 1000,
     .native = 3.0,
     .variance = 6.5077e-4},
    {.op = ATN_ALLREDUCE,
     .p = 4,
     .size_class = 21,
     .algorithm = "butterfly",
     .calls = 10,
     .seconds = 0.5,
     .squares = 0.025,
     .compared = 9,
     .native = 0.5},
    {.op = ATN_BCAST,
     .p = 4,
     .algorithm = "native",
     .reason = {.why = ATN_WHY_EMPTY},
     .calls = 3,
     .seconds = 0.25},
    {.op = ATN_ALLTOALLV,
     .p = 4,
     .size_class = -1,
     .algorithm = "native",
     .reason = {.why = ATN_WHY_SLOWER, .n = {124, 5}, .other = "pairwise"},
     .calls = 100,
     .seconds = 1.5},
    {.op = ATN_REDUCE,
     .p = 2,
     .size_class = 4,
     .algorithm = "native",
     .reason = {.why = ATN_WHY_FIRST, .n = {8}},
     .calls = 8,
     .seconds = 1e-5},
};
static const atn_job_facts facts = {
    .ranks = 4,
    .hosts = 2,
    .mpi = "Some <MPI> & more",
    .transport = "shared memory",
    .calibration = "",
    .seconds = 10,
    .collectives = 4.25,
    .native = 1.75,
    .rows = rows,
    .nrows = sizeof rows / sizeof *rows,
    .start_seconds = 0.003,
    .tuning_seconds = 0.05,
    .budget = 20,
    .plans = true,
    .learns = true,
    .later = 7,
};

static char *written(const atn_job_facts *j, const char *format)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_error err = {0};
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    assert_int_equal(atn_report_job_write(f, j, format, &err), ATN_OK);
    fclose(f);
    return text;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" in:\n%s", part, text);
}

static void test_savings(void **state)
{
    (void)state;
    const atn_job_totals sum = atn_report_job_total(&facts);
    assert_true(fabs(sum.saved - 1.0) < 1e-12);
    assert_true(fabs(sum.ci - 0.05) < 1e-5);
    assert_true(fabs(sum.known - 2.0) < 1e-12);
    assert_true(fabs(sum.unknown - 0.5) < 1e-12);
    assert_true(fabs(sum.total - 4.25001) < 1e-12);
}

static void test_csv(void **state)
{
    (void)state;
    char *const csv = written(&facts, "csv");
    assert_string_equal(
        csv,
        "operation,ranks,bytes,algorithm,calls,total_ms,mean_us,native_us,saved_ms,saved_ci_ms,why,"
        "remedy\n"
        "bcast,4,0,native,3,250.000,83333.333,,,,no data to move,none: nothing can be gained\n"
        "alltoallv,4,-,native,100,1500.000,15000.000,,,,slower: pairwise by 12.4 % (best of 5 "
        "tried),attune tune -- LAUNCHER tries more candidates\n"
        "reduce,2,8:16,native,8,0.010,1.250,,,,first calls of a communicator: 8 stay native,"
        "attune run --first 1\n"
        "allreduce,4,1K:2K,ring{segment=8K},1000,2000.000,2000.000,3000.000,1000.000,50.000,,\n"
        "allreduce,4,1M:2M,butterfly,10,500.000,50000.000,,,,,\n");
    free(csv);
}

/* 10 s with 1 s saved; 50 ms of tuning, of which 20 ms are in the rows, and 3 ms of start-up. */
static void test_outcome(void **state)
{
    (void)state;
    atn_job_facts j = facts;
    j.lost_seconds = 0.02;
    const atn_job_outcome o = atn_report_job_outcome(&j);
    assert_true(o.known && fabs(o.gained - 0.967) < 1e-12 && fabs(o.native - 10.967) < 1e-12);
    assert_true(fabs(o.ci - 0.05) < 1e-5);
    assert_ptr_equal(o.worst, &rows[3]);
    char *text = written(&j, "text");
    static const char sentence[] =
        "attune report: 10.0 s, estimated 11.0 s +- 50.0 ms with native collectives: 967 ms (8.8 "
        "%) "
        "gained; in the way of more: alltoallv, 1.50 s native (slower: pairwise by 12.4 % (best of "
        "5 tried))\n";
    assert_int_equal(strncmp(text, sentence, strlen(sentence)), 0);
    free(text);
    char *const json = written(&j, "json");
    has(json, "\"native_job_ms\": 10967.000");
    has(json, "\"native_job_ci_ms\": 50.000");
    has(json, "\"gained_ms\": 967.000");
    has(json, "\"obstacle\": \"alltoallv, 1.50 s native (slower: pairwise by 12.4 % (best of 5 "
              "tried))\"");
    free(json);
    j.nrows = 2; /* all served */
    text = written(&j, "text");
    has(text, "in the way of more: nothing that matters stayed native\n");
    free(text);
    j.rows = rows + 2; /* none served: the time is native's, apart from the overhead */
    j.nrows = 3;
    text = written(&j, "text");
    has(text, "estimated 9.97 s with native collectives: 33.0 ms (0.3 %) lost; in the");
    free(text);
}

static void test_text(void **state)
{
    (void)state;
    char *const text = written(&facts, "text");
    has(text, "4 ranks on 2 hosts, Some <MPI> & more, 10.0 s");
    has(text, "collectives took 4.25 s, 42.5 % of run time, of which 1.75 s in native routines");
    has(text, "saved against native: 1.00 s +- 50.0 ms (95 % confidence), measured for 80 % of the "
              "2.50 s");
    has(text, "messages of served calls: shared memory");
    has(text, "start-up in MPI_Init took 3.00 ms");
    has(text, "tuning took 50.0 ms, 0.50 % of run time (budget: 2.0 %)");
    has(text,
        "alltoallv on 4 ranks: 1.50 s (35 % of collective time) stayed native. "
        "Reason: slower: pairwise by 12.4 % (best of 5 tried). Remedy: `attune tune -- LAUNCHER`");
    has(text, "no calibration");
    has(text, "topology unknown");
    has(text, "`attune calibrate` measures it");
    has(text, "unsupported: 7 nonblocking");
    free(text);
}

static void test_nothing_is_invented(void **state)
{
    (void)state;
    atn_job_row bare[sizeof rows / sizeof *rows];
    atn_job_facts j = facts;
    memcpy(bare, rows, sizeof rows);
    bare[0].compared = 0;
    j.rows = bare;
    j.tuning_seconds = -1;
    j.learns = false;
    char *text = written(&j, "text");
    has(text, "saved against native: not measured");
    has(text, "attune report: 10.0 s, with native collectives unknown (no native call to compare "
              "with); in the way");
    has(text, "tuning: none in this job");
    has(text, "use `attune bench`");
    free(text);
    char *const json = written(&j, "json");
    has(json, "\"saved_ms\": null");
    has(json, "\"native_job_ms\": null");
    has(json, "\"gained_ms\": null");
    has(json, "\"tuning_ms\": null");
    has(json, "\"lost_ms\": null");
    free(json);
    j.nrows = 0;
    text = written(&j, "text");
    has(text, "all calls used the MPI library's routines");
    has_not(text, "nan");
    free(text);
    free(written(&j, "html"));
}

/* ---- reasons ---- */

static const char *words(atn_why why, int64_t a, int64_t b)
{
    static char out[ATN_WHY_WORDS];
    const atn_job_reason r = {.why = (int32_t)why, .n = {a, b, 7, 99}, .other = "ring"};
    atn_report_why_words(&r, out);
    return out;
}

static void test_reasons(void **state)
{
    (void)state;
    assert_string_equal(words(ATN_WHY_SERVED, 0, 0), "");
    assert_string_equal(words(ATN_WHY_FEW, 5, 8), "too few calls: 5 seen and 8 needed");
    assert_string_equal(words(ATN_WHY_BUDGET, 1200000, 250000),
                        "over budget: the next trial needs 1.20 ms and 250.0 us is left");
    assert_string_equal(words(ATN_WHY_BUDGET, 1200000, -1),
                        "over budget: the next trial needs 1.20 ms and nothing is left");
    assert_string_equal(
        words(ATN_WHY_SET_UP, 1200000, 250000),
        "over budget: the first trial needed 1.20 ms and 250.0 us was left at call 7; "
        "next check at call 99");
    assert_string_equal(words(ATN_WHY_TRYING, 3, 8),
                        "undecided: 3 of 8 candidates tried when the job ended");
    assert_string_equal(words(ATN_WHY_SLOWER, 125, 4), "slower: ring by 12.5 % (best of 4 tried)");
    assert_string_equal(words(ATN_WHY_SLOWER, -20, 4),
                        "not faster: ring takes the same time (best of 4 tried)");
    assert_string_equal(words(ATN_WHY_PREDICTED, 0, 8),
                        "not tried: all 8 candidates are predicted to be slower");
    assert_string_equal(words(ATN_WHY_NEXT_RUN, 300, 0),
                        "results must not change within a run: ring is faster by 30.0 %");
    assert_string_equal(words(ATN_WHY_REPLACED, 0, 0), "calls before ring had proved faster");
}

static void test_commas(void **state)
{
    (void)state;
    char out[ATN_WHY_WORDS];
    const atn_job_reason r = {.why = ATN_WHY_REPLACED, .other = "ring{segment=8K,sync=pair}"};
    atn_report_why_words(&r, out);
    assert_string_equal(out, "calls before ring{segment=8K;sync=pair} had proved faster");
}

/* Every reason has words and a remedy, and neither breaks lines of csv. */
static void test_every_reason(void **state)
{
    (void)state;
    for (int why = ATN_WHY_SERVED + 1; why < ATN_WHYS; why++) {
        const char *const printed = words((atn_why)why, 1, 2);
        assert_true(strlen(printed) > 5 && strpbrk(printed, ",\"\n") == NULL);
        const char *const remedy = atn_report_why_remedy((atn_why)why);
        assert_true(strlen(remedy) > 3 && strpbrk(remedy, ",\"\n") == NULL);
        has_not(printed, "faster was found");
    }
}

/* Every number of the csv stands in a cell of the page. */
static void test_html(void **state)
{
    (void)state;
    char *const html = written(&facts, "html"), *const csv = written(&facts, "csv");
    has(html, "<!DOCTYPE html>");
    has(html,
        "<i class=\"native\" style=\"width:60.00%\" "); /* 1.5 s beside the 2.5 of allreduce */
    has(html, "Some &lt;MPI&gt; &amp; more");
    has(html, "not measured");
    has_not(html, "http-equiv");
    has_not(html, "src="); /* nothing is loaded */
    char *cell = csv;
    for (char *end; *cell != '\0'; cell = end + 1) {
        end = cell + strcspn(cell, ",\n");
        char expected[100];
        snprintf(expected, sizeof expected, ">%.*s</t", (int)(end - cell), cell);
        if (end > cell)
            has(html, expected);
    }
    free(html);
    free(csv);
}

static void test_formats(void **state)
{
    (void)state;
    assert_string_equal(atn_report_job_format("a.b/c"), "text");
    assert_string_equal(atn_report_job_format("a.html"), "html");
    assert_string_equal(atn_report_job_format("x.csv"), "csv");
    assert_string_equal(atn_report_job_format("x.json"), "json");
    assert_string_equal(atn_report_job_format("x.txt"), "text");
    assert_string_equal(atn_report_job_format(""), "text");
}

static void test_small_share(void **state)
{
    (void)state;
    atn_job_facts j = facts;
    j.seconds = 1e4;
    char *const text = written(&j, "text");
    has(text, "less than 2 %");
    has_not(text, "topology unknown");
    has(text, "unsupported: 7 nonblocking"); /* whose time is not measured */
    free(text);
}

/* With the name of a format: writes the report in it, for tests/cli/job_report.sh. */
int main(int argc, char **argv)
{
    atn_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_savings),      cmocka_unit_test(test_csv),
        cmocka_unit_test(test_text),         cmocka_unit_test(test_nothing_is_invented),
        cmocka_unit_test(test_html),         cmocka_unit_test(test_formats),
        cmocka_unit_test(test_small_share),  cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_every_reason), cmocka_unit_test(test_commas),
        cmocka_unit_test(test_outcome),
    };
    if (argc > 1)
        return atn_report_job_write(stdout, &facts, argv[1], &err) == ATN_OK ? 0 : 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
