/* test_base.c - errors, arrays, numbers, sizes, words and files. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

static void first_failure_is_kept(void **state)
{
    (void)state;
    atn_error err = {0};
    assert_int_equal(atn_fail(&err, ATN_INPUT, "%s:%d: odd", "rules", 3), ATN_INPUT);
    assert_int_equal(atn_fail(&err, ATN_MEMORY, "later"), ATN_MEMORY);
    assert_int_equal(err.status, ATN_INPUT);
    assert_string_equal(err.text, "rules:3: odd");
    assert_int_equal(atn_fail(NULL, ATN_USAGE, "ignored"), ATN_USAGE);
}

static void long_messages_are_truncated(void **state)
{
    (void)state;
    atn_error err = {0};
    char word[2 * ATN_ERROR_ROOM];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    atn_fail(&err, ATN_INPUT, "%s", word);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void arrays_grow(void **state)
{
    (void)state;
    ATN_VEC(int) list = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(atn_push(&list, 3 * i));
    assert_int_equal(list.n, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list.v[i], 3 * i);
    atn_vec_free(&list);
    assert_null(list.v);
    assert_int_equal(list.n + list.cap, 0);
}

static void arrays_reject_impossible_sizes(void **state)
{
    (void)state;
    void *v = NULL;
    int cap = 0;
    assert_false(atn_vec_room(&v, &cap, INT_MAX, SIZE_MAX / 4));
    assert_false(atn_vec_room(&v, &cap, -1, 1));
    assert_null(v);
    assert_int_equal(cap, 0);
}

static void remainders_and_logarithms(void **state)
{
    (void)state;
    assert_int_equal(atn_mod(-1, 5), 4);
    assert_int_equal(atn_mod(-5, 5), 0);
    assert_int_equal(atn_mod(7, 5), 2);
    const struct {
        int p, down, up;
    } rows[] = {{1, 0, 0}, {2, 1, 1},     {3, 1, 2},      {4, 2, 2},
                {5, 2, 3}, {1023, 9, 10}, {1024, 10, 10}, {INT_MAX, 30, 31}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(atn_floor_log2(rows[i].p), rows[i].down);
        assert_int_equal(atn_ceil_log2(rows[i].p), rows[i].up);
        assert_int_equal(atn_is_pow2(rows[i].p), rows[i].down == rows[i].up);
    }
    assert_false(atn_is_pow2(0));
}

static void hash_is_fnv1a(void **state)
{
    (void)state;
    assert_true(atn_hash("", 0, 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(atn_hash("a", 1, 0) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(atn_hash("foobar", 6, 0) == UINT64_C(0x85944171f73967e8));
    assert_true(atn_hash("a", 1, 1) != atn_hash("a", 1, 0));
}

static void sizes_are_read(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"4K", 4096},
                {"8k", 8192},
                {"1M", 1 << 20},
                {"3G", INT64_C(3) << 30},
                {"2T", INT64_C(2) << 40},
                {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t bytes = -1;
        assert_true(atn_parse_size(good[i].text, &bytes));
        assert_true(bytes == good[i].bytes);
    }
}

static void invalid_sizes_are_rejected(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "K",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1KB",
                                      "4KK",
                                      "0x10",
                                      "1.5K",
                                      "9223372036854775808",
                                      "9007199254740992K",
                                      "99999999T"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t bytes = -7;
        assert_false(atn_parse_size(bad[i], &bytes));
        assert_true(bytes == -7);
    }
}

static void sizes_round_trip(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(atn_format_size(0, text), "0");
    assert_string_equal(atn_format_size(1000, text), "1000");
    assert_string_equal(atn_format_size(1024, text), "1K");
    assert_string_equal(atn_format_size(1536, text), "1536");
    assert_string_equal(atn_format_size(3 << 20, text), "3M");
    assert_string_equal(atn_format_size(INT64_C(1) << 50, text), "1024T");
    for (int64_t n = 1; n < INT64_MAX / 3; n = 3 * n + (n & 1)) {
        int64_t back = 0;
        assert_true(atn_parse_size(atn_format_size(n, text), &back));
        assert_true(back == n);
    }
}

static void similar_words_are_found(void **state)
{
    (void)state;
    static const char *const words[] = {"ring", "chain", "binomial", "recursive_doubling"};
    assert_string_equal(atn_nearest("rnig", words, 4), "ring");
    assert_string_equal(atn_nearest("chian", words, 4), "chain");
    assert_string_equal(atn_nearest("binomal", words, 4), "binomial");
    assert_string_equal(atn_nearest("recursiv_dubling", words, 4), "recursive_doubling");
    assert_null(atn_nearest("tree", words, 4));
    assert_null(atn_nearest("ring", words, 0));
    char endless[500];
    memset(endless, 'r', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(atn_nearest(endless, words, 4));
}

/* ---- files: every test uses its own folder ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/attune-test-XXXXXX");
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink("f");
    unlink("link");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

static void put(const char *path, const char *text)
{
    atn_error err = {0};
    assert_int_equal(atn_write_file(path, text, strlen(text), &err), ATN_OK);
    assert_int_equal(err.status, ATN_OK);
}

static void assert_holds(const char *path, const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(atn_read_file(path, &text, &bytes, NULL), ATN_OK);
    assert_int_equal(bytes, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

static void files_come_back(void **state)
{
    (void)state;
    put("f", "");
    assert_holds("f", "");
    put("f", "hello\n");
    assert_holds("f", "hello\n");
    char *big = malloc(100001);
    memset(big, 'y', 100000);
    big[100000] = '\0';
    put("f", big);
    assert_holds("f", big);
    free(big);
}

static void files_without_a_size_are_read(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(atn_read_file("/proc/self/status", &text, &bytes, NULL), ATN_OK);
    assert_true(bytes > 0);
    free(text);
}

static void missing_files_are_named(void **state)
{
    (void)state;
    atn_error err = {0};
    char *text = NULL;
    assert_int_equal(atn_read_file("absent", &text, NULL, &err), ATN_INPUT);
    assert_string_equal(err.text, "absent: cannot be read: No such file or directory");
    err = (atn_error){0};
    assert_int_equal(atn_read_file(folder, &text, NULL, &err), ATN_INPUT);
    assert_non_null(strstr(err.text, "Is a directory"));
    assert_null(text);
}

static void devices_without_an_end_are_refused(void **state)
{
    (void)state;
    atn_error err = {0};
    char *text = NULL;
    assert_int_equal(atn_read_file("/dev/zero", &text, NULL, &err), ATN_INPUT);
    assert_string_equal(err.text, "/dev/zero: cannot be read: File too large");
    assert_null(text);
}

static void a_failed_write_changes_nothing(void **state)
{
    (void)state;
    atn_error err = {0};
    assert_int_equal(atn_write_file("absent/f", "x", 1, &err), ATN_ENVIRONMENT);
    assert_non_null(strstr(err.text, "absent/f: cannot be written"));
    put("f", "kept");
    assert_int_equal(atn_write_file(folder, "x", 1, NULL), ATN_ENVIRONMENT);
    assert_holds("f", "kept");
}

static void links_and_modes_survive(void **state)
{
    (void)state;
    put("f", "old");
    assert_int_equal(chmod("f", 0640), 0);
    assert_int_equal(symlink("f", "link"), 0);
    put("link", "new");
    assert_holds("f", "new");
    struct stat file, link;
    assert_int_equal(lstat("link", &link), 0);
    assert_int_equal(stat("f", &file), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(file.st_mode & 0777, 0640);
}

static void devices_are_written_through(void **state)
{
    (void)state;
    put("/dev/null", "gone");
    struct stat device;
    assert_int_equal(stat("/dev/null", &device), 0);
    assert_true(S_ISCHR(device.st_mode));
}

#define file_test(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

static void enumerated_words_are_not_truncated(void **state)
{
    (void)state;
    static const char *const words[] = {"ring", "chain", "linear"};
    const char *many[400];
    char out[ATN_ERROR_ROOM];
    assert_string_equal(atn_enumerate(words, 3, " or ", out), "ring, chain or linear");
    assert_string_equal(atn_enumerate(words, 1, " or ", out), "ring");
    assert_string_equal(atn_enumerate(words, 0, " or ", out), "");
    assert_string_equal(atn_offer("rign", words, 3, out),
                        "did you mean \"ring\"? There are: ring, chain, linear");
    assert_string_equal(atn_offer("quantum", words, 3, out), "there are: ring, chain, linear");
    for (int i = 0; i < 400; i++)
        many[i] = "reduce_scatter";
    atn_enumerate(many, 400, ", ", out);
    assert_string_equal(out + strlen(out) - 16, ", reduce_scatter");
}

static void items_respect_braces(void **state)
{
    (void)state;
    char text[] = " a,b{c,d{e,f}},,g{h";
    char *rest = text;
    assert_string_equal(atn_next_item(&rest, ", "), "a");
    assert_string_equal(atn_next_item(&rest, ", "), "b{c,d{e,f}}");
    assert_string_equal(atn_next_item(&rest, ", "), "g{h");
    assert_null(atn_next_item(&rest, ", "));
    assert_null(atn_next_item(&rest, ", "));
}

static void lists_have_no_empty_items(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
    } lists[] = {
        {"", NULL},
        {" \t", NULL},
        {"a", NULL},
        {" a , b{c,,d} ,e", NULL},
        {"a,,b", "L: nothing is before the comma at character 3; "},
        {"a, ,b", "L: nothing is before the comma at character 4; "},
        {",a", "L: nothing is before the comma at character 1; "},
        {"a{b},", "L: nothing follows the comma at character 5; "},
        {"a, ", "L: nothing follows the comma at character 2; "},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        atn_error err = {0};
        assert_int_equal(atn_check_list("L", lists[i].text, ATN_USAGE, &err),
                         lists[i].what != NULL ? ATN_USAGE : ATN_OK);
        if (lists[i].what != NULL)
            assert_non_null(strstr(err.text, lists[i].what));
    }
}

static void texts_are_interned(void **state)
{
    (void)state;
    char copy[] = "site:flat";
    const int64_t one = atn_intern("site:flat"), other = atn_intern("host:flat");
    assert_int_equal(atn_intern(""), 0);
    assert_true(one > 0 && other > 0 && one != other);
    assert_int_equal(atn_intern(copy), one);
    assert_string_equal(atn_interned(other), "host:flat");
    assert_string_equal(atn_interned(0), "");
    assert_string_equal(atn_interned(INT64_MAX), "");
}

/* ---- files of other users ---- */

