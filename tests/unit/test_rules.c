/* test_rules.c - wisdom text, forced algorithms, random selection, and choosing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "made.h"
#include "plan/rules.h"

static const char sample[] =
    "attune-wisdom 1\n"
    "# measured on the old cluster\n"
    "machine: node[01-16], 2 x 32 cores\n"
    "mpi: openmpi 4.1.4\n"
    "date: 2026-02-03\n"
    "\n"
    "rule bcast ranks=* bytes=64K: use=chain{segment=8K}\n"
    "# small messages\n"
    "rule allreduce ranks=2:64 bytes=0:4K use=recursive_doubling time=3.1us ci=0.1us next=ring "
    "samples=40\n"
    "rule allreduce ranks=8 bytes=4K: use=ring{segment=64K,sync=barrier,every=2}\n"
    "rule allreduce use=native\n"
    "rule gatherv use=binomial\n"
    "# the end\n"
    "end\n";

static const char printed[] =
    "attune-wisdom 1\n"
    "# measured on the old cluster\n"
    "machine: node[01-16], 2 x 32 cores\n"
    "mpi: openmpi 4.1.4\n"
    "date: 2026-02-03\n"
    "\n"
    "rule bcast ranks=* bytes=64K: use=chain{segment=8K}\n"
    "\n"
    "rule gatherv ranks=* bytes=* use=binomial\n"
    "\n"
    "# small messages\n"
    "rule allreduce ranks=2:64 bytes=0:4K use=recursive_doubling                     time=3.1us "
    "ci=100ns next=ring samples=40\n"
    "rule allreduce ranks=8    bytes=4K:  use=ring{segment=64K,sync=barrier,every=2}\n"
    "rule allreduce ranks=*    bytes=*    use=native\n"
    "\n"
    "# the end\n"
    "end\n";

/* ---- helpers ---- */

static atn_rules *parsed(const char *text)
{
    atn_error err = {0};
    atn_rules *rules = NULL;
    if (atn_plan_rules_parse(text, strlen(text), "w", &rules, &err) != ATN_OK)
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

static atn_rules *loaded(const char *path, const char *forced, const char *select)
{
    atn_error err = {0};
    atn_rules *rules = NULL;
    if (atn_plan_rules_load(path, forced, select, &rules, &err) != ATN_OK)
        fail_msg("%s", err.text);
    return rules;
}

static const char *chosen(const atn_rules *rules, atn_operation op, int p, int64_t bytes)
{
    static char name[200];
    const atn_problem q = {.op = op, .p = p, .segments = 1, .bytes = bytes};
    atn_choice choice;
    atn_plan_rules_choose(rules, &q, 0, &choice, NULL);
    atn_algo_params_print(choice.row, &choice.params, name, sizeof name);
    return name;
}

static void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

/* ---- reading and writing ---- */

static void print_is_sorted_aligned_and_stable(void **state)
{
    (void)state;
    atn_rules *rules = parsed(sample);
    char *text = text_of(rules);
    assert_string_equal(text, printed);
    atn_rules *again = parsed(text);
    char *twice = text_of(again);
    assert_string_equal(twice, printed);
    free(text);
    free(twice);
    atn_plan_rules_free(rules);
    atn_plan_rules_free(again);
}

/* Neither 0 nor narrower than any other: few samples have no interval. */
static void few_samples_have_no_interval(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        int64_t ci_ps;
    } rows[] = {{"ci=0ps samples=1", -1},
                {"ci=0ps samples=4", -1},
                {"ci=0ps", -1},
                {"ci=0ps samples=9", 0},
                {"ci=2ps samples=1", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "attune-wisdom 1\nrule bcast use=chain time=5us %s\nend\n",
                 rows[i].fields);
        atn_rules *rules = parsed(text);
        assert_int_equal(atn_plan_rules_at(rules, 0)->ci_ps, rows[i].ci_ps);
        atn_plan_rules_free(rules);
    }
}

static void measured_fields_are_read(void **state)
{
    (void)state;
    atn_rules *rules = parsed(sample);
    assert_int_equal(atn_plan_rules_count(rules), 5);
    const atn_rule *rule = atn_plan_rules_at(rules, 1);
    assert_int_equal(rule->time_ps, 3100000);
    assert_int_equal(rule->ci_ps, 100000);
    assert_int_equal(rule->samples, 40);
    assert_string_equal(rule->next.row->name, "allreduce/ring");
    assert_int_equal(atn_plan_rules_at(rules, 0)->time_ps, -1);
    assert_null(atn_plan_rules_at(rules, 0)->next.row);
    assert_string_equal(atn_plan_rules_provenance(rules, "mpi"), "openmpi 4.1.4");
    assert_null(atn_plan_rules_provenance(rules, "tool"));
    atn_plan_rules_free(rules);
}

