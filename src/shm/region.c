/* region.c - see region.h. */
#include "shm/region.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/direct.h"

enum { HEAD_BYTES = 4096 };

typedef struct {
    uint64_t secret[2];
} region_head;

static size_t page_up(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
static size_t bells_bytes(int n) { return page_up((size_t)n * sizeof(atn_shm_bell)); }

static size_t boards_bytes(int n) { return (size_t)n * page_up(sizeof(atn_shm_board)); }

size_t atn_shm_region_bytes(int n)
{
    return HEAD_BYTES + bells_bytes(n) + boards_bytes(n) +
           (size_t)n * (size_t)n * atn_shm_channel_bytes(n);
}

/* Beyond the limit of file sizes the kernel would send SIGXFSZ, which ends the program. */
static bool is_within_limit(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

void atn_shm_offer_make(uint64_t kernel, const uint64_t secret[2], atn_shm_offer *offer_p)
{
    *offer_p = (atn_shm_offer){
        .kernel = kernel,
        .secret = {secret[0], secret[1]},
        .probe = (uint64_t)(uintptr_t)offer_p->secret,
        .area = atn_shm_direct_area(),
        .pid = (int32_t)getpid(),
        .fd = is_within_limit(HEAD_BYTES) ? memfd_create("attune", MFD_CLOEXEC) : -1,
    };
    const region_head head = {{secret[0], secret[1]}};
    if (offer_p->fd >= 0 && write(offer_p->fd, &head, sizeof head) != (ssize_t)sizeof head)
        atn_shm_offer_close(offer_p);
}

void atn_shm_offer_close(atn_shm_offer *own)
{
    if (own->fd >= 0)
        close(own->fd);
    own->fd = -1;
}

static int open_file(const atn_shm_offer *maker)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)maker->pid, (int)maker->fd);
    return maker->fd < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
}

/* The file belongs to this user and holds the secret, so it is the one that was offered. */
static bool is_genuine(int fd, const atn_shm_offer *maker)
{
    struct stat st;
    region_head head;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head.secret, maker->secret, sizeof head.secret) == 0;
}

static bool map(int fd, int n, int r, atn_shm_region *region_p)
{
    const size_t bytes = atn_shm_region_bytes(n);
    void *const base = is_within_limit(bytes) && ftruncate(fd, (off_t)bytes) == 0
                           ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                           : MAP_FAILED;
    if (base == MAP_FAILED)
        return false;
    madvise(base, bytes, MADV_DONTFORK); /* a child must not send in the name of its parent */
    *region_p = (atn_shm_region){.base = base, .bytes = bytes, .n = n, .r = r};
    return true;
}

bool atn_shm_region_open(const atn_shm_offer *maker, int n, int r, atn_shm_region *region_p)
{
    const int fd = n <= ATN_SHM_MOST_RANKS ? open_file(maker) : -1;
    const bool ok = is_genuine(fd, maker) && map(fd, n, r, region_p);
    if (fd >= 0)
        close(fd);
    return ok;
}

void atn_shm_region_close(atn_shm_region *m)
{
    if (m->base != NULL)
        munmap(m->base, m->bytes);
    m->base = NULL;
}

atn_shm_bell *atn_shm_region_bell(const atn_shm_region *m, int r)
{
    return (atn_shm_bell *)(m->base + HEAD_BYTES) + r;
}

atn_shm_board *atn_shm_region_board(const atn_shm_region *m, int r)
{
    return (atn_shm_board *)(m->base + HEAD_BYTES + bells_bytes(m->n) + boards_bytes(r));
}

atn_shm_ring *atn_shm_region_ring(const atn_shm_region *m, int from, int to)
{
    const size_t pair = (size_t)from * (size_t)m->n + (size_t)to;
    return (atn_shm_ring *)(m->base + HEAD_BYTES + bells_bytes(m->n) + boards_bytes(m->n) +
                            pair * atn_shm_channel_bytes(m->n));
}
