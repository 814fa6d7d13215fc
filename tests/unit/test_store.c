/* test_store.c - calibrations: text, files with concurrent writers, selection of entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "plan/here.h"
#include "plan/store.h"

/* ---- helpers ---- */

#define PARAMETERS                                                                                 \
    "attune-machine 1\nchannel memory\n  overhead below=0.5 eager=4K from=1\n  table transfer 1\n" \
    "    1K 0.1\nend\n"
#define TOPOLOGY "#attune topology 1\nSwitchName=top Nodes=n[0-3] LinkSpeed=100\n"
#define BARRED                                                                                     \
    "| attune-machine 1\n| channel memory\n|   overhead below=0.5 eager=4K from=1\n"               \
    "|   table transfer 1\n|     1K 0.1\n| end\n"
#define HEAD(hosts)                                                                                \
    "entry " hosts "\nmachine some-mpi-1-00000001\nfabric ethernet\nranks 1\n"                     \
    "date 2026-02-03T09:15:07Z\n"

static atn_store_entry entry(const char *hosts, int64_t ranks, int64_t date)
{
    return (atn_store_entry){.hosts = (char *)hosts,
                             .machine = "some-mpi-1-00000001",
                             .fabric = "ethernet",
                             .ranks = ranks,
                             .date = date,
                             .parameters = PARAMETERS};
}

static void add(atn_store *s, const char *hosts, int64_t ranks, int64_t date)
{
    const atn_store_entry e = entry(hosts, ranks, date);
    assert_true(atn_plan_store_add(s, &e));
}

static void write_text(const char *path, const char *text)
{
    atn_error err = {0};
    assert_int_equal(atn_write_file(path, text, strlen(text), &err), ATN_OK);
}

/* ---- text ---- */

static void entries_are_read_and_written(void **state)
{
    (void)state;
    static const char text[] = "attune-calibration 1\n\n" HEAD(
        "n[0-3]") "tool attune 1\nlauncher mpirun -n 4\n"
                  "topology\n| #attune topology 1\n| SwitchName=top Nodes=n[0-3] LinkSpeed=100\n"
                  "parameters\n" BARRED "\n"
                  "entry node*\nmachine some-mpi-1-00000001\nfabric mlx5\nranks *\ndate "
                  "2026-02-04T00:00:00Z\n"
                  "parameters\n" BARRED "\nend\n";
    atn_store s = {{0}};
    atn_error err = {0};
    size_t bytes = 0;
    assert_int_equal(atn_plan_store_parse(text, strlen(text), "t", &s, &err), ATN_OK);
    assert_int_equal(s.list.n, 2);
    assert_string_equal(s.list.v[0].topology, TOPOLOGY);
    assert_string_equal(s.list.v[0].parameters, PARAMETERS);
    assert_string_equal(s.list.v[0].launcher, "mpirun -n 4");
    assert_int_equal(s.list.v[0].ranks, 1);
    assert_null(s.list.v[1].topology);
    assert_int_equal(s.list.v[1].ranks, 0);
    char *again = atn_plan_store_print(&s, &bytes);
    assert_string_equal(again, text);
    free(again);
    atn_plan_store_free(&s);
}

/* Values with line breaks, as a launcher's arguments may have, stay on one line. */
static void values_stay_on_one_line(void **state)
{
    (void)state;
    atn_store s = {{0}}, back = {{0}};
    atn_error err = {0};
    size_t bytes = 0;
    atn_store_entry e = entry("n0", 1, 0);
    e.launcher = "mpirun -x A=1\nend";
    assert_true(atn_plan_store_add(&s, &e));
    char *text = atn_plan_store_print(&s, &bytes);
    assert_int_equal(atn_plan_store_parse(text, bytes, "t", &back, &err), ATN_OK);
    assert_string_equal(back.list.v[0].launcher, "mpirun -x A=1?end");
    free(text);
    atn_plan_store_free(&s);
    atn_plan_store_free(&back);
}

static void assert_refused(const char *lines, const char *message)
{
    char text[2000];
    atn_store s = {{0}};
    atn_error err = {0};
    add(&s, "kept", 1, 0);
    snprintf(text, sizeof text, "attune-calibration 1\n%s", lines);
    write_text("bad", text);
    assert_int_equal(atn_plan_store_read("bad", &s, &err), ATN_INPUT);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("%s\nwanted %s", err.text, message);
    assert_int_equal(s.list.n, 1);
    atn_plan_store_free(&s);
}