static void sorting_keeps_what_matches_first(void **state)
{
    (void)state;
    atn_rules *rules = parsed("attune-wisdom 1\n"
                              "rule bcast bytes=1M: use=binomial\n"
                              "rule bcast bytes=4K: use=chain\n"
                              "rule bcast bytes=0:1K use=linear\n"
                              "end\n");
    char *text = text_of(rules);
    assert_string_equal(text, "attune-wisdom 1\n\n"
                              "rule bcast ranks=* bytes=0:1K use=linear\n"
                              "rule bcast ranks=* bytes=1M:  use=binomial\n"
                              "rule bcast ranks=* bytes=4K:  use=chain\n"
                              "\nend\n");
    free(text);
    atn_plan_rules_free(rules);
}

static void durations_survive(void **state)
{
    (void)state;
    static const char *const times[] = {"0ps", "1ps",  "999ps",  "1.001ns", "3.1us",
                                        "1ms", "1.5s", "12.25s", "100s",    "1.000000000001s"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[200], wanted[200];
        snprintf(text, sizeof text, "attune-wisdom 1\nrule barrier use=native time=%s\nend\n",
                 times[i]);
        snprintf(wanted, sizeof wanted, "use=native time=%s\n", times[i]);
        atn_rules *rules = parsed(text);
        char *out = text_of(rules);
        assert_holds(out, wanted);
        free(out);
        atn_plan_rules_free(rules);
    }
}

static void carriage_returns_and_indents_are_tolerated(void **state)
{
    (void)state;
    atn_rules *rules = parsed("attune-wisdom 1\r\n\r\n  rule\tbcast   use=chain \r\nend\r\n\r\n");
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 8), "bcast/chain");
    atn_plan_rules_free(rules);
}

static void an_empty_table_is_native(void **state)
{
    (void)state;
    atn_rules *rules = parsed("attune-wisdom 1\nend\n");
    assert_int_equal(atn_plan_rules_operations(rules), 0);
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 8), "bcast/native");
    char *text = text_of(rules);
    assert_string_equal(text, "attune-wisdom 1\nend\n");
    free(text);
    atn_plan_rules_free(rules);
    rules = atn_plan_rules_empty();
    assert_string_equal(chosen(rules, ATN_SCAN, 4, 8), "scan/native");
    atn_plan_rules_free(rules);
}

/* ---- invalid text ---- */

