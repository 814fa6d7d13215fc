/* test_tau_layout.c - a matrix distributed over processes of different speed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/taulop/layout.h"

static atn_summa parsed(const char *text)
{
    atn_summa s;
    atn_error err = {0};
    if (atn_tau_summa_parse(text, "layout", &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static atn_summa load(const char *name)
{
    char path[300], *text;
    size_t bytes;
    snprintf(path, sizeof path, "%s/examples/summa/%s.conf", ATN_SOURCE_DIR, name);
    assert_int_equal(atn_read_file(path, &text, &bytes, NULL), ATN_OK);
    const atn_summa s = parsed(text);
    free(text);
    return s;
}

static char *text_of(const atn_summa *s)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_tau_summa_print(f, s);
    fclose(f);
    return text;
}

/* ---- shares ---- */

static double time_of(const atn_speed *v, int64_t blocks)
{
    return (double)blocks / atn_tau_speed_at(v, (double)blocks);
}

/* Moving a block to another process never reduces the total time. */
static void expect_balanced(const atn_speed *const *v, int p, int64_t total)
{
    int64_t share[8], sum = 0;
    double last = 0;
    atn_tau_speed_share(v, p, total, share);
    for (int i = 0; i < p; i++) {
        sum += share[i];
        last = fmax(last, time_of(v[i], share[i]));
    }
    assert_int_equal(sum, total);
    for (int i = 0; i < p; i++)
        assert_true(time_of(v[i], share[i] + 1) >= last * (1 - 1e-9));
}

static void shares_balance_the_load(void **state)
{
    (void)state;
    const atn_speed slow = {1, {1}, {10}}, fast = {1, {1}, {31}};
    const atn_speed gpu = {3, {100, 1000, 4000}, {50, 900, 1000}};
    const atn_speed paging = {3, {100, 1000, 4000}, {500, 480, 60}};
    const atn_speed *two[] = {&slow, &fast}, *all[] = {&slow, &gpu, &paging, &fast, &gpu};
    int64_t share[2];
    atn_tau_speed_share(two, 2, 41000, share);
    assert_int_equal(share[0], 10000);
    for (int64_t total = 1; total < 30000; total = total * 3 + 1) {
        expect_balanced(two, 2, total);
        expect_balanced(all, 5, total);
    }
    assert_true(atn_tau_speed_at(&gpu, 550) == 475 && atn_tau_speed_at(&gpu, 9) == 50);
    assert_true(atn_tau_speed_at(&gpu, 1e6) == 1000);
}

/* ---- columns ---- */

/* The published layouts follow from the numbers of blocks of each process. */
static void expect_columns(const char *name, const char *wanted)
{
    atn_summa s = load(name);
    for (int r = 0; r < s.processes.n; r++) {
        const atn_summa_process *p = &s.processes.v[r];
        const double blocks = (double)p->height * s.columns.v[p->column].width;
        s.processes.v[r].speed = (atn_speed){1, {1}, {blocks}};
        s.processes.v[r].column = -1;
    }
    s.columns.n = s.members.n = 0;
    assert_int_equal(atn_tau_summa_divide(&s, NULL), ATN_OK);
    char *text = text_of(&s);
    assert_non_null(strstr(text, "column"));
    assert_string_equal(strstr(text, "column"), wanted);
    const atn_summa again = parsed(text);
    char *twice = text_of(&again);
    assert_string_equal(twice, text);
    free(twice);
    free(text);
    atn_tau_summa_free((atn_summa *)&again);
    atn_tau_summa_free(&s);
}

static void published_layouts_are_reproduced(void **state)
{
    (void)state;
    expect_columns("config1", "column 149 4:139 5:117\ncolumn 107 0:81 1:80 2:58 3:37\n");
    expect_columns("config2", "column 124 1:146 4:110\ncolumn 97 0:134 5:122\n"
                              "column 35 3:152 2:104\n");
}

/* The manual change in the literature: process 2 above process 3. */
static void arranging_reduces_traffic_between_nodes(void **state)
{
    (void)state;
    atn_summa s = load("config2"), wanted = load("config2_mod");
    assert_true(atn_tau_summa_between(&wanted) < atn_tau_summa_between(&s));
    atn_tau_summa_arrange(&s);
    assert_true(atn_tau_summa_between(&s) == atn_tau_summa_between(&wanted));
    char *text = text_of(&s), *other = text_of(&wanted);
    assert_string_equal(text, other);
    free(text);
    free(other);
    atn_tau_summa_free(&s);
    atn_tau_summa_free(&wanted);
}

#define TWO "blocks 4 1K\na 0 0 cpu OMP_NUM_THREADS=1\nb 0 0 cpu OMP_NUM_THREADS=1\n"

static void invalid_speeds_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {TWO "speed 0 1\n", "not every process has a speed"},
        {TWO "speed 0 1\nspeed 2 1\n", "layout:5: unknown process 2"},
        {TWO "speed 0 1\nspeed 0 2\n", "layout:5: process 0 already has a speed"},
        {TWO "speed 0 x\n", "layout:4: invalid speed 'x'"},
        {TWO "speed 0 nan\n", "layout:4: invalid speed 'nan'"},
        {TWO "speed 0 -1\n", "layout:4: invalid speed '-1'"},
        {TWO "speed 0 0\n", "layout:4: invalid speed '0'"},
        {TWO "speed 0 1:2 3\n", "layout:4: invalid speed '3'"},
        {TWO "speed 0 2:2 1:3\n", "layout:4: invalid speed '1:3'"},
        {TWO "speed 0 1:1 2:9\n", "layout:4: process 0 would complete more blocks in less time"},
        {TWO "speed 0\n", "layout:4: write a speed as"},
        {"blocks 1 1K\na 0 0 cpu OMP_NUM_THREADS=1\nb 0 0 cpu OMP_NUM_THREADS=1\n"
         "speed 0 1\nspeed 1 1\n",
         "2 processes for 1 x 1 blocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_summa s;
        atn_error err = {0};
        if (atn_tau_summa_parse(cases[i].text, "layout", &s, &err) != ATN_INPUT ||
            strstr(err.text, cases[i].words) == NULL)
            fail_msg("case %d: \"%s\", wanted \"%s\"", (int)i, err.text, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_balance_the_load),
        cmocka_unit_test(published_layouts_are_reproduced),
        cmocka_unit_test(arranging_reduces_traffic_between_nodes),
        cmocka_unit_test(invalid_speeds_are_rejected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
