/* test_tau_summa.c - layouts of SUMMA: traffic, formulas and proofs (V10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/taulop/compare.h"
#include "research/taulop/summa.h"

static atn_summa load(const char *name)
{
    char path[300], *text;
    size_t bytes;
    atn_summa s;
    atn_error err = {0};
    snprintf(path, sizeof path, "%s/examples/summa/%s.conf", ATN_SOURCE_DIR, name);
    assert_int_equal(atn_read_file(path, &text, &bytes, NULL), ATN_OK);
    if (atn_tau_summa_parse(text, path, &s, &err))
        fail_msg("%s", err.text);
    free(text);
    return s;
}

static void expect(atn_terms *t, const char *wanted)
{
    assert_int_equal(atn_tau_terms_merge(t, NULL), ATN_OK);
    char *text = atn_tau_terms_text(t, ATN_TAU_ASCII);
    assert_string_equal(text, wanted);
    free(text);
    atn_tau_terms_free(t);
}

static void expect_layout(const char *name, const char *const *rows, const char *columns,
                          const char *total, int64_t volume)
{
    atn_summa s = load(name);
    atn_terms t;
    for (int j = 0; j < s.columns.n; j++) {
        t = (atn_terms){0};
        assert_int_equal(atn_tau_summa_rows(&s, j, &t, NULL), ATN_OK);
        expect(&t, rows[j]);
    }
    t = (atn_terms){0};
    assert_int_equal(atn_tau_summa_columns(&s, &t, NULL), ATN_OK);
    expect(&t, columns);
    assert_int_equal(atn_tau_summa_total(&s, &t, NULL), ATN_OK);
    expect(&t, total);
    assert_int_equal(atn_tau_summa_volume(&s), volume);
    atn_tau_summa_free(&s);
}

/* (A.7), (A.8), (A.16), (A.9) + (A.16).  The thesis prints 4||T1(3589), which is 37 * 97, the
 * width of a column of another layout; 37 * 107 = 3959.  It prints a volume of 4952 MiB, which
 * counts the three messages of the broadcast to four processes as two; with all it is 5808 MiB. */
static void first_layout(void **state)
{
    (void)state;
    static const char *const rows[] = {"2||T1(17433) + T1(3278)",
                                       "4||T1(3959) + 3||T1(2247) + 2||T1(2354) + T1(107)"};
    expect_layout("config1", rows, "3||T0(10752) + 2||T0(44032)",
                  "3||T0(10752) + 2||T0(44032) + 4||T1(3959) + 3||T1(2247) + 2||T1(19787) + "
                  "T1(3385)",
                  5808 * 32);
}

static void second_layout(void **state) /* (A.18) to (A.23) */
{
    (void)state;
    static const char *const rows[] = {"2||T0(14384) + T0(2232) + 2||T1(12896) + T1(6696)",
                                       "2||T0(12416) + T0(582) + 2||T1(11252) + T1(1746)",
                                       "T0(840) + 2||T1(7280) + T1(2520)"};
    expect_layout("config2", rows, "3||T1(8960) + 2||T1(15872) + T1(6912)",
                  "2||T0(26800) + T0(3654) + 3||T1(8960) + 2||T1(47300) + T1(17874)", 6144 * 32);
}

static void modified_layout(void **state) /* (A.29) to (A.33) */
{
    (void)state;
    static const char *const rows[] = {"2||T0(27280) + T0(2232) + T1(6696)",
                                       "2||T0(22504) + T0(582) + 2||T1(1164) + T1(1746)",
                                       "2||T0(7280) + T0(840) + T1(2520)"};
    expect_layout("config2_mod", rows, "3||T1(8960) + 2||T1(15872) + T1(6912)",
                  "2||T0(57064) + T0(3654) + 3||T1(8960) + 2||T1(17036) + T1(17874)", 6144 * 32);
}

static void expect_flows(const char *name, int column, const atn_summa_flow *wanted, int n)
{
    atn_summa s = load(name);
    atn_summa_flow flows[36];
    assert_int_equal(atn_tau_summa_flows(&s, column, flows), n);
    assert_memory_equal(flows, wanted, sizeof *wanted * (size_t)n);
    atn_tau_summa_free(&s);
}