static void invalid_entries_are_rejected(void **state)
{
    (void)state;
    assert_refused("", "bad:2: the line \"end\" is missing");
    assert_refused("ranks 1\nend\n", "bad:2: \"ranks\" stands before the first entry");
    assert_refused("entry\nend\n", "bad:2: an entry names its hosts in one word");
    assert_refused("entry n0 n1\nend\n", "bad:2: an entry names its hosts in one word");
    assert_refused("entry n[0\nend\n", "bad:2: list of names 'n[0' has a [ without its ]");
    assert_refused(HEAD("n0") "end\n",
                   "bad:2: the entry has neither \"topology\" nor \"parameters\"");
    assert_refused(HEAD("n0") "ranks 2\nend\n", "bad:7: ranks is given twice");
    assert_refused("entry n0\nranks x\nend\n", "bad:3: ranks x is no number of ranks per host");
    assert_refused("entry n0\nranks 0\nend\n", "bad:3: ranks 0 is no number of ranks per host");
    assert_refused("entry n0\ndate x\nend\n", "bad:3: date x is no date");
    assert_refused("entry n0\nmachine a b\nend\n", "bad:3: \"a b\" is more than one word");
    assert_refused("entry n0\nfabrik x\nend\n",
                   "bad:3: unknown word \"fabrik\"; did you mean \"fabric\"?");
    assert_refused("entry n0\n| x\nend\n", "bad:3: a line behind a bar belongs to");
    assert_refused("entry n0\ntopology x\nend\n", "bad:3: \"x\" is unexpected");
    assert_refused(HEAD("n0") "parameters\n" BARRED, "bad:14: the line \"end\" is missing");
}

/* Errors inside the topology or the parameters have the line of the store. */
static void errors_inside_have_the_line_of_the_store(void **state)
{
    (void)state;
    assert_refused(HEAD("n0") "parameters\n| attune-machine 1\n| chanel memory\n| end\nend\n",
                   "bad:9: ");
    assert_refused(HEAD("n0") "topology\n| SwitchName=a Nodes=n0\n| SwitchNam=b Nodes=n1\n"
                              "parameters\n" BARRED "end\n",
                   "bad:9: ");
    assert_refused(HEAD("n0") "parameters\nend\n", "bad:8: ");
}

static void a_newer_version_is_rejected(void **state)
{
    (void)state;
    atn_store s = {{0}};
    atn_error err = {0};
    static const char text[] = "attune-calibration 2\nend\n";
    assert_int_equal(atn_plan_store_parse(text, strlen(text), "t", &s, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "t:1: calibration file of version 2"));
}

/* ---- files ---- */

static void files_are_searched_in_order(void **state)
{
    (void)state;
    atn_wisdom_files f;
    atn_plan_store_find("auto", "/home/u", NULL, &f);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.path[0], "/home/u/.local/share/attune/calibration");
    assert_string_equal(f.path[1], "/etc/attune/calibration");
    atn_plan_store_find("", "/home/u", "/data", &f);
    assert_string_equal(f.path[0], "/data/attune/calibration");
    atn_plan_store_find("mine", "/home/u", "/data", &f);
    assert_int_equal(f.n, 1);
    assert_string_equal(f.path[0], "mine");
    atn_plan_store_find("off", "/home/u", "/data", &f);
    assert_int_equal(f.n, 0);
}

static void a_repeated_measurement_replaces(void **state)
{
    (void)state;
    atn_store s = {{0}};
    atn_error err = {0};
    atn_store_entry e = entry("n[0-3]", 1, 100);
    assert_int_equal(atn_plan_store_put("put/store", &e, &err), ATN_OK);
    e.date = 200;
    assert_int_equal(atn_plan_store_put("put/store", &e, &err), ATN_OK);
    e.ranks = 2;
    assert_int_equal(atn_plan_store_put("put/store", &e, &err), ATN_OK);
    assert_int_equal(atn_plan_store_read("put/store", &s, &err), ATN_OK);
    assert_int_equal(s.list.n, 2);
    assert_int_equal(s.list.v[0].date, 200);
    assert_int_equal(s.list.v[1].ranks, 2);
    atn_plan_store_free(&s);
}

static bool has_two_ranks(void *context, const atn_store_entry *e)
{
    (void)context;
    return e->ranks == 2;
}

