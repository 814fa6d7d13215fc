/* test_text.c - the text format of schedules: round trips, and rejection of damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "sched/text.h"
#include "sched/verify.h"

/* ---- printing and reading back ---- */

static char *print(atn_schedule *const *set, int p)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    atn_sched_schedule_print(f, set, p);
    fclose(f);
    return text;
}

static void free_set(atn_schedule **set, int p)
{
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(set[r]);
    free(set);
}

/* NULL when the row does not apply. */
static atn_schedule **build(const atn_row *row, int p, const char *params, bool in_place)
{
    atn_schedule **set = calloc((size_t)p, sizeof *set);
    atn_params prm;
    atn_problem q = {
        .op = row->op, .p = p, .root = p - 1, .shared = ATN_SHARED_ALL, .bytes = 65536};
    if (!(atn_sched_operation_get(row->op)->flags & ATN_ROOTED))
        q.root = 0;
    assert_int_equal(atn_algo_params_parse(row, params, &prm, NULL), ATN_OK);
    q.segments = atn_algo_segments(row, &q, &prm);
    for (q.r = 0; q.r < p; q.r++) {
        const atn_place place = atn_sched_operation_place(q.op, q.r == q.root);
        q.in_place = in_place && place != ATN_PLACE_NONE && place != ATN_PLACE_STAGED;
        if (atn_algo_build(row, &q, &prm, &set[q.r], NULL) != ATN_OK) {
            free_set(set, p);
            return NULL;
        }
        set[q.r]->q.shared = ATN_SHARED_NONE; /* not part of the text */
    }
    return set;
}

static void assert_same_op(const atn_schedule *s, const atn_schedule *t, int i)
{
    const atn_op *x = &s->ops[i], *y = &t->ops[i];
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->ssend, y->ssend);
    assert_int_equal(x->peer, y->peer);
    assert_int_equal(x->seq, y->seq);
    assert_int_equal(x->round, y->round);
    assert_int_equal(x->nafter, y->nafter);
    assert_int_equal(x->ndeps, y->ndeps);
    assert_memory_equal(&s->deps[x->dep], &t->deps[y->dep], (size_t)x->ndeps * sizeof *s->deps);
}

static void assert_same(const atn_schedule *s, const atn_schedule *t)
{
    assert_string_equal(s->name, t->name);
    assert_memory_equal(&s->q, &t->q, sizeof s->q);
    assert_int_equal(s->split, t->split);
    assert_int_equal(s->nrounds, t->nrounds);
    assert_int_equal(s->nops, t->nops);
    assert_int_equal(s->ntmp, t->ntmp);
    assert_memory_equal(s->tmp_shape, t->tmp_shape, (size_t)s->ntmp * sizeof *s->tmp_shape);
    for (int i = 0; i < s->nops; i++)
        assert_same_op(s, t, i);
}

static int round_trip(atn_schedule **set, int p)
{
    char *text = print(set, p);
    atn_schedule **again;
    atn_error err = {0};
    int q;
    if (atn_sched_schedule_parse(text, "text", &again, &q, &err) != ATN_OK)
        fail_msg("%s\n%s", err.text, text);
    assert_int_equal(p, q);
    for (int r = 0; r < p; r++)
        assert_same(set[r], again[r]);
    char *twice = print(again, p);
    assert_string_equal(text, twice);
    free(twice);
    free(text);
    free_set(again, p);
    return 1;
}

static void every_row_round_trips(void **state)
{
    static const char *const all_params[] = {"", "segment=8K", "window=1", "sync=pair",
                                             "sync=barrier"};
    (void)state;
    int done = 0;
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        for (int p = 1; p <= 9; p++)
            for (size_t k = 0; k < sizeof all_params / sizeof *all_params; k++) {
                const atn_row *row = atn_algo_catalog_row(i);
                atn_params prm;
                if (atn_algo_params_parse(row, all_params[k], &prm, NULL) != ATN_OK)
                    continue;
                atn_schedule **set = build(row, p, all_params[k], k % 2);
                if (!set)
                    continue;
                done += round_trip(set, p);
                free_set(set, p);
            }
    assert_true(done > 100);
}

