/* test_tau_algebra.c - tau-Lop expressions: text, canonical form, value, proofs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/taulop/compare.h"

static const atn_tau_rules whole = {.transport = ATN_TAU_WHOLE},
                           segments = {.transport = ATN_TAU_SEGMENTS},
                           stream = {.transport = ATN_TAU_STREAM}, keep = {0};

static char *canonical(const char *text, const atn_tau_rules *rules)
{
    atn_tau *x;
    atn_terms t;
    atn_error err = {0};
    if (atn_tau_parse(text, &x, &err))
        fail_msg("%s", err.text);
    if (atn_tau_terms(x, rules, &t, &err))
        fail_msg("%s: %s", text, err.text);
    char *out = atn_tau_terms_text(&t, ATN_TAU_ASCII);
    atn_tau_free(x);
    atn_tau_terms_free(&t);
    return out;
}

static void expect_canonical(const char *text, const atn_tau_rules *rules, const char *wanted)
{
    char *got = canonical(text, rules);
    assert_string_equal(got, wanted);
    free(got);
}

/* ---- text ---- */

static void expressions_are_parsed_and_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ascii, *signs;
    } cases[] = {
        {"2||T1(m) + 3*L0(m,4)", "2||T1(m) + 3*L0(m,4)", "2‖T1(m) + 3·L0(m,4)"},
        {"2‖T¹(m)+3·L⁰(m,4)", "2||T1(m) + 3*L0(m,4)", "2‖T1(m) + 3·L0(m,4)"},
        {"2 T^1(m) + 3 × L(m,4)", "2*T1(m) + 3*L0(m,4)", "2·T1(m) + 3·L0(m,4)"},
        {"(k-1)L0(S,2)", "(k - 1)*L0(S,2)", "(k - 1)·L0(S,2)"},
        {"3k/2 L(S,P)", "3k/2*L0(S,P)", "3k/2·L0(S,P)"},
        {"N[T0(C0) + 2||T0(C0-C1)]", "N*[T0(C0) + 2||T0(C0 - C1)]", "N·[T0(C0) + 2‖T0(C0 - C1)]"},
        {"max{T0(m), T1(2m), o1}", "max(T0(m), T1(2m), o1)", "max(T0(m), T1(2m), o1)"},
        {"T1(81) || 2||T1(22) || T0(5)", "T1(81) || [2||T1(22)] || T0(5)",
         "T1(81) ‖ [2‖T1(22)] ‖ T0(5)"},
        {"c(m,8) + gamma(m/2,8) + γ(m,1) + g(m,1) + o(m)",
         "c(m,8) + g(m/2,8) + g(m,1) + g(m,1) + o0(m)",
         "c(m,8) + γ(m/2,8) + γ(m,1) + γ(m,1) + o0(m)"},
        {"(((T0(m))))", "T0(m)", "T0(m)"},
        {"o0 + o", "o0 + o0", "o0 + o0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_tau *x;
        assert_int_equal(atn_tau_parse(cases[i].text, &x, NULL), ATN_OK);
        char *ascii = atn_tau_text(x, ATN_TAU_ASCII), *signs = atn_tau_text(x, ATN_TAU_SIGNS);
        assert_string_equal(ascii, cases[i].ascii);
        assert_string_equal(signs, cases[i].signs);
        free(ascii);
        free(signs);
        atn_tau_free(x);
    }
}

static void errors_are_located(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "'': character 1: o, L, T, c, g, max or a bracket is missing"},
        {"2||", "'2||': character 4: o, L, T, c, g, max or a bracket is missing"},
        {"L0(m)", "'L0(m)': character 5: write L0(size,concurrent), c(size,concurrent) or "
                  "g(size,concurrent)"},
        {"T0(m", "'T0(m': character 5: a ')' is missing"},
        {"T0()", "'T0()': character 4: a size is missing"},
        {"T0(m) T1(m)", "'T0(m) T1(m)': character 7: an operator is missing"},
        {"[T0(m)", "'[T0(m)': character 7: the bracket is not closed"},
        {"T0(m*k)", "'T0(m*k)': character 7: product of symbols or too large a number before this"},
        {"T0(0-1)", "'T0(0-1)': character 7: negative number before this"},
        {"99999999999999999999||T0(m)", "'99999999999999999999||T0(m)': character 1: o, L, T, c, "
                                        "g, max or a bracket is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_tau *x;
        atn_error err = {0};
        assert_int_equal(atn_tau_parse(cases[i][0], &x, &err), ATN_INPUT);
        assert_string_equal(err.text, cases[i][1]);
    }
    char deep[400] = "";
    memset(deep, '(', 300);
    strcpy(deep + 300, "T0(m)");
    atn_tau *x;
    assert_int_equal(atn_tau_parse(deep, &x, NULL), ATN_INPUT);
}

