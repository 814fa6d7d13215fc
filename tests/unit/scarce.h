/* scarce.h - fails one allocation of a function after the other.  Each time it must succeed with
 * the same result as with enough memory, or report an error and give everything back.  Replaces the
 * allocator of the test that includes it.  The address sanitizer replaces it, too: then functions
 * run only with enough memory. */
#ifndef ATN_TEST_SCARCE_H
#define ATN_TEST_SCARCE_H

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Sets *text_p to a text that describes the result, to be freed. */
typedef atn_status (*scarce_function)(char **text_p, atn_error *err);

static bool counts;
static long allocations, failing; /* failing: number of the allocation; below 0: none */

/* ---- allocator ---- */

#ifndef __SANITIZE_ADDRESS__
/* Seen by libc, whose functions allocate, too. */
#pragma GCC visibility push(default)
enum { SCARCE_ROOM = 1 << 18 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* What was allocated meanwhile and not freed: open addressing; a freed place keeps its mark. */
static void *place[SCARCE_ROOM];
static char freed;

static int find(const void *p)
{
    int i = (int)(((uintptr_t)p >> 4) * 2654435761u % SCARCE_ROOM);
    while (place[i] != NULL && place[i] != p)
        i = (i + 1) % SCARCE_ROOM;
    return i;
}

static void *keep(void *p)
{
    if (counts && p != NULL)
        place[find(p)] = p;
    return p;
}

static void forget(const void *p)
{
    const int i = p != NULL ? find(p) : -1;
    if (i >= 0 && place[i] == p)
        place[i] = &freed;
}

static bool fails(void) { return counts && allocations++ == failing; }

void *malloc(size_t n) { return fails() ? NULL : keep(__libc_malloc(n)); }
void *calloc(size_t n, size_t each) { return fails() ? NULL : keep(__libc_calloc(n, each)); }
void *aligned_alloc(size_t to, size_t n) { return fails() ? NULL : keep(__libc_memalign(to, n)); }
void *realloc(void *old, size_t n)
{
    if (fails())
        return NULL;
    void *const p = __libc_realloc(old, n);
    if (p != NULL || n == 0)
        forget(old);
    return keep(p);
}
void free(void *p)
{
    forget(p);
    __libc_free(p);
}

#pragma GCC visibility pop

/* The result is not left over. */
static int left_over(const char *result)
{
    int n = -(result != NULL);
    for (int i = 0; i < SCARCE_ROOM; i++) {
        n += place[i] != NULL && place[i] != &freed;
        place[i] = NULL;
    }
    return n;
}
#else
static int left_over(const char *result)
{
    (void)result;
    return 0;
}
#endif

/* ---- checks ---- */

static atn_status attempt(scarce_function run, long n, char **text_p, int *left_p)
{
    atn_error err = {0};
    *text_p = NULL;
    left_over(NULL);
    allocations = 0;
    failing = n;
    counts = true;
    const atn_status status = run(text_p, &err);
    counts = false;
    *left_p = left_over(*text_p);
    if (status != ATN_OK && err.text[0] == '\0')
        fail_msg("allocation %ld: status %d without a message", n, status);
    if (status != ATN_OK && n < 0)
        fail_msg("%s", err.text);
    return status;
}

/* At most `most` allocations fail, at equal distances. */
static void scarce_check(const char *name, scarce_function run, long most)
{
    char *wanted, *text;
    int left;
    assert_int_equal(attempt(run, -1, &text, &left), ATN_OK); /* fills caches */
    free(text);
    assert_int_equal(attempt(run, -1, &wanted, &left), ATN_OK);
    const long all = allocations, step = all / most + 1;
    if (left != 0)
        fail_msg("%s: %d blocks are not freed", name, left);
    for (long n = 0; n < all; n += step) {
        atn_status status = attempt(run, n, &text, &left);
        if (left != 0) { /* messages are interned: once */
            free(text);
            status = attempt(run, n, &text, &left);
        }
        if (status == ATN_OK && (text == NULL || strcmp(text, wanted) != 0))
            fail_msg("%s, allocation %ld of %ld: the result is\n%s", name, n, all, text);
        if (left != 0)
            fail_msg("%s, allocation %ld of %ld: %d blocks are not freed, status %d", name, n, all,
                     left, status);
        free(text);
    }
    free(wanted);
}

#endif
