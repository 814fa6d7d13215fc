/* test_tau_derive.c - tau-Lop formulas derived from schedules, against published ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "research/taulop/derive.h"

static atn_traffic traffic_of(atn_operation op, const char *name, int p)
{
    const atn_row *row = atn_algo_catalog_find(op, name);
    atn_schedule *s[256];
    atn_traffic t;
    atn_params prm;
    atn_error err = {0};
    assert_non_null(row);
    atn_algo_params_default(row, &prm);
    for (int r = 0; r < p; r++) {
        const atn_problem q = {.op = op, .p = p, .r = r, .segments = 1, .bytes = 1024};
        if (atn_algo_build(row, &q, &prm, &s[r], &err))
            fail_msg("%s", err.text);
    }
    if (atn_tau_traffic_of(s, p, &t, &err))
        fail_msg("%s", err.text);
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(s[r]);
    return t;
}

static atn_terms derive(const atn_traffic *t, int nodes, const char *map, atn_tau_view view)
{
    atn_mapping m;
    atn_terms terms;
    atn_error err = {0};
    if (atn_tau_form_is(&view.block, 0) || atn_tau_form_is_bad(&view.block))
        view.block = atn_tau_form_symbol("m");
    view.slower = true;
    assert_int_equal(atn_tau_mapping_read(map, t->p, nodes, &m, NULL), ATN_OK);
    if (atn_tau_derive(t, &m, &view, &terms, &err))
        fail_msg("%s", err.text);
    atn_tau_mapping_free(&m);
    return terms;
}

/* The formula of a schedule; the caller frees. */
static char *formula(atn_operation op, const char *name, int p, int nodes, const char *map,
                     atn_tau_view view)
{
    atn_traffic t = traffic_of(op, name, p);
    if (view.transport == ATN_TAU_KEEP)
        view.transport = ATN_TAU_WHOLE;
    atn_terms terms = derive(&t, nodes, map, view);
    char *text = atn_tau_terms_text(&terms, ATN_TAU_ASCII);
    atn_tau_terms_free(&terms);
    atn_tau_traffic_free(&t);
    return text;
}

static void expect(atn_operation op, const char *name, int p, int nodes, const char *map,
                   atn_tau_view view, const char *wanted)
{
    char *got = formula(op, name, p, nodes, map, view);
    assert_string_equal(got, wanted);
    free(got);
}

/* ---- formulas as printed ---- */

static char *canonical(const char *text, atn_tau_transport transport)
{
    const atn_tau_rules rules = {.transport = transport, .slower = true, .plain_overheads = true};
    atn_tau *x = NULL;
    atn_terms terms = {0};
    atn_error err = {0};
    if (atn_tau_parse(text, &x, &err) || atn_tau_terms(x, &rules, &terms, &err))
        fail_msg("%s: %s", text, err.text);
    char *out = atn_tau_terms_text(&terms, ATN_TAU_ASCII);
    atn_tau_free(x);
    atn_tau_terms_free(&terms);
    return out;
}

/* Formulas of the document, for P ranks on `nodes` nodes, and the schedules whose costs they are.
 * Of schedules, overheads and copies are included where the formula has them.  m is a block, or the
 * whole buffer of `parts` blocks.  Our dissemination and Bruck allgathers receive blocks where they
 * stay, so they have none of the copies in (4.31) and (4.36).  (4.52) has k in front of its
 * reduction, which the print omits; (5.12) is printed with 2 L1(m,1). */