/* ---- canonical form: vectors V1, V3, V8, V9 of the literature ---- */

static void concurrency_applies_to_every_transfer(void **state) /* V1, R1 to R7 */
{
    (void)state;
    expect_canonical("2||T0(m)", &whole, "o0(m) + 2*L0(m,2)");
    expect_canonical("2||T0(m)", &segments, "o0(m) + 2*L0(S,2) + (k - 1)*L0(S,4)");
    expect_canonical("2||T0(m)", &stream, "o0(m) + k*L0(S,4)");
    expect_canonical("2||T1(m)", &whole, "o1(m) + 2*L0(m,2) + L1(m,2)");
    expect_canonical("2||(3||T1(m))", &keep, "6||T1(m)");
    expect_canonical("1||T0(m) + 0||T1(m)", &keep, "T0(m)");
    expect_canonical("4||(L0(m,2) + c(m,1) + g(m,1) + o1(m))", &keep,
                     "o1(m) + L0(m,8) + g(m,4) + c(m,4)");
    expect_canonical("L0(S,2) || L0(S,4) || L0(S,1)", &keep, "L0(S,7)");
    expect_canonical("3*L0(2m,4) + L0(m/2,4)", &keep, "13/2*L0(m,4)");
    expect_canonical("L0(8192,2) + L0(4096,2)", &keep, "3*L0(4096,2)");
    expect_canonical("P||[o + 2k*L(S,1)]", &keep, "o0 + 2k*L0(S,P)"); /* (3.7) */
}

static void transmissions_add_up(void **state) /* A1 to A6, V9 */
{
    (void)state;
    expect_canonical("T1(3) + T1(5) + 2*T1(4)", &keep, "T1(16)");
    expect_canonical("3*[2||T0(m)]", &keep, "2||T0(3m)");
    expect_canonical("T1(139) || T1(117)", &keep, "2||T1(117) + T1(22)");
    expect_canonical("T1(81) || T1(80) || T1(58) || T1(37)", &keep,
                     "4||T1(37) + 3||T1(21) + 2||T1(22) + T1(1)");
    expect_canonical("T0(149) || [T0(107) + 2||T0(107)]", &keep, "3||T0(42) + 2||T0(172)");
    expect_canonical("T0(m) || 2||T0(3m)", &keep, "3||T0(m) + 2||T0(2m)");
    expect_canonical("T0(5) || T1(7)", &keep, "max(T0(5), T1(7))");
    expect_canonical("[T0(3) + T1(4)] || [T0(5) + T1(2)]", &keep,
                     "2||T0(3) + T0(2) + 2||T1(2) + T1(2)");
    expect_canonical("[T0(3) || T1(4)] + [T0(5) || T1(2)]", &keep,
                     "max(T0(3), T1(4)) + max(T0(5), T1(2))");
}

static void unordered_sizes_are_rejected(void **state)
{
    (void)state;
    atn_tau *x;
    atn_terms t;
    atn_error err = {0};
    assert_int_equal(atn_tau_parse("T0(m) || T0(S)", &x, NULL), ATN_OK);
    assert_int_equal(atn_tau_terms(x, NULL, &t, &err), ATN_INPUT);
    assert_string_equal(err.text, "cannot order the sizes of concurrent terms");
    atn_tau_free(x);
}

static void bytes_and_segments_add_up(void **state)
{
    (void)state;
    expect_canonical("[L0(S,2) + L0(m,3)] || [o0 + L1(S,4)]", &keep,
                     "o0 + L0(S,2) + L0(m,3) + L1(S,4)");
}