static atn_status read_mode(const char *path, mode_t mode, atn_provider provider, char why[200])
{
    char *text = NULL;
    atn_error err = {0};
    assert_int_equal(chmod(path, mode), 0);
    const atn_status status = atn_read_checked_file(path, provider, &text, NULL, &err);
    snprintf(why, 200, "%.199s", err.text);
    free(text);
    return status;
}

static void files_of_everybody_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/attune-trust-XXXXXX", why[200];
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "a\n", 2) == 2);
    close(fd);
    assert_int_equal(read_mode(path, 0644, ATN_FOUND, why), ATN_OK);
    assert_int_equal(read_mode(path, 0664, ATN_FOUND, why), ATN_OK); /* shared by a group */
    assert_int_equal(read_mode(path, 0666, ATN_FOUND, why), ATN_INPUT);
    assert_non_null(strstr(why, "every user may write it; run chmod o-w on it"));
    assert_int_equal(read_mode(path, 0666, ATN_NAMED, why), ATN_OK); /* our own */
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(read_mode(path, 0644, ATN_FOUND, why), ATN_INPUT);
        assert_non_null(strstr(why, "belongs neither to this user nor to root"));
        assert_int_equal(read_mode(path, 0644, ATN_NAMED, why), ATN_OK);
        assert_int_equal(read_mode(path, 0666, ATN_NAMED, why), ATN_INPUT);
        assert_non_null(strstr(why, "belongs to another user and every user may write it"));
    }
    assert_int_equal(unlink(path), 0);
    /* A pipe without a writer does not block. */
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(read_mode(path, 0600, ATN_FOUND, why), ATN_INPUT);
    assert_non_null(strstr(why, "is not a file"));
    assert_int_equal(unlink(path), 0);
}