#define HEAD "attune-wisdom 1\n"
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "w:1: not a wisdom file"},
    {"\x7f"
     "ELF\x02\x01",
     "w:1: not a wisdom file"},
    {"rule bcast use=chain\nend\n", "w:1: not a wisdom file"},
    {"attune-wisdom 2\nend\n",
     "w:1: wisdom file of version 2, this Attune reads version 1; use a newer"},
    {"attune-wisdom 99999999999999999999\nend\n", "w:1:"},
    {"attune-wisdom one\nend\n", "w:1: \"one\" is no version"},
    {"attune-wisdom 0\nend\n", "w:1: \"0\" is no version"},
    {HEAD, "w:2: the line \"end\" is missing: the file is truncated"},
    {HEAD "rule bcast use=chain\n", "w:3: the line \"end\" is missing"},
    {HEAD "rule bcast use=ch", "w:2: the last line has no end: the file is truncated"},
    {HEAD "end", "w:2: the last line has no end"},
    {HEAD "end\nrule bcast use=chain\n", "w:3: text after \"end\""},
    {HEAD "end\nattune-wisdom 1\nend\n", "w:3: text after \"end\""},
    {HEAD "rule bcast use=\x01\nend\n", "w:2: byte 0x01 is not text"},
    {HEAD "rule bcsat use=chain\nend\n",
     "w:2: unknown operation \"bcsat\"; did you mean \"bcast\"?"},
    {HEAD "rule frobnicate use=chain\nend\n", "w:2: unknown operation \"frobnicate\"; there are: "},
    {HEAD "rule\nend\n", "w:2: the rule names no operation"},
    {HEAD "rule bcast\nend\n", "w:2: the rule names no algorithm; add use=NAME"},
    {HEAD "rule bcast use=chian\nend\n",
     "w:2: unknown algorithm \"chian\" for bcast; did you mean \"chain\"?"},
    {HEAD "rule bcast use=quantum\nend\n",
     "w:2: unknown algorithm \"quantum\" for bcast; there are: "},
    {HEAD "rule bcast use=allreduce/ring\nend\n", "w:2: unknown algorithm"},
    {HEAD "rule bcast use=chain next=warp\nend\n", "w:2: unknown algorithm \"warp\""},
    {HEAD "rule bcast use=chain{segment=-3}\nend\n", "w:2: bcast/chain: segment=-3 is invalid"},
    {HEAD "rule bcast use=chain{segment=99999999T}\nend\n", "segment=99999999T is invalid"},
    {HEAD "rule bcast use=chain{segmnt=8K}\nend\n", "did you mean 'segment'"},
    {HEAD "rule bcast use=chain{segment=8K\nend\n",
     "w:2: chain{segment=8K: parameters are written"},
    {HEAD "rule bcast use=chain{segment=8K}x\nend\n", "parameters are written"},
    {HEAD "rule bcast ranks=8:8 use=chain\nend\n", "w:2: ranks=8:8 is no range"},
    {HEAD "rule bcast ranks=9:2 use=chain\nend\n", "w:2: ranks=9:2 is no range"},
    {HEAD "rule bcast ranks=-1 use=chain\nend\n", "w:2: ranks=-1 is no range"},
    {HEAD "rule bcast bytes=4Q use=chain\nend\n", "w:2: bytes=4Q is no range"},
    {HEAD "rule bcast bytes=1:2:3 use=chain\nend\n", "w:2: bytes=1:2:3 is no range"},
    {HEAD "rule gatherv bytes=4K: use=linear\nend\n", "w:2: bytes=4K: would never match"},
    {HEAD "rule barrier bytes=0 use=linear\nend\n", "w:2: bytes=0 would never match"},
    {HEAD "rule bcast time=fast use=chain\nend\n", "w:2: time=fast is no duration"},
    {HEAD "rule bcast time=1.2.3us use=chain\nend\n", "w:2: time=1.2.3us is no duration"},
    {HEAD "rule bcast time=99999999999s use=chain\nend\n", "is no duration"},
    {HEAD "rule bcast ci=5 use=chain\nend\n", "w:2: ci=5 is no duration"},
    {HEAD "rule bcast samples=4K use=chain\nend\n", "w:2: samples=4K must be a whole number"},
    {HEAD "rule bcast rank=4 use=chain\nend\n",
     "w:2: unknown field \"rank\"; did you mean \"ranks\"?"},
    {HEAD "rule bcast color=red use=chain\nend\n", "w:2: unknown field \"color\""},
    {HEAD "rule bcast line=3 use=chain\nend\n", "w:2: unknown field \"line\""},
    {HEAD "rule bcast use=chain use=linear\nend\n", "w:2: use= is given twice"},
    {HEAD "rule bcast chain\nend\n", "w:2: \"chain\" is no field"},
    {HEAD "rule bcast use=\nend\n", "w:2: \"use=\" is no field"},
    {HEAD "rule bcast use=chain # why\nend\n", "w:2: a comment needs a line of its own"},
    {HEAD "rul bcast use=chain\nend\n", "w:2: unknown word \"rul\"; did you mean \"rule\"?"},
    {HEAD "force bcast use=chain\nend\n", "w:2: unknown word \"force\""},
    {HEAD "select random:3\nend\n", "w:2: unknown word \"select\""},
    {HEAD "rule bcast use=chain\nmpi: late\nend\n", "w:3: provenance"},
    {HEAD "end of file\n", "w:2: nothing may follow \"end\""},
    {HEAD "rule bcast use=chain\nrule bcast use=nope\nend\n", "w:3: unknown algorithm \"nope\""},
};

static void invalid_text_is_rejected_with_line_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        atn_error err = {0};
        atn_rules *rules = (atn_rules *)&err;
        assert_int_equal(atn_plan_rules_parse(bad[i].text, strlen(bad[i].text), "w", &rules, &err),
                         ATN_INPUT);
        assert_holds(err.text, bad[i].message);
        assert_ptr_equal(rules, &err);
    }
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = HEAD "rule bcast\0use=chain\nend\n";
    atn_error err = {0};
    atn_rules *rules;
    assert_int_equal(atn_plan_rules_parse(text, sizeof text - 1, "w", &rules, &err), ATN_INPUT);
    assert_holds(err.text, "w:2: byte 0x00 is not text");
}

