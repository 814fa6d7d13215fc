/* wait.h - waiting for shared memory: spin, yield, sleep.
 *
 *   while (status == ATN_SHM_BUSY) { atn_shm_wait_pause(&w); status = step(); }
 *
 * Where every rank has a core, the waiter spins for some time; with oversubscription it yields the
 * core soon, since the awaited rank may need it.  A long wait ends in sleeps on the bell.  At
 * intervals `progress` is called: the MPI library may have to complete the rendezvous of a message
 * that another rank waits for before it can do its part. */
#ifndef ATN_SHM_WAIT_H
#define ATN_SHM_WAIT_H

#include "shm/bell.h"

typedef struct {
    atn_shm_bell *bell; /* of this rank */
    bool yields;        /* the cores are oversubscribed */
    bool bells;         /* are reliable */
    void (*progress)(void *context);
    void *context;
} atn_shm_waiting;

typedef struct {
    const atn_shm_waiting *how;
    uint32_t pauses;
    int64_t since; /* ticks; 0: not read yet */
    int64_t nap;   /* ns of the next sleep */
    bool armed;
} atn_shm_wait;

/* Slow part of a pause. */
void atn_shm_wait_longer(atn_shm_wait *w);
/* Call after the last pause. */
void atn_shm_wait_end(atn_shm_wait *w);

static inline void atn_shm_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

/* Without a pause, whose time would delay the reaction. */
enum { ATN_SHM_SPINS = 128, ATN_SHM_SPINS_YIELDING = 16 };

static inline void atn_shm_wait_pause(atn_shm_wait *w)
{
    const uint32_t spins = w->how->yields ? ATN_SHM_SPINS_YIELDING : ATN_SHM_SPINS;
    if (w->pauses++ >= spins)
        atn_shm_wait_longer(w);
}

#endif
