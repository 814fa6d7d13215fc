/* bell.c - see bell.h. */
#include "shm/bell.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int membarrier(int command) { return (int)syscall(SYS_membarrier, command, 0, 0); }

bool atn_shm_bell_register(void)
{
    const int commands = membarrier(MEMBARRIER_CMD_QUERY);
    return commands >= 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
           membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

void atn_shm_bell_arm(atn_shm_bell *own)
{
    atomic_store_explicit(&own->armed, 1, memory_order_seq_cst);
    membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void atn_shm_bell_disarm(atn_shm_bell *own)
{
    atomic_store_explicit(&own->armed, 0, memory_order_relaxed);
}

void atn_shm_bell_sleep(atn_shm_bell *own, int64_t ns)
{
    const struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    syscall(SYS_futex, (uint32_t *)&own->armed, FUTEX_WAIT, 1, &limit, NULL, 0);
}

void atn_shm_bell_wake(atn_shm_bell *bell)
{
    atomic_store_explicit(&bell->armed, 0, memory_order_relaxed);
    syscall(SYS_futex, (uint32_t *)&bell->armed, FUTEX_WAKE, 1, NULL, NULL, 0);
}
