/* test_optimise.c - receives that reduce, and reductions with three operands: verification, text,
 * models, drawings; the passes that make them, and where they do not apply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/alpha_beta.h"
#include "report/timeline.h"
#include "sched/check.h"
#include "sched/optimise.h"
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

/* Overwritten by the next call. */
static char *print(const all_ranks *a)
{
    static char text[4096];
    FILE *f = fmemopen(text, sizeof text, "w");
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
    assert_string_equal(print(&a), fused);
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

/* ---- passes ---- */

typedef atn_status (*pass_fn)(atn_schedule *s);

/* Runs a pass on rank 0 of an allreduce on two ranks with four blocks and compares its lines. */
static void becomes_in(const char *problem, pass_fn pass, const char *before, const char *after)
{
    static const char rank[] = "rank 0 split=4 rounds=1\ntmp vec[0..3]\nround 0\n";
    char text[1024];
    all_ranks a;
    atn_error err = {0};

    snprintf(text, sizeof text, HEAD("%s") "%s%srank 1\nend\n", problem, rank, before);
    parse(&a, text);
    assert_int_equal(pass(a.s[0]), ATN_OK);
    if (atn_sched_check(a.s[0], &err) != ATN_OK)
        fail_msg("%s", err.text);
    char *printed = print(&a);
    const char *ops = strstr(printed, "round 0\n") + strlen("round 0\n");
    *strstr(ops, "rank 1") = '\0';
    assert_string_equal(ops, after);
    free_all(&a);
}

static void becomes(pass_fn pass, const char *before, const char *after)
{
    becomes_in("allreduce p=2", pass, before, after);
}

static void stays(pass_fn pass, const char *ops) { becomes(pass, ops, ops); }

static void receives_are_fused(void **state)
{
    (void)state;
    becomes(atn_sched_fuse,
            "0: recv 1 tmp[0]\n"
            "1: reduce tmp[0] into dst[0]\n"
            "2: send 1 dst[0]\n",
            "0: recv_reduce 1 tmp[0] into dst[0]\n"
            "1: send 1 dst[0]\n");
    becomes(atn_sched_fuse,
            "0: send 1 src[1]\n"
            "1: recv 1 tmp[0]\n"
            "2: reduce tmp[0] with src[0] into dst[0]\n",
            "0: send 1 src[1]\n"
            "1: recv_reduce 1 tmp[0] with src[0] into dst[0]\n");
    becomes(atn_sched_fuse,
            "0: recv 1 tmp[0]\n"
            "1: recv 1 tmp[1]\n"
            "2: reduce tmp[0] into dst[0]\n"
            "3: reduce tmp[1] into dst[0]\n",
            "0: recv_reduce 1 tmp[0] into dst[0]\n"
            "1: recv_reduce 1 tmp[1] into dst[0]\n");
    becomes(atn_sched_fuse, /* scratch may be used again */
            "0: recv 1 tmp[0]\n"
            "1: reduce tmp[0] into dst[0]\n"
            "2: recv 1 tmp[0]\n"
            "3: send 1 tmp[0]\n",
            "0: recv_reduce 1 tmp[0] into dst[0]\n"
            "1: recv 1 tmp[0]\n"
            "2: send 1 tmp[0]\n");
}

static void explicit_dependencies_move(void **state)
{
    (void)state;
    becomes(atn_sched_fuse,
            "0: send 1 src[1]\n"
            "1: copy src[2] to dst[2]\n"
            "2: recv 1 tmp[0]\n"
            "3: reduce tmp[0] into dst[0] after 0\n"
            "4: send 1 src[3] after 3\n",
            "0: send 1 src[1]\n"
            "1: copy src[2] to dst[2]\n"
            "2: recv_reduce 1 tmp[0] into dst[0] after 0\n"
            "3: send 1 src[3] after 2\n");
    becomes(atn_sched_forward_copies, /* what waits for a copy waits for what it waited for */
            "0: send 1 src[1]\n"
            "1: copy src[0] to tmp[0] after 0\n"
            "2: send 1 src[2] after 1\n",
            "0: send 1 src[1]\n"
            "1: send 1 src[2] after 0\n");
}

/* The receive would wait for the send of its exchange, as its peer does. */
static void exchanges_of_the_result_are_not_fused(void **state)
{
    (void)state;
    stays(atn_sched_fuse, "0: send 1 dst[0]\n"
                          "1: recv 1 tmp[0]\n"
                          "2: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: send 1 dst[0]\n"
                          "2: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_fuse, "0: send 1 src[0]\n"
                          "1: recv 1 tmp[0]\n"
                          "2: reduce tmp[0] into dst[0] after 0\n");
}

static void messages_with_other_readers_are_not_fused(void **state)
{
    (void)state;
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: reduce tmp[0] into dst[0]\n"
                          "2: send 1 tmp[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: copy tmp[0] to dst[1]\n"
                          "2: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0..1]\n"
                          "1: reduce tmp[0] into dst[0]\n"
                          "2: reduce tmp[1] into dst[1]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: recv 1 tmp[1]\n"
                          "2: reduce tmp[0..1] into dst[0..1]\n");
}