static const struct {
    const char *number;
    atn_operation op;
    const char *name;
    int p, nodes, parts;
    const char *map;
    atn_tau_transport transport;
    const char *printed;
} published[] = {
#define SHORT  "seq", ATN_TAU_WHOLE
#define CELLS  "seq", ATN_TAU_SEGMENTS
#define STREAM "seq", ATN_TAU_STREAM
#define CYCLIC "rr", ATN_TAU_WHOLE
    {"(3.1)", ATN_BCAST, "binomial", 2, 1, 1, SHORT, "o0 + 2 L0(m,1)"},
    {"(3.2)", ATN_BCAST, "binomial", 2, 1, 1, CELLS, "o0 + 2 L0(S,1) + (k-1) L0(S,2)"},
    {"(3.3)", ATN_BCAST, "binomial", 2, 2, 1, SHORT, "o1 + 2 L0(m,1) + L1(m,1)"},
    {"(3.5)", ATN_SCATTER, "linear", 2, 1, 1, SHORT, "1||T0(m)"},
    {"(3.6)", ATN_ALLGATHER, "ring", 2, 1, 1, SHORT, "2||[o0 + 2 L0(m,1)]"},
    {"(3.7)", ATN_ALLGATHER, "ring", 2, 1, 1, CELLS, "2||[o0 + 2k L0(S,1)]"},
    {"(3.8)", ATN_ALLGATHER, "recursive_doubling", 2, 1, 1, SHORT, "o0 + 2 L0(m,2)"},
    {"(3.9)", ATN_ALLGATHER, "recursive_doubling", 2, 1, 1, CELLS, "o0 + 2k L0(S,2)"},
    {"(4.1)", ATN_BCAST, "binomial", 8, 1, 1, SHORT, "T0(m) + 2||T0(m) + 4||T0(m)"},
    {"(4.2)", ATN_BCAST, "binomial", 8, 1, 1, SHORT, "3 o0 + 2 L0(m,1) + 2 L0(m,2) + 2 L0(m,4)"},
    {"(4.3)", ATN_BCAST, "binomial", 4, 1, 1, CELLS,
     "2 o0 + 2 L0(S,1) + (k-1) L0(S,2) + 2 L0(S,2) + (k-1) L0(S,4)"},
    {"(4.4)", ATN_BCAST, "binomial", 8, 1, 1, STREAM, "3 o0 + k L0(S,2) + k L0(S,4) + k L0(S,8)"},
    {"(4.7)", ATN_ALLGATHER, "recursive_doubling", 8, 1, 1, SHORT,
     "c(m,8) + 8||[o0 + 2 L0(m,1)] + 8||[o0 + 2 L0(2m,1)] + 8||[o0 + 2 L0(4m,1)]"},
    {"(4.8)", ATN_ALLGATHER, "recursive_doubling", 8, 1, 1, SHORT, "c(m,8) + 3 o0 + 7*[2 L0(m,8)]"},
    {"(4.9)", ATN_ALLGATHER, "recursive_doubling", 8, 1, 1, CELLS, "3 o0 + 7*[2k L0(S,8)]"},
    {"(4.13)", ATN_ALLGATHER, "ring", 8, 1, 1, SHORT, "c(m,8) + 7*[8||[o0 + 2 L0(m,1)]]"},
    {"(4.14)", ATN_ALLGATHER, "ring", 8, 1, 1, SHORT, "c(m,8) + 7 o0 + 7*[2 L0(m,8)]"},
    {"(4.15)", ATN_ALLGATHER, "ring", 8, 1, 1, CELLS, "7 o0 + 7*[2k L0(S,8)]"},
    {"(4.18)", ATN_SCATTER, "binomial", 8, 1, 8, SHORT, "T0(m/2) + 2||T0(m/4) + 4||T0(m/8)"},
    {"(4.19)", ATN_SCATTER, "binomial", 8, 1, 8, SHORT,
     "3 o0 + 2 L0(m/2,1) + 2 L0(m/4,2) + 2 L0(m/8,4)"},
    {"(4.20)", ATN_SCATTER, "binomial", 8, 1, 8, STREAM,
     "3 o0 + k/2 L0(S,2) + k/4 L0(S,4) + k/8 L0(S,8)"},
    {"(4.21)", ATN_SCATTER, "binomial", 8, 1, 8, SHORT, "L0(m,1) + L0(m/2,2) + L0(m/4,4)"},
    {"(4.22)", ATN_SCATTER, "binomial", 8, 1, 8, STREAM, "k/2 L0(S,2) + k/4 L0(S,4) + k/8 L0(S,8)"},
    {"(4.25)", ATN_ALLGATHER, "neighbor", 8, 1, 1, SHORT,
     "c(m,8) + 8||[o0 + 2 L0(m,1)] + 3*[8||[o0 + 2 L0(2m,1)]]"},
    {"(4.26)", ATN_ALLGATHER, "neighbor", 8, 1, 1, SHORT, "c(m,8) + 4 o0 + 7*[2 L0(m,8)]"},
    {"(4.27)", ATN_ALLGATHER, "neighbor", 8, 1, 1, CELLS, "4 o0 + 7*[2k L0(S,8)]"},
    {"(4.30)", ATN_ALLGATHER, "bruck", 8, 1, 1, SHORT,
     "8||[o0 + 2 L0(m,1)] + 8||[o0 + 2 L0(2m,1)] + 8||[o0 + 2 L0(4m,1)]"},
    {"(4.31)", ATN_ALLGATHER, "bruck", 8, 1, 1, SHORT, "3 o0 + 7*[2 L0(m,8)]"},
    {"(4.32)", ATN_ALLGATHER, "bruck", 8, 1, 1, CELLS, "3 o0 + 7*[2k L0(S,8)]"},
    {"(4.35)", ATN_ALLGATHER, "bruck", 8, 1, 1, SHORT,
     "c(m,8) + 8||[o0 + 2 L0(m,1)] + 8||[o0 + 2 L0(2m,1)] + 8||[o0 + 2 L0(4m,1)]"},
    {"(4.36)", ATN_ALLGATHER, "bruck", 8, 1, 1, SHORT, "c(m,8) + 3 o0 + 7*[2 L0(m,8)]"},
    {"(4.37)", ATN_ALLGATHER, "bruck", 8, 1, 1, CELLS, "3 o0 + 7*[2k L0(S,8)]"},
    {"(4.40)", ATN_ALLTOALL, "pairwise", 8, 1, 8, SHORT, "c(m/8,8) + 7*[8||[o0 + 2 L0(m/8,1)]]"},
    {"(4.41)", ATN_ALLTOALL, "pairwise", 8, 1, 8, SHORT, "c(m/8,8) + 7 o0 + 7*[2 L0(m/8,8)]"},
    {"(4.42)", ATN_ALLTOALL, "pairwise", 8, 1, 8, CELLS, "7 o0 + 7*[k/4 L0(S,8)]"},
    {"(4.45)", ATN_REDUCE, "binomial", 8, 1, 1, SHORT,
     "4||[T0(m) + g(m,1)] + 2||[T0(m) + g(m,1)] + T0(m) + g(m,1)"},
    {"(4.49)", ATN_REDUCE_SCATTER_BLOCK, "recursive_halving", 8, 1, 8, CELLS,
     "3 o0 + k L0(S,8) + k/2 L0(S,8) + k/4 L0(S,8) + g(m/2,8) + g(m/4,8) + g(m/8,8)"},
    {"(4.50)", ATN_GATHER, "binomial", 8, 1, 8, STREAM,
     "3 o0 + k/8 L0(S,8) + k/4 L0(S,4) + k/2 L0(S,2)"},
    {"(4.48), (4.51)", ATN_REDUCE, "rabenseifner", 8, 1, 1, STREAM,
     "6 o0 + k L0(S,8) + k/2 L0(S,8) + k/4 L0(S,8) + g(m/2,8) + g(m/4,8) + g(m/8,8)"
     " + k/8 L0(S,8) + k/4 L0(S,4) + k/2 L0(S,2)"},
    {"(4.52)", ATN_REDUCE_SCATTER_BLOCK, "pairwise", 8, 1, 8, CELLS,
     "7 o0 + 7*[k/4 L0(S,8)] + 7 g(m/8,8)"},
    {"(5.6), (5.7)", ATN_BCAST, "binomial", 16, 4, 1, SHORT, "2 T1(m) + T0(m) + 2||T0(m)"},
    {"(5.11)", ATN_ALLGATHER, "ring", 32, 4, 1, SHORT, "31*[L0(m,8) + L1(m,1) + L0(m,1)]"},
    {"(5.12)", ATN_ALLGATHER, "ring", 32, 4, 1, CELLS, "31*[2k L0(S,8) + 2 L0(m,1) + L1(m,1)]"},
    {"(5.16), (5.17)", ATN_ALLGATHER, "recursive_doubling", 16, 4, 1, SHORT,
     "2 o0 + 2 o1 + 30 L0(m,4) + 12 L1(m,4)"},
    {"(6.1)", ATN_SCATTER, "binomial", 16, 1, 16, STREAM,
     "4 o0 + k/2 L0(S,2) + k/4 L0(S,4) + k/8 L0(S,8) + k/16 L0(S,16)"},
    {"(6.2)", ATN_ALLGATHER, "recursive_doubling", 8, 1, 8, CELLS,
     "3 o0 + k/4 L0(S,8) + k/2 L0(S,8) + k L0(S,8)"},
    {"(6.3)", ATN_ALLGATHER, "recursive_doubling", 16, 1, 16, CELLS, "15k/8 L0(S,16)"},
    {"(5.10), (6.10)", ATN_ALLGATHER, "ring", 32, 4, 1, CYCLIC, "31*[L0(m,8) + L1(m,8) + L0(m,8)]"},
#undef SHORT
#undef CELLS
#undef STREAM
#undef CYCLIC
};

