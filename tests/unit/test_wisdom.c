/* test_wisdom.c - sections, joining, guesses, files with concurrent and failing writers. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "plan/wisdom.h"

/* ---- helpers ---- */

/* Rules between head and end. */
static atn_rules *table(const char *lines)
{
    char text[4000];
    atn_error err = {0};
    atn_rules *rules = NULL;
    snprintf(text, sizeof text, "attune-wisdom 1\n%send\n", lines);
    if (atn_plan_rules_parse(text, strlen(text), "t", &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return rules;
}

static char *text_of(const atn_rules *rules)
{
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    assert_true(atn_plan_rules_print(f, rules));
    fclose(f);
    return text;
}

static void assert_text(const atn_rules *rules, const char *lines)
{
    char wanted[4000];
    char *text = text_of(rules);
    snprintf(wanted, sizeof wanted, "attune-wisdom 1\n%send\n", lines);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_joined(const char *old, const char *news, const char *wanted)
{
    atn_rules *a = table(old), *b = table(news), *both = atn_plan_wisdom_join(a, b);
    assert_non_null(both);
    assert_text(both, wanted);
    atn_plan_rules_free(a);
    atn_plan_rules_free(b);
    atn_plan_rules_free(both);
}

static void write_text(const char *path, const char *text)
{
    atn_error err = {0};
    assert_int_equal(atn_write_file(path, text, strlen(text), &err), ATN_OK);
}

static void assert_file(const char *path, const char *wanted)
{
    char *text;
    atn_error err = {0};
    if (atn_read_file(path, &text, NULL, &err) != ATN_OK)
        fail_msg("%s", err.text);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

/* ---- text ---- */

static void evidence_is_read_and_written(void **state)
{
    (void)state;
    const char lines[] =
        "\nrule bcast ranks=8 bytes=1K:2K use=chain time=5us ci=1us next=binomial next_time=6us "
        "samples=9 date=2026-02-03T09:15:07Z\n"
        "rule bcast ranks=8 bytes=2K:4K use=chain time=9us                                  "
        "            date=2024-02-29T00:00:00Z guess=between\n\n";
    atn_rules *rules = table(lines);
    assert_text(rules, lines);
    assert_int_equal(atn_plan_rules_at(rules, 0)->date, 1770110107);
    assert_int_equal(atn_plan_rules_at(rules, 1)->guess, ATN_GUESS_BETWEEN);
    atn_plan_rules_free(rules);
}

static const char placed[] = "\nrule bcast ranks=* bytes=* use=binomial\n"
                             "\nat 00ff/*\n"
                             "\nrule bcast ranks=* bytes=* use=chain\n"
                             "\nat 00ff/4x2\n"
                             "\nrule bcast ranks=* bytes=* use=linear\n\n";

static const char *chosen_at(const char *here)
{
    const atn_problem q = {.op = ATN_BCAST, .p = 8, .segments = 1, .bytes = 100};
    atn_choice choice;
    atn_rules *rules = table(placed);
    if (here != NULL)
        assert_true(atn_plan_rules_narrow(rules, here, false));
    atn_plan_rules_choose(rules, &q, 0, &choice, NULL);
    atn_plan_rules_free(rules);
    return choice.row->algo->name;
}

static void sections_apply_at_their_location(void **state)
{
    (void)state;
    atn_rules *rules = table(placed);
    assert_text(rules, placed);
    char *text;
    size_t bytes;
    atn_rules *again;
    assert_int_equal(atn_plan_rules_pack(rules, &text, &bytes, NULL), ATN_OK);
    assert_int_equal(atn_plan_rules_unpack(text, bytes, &again, NULL), ATN_OK);
    assert_text(again, placed);
    assert_true(atn_plan_rules_hash(rules) == atn_plan_rules_hash(again));
    free(text);
    atn_plan_rules_free(again);
    atn_plan_rules_free(rules);
    assert_string_equal(chosen_at(NULL), "binomial");
    assert_string_equal(chosen_at("1111/4x2"), "binomial");
    assert_string_equal(chosen_at("00ff/8x1"), "chain");
    assert_string_equal(chosen_at("00ff/4x2"), "linear");
}

static void invalid_evidence_is_rejected(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"rule bcast use=chain date=yesterday\n", "t:2: date=yesterday is no date"},
        {"rule bcast use=chain date=2026-13-01\n", "is no date"},
        {"rule bcast use=chain guess=maybe\n", "it is between (neighbours), model or race"},
        {"rule bcast use=chain next_time=fast\n", "is no duration"},
        {"at here\n", "t:2: \"here\" is no place; write at MACHINE/LAYOUT"},
        {"at a/b/c\n", "is no place"},
        {"at\n", "a section begins with one word"},
        {"at a/b\nmachine: late\n", "must stand before the first rule"},
        {"rule bcast use=chain at=a/b\n", "unknown field \"at\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        atn_error err = {0};
        atn_rules *rules;
        snprintf(text, sizeof text, "attune-wisdom 1\n%send\n", rows[i][0]);
        assert_int_equal(atn_plan_rules_parse(text, strlen(text), "t", &rules, &err), ATN_INPUT);
        assert_holds(err.text, rows[i][1]);
    }
}

/* ---- joining ---- */

#define BCAST "rule bcast ranks=8 bytes=1K:2K "

static void samples_are_pooled(void **state)
{
    (void)state;
    assert_joined(BCAST "use=chain time=10us ci=3us samples=10 date=2026-01-01\n",
                  BCAST "use=chain time=11us ci=4us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=10.36us ci=2.4us samples=20 "
                  "date=2026-01-02T00:00:00Z\n\n");
    /* The less certain never widens the interval of the other, however many samples it has. */
    assert_joined(BCAST "use=chain time=100us ci=1us samples=40 date=2026-01-01\n",
                  BCAST "use=chain time=110us ci=20us samples=900 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=100.024938us ci=998.752ns samples=940 "
                  "date=2026-01-02T00:00:00Z\n\n");
    /* Without an interval it changes nothing. */
    assert_joined(BCAST "use=chain time=100us ci=1us samples=40 date=2026-01-01\n",
                  BCAST "use=chain time=500us ci=0ps samples=1 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=100us ci=1us samples=40 "
                  "date=2026-01-02T00:00:00Z\n\n");
}

static void a_changed_machine_is_detected(void **state)
{
    (void)state;
    assert_joined(BCAST "use=chain time=10us ci=1us samples=90 date=2026-01-01\n",
                  BCAST "use=chain time=30us ci=1us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=30us ci=1us samples=10 date=2026-01-02T00:00:00Z\n\n");
}

static void better_evidence_is_kept(void **state)
{
    (void)state;
    /* Newer; the loser is the runner-up. */
    assert_joined(BCAST "use=linear time=9us samples=10 date=2026-01-01\n",
                  BCAST "use=chain time=10us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=10us next=linear next_time=9us samples=10 "
                  "date=2026-01-02T00:00:00Z\n\n");
    /* More certain. */
    assert_joined(BCAST "use=linear time=9us samples=40 date=2026-01-01\n",
                  BCAST "use=chain time=10us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=linear time=9us next=chain next_time=10us samples=40 "
                  "date=2026-01-01T00:00:00Z\n\n");
    /* More certain by the interval, whatever the samples; its runner-up stays. */
    assert_joined(BCAST "use=linear time=9us ci=90ns next=binomial samples=10 date=2026-01-01\n",
                  BCAST "use=chain time=5us ci=2us samples=900 date=2026-01-02\n",
                  "\n" BCAST "use=linear time=9us ci=90ns next=binomial samples=10 "
                  "date=2026-01-01T00:00:00Z\n\n");
    /* As certain: far more samples, else the newer. */
    assert_joined(BCAST "use=linear time=9us ci=900ns samples=90 date=2026-01-01\n",
                  BCAST "use=chain time=20us ci=2us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=linear time=9us ci=900ns next=chain next_time=20us samples=90 "
                  "date=2026-01-01T00:00:00Z\n\n");
    assert_joined(BCAST "use=linear time=9us ci=900ns samples=10 date=2026-01-01\n",
                  BCAST "use=chain time=20us ci=2us samples=10 date=2026-01-02\n",
                  "\n" BCAST "use=chain time=20us ci=2us next=linear next_time=9us samples=10 "
                  "date=2026-01-02T00:00:00Z\n\n");
    /* Measured, not guessed. */
    assert_joined(BCAST "use=linear time=9us samples=4 date=2026-01-01\n",
                  BCAST "use=chain time=1us date=2026-01-02 guess=model\n",
                  "\n" BCAST "use=linear time=9us samples=4 date=2026-01-01T00:00:00Z\n\n");
    assert_joined(BCAST "use=chain time=1us date=2026-01-02 guess=model\n",
                  BCAST "use=chain time=9us samples=4 date=2026-01-01\n",
                  "\n" BCAST "use=chain time=9us samples=4 date=2026-01-01T00:00:00Z\n\n");
    /* Written by hand. */
    assert_joined(BCAST "use=linear\n", BCAST "use=chain time=1us samples=99\n",
                  "\n" BCAST "use=linear\n\n");
}

static void order_is_by_hand_then_narrow_then_guessed(void **state)
{
    (void)state;
    assert_joined("rule bcast bytes=1K:8K use=chain guess=model\n"
                  "rule bcast bytes=1K:64K use=chain time=1us samples=1\n"
                  "rule bcast bytes=:2K use=native\n",
                  "rule bcast bytes=1K:4K use=chain time=1us samples=1\n"
                  "rule bcast bytes=512:2K use=linear\n",
                  "\nrule bcast ranks=* bytes=512:2K use=linear\n"
                  "rule bcast ranks=* bytes=0:2K   use=native\n"
                  "rule bcast ranks=* bytes=1K:4K  use=chain  time=1us samples=1\n"
                  "rule bcast ranks=* bytes=1K:64K use=chain  time=1us samples=1\n"
                  "rule bcast ranks=* bytes=1K:8K  use=chain                     guess=model\n\n");
}

static void joining_keeps_sections_separate(void **state)
{
    (void)state;
    assert_joined("machine: m\nat a/b\n" BCAST "use=chain time=1us samples=1\n",
                  "machine: n\ntool: t\nat a/c\n" BCAST "use=linear time=1us samples=1\n",
                  "machine: m\ntool: t\n\nat a/b\n\n" BCAST "use=chain time=1us samples=1\n"
                  "\nat a/c\n\n" BCAST "use=linear time=1us samples=1\n\n");
}

/* ---- files ---- */

static void files_are_searched_in_order(void **state)
{
    (void)state;
    atn_wisdom_files files;
    atn_plan_wisdom_find("job.w", "/home/u", NULL, &files);
    assert_int_equal(files.n, 3);
    assert_string_equal(files.path[0], "job.w");
    assert_string_equal(files.path[1], "/home/u/.local/share/attune/wisdom");
    assert_string_equal(files.path[2], "/etc/attune/wisdom");
    atn_plan_wisdom_find("", "/home/u", "/data", &files);
    assert_string_equal(files.path[0], "/data/attune/wisdom");
    atn_plan_wisdom_find("off", "/home/u", NULL, &files);
    assert_int_equal(files.n, 0);
}

static void files_are_loaded_together(void **state)
{
    (void)state;
    atn_wisdom_files files = {.n = 3, .path = {"job", "user", "missing/system"}};
    atn_rules *rules;
    char *warning;
    write_text("user", "attune-wisdom 1\nrule bcast use=linear\nrule gather use=linear\nend\n");
    write_text("job", "attune-wisdom 1\nrule bcast use=chain\nend\n");
    assert_int_equal(atn_plan_wisdom_load(&files, &rules, &warning, NULL), ATN_OK);
    assert_null(warning);
    assert_text(rules, "\nrule bcast ranks=* bytes=* use=chain\n"
                       "\nrule gather ranks=* bytes=* use=linear\n\n");
    atn_plan_rules_free(rules);
    write_text("job", "torn");
    assert_int_equal(atn_plan_wisdom_load(&files, &rules, &warning, NULL), ATN_OK);
    assert_holds(warning, "job:1: not a wisdom file");
    assert_int_equal(atn_plan_rules_count(rules), 2);
    free(warning);
    atn_plan_rules_free(rules);
}

static void damaged_files_are_kept(void **state)
{
    (void)state;
    static const char *const damaged[] = {"", "attune-wisdom 2\nend\n", "attune-wisdom 1\nru",
                                          "\x7f"
                                          "ELF",
                                          "attune-wisdom 1\nrule bcast use=chain\n"};
    atn_rules *news = table(BCAST "use=chain time=1us samples=1\n");
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        atn_error err = {0};
        write_text("w", damaged[i]);
        unlink("w.unmerged");
        assert_int_equal(atn_plan_wisdom_merge("w", news, &err), ATN_INPUT);
        assert_holds(err.text, "what is new is in w.unmerged");
        assert_file("w", damaged[i]);
        assert_file("w.unmerged",
                    "attune-wisdom 1\n\n" BCAST "use=chain time=1us samples=1\n\nend\n");
    }
    atn_error err = {0};
    write_text("w.unmerged", "torn too");
    assert_int_equal(atn_plan_wisdom_merge("w", news, &err), ATN_INPUT);
    assert_holds(err.text, "what is new is lost: w.unmerged:1: not a wisdom file");
    assert_file("w.unmerged", "torn too");
    atn_plan_rules_free(news);
}

/* A file of n rules of one sample each. */
static atn_rules *many(int n, int first)
{
    ATN_VEC(atn_rule) list = {0};
    for (int i = 0; i < n; i++) {
        atn_rule rule = atn_plan_rule_blank(ATN_BCAST);
        rule.use.row = atn_algo_catalog_find(ATN_BCAST, "chain");
        atn_algo_params_default(rule.use.row, &rule.use.params);
        rule.ranks = (atn_span){first + i, first + i + 1};
        rule.time_ps = 1000000;
        rule.samples = 1;
        assert_true(atn_push(&list, rule));
    }
    atn_rules *rules = atn_plan_rules_make(list.v, list.n, NULL);
    atn_vec_free(&list);
    assert_non_null(rules);
    return rules;
}

static int64_t samples_in(const char *path)
{
    atn_rules *rules;
    atn_error err = {0};
    int64_t sum = 0;
    if (atn_plan_rules_read(path, &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < atn_plan_rules_count(rules); i++)
        sum += atn_plan_rules_at(rules, i)->samples;
    atn_plan_rules_free(rules);
    return sum;
}

enum { WRITERS = 8, TIMES = 12 };

/* Own rules, and one that all writers add a sample to. */
static void write_often(int writer)
{
    for (int i = 0; i < TIMES; i++) {
        atn_rules *own = many(1, 100 + writer * TIMES + i), *common = many(1, 2);
        if (atn_plan_wisdom_merge("deep/er/w", own, NULL) != ATN_OK ||
            atn_plan_wisdom_merge("deep/er/w", common, NULL) != ATN_OK)
            _exit(1);
        atn_plan_rules_free(own);
        atn_plan_rules_free(common);
    }
    _exit(0);
}

static void concurrent_writers_lose_nothing(void **state)
{
    (void)state;
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        if ((writers[i] = fork()) == 0)
            write_often(i);
    for (int i = 0; i < WRITERS; i++) {
        int code = 0;
        assert_int_equal(waitpid(writers[i], &code, 0), writers[i]);
        assert_int_equal(code, 0);
    }
    atn_rules *rules;
    assert_int_equal(atn_plan_rules_read("deep/er/w", &rules, NULL), ATN_OK);
    assert_int_equal(atn_plan_rules_count(rules), WRITERS * TIMES + 1);
    assert_int_equal(atn_plan_rules_at(rules, 0)->samples, WRITERS * TIMES);
    atn_plan_rules_free(rules);
}

/* A child merges, reporting each success through a pipe, until it is killed. */
static void merge_forever(int out, int first)
{
    for (int i = 0;; i++) {
        atn_rules *news = many(3, first + 3 * i);
        if (atn_plan_wisdom_merge("w", news, NULL) != ATN_OK || write(out, "x", 1) != 1)
            _exit(1);
        atn_plan_rules_free(news);
    }
}

static void killed_writers_lose_nothing(void **state)
{
    (void)state;
    int64_t least = 0;
    srandom(7);
    for (int round = 0; round < 25; round++) {
        int ends[2];
        char reported[4096];
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0)
            merge_forever(ends[1], 2 + 10000 * round);
        close(ends[1]);
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + random() % 15000000}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (ssize_t n; (n = read(ends[0], reported, sizeof reported)) > 0;)
            least += 3 * n;
        close(ends[0]);
        if (least > 0)
            assert_in_range(samples_in("w"), least, least + 3 * (round + 1));
    }
    atn_rules *last = many(1, 2);
    assert_int_equal(atn_plan_wisdom_merge("w", last, NULL), ATN_OK);
    atn_plan_rules_free(last);
    assert_int_not_equal(access("w.tmp", F_OK), 0);
}

/* In a child, because of its resource limits: the status of the merge. */
static int merge_limited(rlim_t limit)
{
    const pid_t child = fork();
    int code;
    if (child == 0) {
        atn_error err = {0};
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
        _exit(atn_plan_wisdom_merge("w", many(200, 500), &err));
    }
    waitpid(child, &code, 0);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static void limits_and_missing_rights_change_nothing(void **state)
{
    (void)state;
    const char good[] = "attune-wisdom 1\n\n" BCAST "use=chain time=1us samples=1\n\nend\n";
    write_text("w", good);
    assert_int_equal(merge_limited(1000), ATN_ENVIRONMENT);
    assert_file("w", good);
    assert_int_not_equal(access("w.tmp", F_OK), 0);
    assert_int_equal(merge_limited(1000000), ATN_OK);
    assert_int_equal(samples_in("w"), 201);
    atn_error err = {0};
    atn_rules *news = many(1, 2);
    assert_int_equal(atn_plan_wisdom_merge("/dev/null/w", news, &err), ATN_ENVIRONMENT);
    assert_holds(err.text, "/dev/null/w.lock: cannot be opened: Not a directory");
    atn_plan_rules_free(news);
}

/* ---- queries ---- */

static const char measured[] =
    "rule bcast ranks=8 bytes=1K use=binomial time=10us samples=9 next=chain next_time=18us\n"
    "rule bcast ranks=8 bytes=16K use=chain time=40us samples=9 next=binomial next_time=80us\n"
    "rule bcast ranks=64 bytes=1K use=binomial time=20us samples=9\n"
    "rule bcast ranks=64 bytes=16K use=native time=90us samples=9\n";

/* binomial: 5 us + bytes at 5 ns; chain: 30 us + bytes at 1 ns; wrong by a factor that cancels. */
static double model(void *context, const atn_choice *choice, const atn_problem *q)
{
    (void)context;
    if (strcmp(choice->row->algo->name, "binomial") == 0)
        return 3 * (5e-6 + 5e-9 * (double)q->bytes);
    if (strcmp(choice->row->algo->name, "chain") == 0)
        return 5 * (17e-6 + 1.4e-9 * (double)q->bytes);
    return -1;
}

static atn_rule answer_from(const char *text, int p, int64_t bytes, atn_wisdom_predict_fn predict,
                            atn_status wanted)
{
    atn_rules *rules = table(text);
    assert_true(atn_plan_rules_narrow(rules, "here/any", true));
    const atn_problem q = {.op = ATN_BCAST, .p = p, .segments = 1, .bytes = bytes};
    atn_rule rule = atn_plan_rule_blank(ATN_BCAST);
    assert_int_equal(atn_plan_wisdom_answer(rules, &q, predict, NULL, &rule, NULL), wanted);
    atn_plan_rules_free(rules);
    return rule;
}

static atn_rule answer(int p, int64_t bytes, atn_wisdom_predict_fn predict, atn_status wanted)
{
    return answer_from(measured, p, bytes, predict, wanted);
}

static bool might(const char *text, int p, int64_t bytes)
{
    atn_rules *rules = table(text);
    assert_true(atn_plan_rules_narrow(rules, "here/any", true));
    const bool is = atn_plan_wisdom_might(
        rules, &(atn_problem){.op = ATN_BCAST, .p = p, .segments = 1, .bytes = bytes});
    atn_plan_rules_free(rules);
    return is;
}

static void measured_problems_are_found(void **state)
{
    (void)state;
    const atn_rule rule = answer(8, 1024, model, ATN_OK);
    assert_string_equal(rule.use.row->algo->name, "binomial");
    assert_int_equal(rule.guess, ATN_GUESS_NONE);
    assert_int_equal(rule.time_ps, 10000000);
}

static void other_problems_are_estimated_from_neighbours(void **state)
{
    (void)state;
    /* Without a model: the nearest, and a time in between. */
    atn_rule rule = answer(8, 2048, NULL, ATN_OK);
    assert_string_equal(rule.use.row->algo->name, "binomial");
    assert_int_equal(rule.guess, ATN_GUESS_BETWEEN);
    assert_in_range(rule.time_ps, 10000000, 25000000);
    rule = answer(60, 12000, NULL, ATN_OK);
    assert_string_equal(rule.use.row->algo->name, "native");
    /* With one, the choice changes where the corrected times cross, here near 3 KB. */
    assert_string_equal(answer(8, 2048, model, ATN_OK).use.row->algo->name, "binomial");
    assert_string_equal(answer(8, 8192, model, ATN_OK).use.row->algo->name, "chain");
    /* Too distant. */
    answer(1000, 2048, NULL, ATN_NOT_APPLICABLE);
    answer(8, INT64_C(1) << 40, NULL, ATN_NOT_APPLICABLE);
}

static void other_sections_apply_to_other_ranks(void **state)
{
    static const char elsewhere[] =
        "at here/1x8\n"
        "rule bcast ranks=8 bytes=1K use=chain time=10us samples=9\n"
        "rule bcast ranks=8 bytes=64K use=native time=99us samples=9 next=chain next_time=120us\n";
    (void)state;
    const atn_rule rule = answer_from(elsewhere, 16, 1024, model, ATN_OK);
    assert_string_equal(rule.use.row->algo->name, "chain");
    assert_int_equal(rule.guess, ATN_GUESS_BETWEEN);
    answer_from(elsewhere, 8, 1024, model, ATN_NOT_APPLICABLE);
    answer_from("at there/1x8\nrule bcast ranks=8 bytes=1K use=chain time=10us samples=9\n", 16,
                1024, model, ATN_NOT_APPLICABLE);
    assert_true(might(elsewhere, 16, 1024) && might(elsewhere, 32, 4 << 20));
    assert_false(might(elsewhere, 64, 1024) || might(elsewhere, 16, 1 << 30));
    /* Native does not lose only because it has no prediction. */
    assert_string_equal(answer_from(elsewhere, 16, 65536, model, ATN_OK).use.row->algo->name,
                        "native");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_read_and_written),
        cmocka_unit_test(sections_apply_at_their_location),
        cmocka_unit_test(invalid_evidence_is_rejected),
        cmocka_unit_test(samples_are_pooled),
        cmocka_unit_test(a_changed_machine_is_detected),
        cmocka_unit_test(better_evidence_is_kept),
        cmocka_unit_test(order_is_by_hand_then_narrow_then_guessed),
        cmocka_unit_test(joining_keeps_sections_separate),
        cmocka_unit_test(files_are_searched_in_order),
        IN_FOLDER(files_are_loaded_together),
        IN_FOLDER(damaged_files_are_kept),
        IN_FOLDER(concurrent_writers_lose_nothing),
        IN_FOLDER(killed_writers_lose_nothing),
        IN_FOLDER(limits_and_missing_rights_change_nothing),
        cmocka_unit_test(measured_problems_are_found),
        cmocka_unit_test(other_problems_are_estimated_from_neighbours),
        cmocka_unit_test(other_sections_apply_to_other_ranks),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
