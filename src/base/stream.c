/* stream.c - a stream into memory, like open_memstream, whose fclose fails whenever text is
 * missing.  That of glibc succeeds after a failed allocation: the text is then cut, or NULL. */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/base.h"

enum { FIRST_ROOM = 256 };

typedef struct {
    char **text_p;
    size_t *bytes_p;
    size_t room;
    bool failed; /* later text must not follow what is missing */
} sink;

static bool reserve(sink *s, size_t bytes)
{
    if (bytes <= s->room)
        return true;
    const size_t room = bytes > 2 * s->room ? bytes : 2 * s->room;
    char *const text = realloc(*s->text_p, room);
    if (text == NULL)
        return false;
    *s->text_p = text;
    s->room = room;
    return true;
}

static ssize_t put(void *cookie, const char *from, size_t n)
{
    sink *const s = cookie;
    s->failed = s->failed || !reserve(s, *s->bytes_p + n + 1);
    if (s->failed)
        return 0;
    memcpy(*s->text_p + *s->bytes_p, from, n);
    *s->bytes_p += n;
    (*s->text_p)[*s->bytes_p] = '\0';
    return (ssize_t)n;
}

static int end(void *cookie)
{
    sink *const s = cookie;
    const bool failed = s->failed;
    if (failed) {
        free(*s->text_p);
        *s->text_p = NULL;
        *s->bytes_p = 0;
    }
    free(s);
    return failed ? -1 : 0;
}

FILE *atn_open_text(char **text_p, size_t *bytes_p)
{
    sink *const s = malloc(sizeof *s);
    FILE *f = NULL;
    *text_p = calloc(1, FIRST_ROOM);
    *bytes_p = 0;
    if (s != NULL && *text_p != NULL) {
        *s = (sink){text_p, bytes_p, FIRST_ROOM, false};
        f = fopencookie(s, "w", (cookie_io_functions_t){.write = put, .close = end});
    }
    if (f == NULL) {
        free(s);
        free(*text_p);
        *text_p = NULL;
    }
    return f;
}
