/* test_ron_reach.c - ranks that a broadcast over reconfigurable circuits reaches: recurrence, sums
 * over generations as published, and the steps that Attune computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "research/ron/forms.h"

/* (5.1): ranks that bcast/circuit reaches in s steps, by recurrence. */
static int64_t reached(int k, int d, int s)
{
    int64_t n[32] = {1};
    for (int i = 1; i <= s; i++)
        n[i] = k * n[i - 1] + (i > d + 1 ? n[i - d - 1] : 1);
    return n[s];
}

/* (5.28), (5.30), with one port (5.35): the same as a sum over generations.  Generation 1 is the
 * k-ary tree over the circuits set up at the beginning; generation g + 1 consists of the trees
 * that start where circuits are reconfigured for the g-th time on the path from the root: C(j + g
 * - 2, g - 1) paths lead to those that have left - j steps to grow.  The literature prints the
 * last generation one too low, and 2! in an example that needs 3!. */
static int64_t reached_sum(int k, int d, int s)
{
    int64_t paths[32], sum = 0, power = 1;
    for (int j = 0; j <= s; j++, power *= k) {
        sum += power;
        paths[j] = 1;
    }
    for (int left = s - d - 1; left > 0; left -= d + 1) {
        int64_t under = 0; /* k^j + ... + k^left, from the last j to the first */
        for (int j = left; j >= 1; j--) {
            under = under * k + 1; /* divided by k^j */
            int64_t tree = under;
            for (int i = 0; i < j; i++)
                tree *= k;
            sum += paths[j] * tree;
        }
        for (int j = 2; j <= left; j++)
            paths[j] += paths[j - 1];
    }
    return sum;
}

static int64_t power(int k, int n)
{
    int64_t x = 1;
    for (; n > 0; n--)
        x *= k;
    return x;
}

/* k^j + ... + k^to, which is (k^(to+1) - k^j) / (k - 1); with one port the number of terms. */
static int64_t powers(int k, int j, int to)
{
    int64_t sum = 0;
    for (; j <= to; j++)
        sum += power(k, j);
    return sum;
}

/* Ranks of generation g as printed: (5.7), (5.25), (5.26), (5.27) with 3! for 2!; with one port
 * (5.31) to (5.34). */
static int64_t generation(int k, int d, int s, int g)
{
    const int left = s - (g - 1) * (d + 1);
    int64_t sum = 0;
    if (g == 1)
        return powers(k, 0, s);
    for (int64_t j = 1; j <= left; j++) {
        const int64_t paths[] = {1, j, j * (j + 1) / 2, j * (j + 1) * (j + 2) / 6};
        sum += paths[g - 2] * powers(k, (int)j, left);
    }
    return sum;
}

/* (5.29) up to five generations; ranks that are reached in step s (5.2), with r for the printed N
 * on its right side. */
static void generations(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++)
        for (int d = 0; d <= 6; d++) {
            int64_t r[20] = {1};
            for (int s = 1; s < 20 && s <= 5 * (d + 1); s++) {
                int64_t sum = 0;
                for (int g = 1; g <= 5; g++)
                    sum += generation(k, d, s, g);
                assert_int_equal(sum, reached(k, d, s));
                r[s] = k * r[s - 1] + (s > d + 1 ? r[s - d - 1] : 0);
                assert_int_equal(r[s], reached(k, d, s) - reached(k, d, s - 1));
            }
        }
}

static void reached_ranks(void **state)
{
    static const int64_t published[] = {1,  2,  3,  4,   5,   7,   10,  14,  19,  26,  36,
                                        50, 69, 95, 131, 181, 250, 345, 476, 657, 907, 1252};
    (void)state;
    for (int s = 0; s < 22; s++)
        assert_int_equal(reached(1, 3, s), published[s]);
    for (int k = 1; k <= 6; k++)
        for (int d = 0; d <= 8; d++)
            for (int s = 0; s < (k < 3 ? 30 : 20); s++) {
                const int64_t n = reached(k, d, s);
                assert_int_equal(n, reached_sum(k, d, s));
                assert_int_equal(atn_ron_steps(k, d, n), s);
                assert_int_equal(atn_ron_steps(k, d, n + 1), s + 1);
            }
    assert_int_equal(reached(4, 3, 7), 22073); /* not 22703, as printed */
    assert_int_equal(atn_ron_height(2, 99), 6);
    assert_int_equal(atn_ron_height(1, 99), 98);
    assert_int_equal(atn_ron_levels(3, 27), 3);
    assert_int_equal(atn_ron_levels(3, 28), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generations),
        cmocka_unit_test(reached_ranks),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
