/* live.c - see live.h. */
#include "trace/live.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static const uint64_t mark = UINT64_C(0x61746e6c69766531);

static char *name_beside(const char *path)
{
    char *name = NULL;
    return path != NULL && asprintf(&name, "%s" ATN_TRACE_LIVE, path) >= 0 ? name : NULL;
}

/* A mapped file of a network file system kills the program if the server loses it. */
static bool is_local(int fd)
{
    static const uint32_t own[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                   TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
    struct statfs of;
    if (fstatfs(fd, &of) != 0)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if ((uint32_t)of.f_type == own[i])
            return true;
    return false;
}

/* A new file, because another process may still have one of that name mapped; fully allocated,
 * because a full disk must not end the program. */
static void *map_new(const char *name, size_t bytes)
{
    unlink(name);
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    void *at = MAP_FAILED;
    if (fd < 0)
        return NULL;
    if (is_local(fd) && posix_fallocate(fd, 0, (off_t)bytes) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED)
        return at;
    unlink(name);
    return NULL;
}

static void *map_plain(size_t bytes)
{
    void *const at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED ? at : NULL;
}

atn_trace_live *atn_trace_live_make(const char *path)
{
    char *const name = name_beside(path);
    atn_trace_live *live = name != NULL ? map_new(name, sizeof *live) : NULL;
    free(name);
    if (live == NULL)
        live = map_plain(sizeof *live);
    if (live == NULL)
        return NULL;
    live->first = live->room;
    live->mark = mark;
    return live;
}

void atn_trace_live_free(atn_trace_live *live, const char *path)
{
    char *const name = name_beside(path);
    munmap(live, sizeof *live);
    if (name != NULL)
        unlink(name);
    free(name);
}

/* ---- for readers ---- */

uint32_t atn_trace_live_bytes(const atn_trace_live *live)
{
    const uintptr_t n = (uintptr_t)live->cursor.at - (uintptr_t)live->first;
    return n <= sizeof live->room ? (uint32_t)n : 0;
}

atn_trace_live *atn_trace_live_read(const char *path)
{
    char *const name = name_beside(path), *text = NULL;
    size_t bytes = 0;
    const bool there = name != NULL && atn_read_file(name, &text, &bytes, NULL) == ATN_OK;
    atn_trace_live *live = there ? aligned_alloc(_Alignof(atn_trace_live), sizeof *live) : NULL;
    if (live != NULL && bytes == sizeof *live)
        memcpy(live, text, bytes);
    free(name);
    free(text);
    if (live == NULL || (bytes == sizeof *live && live->mark == mark))
        return live;
    free(live);
    return NULL;
}