static void maxima_are_decided_by_bounds(void **state)
{
    (void)state;
    const atn_tau_rules slower = {.slower = true};
    expect_canonical("max(L0(m,2), L0(m,5))", &keep, "L0(m,5)");
    expect_canonical("max(L0(m,8), L0(2m,4))", &keep, "2*L0(m,4)"); /* L(m,2t) <= 2L(m,t) */
    expect_canonical("max(L0(m,9), L0(2m,4))", &keep, "max(L0(m,9), 2*L0(m,4))");
    expect_canonical("max(L0(m,7), L1(m,1))", &keep, "max(L0(m,7), L1(m,1))");
    expect_canonical("max(L0(m,7), L1(m,1))", &slower, "L1(m,1)");
    expect_canonical("max(L0(2m,7), L1(m,1))", &slower, "max(2*L0(m,7), L1(m,1))");
    expect_canonical("2*max(L0(m,7), L1(m,1)) + max(L0(m,7), L1(m,1))", &keep,
                     "3*max(L0(m,7), L1(m,1))");
}

static void published_sums_are_reproduced(void **state) /* V3, V8 */
{
    (void)state;
    const atn_tau_rules plain = {.transport = ATN_TAU_WHOLE, .plain_overheads = true};
    expect_canonical("T(m) + 2||T(m) + 4||T(m) + 8||T(m)", &plain,
                     "4*o0 + 2*L0(m,1) + 2*L0(m,2) + 2*L0(m,4) + 2*L0(m,8)");
    /* (4.21) and (4.22), binomial scatter on 8 ranks */
    const atn_tau_rules bare = {.transport = ATN_TAU_WHOLE, .drop_overheads = true};
    const atn_tau_rules many = {.transport = ATN_TAU_STREAM, .drop_overheads = true};
    expect_canonical("T(m/2) + 2||T(m/4) + 4||T(m/8)", &bare,
                     "L0(m,1) + 1/2*L0(m,2) + 1/4*L0(m,4)");
    expect_canonical("T(m/2) + 2||T(m/4) + 4||T(m/8)", &many,
                     "k/2*L0(S,2) + k/4*L0(S,4) + k/8*L0(S,8)");
}

/* ---- value ---- */

static double no_overhead(void *data, int channel, double bytes)
{
    (void)data, (void)bytes;
    return channel ? 100 : 10;
}
static double transfer(void *data, int channel, double bytes, double tau)
{
    const bool serial = data;
    return bytes * (channel ? 50 : 1) * (serial ? tau : 1);
}
static double copy(void *data, double bytes, double tau)
{
    (void)data, (void)tau;
    return bytes / 2;
}

static double value(const char *text, bool serial)
{
    const atn_tau_costs m = {serial ? &serial : NULL, no_overhead, transfer, copy, copy};
    const atn_variable vars[] = {{"m", 8}, {"S", 1}, {"k", 64}};
    atn_tau *x;
    double v = -1;
    assert_int_equal(atn_tau_parse(text, &x, NULL), ATN_OK);
    assert_int_equal(atn_tau_value(x, &m, vars, 3, &v, NULL), ATN_OK);
    atn_tau_free(x);
    return v;
}

static void expressions_have_values(void **state)
{
    (void)state;
    assert_true(value("3*L0(m,4) + o1 + c(m,2)", false) == 128);
    assert_true(value("3||T1(m)", true) == 100 + 2 * 24 + 50 * 24);
    assert_true(value("max(L0(m,4), 2||L1(m/2,1))", true) == 400);
    atn_tau *x;
    atn_error err = {0};
    const atn_tau_costs m = {NULL, no_overhead, transfer, copy, copy};
    double v;
    assert_int_equal(atn_tau_parse("L0(q,4)", &x, NULL), ATN_OK);
    assert_int_equal(atn_tau_value(x, &m, NULL, 0, &v, &err), ATN_INPUT);
    assert_string_equal(err.text, "symbol q has no value");
    atn_tau_free(x);
}

/* V8: scatter against recursive doubling on P = 8: the ratio is exactly 2 on a parallel channel,
 * 2 (P - 1) / log P on a serial one. */
static void scatter_and_recursive_doubling(void **state)
{
    (void)state;
    const char scatter[] = "k/2 L(S,2) + k/4 L(S,4) + k/8 L(S,8)", rda[] = "7k/4 L(S,8)";
    assert_true(value(scatter, true) == 64 * 3);
    assert_true(value(rda, true) == 2 * 64 * 7);
    assert_true(value(rda, false) == 2 * value(scatter, false));
}

