/* bell.h - waking a process that sleeps while it waits for shared memory.
 *
 * A process has one bell per communicator.  A waiter that has polled for long arms the bell, polls
 * once more and sleeps; whatever may end the wait rings it.  Ringing must cost nothing while no
 * rank sleeps: it is a load after the store of the data, and these two could be reordered.  The
 * sleeper orders them instead, by membarrier(2), which executes a barrier on every processor that
 * runs a registered process.  Without it sleeps are short. */
#ifndef ATN_SHM_BELL_H
#define ATN_SHM_BELL_H

#include <stdatomic.h>

#include "base/base.h"

typedef struct {
    _Alignas(128) _Atomic uint32_t armed; /* also the futex */
} atn_shm_bell;

/* Registers this process; false: bells are not reliable, so sleeps must be short. */
bool atn_shm_bell_register(void);
void atn_shm_bell_arm(atn_shm_bell *own);
void atn_shm_bell_disarm(atn_shm_bell *own);
/* Sleeps until the bell rings or `ns` have passed. */
void atn_shm_bell_sleep(atn_shm_bell *own, int64_t ns);
void atn_shm_bell_wake(atn_shm_bell *bell);

static inline void atn_shm_bell_ring(atn_shm_bell *bell)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&bell->armed, memory_order_relaxed) != 0, 0))
        atn_shm_bell_wake(bell);
}

#endif
