/* direct.c - see direct.h. */
#include "shm/direct.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"

int atn_shm_direct_scope(void)
{
    FILE *const f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (f == NULL)
        return 0;
    const int scope = fgetc(f) - '0';
    fclose(f);
    return scope;
}

void atn_shm_direct_permit(void)
{
    if (atn_shm_direct_scope() == 1)
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

/* Containers may forbid the system call, which then fails for the own memory, too. */
uint64_t atn_shm_direct_domain(void)
{
    char name[64];
    const uint64_t user = (uint64_t)geteuid();
    uint64_t copy;
    const ssize_t n = readlink("/proc/self/ns/pid", name, sizeof name);
    if (n <= 0 || atn_shm_direct_scope() > 1 ||
        !atn_shm_direct_read(getpid(), &copy, (uint64_t)(uintptr_t)&user, sizeof copy))
        return 0;
    return atn_hash(name, (size_t)n, atn_hash(&user, sizeof user, 0)) | 1;
}

bool atn_shm_direct_read(pid_t pid, void *to, uint64_t from, int64_t bytes)
{
    for (int64_t at = 0; at < bytes;) {
        const struct iovec local = {(char *)to + at, (size_t)(bytes - at)};
        const struct iovec remote = {(void *)(uintptr_t)(from + (uint64_t)at),
                                     (size_t)(bytes - at)};
        const ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (n <= 0)
            return false;
        at += n;
    }
    return true;
}

/* ---- the threshold ---- */

/* Written, so that it has pages of its own. */
uint64_t atn_shm_direct_area(void)
{
    static _Atomic(char *) area;
    char *known = atomic_load(&area);
    char *const made = known == NULL ? malloc(ATN_SHM_AREA) : NULL;
    if (made != NULL) {
        memset(made, 1, ATN_SHM_AREA);
        if (atomic_compare_exchange_strong(&area, &known, made))
            known = made;
        else
            free(made);
    }
    return (uint64_t)(uintptr_t)known;
}

/* Compares the least of some times, which a preempted rank does not distort. */
static bool reading_pays(pid_t pid, uint64_t area, char *to, int64_t bytes)
{
    int64_t read = INT64_MAX, copied = INT64_MAX;
    for (int i = 0; i < 4; i++) {
        const int64_t start = atn_ticks();
        if (!atn_shm_direct_read(pid, to, area, bytes))
            return false;
        const int64_t half = atn_ticks();
        memcpy(to + ATN_SHM_AREA, to, (size_t)bytes);
        memcpy(to, to + ATN_SHM_AREA, (size_t)bytes);
        const int64_t end = atn_ticks();
        read = half - start < read ? half - start : read;
        copied = end - half < copied ? end - half : copied;
    }
    return read < copied;
}

int64_t atn_shm_direct_threshold(pid_t pid, uint64_t area)
{
    char *const to = area != 0 ? malloc(2 * ATN_SHM_AREA) : NULL;
    int64_t bytes = 32 << 10;
    while (to != NULL && bytes <= ATN_SHM_AREA && !reading_pays(pid, area, to, bytes))
        bytes *= 2;
    const bool found = to != NULL && bytes <= ATN_SHM_AREA;
    free(to);
    return found ? bytes : INT64_MAX;
}

/* ---- combining ---- */

bool atn_shm_direct_take(pid_t pid, atn_shm_transfer *t, uint64_t from)
{
    const int64_t most = t->unit > 0 && t->unit <= ATN_SHM_BUFFER
                             ? ATN_SHM_BUFFER / t->unit * t->unit
                             : ATN_SHM_BUFFER;
    while (t->at < t->bytes) {
        const int64_t n = t->bytes - t->at < most ? t->bytes - t->at : most;
        if (!atn_shm_direct_read(pid, t->buffer, from + (uint64_t)t->at, n))
            return false;
        t->sink->take(t->sink->context, t->buffer, t->at, n);
        t->at += n;
    }
    return true;
}