/* ---- proofs ---- */

static atn_tau_verdict compare(const char *a, const char *b, bool slower, atn_tau_proof *proof)
{
    atn_tau *x, *y;
    atn_terms s, t;
    assert_int_equal(atn_tau_parse(a, &x, NULL), ATN_OK);
    assert_int_equal(atn_tau_parse(b, &y, NULL), ATN_OK);
    assert_int_equal(atn_tau_terms(x, NULL, &s, NULL), ATN_OK);
    assert_int_equal(atn_tau_terms(y, NULL, &t, NULL), ATN_OK);
    const atn_tau_verdict v = atn_tau_terms_compare(&s, &t, slower, proof);
    atn_tau_free(x);
    atn_tau_free(y);
    atn_tau_terms_free(&s);
    atn_tau_terms_free(&t);
    return v;
}

static void comparisons_are_proven(void **state) /* C1 to C5, R8, (6.4) */
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool slower;
        atn_tau_verdict verdict;
    } cases[] = {
        {"2||T0(m)", "2||T0(m)", false, ATN_TAU_EQUAL},
        {"3||T0(5)", "3||T0(4)", false, ATN_TAU_GREATER},
        {"T0(m)", "2||T0(m)", false, ATN_TAU_AT_MOST},
        {"2||T0(m)", "2*T0(m)", false, ATN_TAU_AT_MOST},
        {"3*T0(m)", "2||T0(m)", false, ATN_TAU_GREATER},
        {"3||T0(m)", "2*T0(m)", false, ATN_TAU_UNDECIDED},
        {"T0(m)", "T1(m)", false, ATN_TAU_UNDECIDED},
        {"T0(m)", "T1(m)", true, ATN_TAU_LESS},
        {"8||T0(m)", "T1(m)", true, ATN_TAU_LESS},
        {"8||T0(2m)", "T1(m)", true, ATN_TAU_UNDECIDED},
        {"3||T1(4) + 2||T1(2)", "2||T1(6)", false, ATN_TAU_AT_LEAST},
        /* two scatters cost at most as much as recursive doubling on m/P (6.4) */
        {"k L(S,2) + k/2 L(S,4) + k/4 L(S,8)", "7k/4 L(S,8)", false, ATN_TAU_AT_MOST},
        {"31*[L0(m,8) + L1(m,1) + L0(m,1)]", "31*[2L0(m,8) + L1(m,8)]", false, ATN_TAU_AT_MOST},
        {"62*L0(m,8) + 24*L1(m,8)", "62*L0(m,8) + 3*L1(m,8)", false, ATN_TAU_GREATER},
        {"L0(m,2)", "L0(S,2)", false, ATN_TAU_UNDECIDED},
        {"o1 + L0(m,1)", "o0 + L0(m,1)", true, ATN_TAU_GREATER},
        {"max(L0(m,9), L0(2m,4))", "max(L0(m,9), L0(2m,4))", false, ATN_TAU_EQUAL},
        {"max(L0(m,9), L0(2m,4))", "L0(3m,9)", false, ATN_TAU_AT_MOST},
        {"L0(0,8)", "L0(0,4)", false, ATN_TAU_AT_LEAST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_tau_proof proof = {.style = ATN_TAU_ASCII};
        const atn_tau_verdict v = compare(cases[i].a, cases[i].b, cases[i].slower, &proof);
        if (v != cases[i].verdict)
            fail_msg("%s against %s: %s", cases[i].a, cases[i].b, atn_tau_verdicts[v]);
        assert_true((proof.v.n > 0) == (v != ATN_TAU_UNDECIDED));
        atn_tau_proof_free(&proof);
    }
}

static void proof_steps(void **state)
{
    (void)state;
    atn_tau_proof proof = {.style = ATN_TAU_ASCII};
    assert_int_equal(compare("2||T1(10) + T1(4)", "3||T0(9) + 2||T1(3)", true, &proof),
                     ATN_TAU_GREATER);
    assert_int_equal(proof.v.n, 4);
    assert_string_equal(proof.v.v[0], "C1: 2||T1(3) on both sides");
    assert_string_equal(proof.v.v[1], "C5: T1(4) > 3||T0(4) (the slower channel, even alone)");
    assert_string_equal(proof.v.v[2], "C5: 2||T1(5) > 3||T0(5) (the slower channel, even alone)");
    assert_string_equal(proof.v.v[3], "remainder: 2||T1(2)");
    atn_tau_proof_free(&proof);
}

