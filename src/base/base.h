/* base.h - shared by all layers: status, errors, growable arrays, strings, files.
 *
 * A function that can fail takes an `atn_error *` as its last argument.  The function that detects
 * the failure writes the whole message and returns the status; callers only propagate it. */
#ifndef ATN_BASE_BASE_H
#define ATN_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The first five are also the exit codes of the command line. */
typedef enum {
    ATN_OK = 0,
    ATN_FINDING = 1,     /* the check ran and found something wrong */
    ATN_USAGE = 2,       /* usage error: invalid options or arguments */
    ATN_INPUT = 3,       /* invalid input: a file or name with errors */
    ATN_ENVIRONMENT = 4, /* a program, library or resource is missing */
    ATN_MEMORY = 5,
    ATN_NOT_APPLICABLE = 6 /* an algorithm cannot serve a problem; not an error */
} atn_status;

/* Enough for the longest message: a path and a list of all valid names. */
enum { ATN_ERROR_ROOM = 2048 };

typedef struct {
    atn_status status;
    char text[ATN_ERROR_ROOM];
} atn_error;

/* Records the failure (the first one is kept) and returns `status`; `err` may be NULL. */
atn_status atn_fail(atn_error *err, atn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef ATN_ANALYSE /* analysers read one file at a time: what it returns */
#define atn_fail(err, status, ...) (atn_fail(err, status, __VA_ARGS__), (status))
#endif

#define ATN_LIKELY(x) __builtin_expect(!!(x), 1)
#define ATN_RARELY(x) __builtin_expect(!!(x), 0)

/* For functions whose failure has no other sign: the compiler warns about unchecked calls. */
#define ATN_MUST_USE __attribute__((warn_unused_result))

/* Growable array: ATN_VEC(int) list = {0}; if (!atn_push(&list, 3)) out of memory. */
#define ATN_VEC(type)                                                                              \
    struct {                                                                                       \
        type *v;                                                                                   \
        int n, cap;                                                                                \
    }
#define atn_push(vec, ...)                                                                         \
    (((vec)->n < (vec)->cap && (vec)->v != NULL) ||                                                \
             atn_vec_room((void **)&(vec)->v, &(vec)->cap, (vec)->n + 1, sizeof *(vec)->v)         \
         ? ((vec)->v[(vec)->n++] = (__VA_ARGS__), true)                                            \
         : false)
#define atn_vec_free(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)
bool atn_vec_room(void **v, int *cap, int want, size_t item);

/* r mod p in 0..p-1, also for negative r. */
static inline int atn_mod(int r, int p)
{
    const int m = r % p;
    return m < 0 ? m + p : m;
}
static inline int atn_min(int a, int b) { return a < b ? a : b; }
static inline int atn_max(int a, int b) { return a > b ? a : b; }
static inline bool atn_is_pow2(int p) { return p > 0 && (p & (p - 1)) == 0; }
int atn_floor_log2(int p); /* p >= 1 */
int atn_ceil_log2(int p);

uint64_t atn_hash(const void *data, size_t bytes, uint64_t seed); /* FNV-1a, 64 bit */
/* The next random number (splitmix64): the same on every machine; consecutive states give unrelated
 * values. */
uint64_t atn_random(uint64_t *state);

/* "64K", "1M", "4096" -> bytes; false for anything else (also overflow and trailing text). */
bool atn_parse_size(const char *text, int64_t *bytes_p);
/* The shortest text (4096, 4K, 1M ...) that parses back to the same number. */
const char *atn_format_size(int64_t bytes, char out[32]);

/* "16K,128K,1M", "1K:1M:x4" (1K, 4K ... 1M), "0:64:+8", and lists of those, in the order given,
 * without duplicates.  ATN_USAGE with the defect.  The caller frees the list. */
typedef ATN_VEC(int64_t) atn_sizes;
atn_status atn_parse_sizes(const char *text, atn_sizes *list_p, atn_error *err);

/* Nearest word by edit distance, for "did you mean ..."; NULL when none is close. */
const char *atn_nearest(const char *word, const char *const *words, int n);
/* "a, b, c", or with " or " before the last one: "a, b or c".  Returns `out`. */
const char *atn_enumerate(const char *const *words, int n, const char *before_last,
                          char out[ATN_ERROR_ROOM]);
/* For an unknown word: `did you mean "b"? There are: a, b, c`, or without the question when none is
 * close.  Returns `out`. */
const char *atn_offer(const char *word, const char *const *words, int n, char out[ATN_ERROR_ROOM]);

/* Splits the next item off *rest_p at one of the separators; separators inside braces do not count,
 * and empty items are skipped.  NULL: no more. */
char *atn_next_item(char **rest_p, const char *separators);
/* Rejects a list with nothing before, after or between its commas outside of braces; it may be
 * empty.  `name`: of the list, for the message; `status`: of the failure. */
atn_status atn_check_list(const char *name, const char *text, atn_status status, atn_error *err);

/* A number that represents a text in this process, from any thread: equal texts have equal numbers,
 * and 0 is "".  -1: out of memory. */
int64_t atn_intern(const char *text);
const char *atn_interned(int64_t number);

/* A stream into memory.  After fclose or fflush, *text_p is what was written, NUL-terminated;
 * caller frees.  If memory was missing, fclose fails and *text_p is NULL.  NULL: out of memory. */
FILE *atn_open_text(char **text_p, size_t *bytes_p);

/* Whole file as a NUL-terminated string (caller frees). */
atn_status atn_read_file(const char *path, char **text_p, size_t *bytes_p, atn_error *err);
/* The same for a descriptor, which stays open; `name` for errors. */
atn_status atn_read_descriptor(int fd, const char *name, char **text_p, size_t *bytes_p,
                               atn_error *err);
/* The same for a file that others may have written (trust.c, SECURITY.md).  ATN_FOUND: it must
 * belong to this user or root, and not every user may write it; ATN_NAMED by the user: only refused
 * if it belongs to another user and every user may write it. */
typedef enum { ATN_NAMED, ATN_FOUND } atn_provider;
atn_status atn_read_checked_file(const char *path, atn_provider provider, char **text_p,
                                 size_t *bytes_p, atn_error *err);
/* Whether this program has rights that its caller lacks (set-uid, file capabilities): Attune then
 * does nothing, because the caller controls environment and files. */
bool atn_is_privileged(void);
/* Standard input, of any type; `name` for errors. */
atn_status atn_read_input(const char *name, char **text_p, size_t *bytes_p, atn_error *err);
/* Writes a temporary file beside the target and renames it: no reader or crash sees half a file. */
atn_status atn_write_file(const char *path, const char *text, size_t bytes, atn_error *err);
/* The same for the only writer (atn_lock_file): overwrites the leftovers of a killed writer. */
atn_status atn_write_file_alone(const char *path, const char *text, size_t bytes, atn_error *err);
/* Whether atn_write_file could write there, as far as this can be checked without creating files;
 * `folders`: missing folders would be created first.  ATN_ENVIRONMENT with reason and remedy. */
atn_status atn_may_write(const char *path, bool folders, atn_error *err);
/* Creates the missing folders above a file; failures are reported when the file is created. */
void atn_make_folders(const char *path);
/* Waits for the lock of a file: a file beside it ("PATH.lock"), released when the process ends.
 * Pass *lock_p to atn_unlock_file. */
atn_status atn_lock_file(const char *path, int *lock_p, atn_error *err);
void atn_unlock_file(int lock);

#endif