static void entries_are_removed(void **state)
{
    (void)state;
    atn_store s = {{0}};
    atn_error err = {0};
    int removed = -1;
    for (int64_t ranks = 1; ranks <= 3; ranks++) {
        const atn_store_entry e = entry("n0", ranks, 0);
        assert_int_equal(atn_plan_store_put("removed", &e, &err), ATN_OK);
    }
    assert_int_equal(atn_plan_store_remove("removed", has_two_ranks, NULL, &removed, &err), ATN_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(atn_plan_store_read("removed", &s, &err), ATN_OK);
    assert_int_equal(s.list.n, 2);
    assert_int_equal(s.list.v[1].ranks, 3);
    assert_int_equal(atn_plan_store_remove("none", has_two_ranks, NULL, &removed, &err), ATN_OK);
    assert_int_equal(removed, 0);
    assert_int_not_equal(access("none", F_OK), 0);
    atn_plan_store_free(&s);
}

static void a_damaged_file_stays(void **state)
{
    (void)state;
    char *text = NULL;
    atn_error err = {0};
    const atn_store_entry e = entry("n0", 1, 0);
    write_text("damaged", "attune-calibration 1\nentry n0\n");
    assert_int_equal(atn_plan_store_put("damaged", &e, &err), ATN_INPUT);
    assert_int_equal(atn_read_file("damaged", &text, NULL, &err), ATN_OK);
    assert_string_equal(text, "attune-calibration 1\nentry n0\n");
    free(text);
}

/* A file that cannot be used is reported, and the others serve. */
static void unusable_files_are_skipped(void **state)
{
    (void)state;
    atn_wisdom_files files = {.n = 3, .path = {"broken", "missing", "fine"}};
    atn_store s = {{0}};
    atn_error err = {0};
    char *warning = NULL;
    const atn_store_entry e = entry("n0", 1, 0);
    write_text("broken", "something else\n");
    assert_int_equal(atn_plan_store_put("fine", &e, &err), ATN_OK);
    assert_int_equal(atn_plan_store_load(&files, &s, &warning, &err), ATN_OK);
    assert_int_equal(s.list.n, 1);
    assert_string_equal(warning, "attune: broken:1: not a calibration file; the first line must be "
                                 "\"attune-calibration 1\"; this calibration is not used\n");
    free(warning);
    atn_plan_store_free(&s);
}

enum { WRITERS = 8 };

static void write_in_child(int i)
{
    char hosts[16];
    atn_error err = {0};
    snprintf(hosts, sizeof hosts, "n%d", i);
    const atn_store_entry e = entry(hosts, 1, i);
    _exit(atn_plan_store_put("shared", &e, &err) == ATN_OK ? 0 : 1);
}

static void concurrent_writers_lose_nothing(void **state)
{
    (void)state;
    atn_store s = {{0}};
    atn_error err = {0};
    int code;
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0)
            write_in_child(i);
    for (int i = 0; i < WRITERS; i++) {
        assert_true(wait(&code) > 0);
        assert_int_equal(code, 0);
    }
    assert_int_equal(atn_plan_store_read("shared", &s, &err), ATN_OK);
    assert_int_equal(s.list.n, WRITERS);
    atn_plan_store_free(&s);
}

/* ---- selection ---- */

static char reason[ATN_STORE_WORDS];

static int selected(const atn_store *s, int p, const char *const *hosts)
{
    const atn_store_job job = {"some-mpi-1-00000001", "ethernet", hosts, p};
    strcpy(reason, "");
    return atn_plan_store_select(s, &job, reason);
}

static void subsets_of_the_hosts_are_served(void **state)
{
    (void)state;
    atn_store s = {{0}};
    add(&s, "n[0-3]", 1, 0);
    assert_int_equal(selected(&s, 4, (const char *const[]){"n0", "n1", "n2", "n3"}), 0);
    assert_int_equal(selected(&s, 2, (const char *const[]){"n3", "n1"}), 0);
    assert_int_equal(selected(&s, 4, (const char *const[]){"n3", "n1", "n3", "n1"}), 0);
    assert_int_equal(selected(&s, 1, (const char *const[]){"n2.cluster.org"}), 0);
    assert_int_equal(selected(&s, 3, (const char *const[]){"n0", "n1", "n4"}), -1);
    assert_string_equal(reason, "host n4 of rank 2 is in no entry with the others");
    atn_plan_store_free(&s);
}

static void other_machines_are_not_served(void **state)
{
    (void)state;
    atn_store s = {{0}};
    const char *const hosts[] = {"n0"};
    assert_int_equal(selected(&s, 1, hosts), -1);
    assert_string_equal(reason, "nothing is stored");
    atn_store_entry e = entry("n0", 1, 0);
    e.machine = "another";
    assert_true(atn_plan_store_add(&s, &e));
    assert_int_equal(selected(&s, 1, hosts), -1);
    assert_string_equal(reason, "no entry is for some-mpi-1-00000001");
    e = entry("n0", 1, 0);
    e.fabric = "mlx5";
    assert_true(atn_plan_store_add(&s, &e));
    assert_int_equal(selected(&s, 1, hosts), -1);
    assert_string_equal(reason, "no entry is for the network ethernet");
    assert_false(atn_plan_store_is_of(&e, "some-mpi-1-00000001", "ethernet"));
    assert_true(atn_plan_store_is_of(&e, "some-mpi-1-00000001", "mlx5"));
    atn_plan_store_free(&s);
}