static void published_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        char *wanted = canonical(published[i].printed, published[i].transport);
        const atn_tau_view view = {
            .transport = published[i].transport,
            .overheads = strstr(wanted, "o0") != NULL || strstr(wanted, "o1") != NULL,
            .copies = strstr(wanted, "c(") != NULL,
            .block =
                atn_tau_form_div(atn_tau_form_symbol("m"), atn_tau_form_int(published[i].parts))};
        char *got = formula(published[i].op, published[i].name, published[i].p, published[i].nodes,
                            published[i].map, view);
        if (strcmp(got, wanted) != 0)
            fail_msg("%s is %s, of the schedule %s", published[i].number, wanted, got);
        free(got);
        free(wanted);
    }
}

/* ---- other cases ---- */

/* V4, and cyclic mapping, for which the literature has no formula. */
static void recursive_doubling(void **state)
{
    (void)state;
    const atn_tau_view bare = {0}, with = {.overheads = true},
                       all = {.contention = ATN_TAU_NETWORK};
    const char name[] = "recursive_doubling";
    expect(ATN_ALLGATHER, name, 16, 4, "seq", with, "2*o0 + 2*o1 + 30*L0(m,4) + 12*L1(m,4)");
    expect(ATN_ALLGATHER, name, 32, 4, "seq", bare, "62*L0(m,8) + 24*L1(m,8)");
    expect(ATN_ALLGATHER, name, 16, 4, "rr", bare, "30*L0(m,4) + 3*L1(m,4)");
    expect(ATN_ALLGATHER, name, 32, 4, "rr", bare, "62*L0(m,8) + 3*L1(m,8)");
    /* contention among all network transfers, as in the heterogeneous part of the thesis */
    expect(ATN_ALLGATHER, name, 16, 4, "seq", all, "30*L0(m,4) + 12*L1(m,16)");
}

