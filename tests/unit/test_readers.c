/* test_readers.c - every reader of bytes (tests/fuzz) with valid inputs, inputs that once failed,
 * and simple mutations of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "../fuzz/readers.h"

enum { MUTATIONS = 40, MOST_BYTES = 8192 };

/* Replaces, inserts and removes bytes; always the same ones. */
static size_t mutate(uint8_t *data, size_t bytes, uint64_t *state)
{
    const size_t at = atn_random(state) % (bytes + 1);
    switch (atn_random(state) % 4) {
    case 0:
        return at; /* truncated */
    case 1:
        memmove(data + at + 1, data + at, bytes - at);
        data[at] = (uint8_t)atn_random(state);
        return bytes + 1;
    case 2:
        if (at < bytes)
            memmove(data + at, data + at + 1, bytes - at - 1);
        return at < bytes ? bytes - 1 : bytes;
    default:
        if (at < bytes)
            data[at] = (uint8_t)("0129 :;,.=[]{}\n"[atn_random(state) % 15]);
        return bytes;
    }
}

static int run_file(const atn_fuzz_reader *r, const char *path)
{
    static uint8_t data[MOST_BYTES + MUTATIONS];
    char *text = NULL;
    size_t bytes = 0;
    uint64_t state = 1;
    assert_int_equal(atn_read_file(path, &text, &bytes, NULL), ATN_OK);
    atn_fuzz_run(r, (const uint8_t *)text, bytes);
    for (int i = 0; i < MUTATIONS && bytes <= MOST_BYTES; i++) {
        memcpy(data, text, bytes);
        size_t n = bytes;
        for (int k = 0; k <= i % 4; k++)
            n = mutate(data, n, &state);
        atn_fuzz_run(r, data, n);
    }
    free(text);
    return 1;
}

/* Files that match a pattern below the source folder. */
static int run_pattern(const atn_fuzz_reader *r, const char *pattern)
{
    char path[4096];
    glob_t found = {0};
    int n = 0;
    snprintf(path, sizeof path, ATN_SOURCE_DIR "/%s", pattern);
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            n += run_file(r, found.gl_pathv[i]);
    globfree(&found);
    return n;
}

static void reads(void **state)
{
    const atn_fuzz_reader *const r = *state;
    char pattern[256], *const seeds = strdup(r->seeds);
    snprintf(pattern, sizeof pattern, "tests/fuzz/crashes/%s/*", r->name);
    run_pattern(r, pattern);
    snprintf(pattern, sizeof pattern, "tests/fuzz/seeds/%s/*", r->name);
    int n = run_pattern(r, pattern);
    char *rest = seeds;
    for (char *word; rest != NULL && n < 4 && (word = strsep(&rest, " ")) != NULL;)
        n += *word != '\0' ? run_pattern(r, word) : 0;
    free(seeds);
    assert_true(n > 0);
}

int main(void)
{
    static struct CMUnitTest tests[64];
    size_t n = 0;
    for (const atn_fuzz_reader *r; (r = atn_fuzz_reader_at((int)n)) != NULL; n++)
        tests[n] = (struct CMUnitTest){r->name, reads, NULL, NULL, (void *)r};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    char *const path =
        strdup(getenv("PATH"));        /* with sanitizers, other tests follow in this process */
    setenv("PATH", "/nonexistent", 1); /* no program is started */
    const int failed = _cmocka_run_group_tests("readers", tests, n, NULL, NULL);
    setenv("PATH", path, 1);
    free(path);
    return failed;
}