static void the_best_entry_is_selected(void **state)
{
    (void)state;
    const char *const two[] = {"n0", "n1"}, *const four[] = {"n0", "n0", "n1", "n1"};
    const char *const uneven[] = {"n0", "n0", "n1"};
    atn_store s = {{0}};
    add(&s, "n*", 1, 900);
    add(&s, "n[0-1]", 1, 100);
    add(&s, "n[0-1]", 2, 200);
    add(&s, "n[0-7]", 1, 300);
    assert_int_equal(selected(&s, 2, two), 3);
    assert_int_equal(selected(&s, 4, four), 2);
    assert_int_equal(selected(&s, 3, uneven), 3);
    assert_int_equal(selected(&s, 1, (const char *const[]){"n99"}), 0);
    atn_plan_store_free(&s);
}

static void patterns_match_names(void **state)
{
    (void)state;
    atn_store_entry e = entry("node*,gpu?", 1, 0);
    assert_true(atn_plan_store_has_host(&e, "node17"));
    assert_true(atn_plan_store_has_host(&e, "gpu1"));
    assert_false(atn_plan_store_has_host(&e, "gpu12"));
    assert_false(atn_plan_store_has_host(&e, "n"));
    e = entry("a[0-1],b7", 1, 0);
    assert_true(atn_plan_store_has_host(&e, "b7"));
    assert_true(atn_plan_store_has_host(&e, "a1.site"));
    assert_false(atn_plan_store_has_host(&e, "a2"));
}

static void an_entry_is_named_by_hosts_and_date(void **state)
{
    (void)state;
    const atn_store_entry e = entry("n[0-3]", 1, 86400);
    char name[ATN_STORE_WORDS];
    atn_plan_store_name(&e, name);
    assert_string_equal(name, "n[0-3], measured 1970-01-02T00:00:00Z");
    const atn_store_entry sketch = {.hosts = "n0", .date = 0};
    atn_plan_store_name(&sketch, name);
    assert_string_equal(name, "n0, sketched by a job 1970-01-01T00:00:00Z");
}

static void an_old_calibration_is_detected(void **state)
{
    (void)state;
    double none[1], like[] = {0.9, 1.4, 1.1}, mixed[] = {5, 0.9, 4}, slow[] = {4, 9, 3.5};
    double fast[] = {0.1, 0.3, 0.2}, late[] = {8, 2.9};
    double factor = 0;
    assert_false(atn_plan_store_is_stale(none, 0, &factor));
    assert_false(atn_plan_store_is_stale(like, 3, &factor));
    assert_false(atn_plan_store_is_stale(mixed, 3, &factor));
    assert_false(atn_plan_store_is_stale(late, 2, &factor));
    assert_true(atn_plan_store_is_stale(slow, 3, &factor));
    assert_true(factor > 3.9 && factor < 4.1);
    assert_true(atn_plan_store_is_stale(fast, 3, &factor));
    assert_true(factor > 0.19 && factor < 0.21);
}

static void the_fabric_is_one_word(void **state)
{
    (void)state;
    char fabric[ATN_HERE_ROOM];
    atn_plan_here_fabric(fabric);
    assert_true(strlen(fabric) > 0 && strpbrk(fabric, " \t\n") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_read_and_written),
        cmocka_unit_test(values_stay_on_one_line),
        cmocka_unit_test(invalid_entries_are_rejected),
        cmocka_unit_test(errors_inside_have_the_line_of_the_store),
        cmocka_unit_test(a_newer_version_is_rejected),
        cmocka_unit_test(files_are_searched_in_order),
        cmocka_unit_test(a_repeated_measurement_replaces),
        cmocka_unit_test(entries_are_removed),
        cmocka_unit_test(a_damaged_file_stays),
        cmocka_unit_test(unusable_files_are_skipped),
        cmocka_unit_test(concurrent_writers_lose_nothing),
        cmocka_unit_test(subsets_of_the_hosts_are_served),
        cmocka_unit_test(other_machines_are_not_served),
        cmocka_unit_test(the_best_entry_is_selected),
        cmocka_unit_test(patterns_match_names),
        cmocka_unit_test(an_entry_is_named_by_hosts_and_date),
        cmocka_unit_test(the_fabric_is_one_word),
        cmocka_unit_test(an_old_calibration_is_detected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