static void parsed_schedules_verify(void **state)
{
    (void)state;
    const atn_row *row = atn_algo_catalog_by_name("allreduce/ring");
    atn_schedule **set = build(row, 5, "sync=barrier", false), **again;
    char *text = print(set, 5);
    int p;
    assert_int_equal(atn_sched_schedule_parse(text, "text", &again, &p, NULL), ATN_OK);
    atn_verify_counts proof;
    assert_int_equal(atn_sched_verify(again, p, &proof, NULL), ATN_OK);
    free(text);
    free_set(set, 5);
    free_set(again, p);
}

/* ---- damage ---- */

static void every_truncation_is_rejected(void **state)
{
    (void)state;
    atn_schedule **set = build(atn_algo_catalog_by_name("allreduce/ring"), 3, "sync=pair", false);
    char *text = print(set, 3);
    const size_t whole = strlen(text) - 1; /* the last newline may be missing */
    for (size_t n = 0; n < whole; n++) {
        char *cut = strndup(text, n);
        atn_schedule **again;
        atn_error err = {0};
        int p;
        assert_int_equal(atn_sched_schedule_parse(cut, "cut", &again, &p, &err), ATN_INPUT);
        assert_int_equal(strncmp(err.text, "cut:", 4), 0);
        free(cut);
    }
    free(text);
    free_set(set, 3);
}

/* Any change of one character is rejected or gives a well-formed schedule; never a crash. */
static void every_change_is_survived(void **state)
{
    (void)state;
    atn_schedule **set = build(atn_algo_catalog_by_name("allreduce/ring"), 3, "", false);
    char *text = print(set, 3);
    static const char other[] = "09 \n[],.:=#aA";
    for (size_t n = 0; text[n]; n++)
        for (size_t k = 0; other[k]; k++) {
            const char old = text[n];
            atn_schedule **again = NULL;
            int p = 0;
            text[n] = other[k];
            if (atn_sched_schedule_parse(text, "changed", &again, &p, NULL) == ATN_OK) {
                atn_verify_counts proof;
                atn_sched_verify(again, p, &proof, NULL);
                free_set(again, p);
            }
            text[n] = old;
        }
    free(text);
    free_set(set, 3);
}

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "f:1: not a schedule file"},
    {"attune-wisdom 1\n", "f:1: not a schedule file"},
    {"attune-schedule\n", "f:1: \"\" is no version"},
    {"attune-schedule 2\n", "f:1: schedule file of version 2"},
    {"attune-schedule 1 x\n", "f:1: 'x' is unexpected"},
    {"attune-schedule 1\nname a\nname b\n", "f:3: the name is given twice"},
    {"attune-schedule 1\nrank 0\n", "f:2: the name is missing"},
    {"attune-schedule 1\nname a\nrank 0\n", "f:3: the problem is missing"},
    {"attune-schedule 1\nproblem bcost p=2\n", "f:2: 'bcost' is not an MPI operation"},
    {"attune-schedule 1\nproblem bcast\n", "f:2: the number of ranks is missing"},
    {"attune-schedule 1\nproblem bcast p=0\n", "f:2: p=0 is out of range"},
    {"attune-schedule 1\nproblem bcast p=99999999999\n", "f:2: p=99999999999 is out of range"},
    {"attune-schedule 1\nproblem bcast p=2 root=2\n", "f:2: root 2 is not one of the 2 ranks"},
    {"attune-schedule 1\nproblem barrier p=2 root=1\n", "f:2: barrier has no root"},
    {"attune-schedule 1\nproblem bcast p=2 speed=1\n", "f:2: 'speed=1' is unknown"},
    {"attune-schedule 1\nproblem bcast p=2 bytes=x\n", "f:2: bytes=x is not a size"},
};

