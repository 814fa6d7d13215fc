/* readers.c - the table of readers, and what their calls share. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const atn_fuzz_reader readers[] = {
#define ATN_READER(name, run, read, alphabet, seeds) {#name, run, read, alphabet, seeds},
#include "readers.def"
};
enum { READERS = sizeof readers / sizeof *readers };

const atn_fuzz_reader *atn_fuzz_reader_at(int i)
{
    return i >= 0 && i < READERS ? &readers[i] : NULL;
}

const atn_fuzz_reader *atn_fuzz_reader_find(const char *name)
{
    for (int i = 0; i < READERS; i++)
        if (strcmp(readers[i].name, name) == 0)
            return &readers[i];
    return NULL;
}

void atn_fuzz_run(const atn_fuzz_reader *r, const uint8_t *data, size_t bytes)
{
    /* Of its exact size, so that a sanitizer detects any access beyond the end. */
    char *const text = malloc(bytes + 1);
    if (text == NULL)
        return;
    setenv("HWLOC_LIBXML", "0", 0); /* libxml2 leaks what is invalid */
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    r->run(text, bytes, r->read);
    free(text);
}

const char *atn_fuzz_file(const char *text, size_t bytes)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, text, bytes, 0) != (ssize_t)bytes) {
        perror("temporary file");
        abort();
    }
    return path;
}

void atn_fuzz_expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

void atn_fuzz_judge(atn_status status, const atn_error *err)
{
    const bool silent = err->text[0] == '\0';
    atn_fuzz_expect(status == ATN_OK ? silent : !silent,
                    "a failure, and only a failure, has a reason");
    atn_fuzz_expect(status == ATN_OK || err->status == status, "the status is that of the reason");
}
