/* test_supplied.c - user-supplied algorithms: verified, used where they apply, sent to other ranks;
 * and every reason to refuse them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algo/supplied.h"
#include "plan/rules.h"
#include "sched/text.h"
#include "sched/verify.h"

#define HEAD(problem) "attune-schedule 1\nname mine\nproblem " problem "\n"

static const char tree[] = HEAD("bcast p=3") "rank 0\n0: send 1 dst[0]\n1: send 2 dst[0]\n"
                                             "rank 1\n0: recv 0 dst[0]\n"
                                             "rank 2\n0: recv 0 dst[0]\nend\n";
/* The result is written before the operand is read: in place it must be copied first. */
static const char swap[] = HEAD("allreduce p=2") "rank 0\n0: send 1 src[0]\n1: recv 1 dst[0]\n"
                                                 "2: reduce src[0] into dst[0]\n"
                                                 "rank 1\n0: send 0 src[0]\n1: recv 0 dst[0]\n"
                                                 "2: reduce src[0] into dst[0]\nend\n";

/* ---- adding ---- */

static void is_refused(atn_operation op, const char *text, atn_status wanted, const char *why)
{
    atn_error err = {0};
    assert_int_equal(atn_algo_supplied_add(op, "bad", text, NULL, &err), wanted);
    assert_string_equal(err.text, why);
    atn_supplied_proof verdict;
    assert_null(atn_algo_supplied_text(op, "bad", &verdict));
}

static void invalid_schedules_are_rejected(void **state)
{
    (void)state;
    is_refused(ATN_BCAST, "hello", ATN_INPUT,
               "bad:1: not a schedule file; the first line must be \"attune-schedule 1\"");
    is_refused(
        ATN_BCAST, HEAD("bcast p=2") "rank 0\n0: sned 1 dst[0]\n", ATN_INPUT,
        "bad:5: 'sned' is not an operation; it must be send, ssend, recv, recv_reduce, copy, "
        "reduce, expose, read, read_reduce or close");
    is_refused(ATN_ALLREDUCE, tree, ATN_INPUT,
               "bad: is a schedule for bcast and cannot implement allreduce; name another");
    is_refused(ATN_BCAST, HEAD("bcast p=2") "rank 0\nrank 1\nend\n", ATN_FINDING,
               "bad: does not implement bcast: rank 1: result block 0 does not hold the data it "
               "should; `attune schedule verify` prints details");
    is_refused(ATN_BCAST, HEAD("bcast p=2") "rank 0\n0: recv 1 dst[0]\nrank 1\nend\n", ATN_FINDING,
               "bad: does not implement bcast: deadlock: rank 0 waits forever in operation 0 "
               "(receive from rank 1, message 0); `attune schedule verify` prints details");
    is_refused(ATN_ALLREDUCE,
               HEAD("allreduce p=1") "rank 0 in_place\n0: copy dst[0] to dst[0]\nend\n", ATN_INPUT,
               "bad:5: operation 0 does nothing; remove it");
    is_refused(
        ATN_ALLREDUCE, HEAD("allreduce p=1") "rank 0 in_place\nend\n", ATN_INPUT,
        "bad: rank 0 is in_place; write it for separate buffers, it supports MPI_IN_PLACE as "
        "well");
}