/* V3, V5; the last stage has the remaining messages. */
static void binomial_broadcast(void **state)
{
    (void)state;
    const atn_tau_view bare = {0}, with = {.overheads = true};
    expect(ATN_BCAST, "binomial", 16, 1, "seq", with,
           "4*o0 + 2*L0(m,1) + 2*L0(m,2) + 2*L0(m,4) + 2*L0(m,8)");
    expect(ATN_BCAST, "binomial", 65, 1, "seq", bare,
           "4*L0(m,1) + 2*L0(m,2) + 2*L0(m,4) + 2*L0(m,8) + 2*L0(m,16) + 2*L0(m,32)");
    expect(ATN_BCAST, "binomial", 128, 1, "seq", bare,
           "2*L0(m,1) + 2*L0(m,2) + 2*L0(m,4) + 2*L0(m,8) + 2*L0(m,16) + 2*L0(m,32) + "
           "2*L0(m,64)");
    expect(ATN_BCAST, "binomial", 16, 4, "seq", bare, "6*L0(m,1) + 2*L0(m,2) + 2*L1(m,1)");
    expect(ATN_BCAST, "binomial", 16, 4, "rr", bare,
           "2*L0(m,1) + 2*L0(m,2) + 4*L0(m,4) + 2*L1(m,4)");
    expect(ATN_BCAST, "binomial", 32, 4, "rr", bare,
           "2*L0(m,1) + 2*L0(m,2) + 2*L0(m,4) + 4*L0(m,8) + 2*L1(m,8)");
}

static void barrier(void **state)
{
    (void)state;
    expect(ATN_BARRIER, "dissemination", 8, 1, "seq", (atn_tau_view){0}, "6*L0(0,8)");
}