/* ---- proofs against numbers ---- */

/* Machines within the bounds: L grows with tau, at most in proportion; channel 1 is slower than
 * channel 0 for all tau. */
typedef struct {
    double flat, slope, bend;
} channel_curve;

static double curve_transfer(void *data, int channel, double bytes, double tau)
{
    const channel_curve *c = (const channel_curve *)data + channel;
    return bytes * (c->flat + c->slope * pow(tau, c->bend));
}

static int below(uint32_t *seed, int n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)((*seed >> 8) % (uint32_t)n);
}

static void random_sum(uint32_t *seed, char *text, size_t room)
{
    const int n = 1 + below(seed, 4);
    size_t used = 0;
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%d*L%d(%dm/%d,%d)", i ? " + " : "",
                                 1 + below(seed, 9), below(seed, 2), 1 + below(seed, 5),
                                 1 + below(seed, 3), 1 + below(seed, 8));
}

static double sum_value(const char *text, channel_curve *curves)
{
    const atn_tau_costs m = {curves, no_overhead, curve_transfer, copy, copy};
    const atn_variable vars[] = {{"m", 1000}};
    atn_tau *x;
    double v = -1;
    assert_int_equal(atn_tau_parse(text, &x, NULL), ATN_OK);
    assert_int_equal(atn_tau_value(x, &m, vars, 1, &v, NULL), ATN_OK);
    atn_tau_free(x);
    return v;
}

/* No machine may contradict a comparison. */
static void comparisons_hold_on_machines(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int decided = 0;
    for (int i = 0; i < 3000; i++) {
        char a[200], b[200];
        random_sum(&seed, a, sizeof a);
        random_sum(&seed, b, sizeof b);
        const atn_tau_verdict v = compare(a, b, i % 2, NULL);
        decided += v != ATN_TAU_UNDECIDED;
        for (int k = 0; k < 8 && v != ATN_TAU_UNDECIDED; k++) {
            channel_curve c[2];
            for (int j = 0; j < 2; j++)
                c[j] = (channel_curve){below(&seed, 100), 1 + below(&seed, 100),
                                       below(&seed, 11) / 10.0};
            if (i % 2) /* the axiom: one transfer is slower than 8 concurrent ones in memory */
                c[1].flat = c[0].flat + 8 * c[0].slope;
            const double x = sum_value(a, c), y = sum_value(b, c), slack = 1e-9 * (x + y);
            const bool fine = v <= ATN_TAU_AT_MOST ? x <= y + slack
                              : v == ATN_TAU_EQUAL ? fabs(x - y) <= slack
                                                   : x >= y - slack;
            if (!fine)
                fail_msg("%s against %s: %s, but %g and %g", a, b, atn_tau_verdicts[v], x, y);
        }
    }
    assert_true(decided > 1000);
}

/* 1 + 1/(n - 1) and 1 + 1/n: as floating-point quotients they are equal from an n on that depends
 * on the processor. */
static void close_fractions_are_distinguished(void **state)
{
    (void)state;
    for (int bits = 20; bits <= 62; bits += 6) {
        const int64_t n = INT64_C(1) << bits;
        const atn_form a = atn_tau_form_fraction(n, n - 1), b = atn_tau_form_fraction(n + 1, n);
        assert_int_equal(atn_tau_form_order(&a, &b), 1);
        assert_int_equal(atn_tau_form_order(&b, &a), -1);
        assert_int_equal(atn_tau_form_order(&a, &a), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_fractions_are_distinguished),
        cmocka_unit_test(expressions_are_parsed_and_printed),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(concurrency_applies_to_every_transfer),
        cmocka_unit_test(transmissions_add_up),
        cmocka_unit_test(unordered_sizes_are_rejected),
        cmocka_unit_test(bytes_and_segments_add_up),
        cmocka_unit_test(maxima_are_decided_by_bounds),
        cmocka_unit_test(published_sums_are_reproduced),
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(scatter_and_recursive_doubling),
        cmocka_unit_test(comparisons_are_proven),
        cmocka_unit_test(proof_steps),
        cmocka_unit_test(comparisons_hold_on_machines),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