static atn_supplied_proof added(atn_operation op, const char *name, const char *text)
{
    atn_error err = {0};
    atn_supplied_proof verdict;
    if (atn_algo_supplied_add(op, name, text, NULL, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_string_equal(atn_algo_supplied_text(op, name, &verdict), text);
    return verdict;
}

/* A row of the catalogue as a file. */
static char *text_of(const char *name, int p, int root, bool ordered)
{
    const atn_row *row = atn_algo_catalog_by_name(name);
    atn_schedule *s[16];
    atn_params prm;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    atn_algo_params_default(row, &prm);
    for (int r = 0; r < p; r++) {
        const atn_problem q = {
            .op = row->op, .p = p, .r = r, .root = root, .ordered = ordered, .segments = 1};
        assert_int_equal(atn_algo_build(row, &q, &prm, &s[r], NULL), ATN_OK);
    }
    atn_sched_schedule_print(f, s, p);
    fclose(f);
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(s[r]);
    return text;
}

static void proofs_determine_supported_problems(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        bool ordered;
    } cases[] = {
        {"allreduce/recursive_doubling", true},
        {"allreduce/ring", false},
        {"reduce/linear", true},
        {"reduce/rabenseifner", false},
        {"scan/binomial", true},
        {"exscan/linear", true},
        {"bcast/chain", false},
        {"scatter/binomial", false},
        {"allgather/ring", false},
        {"alltoall/bruck", false},
        {"barrier/linear", false},
        {"reduce_scatter/butterfly", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of(cases[i].row, 5, 0, cases[i].ordered);
        const atn_supplied_proof verdict =
            added(atn_algo_catalog_by_name(cases[i].row)->op, cases[i].row, text);
        assert_int_equal(verdict.ordered, cases[i].ordered);
        free(text);
    }
    assert_true(added(ATN_ALLREDUCE, "swap", swap).aside);
}

/* ---- building ---- */

static atn_choice choice(atn_operation op, const char *file)
{
    atn_choice c = {.row = atn_algo_catalog_file(op)};
    c.params.v[0] = atn_intern(file);
    return c;
}

static void serves(const atn_choice *c, atn_problem q)
{
    atn_schedule *s[16] = {NULL};
    atn_error err = {0};
    const bool alias = q.in_place;
    for (q.r = 0; q.r < q.p; q.r++) {
        q.in_place = alias && (q.op != ATN_REDUCE || q.r == q.root);
        if (atn_algo_build(c->row, &q, &c->params, &s[q.r], &err) != ATN_OK)
            fail_msg("%s", err.text);
    }
    if (atn_sched_verify(s, q.p, NULL, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int r = 0; r < q.p; r++)
        atn_sched_schedule_free(s[r]);
}

static void files_support_every_root_and_in_place(void **state)
{
    (void)state;
    char *reduce = text_of("reduce/scatter_gather", 6, 2, false),
         *gather = text_of("gather/binomial", 6, 1, false);
    added(ATN_BCAST, "tree", tree);
    added(ATN_ALLREDUCE, "swap", swap);
    added(ATN_REDUCE, "reduce", reduce);
    added(ATN_GATHER, "gather", gather);
    const atn_choice c[] = {choice(ATN_BCAST, "tree"), choice(ATN_ALLREDUCE, "swap"),
                            choice(ATN_REDUCE, "reduce"), choice(ATN_GATHER, "gather")};
    for (int root = 0; root < 3; root++)
        serves(&c[0], (atn_problem){.op = ATN_BCAST, .p = 3, .root = root, .segments = 1});
    serves(&c[1], (atn_problem){.op = ATN_ALLREDUCE, .p = 2, .in_place = true, .segments = 1});
    for (int root = 0; root < 6; root++)
        for (int place = 0; place < 2; place++) {
            serves(&c[2],
                   (atn_problem){
                       .op = ATN_REDUCE, .p = 6, .root = root, .in_place = place, .segments = 1});
            serves(&c[3], (atn_problem){.op = ATN_GATHER, .p = 6, .root = root, .segments = 1});
        }
    free(reduce);
    free(gather);
}

static void unsuitable_problems_are_refused(void **state)
{
    (void)state;
    char *ordered = text_of("reduce/linear", 4, 0, true),
         *other = text_of("allreduce/ring", 4, 0, false);
    added(ATN_BCAST, "tree", tree);
    added(ATN_REDUCE, "ordered", ordered);
    added(ATN_ALLREDUCE, "other", other);
    const struct {
        const char *file;
        atn_problem q;
        const char *why;
    } cases[] = {
        {"", {.op = ATN_BCAST, .p = 3}, "no file is named; add schedule=FILE"},
        {"nowhere", {.op = ATN_BCAST, .p = 3}, "the file was not read"},
        {"tree", {.op = ATN_BCAST, .p = 4}, "the schedule is for 3 ranks"},
        {"tree", {.op = ATN_REDUCE, .p = 3}, "the file was not read"},
        {"other",
         {.op = ATN_ALLREDUCE, .p = 4, .ordered = true},
         "the schedule changes the order of operands"},
        {"ordered",
         {.op = ATN_REDUCE, .p = 4, .root = 1, .ordered = true},
         "another root would change the order of operands"},
        {"ordered", {.op = ATN_REDUCE, .p = 4, .ordered = true}, NULL},
        {"tree", {.op = ATN_BCAST, .p = 3, .root = 2}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const atn_choice c = choice(cases[i].q.op, cases[i].file);
        atn_problem q = cases[i].q;
        q.segments = 1;
        const char *why = atn_algo_refuses(c.row, &q, &c.params);
        if (cases[i].why)
            assert_string_equal(why, cases[i].why);
        else
            assert_null(why);
    }
    free(ordered);
    free(other);
}

/* ---- rules ---- */

static char folder[] = "/tmp/attune-test-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static atn_status read_rules(const char *text, atn_rules **rules_p, atn_error *err)
{
    char path[64];
    write_file("my.rules", text);
    snprintf(path, sizeof path, "%s/my.rules", folder);
    return atn_plan_rules_read(path, rules_p, err);
}

static void rules_name_files_beside_them(void **state)
{
    (void)state;
    const atn_problem q = {.op = ATN_BCAST, .p = 3, .segments = 1},
                      more = {.op = ATN_BCAST, .p = 5};
    atn_rules *rules = NULL, *copy = NULL;
    char *packed;
    size_t bytes;
    atn_choice use;
    atn_reason reason;
    char text[300];
    write_file("tree3", tree);
    assert_int_equal(
        read_rules("attune-wisdom 1\nrule bcast use=file{schedule=tree3}\nend\n", &rules, NULL),
        ATN_OK);
    assert_int_equal(atn_plan_rules_pack(rules, &packed, &bytes, NULL), ATN_OK);
    assert_non_null(strstr(packed, "content problem bcast p=3\n"));
    assert_int_equal(atn_plan_rules_unpack(packed, bytes, &copy, NULL), ATN_OK);
    assert_true(atn_plan_rules_hash(copy) == atn_plan_rules_hash(rules));
    atn_plan_rules_choose(copy, &q, 0, &use, NULL);
    assert_string_equal(use.row->name, "bcast/file");
    serves(&use, q);
    atn_plan_rules_choose(copy, &more, 0, &use, &reason);
    assert_string_equal(use.row->name, "bcast/native");
    atn_plan_reason_print(copy, &reason, &more, &use, text, sizeof text);
    assert_non_null(strstr(text, "my.rules:2: bcast/file cannot serve bcast on 5 ranks: the "
                                 "schedule is for 3 ranks; using native instead"));
    free(packed);
    atn_plan_rules_free(copy);
    atn_plan_rules_free(rules);
}

static void rules_with_bad_files_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"missing", NULL,
         "missing: cannot be read: No such file or directory; name an existing "
         "schedule file"},
        {"..", NULL, "..: is a directory; name the schedule file in it"},
        {"broken", "attune-schedule 1\nname x\nproblem bcast p=2\nrank 0\n",
         "broken:5: the line \"end\" is missing: the file is truncated; restore it, or add "
         "\"end\" if it is complete"},
        {"wrong", HEAD("bcast p=2") "rank 0\nrank 1\nend\n",
         "wrong: does not implement bcast: rank 1: result block 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        atn_rules *rules = NULL;
        atn_error err = {0};
        if (cases[i][1])
            write_file(cases[i][0], cases[i][1]);
        snprintf(text, sizeof text, "attune-wisdom 1\nrule bcast use=file{schedule=%s}\nend\n",
                 cases[i][0]);
        assert_int_equal(read_rules(text, &rules, &err), ATN_INPUT);
        assert_non_null(strstr(err.text, "my.rules:2: "));
        assert_non_null(strstr(err.text, cases[i][2]));
    }
}

static void forced_files_are_read(void **state)
{
    (void)state;
    char text[100];
    atn_rules *rules = NULL;
    atn_error err = {0};
    write_file("forced", swap);
    snprintf(text, sizeof text, "allreduce=file:schedule=%s/forced", folder);
    assert_int_equal(atn_plan_rules_load(NULL, text, NULL, &rules, &err), ATN_OK);
    assert_string_equal(atn_plan_rules_at(rules, 0)->use.row->name, "allreduce/file");
    atn_plan_rules_free(rules);
    assert_int_equal(
        atn_plan_rules_load(NULL, "allreduce=file:schedule=/nowhere/x", NULL, &rules, &err),
        ATN_INPUT);
    assert_string_equal(err.text, "ATTUNE_ALGORITHM: /nowhere/x: cannot be read: No such file or "
                                  "directory; name an existing schedule file");
    err = (atn_error){0};
    assert_int_equal(atn_plan_rules_load(NULL, "allreduce=file", NULL, &rules, &err), ATN_INPUT);
    assert_string_equal(err.text, "ATTUNE_ALGORITHM: the schedule is not named; write "
                                  "file{schedule=FILE}");
}

static int make_folder(void **state) { return (void)state, mkdtemp(folder) ? 0 : -1; }

static int remove_folder(void **state)
{
    static const char *const names[] = {"my.rules", "tree3", "broken", "wrong", "forced"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_schedules_are_rejected),
        cmocka_unit_test(proofs_determine_supported_problems),
        cmocka_unit_test(files_support_every_root_and_in_place),
        cmocka_unit_test(unsuitable_problems_are_refused),
        cmocka_unit_test(rules_name_files_beside_them),
        cmocka_unit_test(rules_with_bad_files_are_refused),
        cmocka_unit_test(forced_files_are_read),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
