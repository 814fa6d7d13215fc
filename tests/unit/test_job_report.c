/* test_job_report.c - the report of a job: nothing invented, the same numbers in every format. */
#include "report/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const atn_job_row rows[] = {
    {ATN_ALLREDUCE, 4, 11, ATN_WHY_SERVED, "ring{segment=8K}", 1000, 2.0},
    {ATN_ALLREDUCE, 4, 21, ATN_WHY_SERVED, "butterfly", 10, 0.5},
    {ATN_BCAST, 4, 0, ATN_WHY_CHOSEN, "native", 3, 0.25},
    {ATN_ALLTOALLV, 4, -1, ATN_WHY_CHOSEN, "native", 100, 1.5},
    {ATN_REDUCE, 2, 4, ATN_WHY_FIRST, "native", 8, 1e-5},
};
/* 3 ms native, 2 ms now: 1000 calls save 1 s; 30 and 40 us of doubt make 50 ms. */
static const atn_job_tuned tuned[] = {
    {ATN_ALLREDUCE, 4, 11, "ring{segment=8K}", 2000000000, 30000000, 3000000000, 40000000},
    {ATN_ALLREDUCE, 4, 21, "butterfly", 50000000, 1000000, -1, -1},
};
static const atn_job_facts facts = {
    .ranks = 4,
    .hosts = 2,
    .mpi = "Some <MPI> & more",
    .seconds = 10,
    .collectives = 4.25,
    .native = 1.75,
    .rows = rows,
    .nrows = sizeof rows / sizeof *rows,
    .tuned = tuned,
    .ntuned = 2,
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
    assert_int_equal(atn_job_write(f, j, format, &err), ATN_OK);
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
    const atn_job_totals sum = atn_job_total(&facts);
    assert_true(fabs(sum.saved - 1.0) < 1e-12);
    assert_true(fabs(sum.ci - 0.05) < 1e-12);
    assert_true(fabs(sum.known - 2.0) < 1e-12);
    assert_true(fabs(sum.unknown - 0.5) < 1e-12);
    assert_true(fabs(sum.total - 4.25001) < 1e-12);
}

static void test_csv(void **state)
{
    (void)state;
    char *const csv = written(&facts, "csv");
    assert_string_equal(csv, "operation,ranks,bytes,algorithm,calls,total_ms,mean_us,native_us,"
                             "saved_ms,saved_ci_ms,why\n"
                             "bcast,4,0,native,3,250.000,83333.333,,,,chosen\n"
                             "alltoallv,4,-,native,100,1500.000,15000.000,,,,chosen\n"
                             "reduce,2,8:16,native,8,0.010,1.250,,,,first calls\n"
                             "allreduce,4,1K:2K,ring{segment=8K},1000,2000.000,2000.000,3000.000,"
                             "1000.000,50.000,\n"
                             "allreduce,4,1M:2M,butterfly,10,500.000,50000.000,,,,\n");
    free(csv);
}

static void test_text(void **state)
{
    (void)state;
    char *const text = written(&facts, "text");
    has(text, "4 ranks on 2 hosts, Some <MPI> & more, 10.0 s");
    has(text, "collectives took 4.25 s, 42.5 % of it; 1.75 s of that in the MPI library's own");
    has(text, "saved against native: 1.00 s +- 50.0 ms (95 %), measured for 80 % of the 2.50 s");
    has(text, "tuning took 50.0 ms, 0.50 % of the time (allowed: 2.0 %)");
    has(text, "alltoallv on 4 ranks: 1.50 s (35 % of the collectives) were left");
    has_not(text, "ranks do not share the size"); /* but learning needs no prediction */
    has(text, "no machine file");
    has(text, "topology unknown");
    has(text, "`attune topo discover` can find them");
    has(text, "unsupported: 7 nonblocking");
    free(text);
}

static void test_nothing_is_invented(void **state)
{
    (void)state;
    atn_job_facts j = facts;
    j.ntuned = 0;
    j.tuning_seconds = -1;
    j.learns = false;
    char *text = written(&j, "text");
    has(text, "saved against native: not measured");
    has(text, "nothing was tuned");
    has(text, "ranks do not share the size");
    has(text, "`attune bench` compares them");
    free(text);
    char *const json = written(&j, "json");
    has(json, "\"saved_ms\": null");
    has(json, "\"tuning_ms\": null");
    free(json);
    j.nrows = 0;
    text = written(&j, "text");
    has(text, "every call was left to the MPI library");
    has_not(text, "nan");
    free(text);
    free(written(&j, "html"));
}

/* Every number of the csv stands in a cell of the page. */
static void test_html(void **state)
{
    (void)state;
    char *const html = written(&facts, "html"), *const csv = written(&facts, "csv");
    has(html, "<!DOCTYPE html>");
    has(html,
        "<i class=\"native\" style=\"width:60.00%\"></i>"); /* 1.5 s beside the 2.5 of allreduce */
    has(html, "Some &lt;MPI> &amp; more");
    has(html, "not measured");
    has_not(html, "http-equiv");
    has_not(html, "<script");
    has_not(html, "src=");
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
    assert_string_equal(atn_job_format("a.b/c"), "text");
    assert_string_equal(atn_job_format("a.html"), "html");
    assert_string_equal(atn_job_format("x.csv"), "csv");
    assert_string_equal(atn_job_format("x.json"), "json");
    assert_string_equal(atn_job_format("x.txt"), "text");
    assert_string_equal(atn_job_format(""), "text");
}

static void test_small_share(void **state)
{
    (void)state;
    atn_job_facts j = facts;
    j.seconds = 1e4;
    char *const text = written(&j, "text");
    has(text, "less than 2 %");
    has_not(text, "topology unknown");
    free(text);
}

/* With the name of a format: writes the report in it, for tests/cli/job_report.sh. */
int main(int argc, char **argv)
{
    atn_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_savings),     cmocka_unit_test(test_csv),
        cmocka_unit_test(test_text),        cmocka_unit_test(test_nothing_is_invented),
        cmocka_unit_test(test_html),        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_small_share),
    };
    if (argc > 1)
        return atn_job_write(stdout, &facts, argv[1], &err) == ATN_OK ? 0 : 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
