/* test_optimise.c - receives that reduce, and reductions with three operands: verification, text,
 * models, drawings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/alpha_beta.h"
#include "report/timeline.h"
#include "sched/text.h"
#include "sched/verify.h"

typedef struct {
    int p;
    atn_schedule **s;
} all_ranks;

static void parse(all_ranks *a, const char *text)
{
    atn_error err = {0};
    if (atn_sched_schedule_parse(text, "text", &a->s, &a->p, &err) != ATN_OK)
        fail_msg("%s", err.text);
}

static void free_all(all_ranks *a)
{
    for (int r = 0; r < a->p; r++)
        atn_sched_schedule_free(a->s[r]);
    free(a->s);
}

static char *print(const all_ranks *a)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_sched_schedule_print(f, a->s, a->p);
    fclose(f);
    return text;
}

static void assert_verified(const all_ranks *a)
{
    atn_error err = {0};
    if (atn_sched_verify(a->s, a->p, NULL, &err) != ATN_OK)
        fail_msg("%s\n%s", err.text, print(a));
}

static void assert_finding(const char *text, const char *why)
{
    all_ranks a;
    atn_error err = {0};
    parse(&a, text);
    assert_int_equal(atn_sched_verify(a.s, a.p, NULL, &err), ATN_FINDING);
    assert_non_null(strstr(err.text, why));
    free_all(&a);
}

#define HEAD(problem) "attune-schedule 1\nname mine\nproblem " problem "\n"

/* ---- semantics ---- */

/* The root combines in rank order: the message of rank 0 is the first operand. */
static const char fused[] = HEAD("reduce p=2 root=1 ordered") "rank 0 split=1 rounds=1\n"
                                                              "round 0\n"
                                                              "0: send 1 src[0]\n"
                                                              "rank 1 split=1 rounds=1\n"
                                                              "tmp vec[0]\n"
                                                              "round 0\n"
                                                              "0: recv_reduce 0 tmp[0] with src[0] "
                                                              "into dst[0]\n"
                                                              "end\n";

static void fused_receives_verify(void **state)
{
    all_ranks a;

    (void)state;
    parse(&a, fused);
    assert_true(atn_sched_is_message(&a.s[1]->ops[0]) && atn_sched_receives(&a.s[1]->ops[0]));
    assert_verified(&a);
    char *text = print(&a);
    assert_string_equal(text, fused);
    free(text);
    free_all(&a);
}

static void wrong_reductions_are_found(void **state)
{
    (void)state;
    assert_finding(HEAD("reduce p=2 ordered") "rank 0\n"
                                              "tmp vec[0]\n"
                                              "0: recv_reduce 1 tmp[0] with src[0] into dst[0]\n"
                                              "rank 1\n"
                                              "0: send 0 src[0]\n"
                                              "end\n",
                   "order");
    assert_finding(HEAD("reduce p=2 root=1") "rank 0\n"
                                             "0: send 1 src[0]\n"
                                             "rank 1\n"
                                             "tmp vec[0]\n"
                                             "0: recv_reduce 0 tmp[0] with src[0] into dst[0]\n"
                                             "1: copy tmp[0] to dst[0]\n"
                                             "end\n",
                   "holds nothing");
    assert_finding(HEAD("reduce p=2 root=1") "rank 0\n"
                                             "0: send 1 src[0]\n"
                                             "rank 1\n"
                                             "tmp vec[0]\n"
                                             "0: recv_reduce 0 tmp[0] into dst[0]\n"
                                             "end\n",
                   "holds nothing");
}

/* Operations that read or write the slots of a reduction depend on it. */
static void slots_are_ordered(void **state)
{
    all_ranks a;

    (void)state;
    parse(&a, HEAD("allreduce p=2") "rank 0\n"
                                    "tmp vec[0,0]\n"
                                    "0: copy src[0] to tmp[1]\n"
                                    "1: recv_reduce 1 tmp[0] with tmp[1] into dst[0]\n"
                                    "2: send 1 dst[0]\n"
                                    "rank 1\n"
                                    "0: send 0 src[0]\n"
                                    "1: recv 0 dst[0]\n"
                                    "end\n");
    assert_verified(&a);
    assert_int_equal(a.s[0]->ops[1].ndeps, 1);
    assert_int_equal(a.s[0]->ops[2].ndeps, 1);
    a.s[0]->ops[1].ndeps = 0;
    atn_error err = {0};
    assert_int_equal(atn_sched_verify(a.s, a.p, NULL, &err), ATN_FINDING);
    assert_non_null(strstr(err.text, "nothing orders"));
    free_all(&a);
}

static void overlapping_operands_are_found(void **state)
{
    all_ranks a;
    atn_error err = {0};

    (void)state;
    parse(&a, fused);
    a.s[1]->ops[0].c = a.s[1]->ops[0].b;
    assert_int_equal(atn_sched_verify(a.s, a.p, NULL, &err), ATN_FINDING);
    assert_non_null(strstr(err.text, "overlaps"));
    free_all(&a);
}

static void second_operands_identify_schedules(void **state)
{
    all_ranks a;

    (void)state;
    parse(&a, fused);
    const uint64_t hash = atn_sched_schedule_hash(a.s[1]);
    a.s[1]->ops[0].c.n = 0;
    assert_true(atn_sched_schedule_hash(a.s[1]) != hash);
    free_all(&a);
}

/* Two receives, one of which reduces, are not a step. */
static void steps_have_two_directions(void **state)
{
    all_ranks a;

    (void)state;
    parse(&a, HEAD("reduce p=3") "rank 0\n"
                                 "tmp vec[0,0]\n"
                                 "0: recv 1 tmp[1]\n"
                                 "1: recv_reduce 2 tmp[0] with src[0] into dst[0]\n"
                                 "2: reduce tmp[1] into dst[0]\n"
                                 "rank 1\n"
                                 "0: send 0 src[0]\n"
                                 "rank 2\n"
                                 "0: send 0 src[0]\n"
                                 "end\n");
    assert_verified(&a);
    assert_int_equal(atn_sched_step_length(a.s[0], 0), 1);
    free_all(&a);
}

/* ---- models and drawings ---- */

static void fused_receives_cost_both(void **state)
{
    static const atn_alpha_beta m = {.a = 100, .b = 10, .g = 1};
    all_ranks a;
    atn_timeline t;
    double time;

    (void)state;
    parse(&a, fused);
    assert_int_equal(atn_model_alpha_beta_time(a.s, a.p, 8, &m, &time, NULL), ATN_OK);
    assert_true(time == 100 + 8 * 10 + 8 * 1);
    assert_int_equal(atn_report_timeline_make(a.s, a.p, &t, NULL), ATN_OK);
    assert_int_equal(t.messages, 1);
    assert_true(t.end == 1 + ATN_REDUCE_TIME);
    atn_report_timeline_free(&t);
    free_all(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_receives_verify),
        cmocka_unit_test(wrong_reductions_are_found),
        cmocka_unit_test(slots_are_ordered),
        cmocka_unit_test(overlapping_operands_are_found),
        cmocka_unit_test(second_operands_identify_schedules),
        cmocka_unit_test(steps_have_two_directions),
        cmocka_unit_test(fused_receives_cost_both),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
