/* test_tau_published.c - further published results about tau-Lop and other models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/stats.h"
#include "model/expr.h"
#include "research/taulop/terms.h"

/* ---- V7: the pipelined broadcast of Open MPI's "sm" component ----
 * p ranks in a binary tree, k segments.  A rank copies the segment of its parent into its own
 * buffer, then to the user; the next segment follows two stages later; a rank of the deepest level
 * copies to the user at once. */

enum { DEGREE = 2, STAGES = 64 };

static int level(int rank)
{
    int d = 0;
    for (; rank > 0; rank = (rank - 1) / DEGREE)
        d++;
    return d;
}

static int count_stages(int p, int k) { return level(p - 1) + 2 * k; }

/* The ranks that copy in each stage.  (The closed forms of the literature hold only for trees whose
 * deepest level is odd.) */
static void count_copies(int p, int k, int tau[STAGES])
{
    const int deepest = level(p - 1);
    memset(tau, 0, sizeof *tau * STAGES);
    for (int r = 0; r < p; r++) {
        const int d = level(r);
        const bool leaf = DEGREE * r + 1 >= p;
        for (int j = 0; j < k; j++) {
            if (r == 0 || !leaf || d == deepest)
                tau[d + 2 * j]++; /* into its buffer; on the deepest level to the user */
            if (r > 0 && (!leaf || d < deepest))
                tau[d + 1 + 2 * j]++; /* to the user */
        }
    }
}

static void expect_stages(int p, int k, const int *wanted, int n)
{
    int tau[STAGES];
    assert_int_equal(count_stages(p, k), n);
    count_copies(p, k, tau);
    assert_memory_equal(tau, wanted, sizeof *tau * (size_t)n);
}

/* The sum of L0(S, tau) over the stages. */
static char *sum_of_stages(int p, int k)
{
    int tau[STAGES];
    atn_terms terms = {0};
    count_copies(p, k, tau);
    for (int i = 0; i < count_stages(p, k); i++)
        if (tau[i] > 0)
            assert_true(atn_push(&terms, (atn_term){.kind = ATN_TAU_L,
                                                    .coef = atn_tau_form_int(1),
                                                    .size = atn_tau_form_symbol("S"),
                                                    .tau = atn_tau_form_int(tau[i])}));
    assert_int_equal(atn_tau_terms_merge(&terms, NULL), ATN_OK);
    char *text = atn_tau_terms_text(&terms, ATN_TAU_ASCII);
    atn_tau_terms_free(&terms);
    return text;
}

/* A tree of 8 as drawn in the literature, a full one of 15, and one of 31, whose deepest level is
 * even: all 31 ranks copy in odd stages, 14 in even ones, contrary to the printed closed form. */
static void shared_memory_broadcast(void **state)
{
    (void)state;
    static const int eight[] = {1, 2, 4, 7, 4, 7, 4, 7, 3, 5, 0};
    static const int fifteen[] = {1, 2, 7, 14, 7, 14, 7, 14, 6, 12, 0};
    int tau[STAGES];
    expect_stages(8, 4, eight, 11);
    expect_stages(15, 4, fifteen, 11);
    count_copies(31, 4, tau);
    assert_int_equal(tau[6], 31);
    assert_int_equal(tau[7], 14);
    char *text = sum_of_stages(8, 4);
    assert_string_equal(text, "L0(S,1) + L0(S,2) + L0(S,3) + 3*L0(S,4) + L0(S,5) + 3*L0(S,7)");
    free(text);
}

/* V11: closed forms of LogGP and LogGPH with the parameters of table 7.2, in microseconds.  Those
 * that also hold for schedules are in test_models.c. */
static void loggph_closed_forms(void **state)
{
    (void)state;
#define P2P       "(2*o + L + (m - 1)*G)"
#define SEGMENTED "(2*o + L + (S - 1)*G + (k - 1)*(g + (S - 1)*G))"
#define NET       "(2*o1 + L1 + (m - 1)*G1)"
    enum { LUSITANIA, METROPOLIS, NETWORK };
    static const double machines[][4] = {{0.5, 0.35, 0.12, 0.000989},
                                         {1.683, 0.1095, 1.649, 0.0001923},
                                         {32.986, 2.8775, 4.841, 0.0092}};
    static const struct {
        const char *form;
        int machine;
        double m, k, golden;
    } cases[] = {
        {P2P, LUSITANIA, 8192, 1, 9.3009},
        {P2P, LUSITANIA, 65536, 1, 66.0141},
        {P2P, LUSITANIA, 1048576, 1, 1038.2407},
        {P2P, METROPOLIS, 8192, 1, 3.4771},
        {P2P, METROPOLIS, 65536, 1, 14.5044},
        {P2P, METROPOLIS, 1048576, 1, 203.5430},
        {P2P, NETWORK, 8192, 1, 114.0982},
        {P2P, NETWORK, 65536, 1, 641.6630},
        {P2P, NETWORK, 1048576, 1, 9685.6310},
        {SEGMENTED, LUSITANIA, 8192, 1, 9.3009},
        {SEGMENTED, LUSITANIA, 65536, 8, 66.8472},
        {SEGMENTED, LUSITANIA, 1048576, 128, 1053.3551},
        {SEGMENTED, METROPOLIS, 65536, 8, 26.0460},
        {SEGMENTED, METROPOLIS, 1048576, 128, 412.9416},
        {"7 * " P2P, LUSITANIA, 1048576, 1, 7267.685},
        {"2 * " NET " + 3 * " P2P, METROPOLIS, 1048576, 1, 19981.891},     /* (5.4) */
        {"31 * (" P2P " + " NET ")", METROPOLIS, 65536, 1, 20341.189},     /* (5.8) */
        {"62 * " NET, METROPOLIS, 65536, 1, 39783.106},                    /* (6.7) */
        {"3*(L + 2*o - G) + 7*m*G", METROPOLIS, 65536, 1, 93.923},         /* (5.13) */
        {"2*(L1 + 2*o1 - G1) + 24*m*G1", METROPOLIS, 65536, 1, 14547.812}, /* (5.14) */
        {"7*(L + 2*o + (S-1)*G) + 127/128*(k-1)*(g + (S-1)*G)", LUSITANIA, 1048576, 128,
         1101.004}, /* (4.23) */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *x = machines[cases[i].machine], *n = machines[NETWORK];
        const atn_variable vars[] = {
            {"L", x[0]},  {"o", x[1]},  {"g", x[2]},       {"G", x[3]}, {"L1", n[0]},
            {"o1", n[1]}, {"G1", n[3]}, {"m", cases[i].m}, {"S", 8192}, {"k", cases[i].k}};
        double value = 0;
        assert_int_equal(atn_model_expr_eval(cases[i].form, vars, 10, &value, NULL), ATN_OK);
        if (fabs(value - cases[i].golden) > 0.0006)
            fail_msg("%s: %.6f, not %.4f", cases[i].form, value, cases[i].golden);
    }
}

static void errors_of_estimates(void **state) /* V12, (7.8) to (7.15) */
{
    (void)state;
    assert_true(atn_mu(2, 1) == 2 && atn_mu(0.5, 1) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_broadcast),
        cmocka_unit_test(loggph_closed_forms),
        cmocka_unit_test(errors_of_estimates),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