/* The text from line 5 on of a broadcast on two ranks. */
static const struct {
    const char *line, *message;
} bad_lines[] = {
    {"rank 1", "f:5: rank 1 is out of place: rank 0 is next"},
    {"rank 2", "f:5: '2' is not a valid rank"},
    {"rank 0 split=16777217", "f:5: split=16777217 is out of range"},
    {"rank 0 split=16777216", "f:5: split=16777216 on 2 ranks makes more than"},
    {"rank 0 fast", "f:5: 'fast' is unknown"},
    {"0: send 1 dst[0]", "f:5: an operation precedes the first rank"},
    {"round 0", "f:5: a round precedes the first rank"},
    {"tmp vec[0]", "f:5: scratch must be declared once"},
    {"rank 0\ntmp vec[9]", "f:6: block 9 is not in the shape vector"},
    {"rank 0\ntmp", "f:6: the shapes of the scratch blocks are missing"},
    {"rank 0\n1: send 1 dst[0]", "f:6: operation 1 should be number 0"},
    {"rank 0\n0 send 1 dst[0]", "f:6: '0' is not an operation number"},
    {"rank 0\n0: sned 1 dst[0]", "f:6: 'sned' is not an operation"},
    {"rank 0\n0: send 0 dst[0]", "f:6: rank 0 cannot exchange messages with itself"},
    {"rank 0\n0: send 7 dst[0]", "f:6: '7' is not a valid peer"},
    {"rank 0\n0: send 1", "f:6: a slot is missing"},
    {"rank 0\n0: send 1 foo[0]", "f:6: 'foo[0]' is not a slot"},
    {"rank 0\n0: send 1 dst[]", "f:6: 'dst[]' is not a slot"},
    {"rank 0\n0: send 1 dst[0", "f:6: 'dst[0' is not closed"},
    {"rank 0\n0: send 1 dst[3..1]", "f:6: 'dst[3..1]' has an invalid range"},
    {"rank 0\n0: send 1 dst[5]", "f:6: rank 0, operation 0: refers to blocks outside"},
    {"rank 0\n0: send 1 tmp[0]", "f:6: rank 0, operation 0: refers to scratch"},
    {"rank 0\n0: copy dst[0] dst[0]", "f:6: 'to' is missing"},
    {"rank 0\n0: copy dst[0] to dst[0]", "f:6: operation 0 does nothing"},
    {"rank 0\n0: send 1 dst[0] after 0", "f:6: the first operation cannot wait"},
    {"rank 0\n0: send 1 dst[0]\n1: recv 1 dst[0] after 1",
     "f:7: '1' is not a valid earlier operation"},
    {"rank 0\n0: send 1 dst[0] soon", "f:6: 'soon' is unexpected"},
    {"rank 0 rounds=2\nround 2", "f:6: '2' is not a valid round"},
    {"rank 0\nround 3\nround 2", "f:7: '2' is not a valid round"},
    {"rank 0\nend", "f:6: the schedule ends after 1 of 2 ranks"},
    {"rank 0\nrank 1\nend\nrank 1", "f:8: text after \"end\""},
    {"rank 0\nrank 1\n", "f:8: the line \"end\" is missing"},
    {"hello", "f:5: 'hello' is unknown"},
};

static void assert_refused(const char *text, const char *message)
{
    atn_schedule **set;
    atn_error err = {0};
    int p;
    assert_int_equal(atn_sched_schedule_parse(text, "f", &set, &p, &err), ATN_INPUT);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("%s\nexpected: %s\ngot: %s", text, message, err.text);
}

static void errors_name_line_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i].text, bad[i].message);
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "attune-schedule 1\nname mine\n# a comment\nproblem bcast p=2\n%s\n",
                 bad_lines[i].line);
        assert_refused(text, bad_lines[i].message);
    }
}

/* Written by hand: comments, blank lines, no counts, Windows line ends. */
static void hand_written_schedules_are_parsed(void **state)
{
    (void)state;
    static const char text[] = "attune-schedule 1 \r\n\r\nname my own\r\n"
                               "problem bcast p=2 # root is 0\n\n"
                               "rank 0\n  0:  ssend 1 dst[0]\n"
                               "rank 1\n\t0: recv 0 dst[0]\nend";
    atn_schedule **set;
    atn_verify_counts proof;
    int p;
    assert_int_equal(atn_sched_schedule_parse(text, "f", &set, &p, NULL), ATN_OK);
    assert_string_equal(set[1]->name, "my own");
    assert_true(set[0]->ops[0].ssend);
    assert_int_equal(atn_sched_verify(set, p, &proof, NULL), ATN_OK);
    free_set(set, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_round_trips),
        cmocka_unit_test(parsed_schedules_verify),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(every_change_is_survived),
        cmocka_unit_test(errors_name_line_and_reason),
        cmocka_unit_test(hand_written_schedules_are_parsed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