/* Every prefix of a file is rejected. */
static void every_truncation_is_detected(void **state)
{
    (void)state;
    for (size_t n = 0; n < strlen(sample) - 1; n++) {
        atn_error err = {0};
        atn_rules *rules;
        assert_int_equal(atn_plan_rules_parse(sample, n, "w", &rules, &err), ATN_INPUT);
    }
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    atn_error err = {0};
    atn_rules *rules;
    assert_int_equal(atn_plan_rules_read("/nonexistent/x.rules", &rules, &err), ATN_INPUT);
    assert_holds(err.text, "/nonexistent/x.rules: cannot be read: No such file");
    err = (atn_error){0};
    assert_int_equal(atn_plan_rules_read("/tmp", &rules, &err), ATN_INPUT);
    assert_holds(err.text, "/tmp: is a directory");
    err = (atn_error){0};
    assert_int_equal(atn_plan_rules_read("/dev/zero", &rules, &err), ATN_INPUT);
    assert_holds(err.text, "/dev/zero: is not a file");
}

/* ---- choosing ---- */

static void ranges_include_low_and_exclude_high(void **state)
{
    (void)state;
    atn_rules *rules = parsed("attune-wisdom 1\n"
                              "rule bcast ranks=4:8 bytes=1K:2K use=chain\n"
                              "rule bcast ranks=16 bytes=0: use=linear\n"
                              "rule bcast ranks=:3 bytes=:8 use=binomial\n"
                              "rule gatherv ranks=4: use=linear\n"
                              "end\n");
    assert_string_equal(chosen(rules, ATN_BCAST, 3, 1024), "bcast/native");
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 1024), "bcast/chain");
    assert_string_equal(chosen(rules, ATN_BCAST, 7, 2047), "bcast/chain");
    assert_string_equal(chosen(rules, ATN_BCAST, 8, 1024), "bcast/native");
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 1023), "bcast/native");
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 2048), "bcast/native");
    assert_string_equal(chosen(rules, ATN_BCAST, 16, 0), "bcast/linear");
    assert_string_equal(chosen(rules, ATN_BCAST, 16, INT64_MAX), "bcast/linear");
    assert_string_equal(chosen(rules, ATN_BCAST, 17, 0), "bcast/native");
    assert_string_equal(chosen(rules, ATN_BCAST, 2, 7), "bcast/binomial");
    assert_string_equal(chosen(rules, ATN_BCAST, 2, 8), "bcast/native");
    assert_string_equal(chosen(rules, ATN_GATHERV, 4, -1), "gatherv/linear");
    assert_string_equal(chosen(rules, ATN_GATHERV, 3, -1), "gatherv/native");
    atn_plan_rules_free(rules);
}

static void the_first_applicable_match_is_chosen(void **state)
{
    (void)state;
    atn_rules *rules = parsed("attune-wisdom 1\n"
                              "rule allgather use=neighbor\n"
                              "rule allgather ranks=5 use=ring\n"
                              "end\n");
    atn_problem q = {.op = ATN_ALLGATHER, .p = 8, .segments = 1, .bytes = 64};
    atn_choice choice;
    atn_reason reason;
    char text[400];
    atn_plan_rules_choose(rules, &q, 0, &choice, &reason);
    assert_string_equal(choice.row->name, "allgather/neighbor");
    assert_int_equal(reason.rule, 0);
    assert_int_equal(reason.refused, -1);
    q.p = 5;
    atn_plan_rules_choose(rules, &q, 0, &choice, &reason);
    assert_string_equal(choice.row->name, "allgather/ring");
    assert_int_equal(reason.rule, 1);
    assert_int_equal(reason.refused, 0);
    q.p = 7;
    atn_plan_rules_choose(rules, &q, 0, &choice, &reason);
    assert_string_equal(choice.row->name, "allgather/native");
    assert_int_equal(reason.rule, -1);
    assert_int_equal(reason.refused, 0);
    atn_plan_reason_print(rules, &reason, &q, &choice, text, sizeof text);
    assert_string_equal(text, "w:2: allgather/neighbor cannot serve allgather on 7 ranks: "
                              "the number of ranks is odd; using native instead");
    atn_plan_rules_free(rules);
}

