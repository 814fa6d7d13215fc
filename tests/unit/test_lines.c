/* test_lines.c - text files of lines: versions, comments, words, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"

static const atn_format plain = {.kind = "plain"};
static const atn_format strict = {.magic = "attune-test",
                                  .kind = "test",
                                  .version = 2,
                                  .remedy = "write it again",
                                  .comments = ATN_COMMENT_LINE,
                                  .whole = true,
                                  .ends = true};
static const atn_format loose = {
    .magic = "attune-test", .kind = "test", .version = 2, .comments = ATN_COMMENT_TAIL};

/* All words, separated by commas, lines by semicolons; or the message. */
static const char *words_of(const atn_format *format, const char *text, size_t bytes)
{
    static char out[ATN_ERROR_ROOM];
    atn_error err = {0};
    atn_lines l;
    atn_status status = atn_lines_open(&l, format, "f", text, bytes, &err);
    *out = '\0';
    while (status == ATN_OK && atn_lines_next(&l, &status)) {
        for (const char *word; (word = atn_lines_word(&l)) != NULL;)
            snprintf(out + strlen(out), sizeof out - strlen(out), "%s,", word);
        strcat(out, ";");
    }
    atn_lines_close(&l);
    assert_int_equal(status, err.status);
    return status == ATN_OK ? out : strcpy(out, err.text);
}

static void assert_words(const atn_format *format, const char *text, const char *expected)
{
    assert_string_equal(words_of(format, text, strlen(text)), expected);
}

static void lines_have_words(void **state)
{
    (void)state;
    assert_words(&plain, "", "");
    assert_words(&plain, "\n \n\t\r\n", "");
    assert_words(&plain, "one two\r\n\n  # three\t4 ", "one,two,;#,three,4,;");
    assert_words(&loose, "attune-test 1 # v\na # b\n#c\n  d#e", "a,;d,;");
    assert_words(&loose, "# a\n\nattune-test 1\nb\n", "b,;");
    assert_words(&strict, "attune-test 2\n# a\na # b\n end \n# c\n\n", "a,#,b,;");
}

static void versions_are_checked(void **state)
{
    (void)state;
    assert_words(&strict, "", "f:1: not a test file; the first line must be \"attune-test 2\"");
    assert_words(&strict, "attune-tests 1\n",
                 "f:1: not a test file; the first line must be \"attune-test 2\"");
    assert_words(&strict, "attune-test\n",
                 "f:1: \"\" is no version; the first line must be \"attune-test 2\"");
    assert_words(&strict, "attune-test 0\n",
                 "f:1: \"0\" is no version; the first line must be \"attune-test 2\"");
    assert_words(&strict, "attune-test 1x\n",
                 "f:1: \"1x\" is no version; the first line must be \"attune-test 2\"");
    assert_words(&strict, "attune-test 3\n",
                 "f:1: test file of version 3, this Attune reads version 2; write it again");
}

static void damage_is_detected(void **state)
{
    (void)state;
    static const char missing[] = "f:3: the line \"end\" is missing: the file is truncated; "
                                  "restore it, or add \"end\" if it is complete";
    assert_words(&strict, "attune-test 1\na\n", missing);
    assert_words(&strict, "attune-test 1",
                 "f:1: the last line has no end: the file is truncated; restore it");
    assert_words(&strict, "attune-test 1\nen",
                 "f:2: the last line has no end: the file is truncated; restore it");
    assert_words(&strict, "attune-test 1\nend\n\nmore\n",
                 "f:4: text after \"end\"; remove it (two files cannot be joined this way)");
    assert_words(&strict, "attune-test 1\nend more\n",
                 "f:2: nothing may follow \"end\" on its line; remove it");
    assert_words(&strict, "attune-test 1\n\x01\nend\n",
                 "f:2: byte 0x01 is not text; the file is damaged or of another kind");
    assert_string_equal(words_of(&plain, "a\n\0b\n", 5),
                        "f:2: byte 0x00 is not text; the file is damaged or of another kind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_words),
        cmocka_unit_test(versions_are_checked),
        cmocka_unit_test(damage_is_detected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
