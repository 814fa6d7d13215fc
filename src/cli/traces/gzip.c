/* gzip.c - see gzip.h. */
#include "cli/traces/gzip.h"

#ifdef ATN_HAVE_ZLIB

#include <stdlib.h>
#include <zlib.h>

enum { WINDOW_OF_GZIP = 15 + 16, MEMORY = 8, CHUNK = 1 << 16 };

typedef struct {
    FILE *to;
    z_stream z;
} packer;

/* False: an error of zlib or of the stream. */
static bool pack(packer *p, const char *text, size_t bytes, int flush)
{
    unsigned char out[CHUNK];
    p->z.next_in = (unsigned char *)(uintptr_t)text;
    p->z.avail_in = (unsigned)bytes;
    do {
        p->z.next_out = out;
        p->z.avail_out = sizeof out;
        if (deflate(&p->z, flush) == Z_STREAM_ERROR)
            return false;
        const size_t n = sizeof out - p->z.avail_out;
        if (fwrite(out, 1, n, p->to) != n)
            return false;
    } while (p->z.avail_out == 0);
    return true;
}

static ssize_t write_packed(void *cookie, const char *text, size_t bytes)
{
    const size_t some = bytes < (1u << 30) ? bytes : 1u << 30;
    return pack(cookie, text, some, Z_NO_FLUSH) ? (ssize_t)some : 0;
}

static int close_packed(void *cookie)
{
    packer *const p = cookie;
    const bool ok = pack(p, "", 0, Z_FINISH);
    deflateEnd(&p->z);
    free(p);
    return ok ? 0 : EOF;
}

atn_status atn_cli_gzip_open(FILE *to, FILE **f_p, atn_error *err)
{
    static const cookie_io_functions_t functions = {.write = write_packed, .close = close_packed};
    packer *const p = calloc(1, sizeof *p);
    if (p == NULL || deflateInit2(&p->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY,
                                  Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    p->to = to;
    *f_p = fopencookie(p, "w", functions);
    if (*f_p != NULL)
        return ATN_OK;
    deflateEnd(&p->z);
    free(p);
    return atn_fail(err, ATN_MEMORY, "out of memory");
}

#else

atn_status atn_cli_gzip_open(FILE *to, FILE **f_p, atn_error *err)
{
    (void)to;
    *f_p = NULL;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "this attune was built without zlib, which compresses; install zlib1g-dev and "
                    "build again, or write a file without .gz");
}

#endif