/* Of a folder that others may write: a link at the name of the temporary file is not followed. */
static void links_of_others_are_not_followed(void **state)
{
    (void)state;
    char folder[] = "/tmp/attune-trust-XXXXXX", path[64], link[64], victim[64], *text = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w", folder);
    snprintf(link, sizeof link, "%s/w.tmp", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    assert_int_equal(atn_write_file(victim, "keep", 4, NULL), ATN_OK);
    assert_int_equal(symlink(victim, link), 0);
    assert_int_equal(atn_write_file_alone(path, "new", 3, NULL), ATN_OK);
    assert_int_equal(atn_read_file(victim, &text, NULL, NULL), ATN_OK);
    assert_string_equal(text, "keep");
    free(text);
    unlink(path);
    unlink(victim);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_failure_is_kept),
        cmocka_unit_test(long_messages_are_truncated),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(arrays_reject_impossible_sizes),
        cmocka_unit_test(remainders_and_logarithms),
        cmocka_unit_test(hash_is_fnv1a),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(invalid_sizes_are_rejected),
        cmocka_unit_test(sizes_round_trip),
        cmocka_unit_test(similar_words_are_found),
        cmocka_unit_test(enumerated_words_are_not_truncated),
        cmocka_unit_test(items_respect_braces),
        cmocka_unit_test(lists_have_no_empty_items),
        cmocka_unit_test(texts_are_interned),
        cmocka_unit_test(files_of_everybody_are_refused),
        cmocka_unit_test(links_of_others_are_not_followed),
        file_test(files_come_back),
        file_test(files_without_a_size_are_read),
        file_test(missing_files_are_named),
        cmocka_unit_test(devices_without_an_end_are_refused),
        file_test(a_failed_write_changes_nothing),
        file_test(links_and_modes_survive),
        file_test(devices_are_written_through),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