static void traffic(void **state) /* tables A.1, A.5, A.10 */
{
    (void)state;
    static const atn_summa_flow first[] = {
        {4, 0, 81, 1}, {4, 1, 58, 1}, {5, 1, 22, 1}, {5, 2, 58, 1}, {5, 3, 37, 1}};
    static const atn_summa_flow second[] = {{0, 1, 134, 0}, {0, 3, 134, 1}, {5, 1, 12, 1},
                                            {5, 2, 104, 1}, {5, 3, 18, 0},  {5, 4, 110, 0}};
    static const atn_summa_flow changed[] = {{2, 0, 104, 0}, {2, 1, 104, 0}, {3, 0, 30, 1},
                                             {3, 1, 42, 1},  {3, 4, 110, 0}, {3, 5, 122, 0}};
    expect_flows("config1", 0, first, 5);
    expect_flows("config2", 1, second, 6);
    expect_flows("config2_mod", 2, changed, 6);
}

static atn_tau_verdict compare(const char *a, const char *b)
{
    atn_summa x = load(a), y = load(b);
    atn_terms s, t;
    assert_int_equal(atn_tau_summa_total(&x, &s, NULL), ATN_OK);
    assert_int_equal(atn_tau_summa_total(&y, &t, NULL), ATN_OK);
    const atn_tau_verdict v = atn_tau_terms_compare(&s, &t, true, NULL);
    assert_int_equal(atn_tau_terms_compare(&s, &t, false, NULL), ATN_TAU_UNDECIDED);
    atn_tau_terms_free(&s);
    atn_tau_terms_free(&t);
    atn_tau_summa_free(&x);
    atn_tau_summa_free(&y);
    return v;
}

static void proofs(void **state) /* (A.24) to (A.28), (A.34) */
{
    (void)state;
    assert_int_equal(compare("config2", "config1"), ATN_TAU_GREATER);
    assert_int_equal(compare("config2_mod", "config2"), ATN_TAU_LESS);
}

#define TWO "blocks 4 1K\nn0 0 0 cpu OMP_NUM_THREADS=1\nn1 0 0 gpu id=0\n"

static void invalid_layouts_are_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "f:1: no column, and not every process has a speed; the file may be truncated"},
        {"blocks x",
         "f:1: 'blocks' needs a number and the bytes of a block, as in 'blocks 256 32K'"},
        {"blocks 4\nblocks 4", "f:2: duplicate line 'blocks'; remove one"},
        {"n0 0 0 cpu",
         "f:1: write a process as 'NODE RANK CORES cpu|gpu DETAIL', as in node0 2 6-9 "
         "cpu OMP_NUM_THREADS=4; this line has 4 words"},
        {"n0 -1 0 cpu OMP_NUM_THREADS=1", "f:1: invalid rank on a node '-1'; write a number"},
        {"n0 0 9-6 cpu OMP_NUM_THREADS=1", "f:1: cores 9-6 descend; write the lower one first"},
        {"n0 0 a cpu OMP_NUM_THREADS=1", "f:1: invalid cores 'a'; write 6 or 6-9"},
        {"n0 0 0 tpu id=1", "f:1: unknown kind of process 'tpu'; write cpu or gpu"},
        {"n0 0 0 gpu OMP_NUM_THREADS=1", "f:1: 'OMP_NUM_THREADS=1': a gpu needs id=N"},
        {TWO "n0 0 1 gpu id=1", "f:4: rank 0 of n0 is already process 0"},
        {TWO "n1 1 0-3 gpu id=1", "f:4: cores 0-3 of n1 overlap with those of process 1"},
        {TWO "column 4 0:2 5:2", "f:4: unknown process 5; 2 lines of processes precede"},
        {TWO "column 4 0:2 0:2", "f:4: process 0 already has a rectangle, in column 0"},
        {TWO "column 4 0:2 1:1", "f:4: the column has 3 rows, but the matrix 4; change its rows"},
        {TWO "column 4 0-2", "f:4: invalid member '0-2'; write rank:rows as in 4:139"},
        {TWO "column",
         "f:4: write a column as 'column WIDTH RANK:ROWS ...', as in column 149 4:139 5:117"},
        {TWO "column 3 0:4\n", "f:4: the columns have a total width of 3, but the matrix 4; change "
                               "their widths"},
        {TWO "column 4 0:4\n", "f:4: process 1 is in no column"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_summa s;
        atn_error err = {0};
        assert_int_equal(atn_tau_summa_parse(cases[i][0], "f", &s, &err), ATN_INPUT);
        assert_string_equal(err.text, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_layout),    cmocka_unit_test(second_layout),
        cmocka_unit_test(modified_layout), cmocka_unit_test(traffic),
        cmocka_unit_test(proofs),          cmocka_unit_test(invalid_layouts_are_rejected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
