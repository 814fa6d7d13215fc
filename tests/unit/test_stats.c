/* test_stats.c - lists of sizes; medians, intervals, ratios. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/stats.h"

/* ---- sizes ---- */

/* The list as text; "" when it is refused. */
static const char *sizes(const char *text, char out[256])
{
    atn_sizes list = {0};
    atn_error err = {0};
    char one[32];
    out[0] = '\0';
    if (atn_parse_sizes(text, &list, &err) != ATN_OK) {
        assert_int_equal(err.status, ATN_USAGE);
        assert_null(list.v);
        return out;
    }
    for (int i = 0; i < list.n; i++)
        snprintf(out + strlen(out), 256 - strlen(out), "%s%s", i ? " " : "",
                 atn_format_size(list.v[i], one));
    atn_vec_free(&list);
    return out;
}

static void sizes_are_listed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *list;
    } rows[] = {
        {"16K", "16K"},
        {"0", "0"},
        {"16K,128K,1M", "16K 128K 1M"},
        {"1K:1M:x4", "1K 4K 16K 64K 256K 1M"},
        {"1K:1M:X32", "1K 32K 1M"},
        {"1K:8K:x2", "1K 2K 4K 8K"},
        {"1K:9K:x2", "1K 2K 4K 8K"},
        {"0:32:+8", "0 8 16 24 32"},
        {"8,1:8:x2,4", "8 1 2 4"},
        {"1M:1M:x2", "1M"},
    };
    char out[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(sizes(rows[i].text, out), rows[i].list);
}

static void invalid_size_lists_are_rejected(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",         "x",     "1K,",     ",1K",    "1K:",    "1K:2K:",
        "1K:2K:4",  "2K:1K", "0:1K",    "1:8:x1", "1:8:x0", "1:8:+0",
        "1:8:x2:3", "-1",    "1:1M:+1", "1K 2K",  "1.5K",   "1:9999999999999999999999",
        "1K:8K",    "4:4",
    };
    char out[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(sizes(rows[i], out), "");
    atn_error err = {0};
    atn_sizes list = {0};
    assert_int_equal(atn_parse_sizes("1K,wide", &list, &err), ATN_USAGE);
    assert_string_equal(err.text,
                        "'wide' is neither a size such as 4096 or 64K nor a range such as "
                        "1K:1M:x4 or 0:64:+8");
    err = (atn_error){0};
    assert_int_equal(atn_parse_sizes("8,1K:1M", &list, &err), ATN_USAGE);
    assert_string_equal(err.text, "range '1K:1M' has no step; write 1K:1M:x4 to multiply by 4 or "
                                  "1K:1M:+1K to add 1K");
}

static void ranges_end_before_they_overflow(void **state)
{
    (void)state;
    char out[256];
    assert_string_equal(sizes("1T:9223372036854775807:x1048576", out), "1T 1048576T");
}

/* ---- medians ---- */

static void medians(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    atn_estimate e = atn_median(odd, 3);
    assert_true(e.mid == 3 && e.lo == 1 && e.hi == 5);
    e = atn_median(even, 4);
    assert_true(e.mid == 2.5 && e.lo == 1 && e.hi == 4);
    e = atn_median(one, 1);
    assert_true(e.mid == 7 && e.lo == 7 && e.hi == 7);
}

/* From tables of the binomial distribution: ranks of the 95 % interval of a median. */
static void interval_ranks(void **state)
{
    (void)state;
    static const struct {
        int n, rank;
    } rows[] = {{1, 0},     {5, 0},      {6, 0},      {8, 0},       {9, 1},   {11, 1},
                {12, 2},    {15, 3},     {20, 5},     {25, 7},      {50, 17}, {100, 39},
                {500, 227}, {1000, 468}, {1001, 469}, {10000, 4902}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(atn_median_rank(rows[i].n), rows[i].rank);
}

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Skewed, with a heavy tail; its median is 2. */
static double draw(uint64_t *state)
{
    const double u = ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
    return 1 / sqrt(sqrt(u)) / pow(0.5, -0.25) * 2;
}

/* How often the interval of `n` samples contains the true value, in percent. */
static double coverage(int n, bool ratio)
{
    enum { TRIALS = 4000 };
    uint64_t state = 42;
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        double a[64], b[64];
        for (int k = 0; k < n; k++) {
            a[k] = draw(&state);
            b[k] = 3 * draw(&state);
        }
        const atn_estimate x = atn_median(a, n), y = atn_median(b, n);
        const atn_estimate e = ratio ? atn_ratio(y, x) : x;
        const double truth = ratio ? 3 : 2;
        held += e.lo <= truth && truth <= e.hi;
    }
    return 100.0 * held / TRIALS;
}

static void intervals_contain_the_true_value(void **state)
{
    (void)state;
    static const int sizes_of[] = {6, 9, 12, 25, 64};
    for (int i = 0; i < 5; i++) {
        assert_true(coverage(sizes_of[i], false) >= 94);
        assert_true(coverage(sizes_of[i], true) >= 93.5);
        assert_true(coverage(sizes_of[i], true) <= 99.5);
    }
}

/* ---- ratios ---- */

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-4 * fabs(wanted))
        fail_msg("%.9g, wanted %.9g", got, wanted);
}

static void ratios(void **state)
{
    (void)state;
    const atn_estimate exact = {2, 2, 2}, wide = {4, 2, 8};
    atn_estimate e = atn_ratio(exact, exact);
    assert_true(e.mid == 1 && e.lo == 1 && e.hi == 1);
    e = atn_ratio(wide, exact); /* a single side keeps its width */
    near(e.mid, 2);
    near(e.lo, 1);
    near(e.hi, 4);
    e = atn_ratio(wide, wide); /* errors of logarithms add in quadrature */
    near(e.mid, 1);
    near(e.lo, exp(-sqrt(2) * log(2)));
    near(e.hi, exp(sqrt(2) * log(2)));
}

static void geometric_means(void **state)
{
    (void)state;
    const atn_estimate v[] = {{1, 0.5, 2}, {4, 2, 8}, {16, 8, 32}};
    atn_estimate e = atn_geometric_mean(v, 1);
    near(e.lo, 0.5);
    near(e.hi, 2);
    e = atn_geometric_mean(v, 3);
    near(e.mid, 4);
    near(e.lo, 4 * exp(-log(2) / sqrt(3)));
    near(e.hi, 4 * exp(log(2) / sqrt(3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_listed),
        cmocka_unit_test(invalid_size_lists_are_rejected),
        cmocka_unit_test(ranges_end_before_they_overflow),
        cmocka_unit_test(medians),
        cmocka_unit_test(interval_ranks),
        cmocka_unit_test(intervals_contain_the_true_value),
        cmocka_unit_test(ratios),
        cmocka_unit_test(geometric_means),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