static void local_data_have_no_influence(void **state)
{
    (void)state;
    atn_rules *rules = loaded(NULL, "*=linear,*=ring,*=native", "random:5");
    for (int op = 0; op < ATN_OPERATIONS; op++)
        for (uint64_t call = 0; call < 20; call++) {
            atn_problem q = {.op = (atn_operation)op, .p = 4, .segments = 1, .bytes = 100};
            atn_choice one, other;
            atn_plan_rules_choose(rules, &q, call, &one, NULL);
            q.r = 3;
            q.segments = 7;
            atn_plan_rules_choose(rules, &q, call, &other, NULL);
            assert_memory_equal(&one, &other, sizeof one);
        }
    atn_plan_rules_free(rules);
}

static void masks_list_operations_with_rules(void **state)
{
    (void)state;
    atn_rules *rules = parsed(sample);
    assert_int_equal(atn_plan_rules_operations(rules),
                     1u << ATN_BCAST | 1u << ATN_ALLREDUCE | 1u << ATN_GATHERV);
    assert_int_equal(atn_plan_rules_forced(rules), 0);
    assert_false(atn_plan_rules_per_call(rules));
    atn_plan_rules_free(rules);
    rules = loaded(NULL, "scan=linear,exscan=native", NULL);
    assert_int_equal(atn_plan_rules_operations(rules), 1u << ATN_SCAN);
    assert_int_equal(atn_plan_rules_forced(rules), 1u << ATN_SCAN | 1u << ATN_EXSCAN);
    atn_plan_rules_free(rules);
}

/* ---- forced ---- */

static void forced_algorithms_have_priority(void **state)
{
    (void)state;
    char path[] = "/tmp/attune-rules-XXXXXX";
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, sample, strlen(sample)), strlen(sample));
    close(fd);
    atn_rules *rules =
        loaded(path, "*=native,bcast=chain:segment=8K,allreduce=ring:segment=4K:sync=pair", NULL);
    assert_string_equal(chosen(rules, ATN_BCAST, 4, 8), "bcast/chain{segment=8K}");
    assert_string_equal(chosen(rules, ATN_ALLREDUCE, 4, 8), "allreduce/ring{segment=4K,sync=pair}");
    assert_string_equal(chosen(rules, ATN_GATHERV, 4, -1), "gatherv/native");
    char *text = text_of(rules);
    assert_string_equal(text, printed);
    free(text);
    atn_plan_rules_free(rules);
    unlink(path);
}

static void invalid_forced_text_is_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"allreduce", "\"allreduce\" is not understood; write operation=algorithm"},
        {"=ring", "is not understood"},
        {"allreduce=", "is not understood"},
        {"alreduce=ring", "ATTUNE_ALGORITHM: unknown operation \"alreduce\"; did you mean"},
        {"allreduce=rnig", "unknown algorithm \"rnig\" for allreduce; did you mean \"ring\"?"},
        {"*=warp", "no operation has an algorithm \"warp\""},
        {"allreduce=ring:segment=huge", "segment=huge is invalid"},
        {"allreduce=ring:segment", "'segment' is not of the form parameter=value"},
        {"bcast=chain,allreduce=ring:depth=4", "has no parameter 'depth'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        atn_error err = {0};
        atn_rules *rules;
        assert_int_equal(atn_plan_rules_load(NULL, cases[i].text, NULL, &rules, &err), ATN_INPUT);
        assert_holds(err.text, cases[i].message);
    }
}

/* ---- other ranks ---- */

static void packing_keeps_everything(void **state)
{
    (void)state;
    atn_rules *sets[] = {parsed(sample), loaded(NULL, "*=linear,bcast=chain:segment=1K", NULL),
                         loaded(NULL, NULL, "random:77"), atn_plan_rules_empty()};
    for (int i = 0; i < 4; i++) {
        char *text, *again;
        size_t bytes, same;
        atn_error err = {0};
        atn_rules *other;
        assert_int_equal(atn_plan_rules_pack(sets[i], &text, &bytes, &err), ATN_OK);
        if (atn_plan_rules_unpack(text, bytes, &other, &err) != ATN_OK)
            fail_msg("%s", err.text);
        assert_int_equal(atn_plan_rules_pack(other, &again, &same, &err), ATN_OK);
        assert_string_equal(text, again);
        assert_true(atn_plan_rules_hash(sets[i]) == atn_plan_rules_hash(other));
        assert_int_equal(atn_plan_rules_forced(sets[i]), atn_plan_rules_forced(other));
        assert_int_equal(atn_plan_rules_per_call(sets[i]), atn_plan_rules_per_call(other));
        for (int j = 0; j < i; j++)
            assert_true(atn_plan_rules_hash(sets[i]) != atn_plan_rules_hash(sets[j]));
        atn_plan_rules_free(other);
        free(text);
        free(again);
    }
    for (int i = 0; i < 4; i++)
        atn_plan_rules_free(sets[i]);
}