static void mappings_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        int p, nodes;
        const char *result; /* or the error */
    } cases[] = {
        {"seq", 5, 2, "0*3,1*2"},
        {"rr", 5, 2, "0,1,0,1,0"},
        {"1*2,0,1", 4, 2, "1*2,0,1"},
        {"0,2", 2, 2,
         "mapping '0,2': invalid '2'; write seq, rr, or nodes 0 to 1 in the order of ranks, as in "
         "0*4,1*3,0"},
        {"0*2", 3, 2, "mapping '0*2' places 2 ranks, but there are 3"},
        {"0*9", 3, 2, "mapping '0*9' places more than 3 ranks, but there are 3"},
        {"0x2", 3, 2,
         "mapping '0x2': invalid 'x2'; write seq, rr, or nodes 0 to 1 in the order of ranks, as in "
         "0*4,1*3,0"},
        {"0*", 3, 2,
         "mapping '0*': invalid '0*'; write seq, rr, or nodes 0 to 1 in the order of ranks, as in "
         "0*4,1*3,0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        atn_mapping m;
        atn_error err = {0};
        if (atn_tau_mapping_read(cases[i].word, cases[i].p, cases[i].nodes, &m, &err)) {
            assert_int_equal(err.status, ATN_USAGE);
            assert_string_equal(err.text, cases[i].result);
            continue;
        }
        char *word = atn_tau_mapping_word(&m);
        assert_string_equal(word, cases[i].result);
        free(word);
        atn_tau_mapping_free(&m);
    }
}

/* ---- formula and time ---- */

static double o(void *data, int channel, double bytes)
{
    (void)data, (void)bytes;
    return channel ? 50 : 5;
}
static double L(void *data, int channel, double bytes, double tau)
{
    (void)data;
    return bytes * (channel ? 100 * (1 + tau) : 1 + tau / 16);
}
static double per_byte(void *data, double bytes, double tau)
{
    (void)data;
    return bytes * (1 + tau) / 10;
}

/* If costs are proportional to bytes, the formula with its maxima has the value of the steps. */
static void formula_and_time_agree(void **state)
{
    (void)state;
    const atn_tau_costs costs = {NULL, o, L, per_byte, per_byte};
    const atn_tau_view view = {.transport = ATN_TAU_WHOLE, .overheads = true, .copies = true};
    const atn_variable m = {"m", 60};
    static const struct {
        atn_operation op;
        const char *name;
    } rows[] = {{ATN_ALLGATHER, "ring"},   {ATN_ALLGATHER, "bruck"}, {ATN_BCAST, "binomial"},
                {ATN_REDUCE, "binomial"},  {ATN_ALLREDUCE, "ring"},  {ATN_ALLTOALL, "linear"},
                {ATN_SCATTER, "binomial"}, {ATN_GATHER, "binomial"}, {ATN_BCAST, "chain"},
                {ATN_SCAN, "linear"},      {ATN_ALLTOALL, "bruck"}};
    static const char *const maps[] = {"seq", "rr"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int p = 2; p < 14; p++) {
            atn_traffic t = traffic_of(rows[i].op, rows[i].name, p);
            for (int k = 0; k < 2; k++) {
                atn_mapping map;
                double value;
                atn_terms terms = derive(&t, 3, maps[k], view);
                atn_tau *x = atn_tau_terms_tau(&terms);
                assert_int_equal(atn_tau_mapping_read(maps[k], p, 3, &map, NULL), ATN_OK);
                assert_int_equal(atn_tau_value(x, &costs, &m, 1, &value, NULL), ATN_OK);
                const double time = atn_tau_time(&t, &map, ATN_TAU_TO_NODE, &costs, 60);
                if (fabs(time - value) > 1e-9 * time)
                    fail_msg("%s on %d ranks, %s: %g and %g", rows[i].name, p, maps[k], time,
                             value);
                atn_tau_free(x);
                atn_tau_terms_free(&terms);
                atn_tau_mapping_free(&map);
            }
            atn_tau_traffic_free(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_formulas),  cmocka_unit_test(recursive_doubling),
        cmocka_unit_test(binomial_broadcast),  cmocka_unit_test(barrier),
        cmocka_unit_test(mappings_are_parsed), cmocka_unit_test(formula_and_time_agree),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
