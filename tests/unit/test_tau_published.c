/* test_tau_published.c - further published results about tau-Lop and other models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/stats.h"
#include "model/expr.h"
#include "research/taulop/published.h"

/* ---- collectives in shared memory ---- */

static void expect_stages(int p, int k, const int *wanted, int n)
{
    int tau[64];
    assert_int_equal(atn_tau_sm_stages(p, 2, k, tau), n);
    assert_memory_equal(tau, wanted, sizeof *tau * (size_t)n);
}

static void expect(const char *name, int p, int segments, bool overheads, const char *wanted)
{
    const atn_tau_published *of = atn_tau_published_find(name);
    assert_non_null(of);
    char *text =
        atn_tau_published_text(of, &(atn_tau_instance){.p = p, .degree = 2, .segments = segments});
    const atn_tau_rules rules = {.transport = of->direct ? ATN_TAU_DIRECT : ATN_TAU_KEEP,
                                 .drop_overheads = !overheads};
    atn_tau *x = NULL;
    atn_terms terms = {0};
    atn_error err = {0};
    if (atn_tau_parse(text, &x, &err) || atn_tau_terms(x, &rules, &terms, &err))
        fail_msg("%s: %s", text, err.text);
    free(text);
    text = atn_tau_terms_text(&terms, ATN_TAU_ASCII);
    assert_string_equal(text, wanted);
    free(text);
    atn_tau_terms_free(&terms);
    atn_tau_free(x);
}

/* V7: a tree of 8 as drawn in the literature, a full one of 15, and one of 31, whose deepest level
 * is even: all 31 ranks copy in odd stages, 14 in even ones, contrary to the printed closed
 * form. */
static void shared_memory_broadcast(void **state)
{
    (void)state;
    static const int eight[] = {1, 2, 4, 7, 4, 7, 4, 7, 3, 5, 0};
    static const int fifteen[] = {1, 2, 7, 14, 7, 14, 7, 14, 6, 12, 0};
    int tau[64];
    expect_stages(8, 4, eight, 11);
    expect_stages(15, 4, fifteen, 11);
    atn_tau_sm_stages(31, 2, 4, tau);
    assert_int_equal(tau[6], 31);
    assert_int_equal(tau[7], 14);
    expect("sm_bcast", 8, 4, false,
           "L0(S,1) + L0(S,2) + L0(S,3) + 3*L0(S,4) + L0(S,5) + 3*L0(S,7)");
    /* the body repeats L(S,4) and L(S,7), of 15 ranks L(S,7) and L(S,14) */
    expect("sm_bcast", 8, 0, false,
           "L0(S,1) + L0(S,2) + L0(S,3) + (k - 1)*L0(S,4) + L0(S,5) + (k - 1)*L0(S,7)");
    expect("sm_bcast", 15, 0, false,
           "L0(S,1) + L0(S,2) + L0(S,6) + (k - 1)*L0(S,7) + L0(S,12) + (k - 1)*L0(S,14)");
}

static void shared_memory_reductions(void **state)
{
    (void)state;
    /* (4.55): k [L(S,P-1) + L(S,1) + (P-1) gamma(S,1)] */
    expect("sm_reduce", 8, 0, false, "k*L0(S,1) + k*L0(S,7) + 7k*g(S,1)");
    expect("sm_reduce", 8, 3, false, "3*L0(S,1) + 3*L0(S,7) + 21*g(S,1)");
    /* (4.58) of four threads: addresses to the root and back, the address of the result, P
     * gamma(m/P, P), completion */
    expect("azequia_reduce", 4, 0, false, "L0(0,1) + 8*L0(a,1) + L0(0,2) + 5*L0(a,2) + g(m,4)");
    const atn_tau_published *of = atn_tau_published_find("sm_bcast{degree=3,segments=5}");
    atn_tau_instance x = {.p = 8, .degree = 2};
    assert_string_equal(of->name, "sm_bcast");
    assert_int_equal(atn_tau_published_parse("sm_bcast{degree=3,segments=5}", &x, NULL), ATN_OK);
    assert_true(x.degree == 3 && x.segments == 5);
    assert_int_equal(atn_tau_published_parse("sm_bcast{degree=1}", &x, NULL), ATN_USAGE);
    assert_int_equal(atn_tau_published_parse("sm_bcast{size=1}", &x, NULL), ATN_USAGE);
    assert_null(atn_tau_published_find("sm_scatter"));
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
    assert_true(atn_rho(2, 1) == 1 && atn_rho(0.5, 1) == 0.5);
    assert_true(atn_rho_of_mu(2, true) == 1 && atn_rho_of_mu(2, false) == 0.5);
    assert_true(atn_mu_of_rho(1, true) == 2 && atn_mu_of_rho(0.5, false) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_broadcast),
        cmocka_unit_test(shared_memory_reductions),
        cmocka_unit_test(loggph_closed_forms),
        cmocka_unit_test(errors_of_estimates),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