/* ---- random ---- */

/* Some rows have requirements that the problem does not meet, such as a topology. */
static bool applies(const atn_row *row)
{
    const atn_problem q = {.op = row->op, .p = 8, .segments = 1, .bytes = 64};
    atn_params prm;
    atn_algo_params_default(row, &prm);
    return atn_algo_refuses(row, &q, &prm) == NULL;
}

static void random_choices_are_applicable_and_vary(void **state)
{
    (void)state;
    atn_rules *rules = loaded(NULL, NULL, "random:1");
    assert_true(atn_plan_rules_per_call(rules));
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        bool seen[256] = {false};
        int different = 0;
        for (uint64_t call = 0; call < 400; call++) {
            atn_problem q = {.op = (atn_operation)op,
                             .p = 2 + (int)(call % 9),
                             .segments = 1,
                             .bytes = (int64_t)(call * call)};
            atn_choice choice;
            q.neighbourhood = made_neighbours(q.op, q.p);
            atn_plan_rules_choose(rules, &q, call, &choice, NULL);
            q.segments = atn_algo_segments(choice.row, &q, &choice.params);
            assert_null(atn_algo_refuses(choice.row, &q, &choice.params));
            atn_sched_neighbourhood_free(q.neighbourhood);
            for (int i = 0; i < atn_algo_catalog_rows(); i++)
                if (atn_algo_catalog_row(i) == choice.row && !seen[i]) {
                    seen[i] = true;
                    different++;
                }
        }
        for (int i = 0; i < atn_algo_catalog_rows(); i++)
            if (atn_algo_catalog_row(i)->op == (atn_operation)op &&
                applies(atn_algo_catalog_row(i)))
                assert_true(seen[i]);
        assert_true(different >= 3);
    }
    atn_plan_rules_free(rules);
}

static void random_parameters_are_legal(void **state)
{
    (void)state;
    atn_rules *rules = loaded(NULL, NULL, "random:2");
    for (uint64_t call = 0; call < 3000; call++) {
        const atn_problem q = {.op = (atn_operation)(call % ATN_OPERATIONS),
                               .p = 8,
                               .segments = 1,
                               .bytes = INT64_C(1) << 20};
        atn_choice choice;
        const atn_param *list[ATN_MAX_PARAMS];
        atn_plan_rules_choose(rules, &q, call, &choice, NULL);
        for (int i = 0; i < atn_algo_row_params(choice.row, list); i++)
            assert_in_range(choice.params.v[i], list[i]->min, list[i]->max);
    }
    atn_plan_rules_free(rules);
}

static void seeds_must_be_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"random", "random:", "random:x", "Random:1", "best", ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        atn_error err = {0};
        atn_rules *rules;
        assert_int_equal(atn_plan_rules_load(NULL, NULL, texts[i], &rules, &err), ATN_INPUT);
        assert_holds(err.text, "must be \"rules\", \"model\", \"online\"");
    }
    atn_plan_rules_free(loaded(NULL, NULL, "rules"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print_is_sorted_aligned_and_stable),
        cmocka_unit_test(measured_fields_are_read),
        cmocka_unit_test(few_samples_have_no_interval),
        cmocka_unit_test(sorting_keeps_what_matches_first),
        cmocka_unit_test(durations_survive),
        cmocka_unit_test(carriage_returns_and_indents_are_tolerated),
        cmocka_unit_test(an_empty_table_is_native),
        cmocka_unit_test(invalid_text_is_rejected_with_line_and_reason),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(every_truncation_is_detected),
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(ranges_include_low_and_exclude_high),
        cmocka_unit_test(the_first_applicable_match_is_chosen),
        cmocka_unit_test(local_data_have_no_influence),
        cmocka_unit_test(masks_list_operations_with_rules),
        cmocka_unit_test(forced_algorithms_have_priority),
        cmocka_unit_test(invalid_forced_text_is_rejected),
        cmocka_unit_test(packing_keeps_everything),
        cmocka_unit_test(random_choices_are_applicable_and_vary),
        cmocka_unit_test(random_parameters_are_legal),
        cmocka_unit_test(seeds_must_be_numbers),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