static void accesses_in_between_prevent_fusion(void **state)
{
    (void)state;
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: copy src[0] to dst[0]\n"
                          "2: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: copy src[0] to tmp[1]\n"
                          "2: reduce tmp[0] with tmp[1] into dst[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: recv 1 dst[1]\n"
                          "2: reduce tmp[0] into dst[0] after 1\n");
}

static const char second[] = "0: recv 1 tmp[0]\n"
                             "1: reduce src[0] with tmp[0] into dst[0]\n";
static const char in_result[] = "0: send 1 src[0]\n"
                                "1: recv 1 dst[0]\n"
                                "2: reduce src[0] into dst[0]\n";

static void operands_are_exchanged_if_they_commute(void **state)
{
    (void)state;
    becomes(atn_sched_fuse, second, "0: recv_reduce 1 tmp[0] with src[0] into dst[0]\n");
    becomes(atn_sched_fuse, in_result, /* with new scratch */
            "0: send 1 src[0]\n"
            "1: recv_reduce 1 tmp[4] with src[0] into dst[0]\n");
    becomes_in("allreduce p=2 ordered", atn_sched_fuse, second, second);
    becomes_in("allreduce p=2 ordered", atn_sched_fuse, in_result, in_result);
}

static void copies_are_forwarded(void **state)
{
    (void)state;
    becomes(atn_sched_forward_copies,
            "0: copy src[0..1] to dst[0..1]\n"
            "1: send 1 dst[1]\n"
            "2: recv 1 tmp[0]\n"
            "3: reduce tmp[0] into dst[0]\n"
            "4: recv 1 dst[1]\n",
            "0: send 1 src[1]\n"
            "1: recv 1 tmp[0]\n"
            "2: reduce tmp[0] with src[0] into dst[0]\n"
            "3: recv 1 dst[1]\n");
    becomes(atn_sched_forward_copies, /* a copy of a copy */
            "0: copy src[0] to tmp[0]\n"
            "1: copy tmp[0] to dst[0]\n",
            "0: copy src[0] to dst[0]\n");
}

static void copies_are_forwarded_in_parts(void **state)
{
    (void)state;
    becomes(atn_sched_forward_copies, /* the result needs one block */
            "0: copy src[0..1] to dst[0..1]\n"
            "1: recv 1 dst[1]\n",
            "0: copy src[0] to dst[0]\n"
            "1: recv 1 dst[1]\n");
    stays(atn_sched_forward_copies, /* one of two operands is a copy */
          "0: copy src[0] to dst[0]\n"
          "1: recv 1 dst[1]\n"
          "2: recv 1 tmp[0..1]\n"
          "3: reduce tmp[0..1] into dst[0..1]\n");
    stays(atn_sched_forward_copies, /* in more ranges */
          "0: copy src[0,2] to tmp[0..1]\n"
          "1: send 1 tmp[0..1]\n");
}

/* The receive would wait for the send, from which the copy separates it. */
static void overwritten_sources_are_not_forwarded(void **state)
{
    (void)state;
    stays(atn_sched_forward_copies, "0: recv 1 tmp[0]\n"
                                    "1: copy tmp[0] to tmp[1]\n"
                                    "2: send 1 tmp[1]\n"
                                    "3: recv 1 tmp[0]\n"
                                    "4: reduce tmp[0] into dst[0]\n");
}

/* Without the copy, the first receive would form a step with the send of the exchange. */
static void exchanges_remain_exchanges(void **state)
{
    (void)state;
    becomes(atn_sched_forward_copies,
            "0: recv 1 dst[0]\n"
            "1: copy src[1] to tmp[1]\n"
            "2: send 1 tmp[1]\n"
            "3: recv 1 dst[1]\n"
            "4: send 1 dst[1]\n",
            "0: recv 1 dst[0]\n"
            "1: recv 1 dst[1]\n"
            "2: send 1 src[1]\n"
            "3: send 1 dst[1]\n");
}

static void results_are_not_copied(void **state)
{
    (void)state;
    becomes(atn_sched_retarget_copies,
            "0: recv 1 tmp[0]\n"
            "1: reduce src[0] into tmp[0]\n"
            "2: copy tmp[0] to dst[0]\n",
            "0: recv 1 tmp[0]\n"
            "1: reduce src[0] with tmp[0] into dst[0]\n");
    becomes(atn_sched_retarget_copies,
            "0: recv 1 tmp[0]\n"
            "1: reduce dst[0] into tmp[0]\n"
            "2: copy tmp[0] to dst[0]\n",
            "0: recv 1 tmp[0]\n"
            "1: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_retarget_copies, "0: recv 1 tmp[0]\n"
                                     "1: reduce src[0] into tmp[0]\n"
                                     "2: copy tmp[0] to dst[0]\n"
                                     "3: send 1 tmp[0]\n");
    stays(atn_sched_retarget_copies, "0: recv 1 tmp[0]\n"
                                     "1: reduce src[0] into tmp[0]\n"
                                     "2: send 1 dst[0]\n"
                                     "3: copy tmp[0] to dst[0]\n");
    stays(atn_sched_retarget_copies, "0: recv 1 tmp[0..1]\n"
                                     "1: reduce src[0..1] into tmp[0..1]\n"
                                     "2: copy tmp[0] to dst[0]\n");
}

/* ---- shared memory ---- */

static void exposures_are_not_forwarded(void **state)
{
    (void)state;
    stays(atn_sched_forward_copies, "0: copy src[0] to tmp[0]\n"
                                    "1: expose 0 of tmp[0] for 1\n"
                                    "2: close 0 after 1\n");
    stays(atn_sched_retarget_copies, "0: recv 1 tmp[0]\n"
                                     "1: reduce src[0] into tmp[0]\n"
                                     "2: expose 0 of tmp[0] for 1\n"
                                     "3: copy tmp[0] to dst[0]\n"
                                     "4: close 0 after 2\n");
    stays(atn_sched_retarget_copies, "0: expose 0 of dst[0] for 1\n"
                                     "1: recv 1 tmp[0]\n"
                                     "2: reduce src[0] into tmp[0]\n"
                                     "3: close 0 after 0\n"
                                     "4: copy tmp[0] to dst[0]\n");
    stays(atn_sched_fuse, "0: expose 0 of dst[0] for 1\n"
                          "1: recv 1 tmp[0]\n"
                          "2: close 0 after 0\n"
                          "3: reduce tmp[0] into dst[0]\n");
    stays(atn_sched_fuse, "0: recv 1 tmp[0]\n"
                          "1: expose 0 of tmp[0] for 1\n"
                          "2: reduce tmp[0] into dst[0]\n"
                          "3: close 0 after 1\n");
}

static void operands_of_reads_are_forwarded(void **state)
{
    (void)state;
    becomes(atn_sched_forward_copies,
            "0: copy src[0..1] to dst[0..1]\n"
            "1: read_reduce 1.0 into dst[0]\n"
            "2: read 1.0 skip vec[0] to dst[1]\n",
            "0: read_reduce 1.0 with src[0] into dst[0]\n"
            "1: read 1.0 skip vec[0] to dst[1]\n");
    stays(atn_sched_forward_copies, "0: copy src[0] to tmp[0]\n" /* no copy any more */
                                    "1: expose 0 of tmp[0] for 1\n"
                                    "2: close 0 after 1\n"
                                    "3: read 1.0 to tmp[0]\n"
                                    "4: send 1 tmp[0]\n");
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
        cmocka_unit_test(receives_are_fused),
        cmocka_unit_test(explicit_dependencies_move),
        cmocka_unit_test(exchanges_of_the_result_are_not_fused),
        cmocka_unit_test(messages_with_other_readers_are_not_fused),
        cmocka_unit_test(accesses_in_between_prevent_fusion),
        cmocka_unit_test(operands_are_exchanged_if_they_commute),
        cmocka_unit_test(copies_are_forwarded),
        cmocka_unit_test(copies_are_forwarded_in_parts),
        cmocka_unit_test(overwritten_sources_are_not_forwarded),
        cmocka_unit_test(exchanges_remain_exchanges),
        cmocka_unit_test(results_are_not_copied),
        cmocka_unit_test(exposures_are_not_forwarded),
        cmocka_unit_test(operands_of_reads_are_forwarded),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
